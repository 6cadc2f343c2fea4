#include "ui/interrupt.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/test.h"

/* In a process of its own, as what is caught stays so. */
static int catches(void)
{
    struct sigaction now;

    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_IGN); /* by nohup */
    interrupt_catch();
    sigaction(SIGHUP, NULL, &now);
    if (now.sa_handler != SIG_IGN || interrupt_came())
        return 1;
    raise(SIGHUP);
    if (interrupt_came())
        return 2;
    raise(SIGTERM);
    return interrupt_came() ? 0 : 3;
}

TEST(interrupt_is_caught_unless_it_was_ignored)
{
    int status = -1;
    pid_t child = fork();

    if (child == 0)
        _exit(catches());
    expect(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
