#include "exec/folder/run_lock.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "exec/process/sys.h"
#include "tests/unit/limits.h"
#include "tests/unit/test.h"

/* The folder of a run that is over: its lock is signed and free. */
static void make_left(char dir[TEST_FOLDER], char lock[TEST_FOLDER + 8])
{
    struct stat st;
    struct err err;

    test_folder(dir);
    snprintf(lock, TEST_FOLDER + 8, "%s/lock", dir);
    int fd = run_lock_new(dir, &err);
    expect(fd >= 0 && fstat(fd, &st) == 0 && (st.st_mode & 0777) == 0600);
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
    char dir[TEST_FOLDER], lock[TEST_FOLDER + 8], want[TEST_FOLDER + 80];
    struct err err = {0};

    make_left(dir, lock);
    int holds = open(lock, O_RDONLY | O_CLOEXEC);
    expect(holds >= 0 && flock(holds, LOCK_EX) == 0);
    snprintf(want, sizeof want, "%s: another run, or a process left by one, uses this folder", dir);
    expect(run_lock_new(dir, &err) == -1 && err.kind == ERR_INPUT && strcmp(err.text, want) == 0);
    expect(!run_lock_is_stale(dir));
    close(holds);
}

/* The lock says which process of which machine holds it. */
TEST(run_lock_is_not_taken_from_a_run_that_lives)
{
    char dir[TEST_FOLDER], lock[TEST_FOLDER + 8], want[TEST_FOLDER + 80], text[16];
    struct err err = {0};

    make_left(dir, lock);
    int before = limits_open(), holds = open(lock, O_RDWR | O_CLOEXEC);
    expect(holds >= 0 && flock(holds, LOCK_EX) == 0);
    expect(run_lock_left(dir, &err) == -1 && err.kind == ERR_INPUT);
    snprintf(want, sizeof want, "%s: the run is still active: process %d holds it", dir,
             (int)getpid());
    expect(strcmp(err.text, want) == 0);
    snprintf(text, sizeof text, "%d\n", (int)getpid()); /* of a machine without a name */
    expect(ftruncate(holds, 0) == 0 && write(holds, text, strlen(text)) > 0);
    expect(run_lock_left(dir, &err) == -1 && strcmp(err.text, want) == 0);
    expect(ftruncate(holds, 0) == 0 && pwrite(holds, "12 no.such.host\n", 16, 0) == 16);
    expect(run_lock_left(dir, &err) == -1 && err.kind == ERR_INPUT);
    snprintf(want, sizeof want, "%s: the run is held by process 12 on no.such.host", dir);
    expect(strcmp(err.text, want) == 0);
    close(holds);
    expect(limits_open() == before);
    int fd = run_lock_left(dir, &err); /* no process holds it, whatever its text */
    expect(fd >= 0);
    close(fd);
}

TEST(run_lock_reports_that_it_cannot_be_opened)
{
    struct err err;

    for (int left = 0; left < 2; left++) {
        expect((left ? run_lock_left : run_lock_new)("/nonexistent", &err) == -1);
        expect(err.kind == ERR_SYSTEM);
        expect(strcmp(err.text, "/nonexistent/lock: No such file or directory") == 0);
    }
}

/* A file system without locks. */
TEST(run_lock_reports_that_it_cannot_be_taken)
{
    char dir[TEST_FOLDER], lock[TEST_FOLDER + 8], want[TEST_FOLDER + 80];
    struct err err;

    make_left(dir, lock);
    snprintf(want, sizeof want, "%s: No locks available", lock);
    for (int left = 0; left < 2; left++) {
        int64_t count = 0;
        struct sys_plan plan = {SYS_PLAN_FAIL, SYS_COORDINATOR, 1, ENOLCK, &count, "flock"};
        int before = limits_open();
        sys_plan_set(&plan);
        expect((left ? run_lock_left : run_lock_new)(dir, &err) == -1);
        sys_plan_set(NULL);
        expect(err.kind == ERR_SYSTEM && strcmp(err.text, want) == 0 && limits_open() == before);
    }
}

/* A lock without a name may be that of a run that begins, unless that was long ago. */
TEST(run_lock_without_a_name_is_stale_after_a_while)
{
    char dir[TEST_FOLDER], lock[TEST_FOLDER + 8];
    struct timespec times[2] = {{.tv_sec = time(NULL) - 3600}, {.tv_sec = time(NULL) - 3600}};

    make_left(dir, lock);
    expect(run_lock_is_stale(dir) && truncate(lock, 0) == 0 && !run_lock_is_stale(dir));
    expect(utimensat(AT_FDCWD, dir, times, 0) == 0);
    errno = 0;
    expect(run_lock_is_stale(dir));
    expect(unlink(lock) == 0 && !run_lock_is_stale(dir)); /* which changed the folder */
    expect(utimensat(AT_FDCWD, dir, times, 0) == 0 && run_lock_is_stale(dir));
    expect(rmdir(dir) == 0 && !run_lock_is_stale(dir));
}
