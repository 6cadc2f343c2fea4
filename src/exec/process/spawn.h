/* spawn.h - one process for one attempt: a program with a clean start.
 *
 * The process leads a group of its own, dies with us (PR_SET_PDEATHSIG), has default signals, and
 * holds these descriptors and no others: 0, 1, 2, SPAWN_PROGRESS_FD, SPAWN_LOCK_FD and, if it has a
 * control socket, SPAWN_CONTROL_FD. */
#pragma once

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/err.h"

/* Progress is a single digit because dash cannot redirect to more. The lock only has to be
 * inherited, so it is out of the way of scripts, which like to use 3 to 9; and so is control, which
 * is not for scripts. */
enum { SPAWN_PROGRESS_FD = 3, SPAWN_CONTROL_FD = 98, SPAWN_LOCK_FD = 99 };

/* A process that runs attempts needs this number of descriptors, and gets more if it may. */
enum { SPAWN_FDS_LEAST = 128, SPAWN_FDS_USUAL = 256 };

/* Raises the limit of descriptors to the minimum of a run. Call before anything is made: without
 * them the guardian cannot start. Returns 0, or -1 with *err if that is not allowed. */
int spawn_raise_limit(struct err *err);

/* Call it once before spawn_begin: blocks the signals that are meant for the coordinator, raises
 * the limit on descriptors (*files is what attempts get), duplicates the lock to SPAWN_LOCK_FD, and
 * lets attempts inherit no other descriptor. *null_fd is what attempts without a stdin get; the
 * caller closes it, and SPAWN_LOCK_FD. 0, or -1 with errno. */
int spawn_prepare(int lock_fd, struct rlimit *files, int *null_fd);

/* Sets *caught to the signals that this process handles or ignores, but not to those that report
 * its own crash. That takes sixty system calls: call it once, after spawn_prepare and when all
 * handlers are installed. */
void spawn_find_caught(sigset_t *caught);

/* One start. Zero-initialise. The new process reads its first fields and all
 * that they point to until it runs its own program, so they must not change until spawn_settled;
 * only the descriptors may be closed as soon as spawn_begin has returned. */
struct spawn {
    const char *program; /* NULL: the second at once */
    char *const *argv;
    const char *second; /* tried when the program is none, or not there, or not to be executed */
    char *const *second_argv;
    /* Does the work of the program, if this process contains it: called with its words in a copy of
     * this process, it returns the status to exit with, or less than 0 to have the program executed
     * after all. NULL: the program is always executed. */
    int (*own)(void *ctx, char *const *argv);
    void *own_ctx;
    sigset_t caught; /* signals that the copy handles by default again (spawn_find_caught) */
    char *const *env;
    const char *workdir;        /* folder in which it runs; NULL: the current one */
    int in, out, err, progress; /* close-on-exec, none below 4 */
    int control;                /* the same; 0: none */
    int nicer;                  /* added to the niceness of this process */
    struct rlimit files;        /* limit of the attempt: the original one */

    pid_t parent;
    int error; /* of the new process, 0: none; valid once it has settled */
    atomic_int unsettled;
    char *stack; /* of the process until then; made once, and used by the next start as well */
};

/* From now on a crash of this process, and of its copies, leaves no core file: it holds a key, and
 * the file would outlive the run. The limit is 1, not 0: where cores are piped to a program
 * (systemd-coredump, abrt), the kernel heeds no limit but this one. Programs that are started get
 * the limit back that was there before. May be called again. */
void spawn_hold_core(void);

/* Restores the limit, in a child that is going to execute a program without spawn_begin. */
void spawn_release_core(void);

/* Begins to start it. Returns the process id, or -1 with errno and no process. The process may
 * still fail to run its program: then it exits with status 127, and spawn_error returns the reason.
 */
pid_t spawn_begin(struct spawn *s);

/* Returns true if the process runs its own program or is dead. */
static inline bool spawn_settled(const struct spawn *s)
{
    return atomic_load_explicit(&s->unsettled, memory_order_acquire) == 0;
}

/* Marks the process as dead: some kernels do not clear `unsettled` when it dies of a signal. */
static inline void spawn_ended(struct spawn *s)
{
    atomic_store_explicit(&s->unsettled, 0, memory_order_relaxed);
}

/* Returns 0, or the errno why it runs nothing. Call once it has settled. */
static inline int spawn_error(const struct spawn *s)
{
    return s->error;
}
