/* Two questions about the run, each second or so: is it over, and does a coordinator hold it? */
#include "remote/fleet/srun_keeper.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/os/clock.h"
#include "base/os/die_with.h"
#include "exec/folder/run_lock.h"
#include "exec/process/sys.h"
#include "remote/wire/lease.h"

enum {
    KEEPER_LOOK_US = 1000000,
    KEEPER_LEAVE_US = 2000000, /* a command whose agents leave ends by itself */
    KEEPER_GRACE_US = 1000000, /* from the SIGTERM to the SIGKILL */
};

struct keeper {
    const struct srun_keeper *options;
    pid_t child;
    int64_t held_us; /* when a coordinator was last seen to hold the run */
    int64_t term_us; /* when the command gets a SIGTERM; INT64_MAX: not yet known */
    bool termed;
};

void srun_keeper_words(struct fleet_words *w, const struct fleet_options *o, bool stays)
{
    fleet_words_add(w, o->program, "keeper", o->dir, stays ? o->at_file : "",
                    o->linger ? o->linger : "");
}

/* Looks whether the command is still of use. */
static void keeper_look(struct keeper *w, int64_t now_us)
{
    const struct srun_keeper *o = w->options;

    if (!*o->at_file || w->term_us != INT64_MAX)
        return;
    if (!run_lock_is_stale(o->dir))
        w->held_us = now_us;
    if ((access(o->at_file, F_OK) < 0 && errno == ENOENT) ||
        now_us - w->held_us > o->linger_us + LEASE_US)
        w->term_us = now_us + KEEPER_LEAVE_US;
}

/* Ends the command if its time has come. Returns when to look again. */
static int64_t keeper_end(struct keeper *w, int64_t now_us)
{
    if (now_us < w->term_us)
        return w->term_us - now_us < KEEPER_LOOK_US ? w->term_us : now_us + KEEPER_LOOK_US;
    kill(w->child, w->termed ? SIGKILL : SIGTERM);
    w->termed = true;
    w->term_us = now_us + KEEPER_GRACE_US;
    return w->term_us;
}

static int keeper_watch(struct keeper *w, const sigset_t *signals)
{
    int64_t next_us = 0;
    int status;

    for (;;) {
        pid_t pid = waitpid(w->child, &status, WNOHANG);
        if (pid < 0)
            return 127;
        if (pid > 0)
            return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        int64_t now_us = clock_now_us(), left_us = next_us - now_us;
        if (left_us <= 0) {
            keeper_look(w, now_us);
            next_us = keeper_end(w, now_us);
            continue;
        }
        struct timespec wait = {left_us / 1000000, (long)(left_us % 1000000 * 1000)};
        int signal = sigtimedwait(signals, NULL, &wait);
        if (signal > 0 && signal != SIGCHLD && !w->termed)
            w->term_us = next_us = clock_now_us();
    }
}

__attribute__((noreturn)) static void keeper_become(char *const *argv, pid_t parent,
                                                    const sigset_t *mask)
{
    die_with(parent, SIGKILL);
    sigprocmask(SIG_SETMASK, mask, NULL);
    execvp(argv[0], argv);
    dprintf(2, "%s: %s\n", argv[0], strerror(errno));
    _exit(127);
}

int srun_keeper_run(const struct srun_keeper *keeper, char *const *argv)
{
    struct keeper w = {.options = keeper, .held_us = clock_now_us(), .term_us = INT64_MAX};
    pid_t self = getpid();
    sigset_t signals, before;

    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    sigprocmask(SIG_BLOCK, &signals, &before);
    if (!*keeper->at_file)
        prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
    w.child = sys_fork();
    if (w.child == 0)
        keeper_become(argv, self, &before);
    if (w.child < 0) {
        dprintf(2, "%s: %s\n", argv[0], strerror(errno));
        return 127;
    }
    return keeper_watch(&w, &signals);
}
