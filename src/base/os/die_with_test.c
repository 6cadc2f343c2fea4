#include "base/os/die_with.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/test.h"

enum { GOES_ON = 7 };

/* The exit status of a child that is bound to this process. */
static int status_of_child(pid_t to)
{
    int status = -1, sig = 0;
    pid_t child = fork();

    if (child == 0) {
        die_with(to, SIGTERM);
        _exit(prctl(PR_GET_PDEATHSIG, &sig, 0, 0, 0) == 0 && sig == SIGTERM ? GOES_ON : 0);
    }
    expect(child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status));
    return WEXITSTATUS(status);
}

TEST(die_with_asks_for_the_signal)
{
    expect(status_of_child(getpid()) == GOES_ON);
}

/* The parent of the child is not the one that it was born of: that one is dead. */
TEST(die_with_ends_a_child_that_is_too_late)
{
    expect(status_of_child(getppid()) == 1);
}
