#include "tests/unit/folder.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/test.h"

TEST(folders_of_tests_that_are_killed_are_removed)
{
    char mine[TEST_FOLDER], theirs[TEST_FOLDER] = "", file[TEST_FOLDER + 8];
    int pipe_fds[2], tries = 0;

    test_folder(mine);
    expect(pipe(pipe_fds) == 0);
    pid_t child = fork();
    if (!child) {
        test_folders_open();
        test_folder(theirs);
        snprintf(file, sizeof file, "%s/file", theirs);
        fclose(fopen(file, "w"));
        if (write(pipe_fds[1], theirs, sizeof theirs) == sizeof theirs)
            pause();
        _exit(1);
    }
    expect(read(pipe_fds[0], theirs, sizeof theirs) == sizeof theirs);
    expect(access(theirs, F_OK) == 0 && strcmp(theirs, mine) != 0);
    kill(child, SIGKILL);
    expect(waitpid(child, NULL, 0) == child);
    while (access(theirs, F_OK) == 0 && tries++ < 3000)
        poll(NULL, 0, 20);
    *strrchr(theirs, '/') = 0;
    while (access(theirs, F_OK) == 0 && tries++ < 3000)
        poll(NULL, 0, 20);
    expect(access(theirs, F_OK) < 0 && access(mine, F_OK) == 0); /* of others' nothing */
    rmdir(mine);
    close(pipe_fds[0]);
    close(pipe_fds[1]);
}
