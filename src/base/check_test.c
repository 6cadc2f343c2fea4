#include "base/check.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/test.h"

TEST(check_goes_on_when_true)
{
    int reached = 0;
    check(1 + 1 == 2);
    reached = 1;
    expect(reached);
}

TEST(check_says_where_and_aborts)
{
    int ends[2];
    if (pipe(ends))
        return test_skip("no pipe");
    pid_t child = fork();
    if (!child) {
        signal(SIGABRT, SIG_DFL);
        dup2(ends[1], STDERR_FILENO);
        check(1 + 1 == 3);
        _exit(0);
    }
    close(ends[1]);
    char text[256] = {0};
    ssize_t length = read(ends[0], text, sizeof text - 1);
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    expect(length > 0);
    expect(strstr(text, "check_test.c:") != NULL);
    expect(strstr(text, "1 + 1 == 3") != NULL);
    expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}
