/* exec_hold.c - a run that the user stops (^Z) and has go on (fg).
 *
 * The shell sends a SIGTSTP to the process that it knows. Its attempts have groups of their own, so
 * they are stopped by their runner, and time stands still: no limit, estimate or report sees the
 * pause. Runners on other machines have work of their own to look after; what they run goes on.
 *
 * Below a supervisor (exec/process/supervisor.h) we must not stop: then we could not hear that it
 * died, and the attempts would stay. So we wait for the SIGCONT that it hands on. Elsewhere a
 * guardian or the agents notice our death, and we stop as the shell expects.
 *
 * A process that is not waiting for events may be held up by a reader that was stopped with it
 * (`dolly map ... | less`), and the shell waits until all of a job have stopped. So outside of
 * exec_wait the signal does what it does to any process, and the attempts go on. */
#include "exec/exec_hold.h"

#include <signal.h>

#include "base/os/clock.h"
#include "exec/exec_state.h"

static void hold_order(struct exec *x, bool still)
{
    struct packet m = {.type = PACKET_HOLD, .u.still = still};

    for (uint32_t i = 0; i < x->runners.count; i++)
        if (!x->runners.at[i].lost) {
            x->runners.at[i].stirred = true;
            x->runners.at[i].link->order(x->runners.at[i].link, &m);
        }
}

/* Until the supervisor hands on that we may go on, or a signal ends the run. */
static void hold_wait(struct exec *x)
{
    static const int signals[] = {SIGCONT, SIGINT, SIGTERM, SIGHUP};
    sigset_t set;
    int sig;

    sigemptyset(&set);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaddset(&set, signals[i]);
    do
        sig = sigwaitinfo(&set, NULL);
    while (sig < 0);
    x->interrupted += sig != SIGCONT;
}

void exec_hold(struct exec *x)
{
    int64_t from_us = clock_now_us();

    hold_order(x, true);
    if (x->options.supervised)
        hold_wait(x);
    else
        raise(SIGSTOP);
    hold_order(x, false);
    if (!x->options.groups)
        x->start_us += clock_now_us() - from_us;
}
