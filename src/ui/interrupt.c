#include "ui/interrupt.h"

#include <signal.h>
#include <stddef.h>

#include "ui/cli.h"

enum { PATIENCE = 3 };

/* A signal handler can only reach what is global. */
static volatile sig_atomic_t came;

/* Two may belong together (`timeout` signals the process and then its group), so the third one
 * ends the program at once. */
static void note(int number)
{
    came = came + 1;
    if (came >= PATIENCE) {
        signal(number, SIG_DFL);
        raise(number);
    }
}

void interrupt_catch(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART}, old;

    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        sigaction(signals[i], NULL, &old);
        if (old.sa_handler != SIG_IGN) /* nohup, or the background of a script */
            sigaction(signals[i], &action, NULL);
    }
}

bool interrupt_came(void)
{
    return came != 0;
}

int interrupt_fail(const struct err *err)
{
    int status = cli_fail(err);
    return interrupt_came() ? EXIT_INTERRUPTED : status;
}
