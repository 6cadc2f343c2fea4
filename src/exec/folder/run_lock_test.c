#include "exec/folder/run_lock.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/test.h"

/* The folder of a run that is over: its lock is signed and free. */
static void make_left(char dir[TEST_FOLDER], char lock[TEST_FOLDER + 8])
{
    struct err err;

    test_folder(dir);
    snprintf(lock, TEST_FOLDER + 8, "%s/lock", dir);
    int fd = run_lock_new(dir, &err);
    expect(fd >= 0);
    expect(!run_lock_is_stale(dir)); /* while it is held */
    close(fd);
}

TEST(run_lock_lets_any_number_look)
{
    char dir[TEST_FOLDER], lock[TEST_FOLDER + 8];

    make_left(dir, lock);
    int looks = open(lock, O_RDONLY | O_CLOEXEC);
    expect(looks >= 0 && flock(looks, LOCK_SH) == 0); /* as run_lock_is_stale does */
    expect(run_lock_is_stale(dir) && run_lock_is_stale(dir));
    close(looks);
}

/* Takes the lock while a child shares it, which lets go a little later. */
TEST(run_lock_is_taken_from_those_that_look)
{
    char dir[TEST_FOLDER], lock[TEST_FOLDER + 8], byte;
    struct err err = {0};

    for (int left = 0; left < 2; left++) {
        int ready[2];
        make_left(dir, lock);
        expect(pipe(ready) == 0);
        pid_t child = fork();
        if (child == 0) {
            int looks = open(lock, O_RDONLY | O_CLOEXEC);
            bool looked = looks >= 0 && flock(looks, LOCK_SH) == 0 && write(ready[1], "", 1) == 1;
            usleep(20000);
            _exit(looked ? 0 : 1);
        }
        expect(read(ready[0], &byte, 1) == 1);
        int fd = left ? run_lock_left(dir, &err) : run_lock_new(dir, &err), status = 1;
        expect(fd >= 0);
        expect(!run_lock_is_stale(dir));
        close(fd);
        expect(waitpid(child, &status, 0) == child && status == 0);
        close(ready[0]);
        close(ready[1]);
    }
}

TEST(run_lock_is_not_taken_from_a_run)
{
    char dir[TEST_FOLDER], lock[TEST_FOLDER + 8];
    struct err err = {0};

    make_left(dir, lock);
    int holds = open(lock, O_RDONLY | O_CLOEXEC);
    expect(holds >= 0 && flock(holds, LOCK_EX) == 0);
    expect(run_lock_new(dir, &err) < 0 && strstr(err.text, "uses this folder"));
    expect(!run_lock_is_stale(dir));
    close(holds);
}
