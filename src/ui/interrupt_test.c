#include "ui/interrupt.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "tests/unit/capture.h"
#include "tests/unit/test.h"
#include "ui/cli.h"

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

/* Returns where it ended, if it did not by the third signal. */
static int is_patient(int number)
{
    struct err err;

    signal(number, SIG_DFL);
    interrupt_catch();
    err_set(&err, "no");
    if (interrupt_fail(&err) != EXIT_USAGE)
        return 1;
    for (int i = 0; i < 2; i++) {
        raise(number);
        if (!interrupt_came() || interrupt_fail(&err) != EXIT_INTERRUPTED)
            return 2;
    }
    raise(number);
    return 3;
}

/* The process ends by the signal, so that the shell that started it sees why. */
TEST(interrupt_that_comes_three_times_ends_the_program)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct capture c;
        int status = -1;
        capture_begin(&c, STDERR_FILENO);
        pid_t child = fork();
        if (child == 0)
            _exit(is_patient(signals[i]));
        expect(waitpid(child, &status, 0) == child);
        char *text = capture_end(&c);
        expect(WIFSIGNALED(status) && WTERMSIG(status) == signals[i]);
        expect(strcmp(text, "dolly: no\ndolly: no\ndolly: no\n") == 0);
        mem_free(text);
    }
}
