/* guardian.h - the process that owns the attempts: it starts, watches, ends and buries them.
 *
 * A small process of its own, so that starting stays quick however large the coordinator grows, and
 * so that somebody is left to clean up when the coordinator dies: the end of their conversation
 * (runner/packet.h), however it comes about, makes the guardian end every descendant and leave. */
#ifndef RUNNER_GUARDIAN_H
#define RUNNER_GUARDIAN_H

#include <sys/types.h>

#include "base/err.h"
#include "runner/runner.h"

struct guardian_options {
    int lock_fd;       /* inherited by every attempt, so that a held lock means: somebody is left */
    const char *shell; /* NULL: /bin/sh */
    const char *workdir; /* where attempts run; NULL: where we do */
    int nice;            /* added to our niceness for attempts, and the guardian itself */
    struct runner_hooks hooks;
};

/* Forks the guardian. Returns its process id and our end of the conversation (non-blocking, close
 * on exec) in *fd; -1 with *err on failure. The caller waits for the process after closing *fd. */
pid_t guardian_start(const struct guardian_options *options, int *fd, struct err *err);

#endif
