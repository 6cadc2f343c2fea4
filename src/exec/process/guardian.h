/* guardian.h - the process that owns the attempts: it starts, watches, ends and reaps them.
 *
 * A small process of its own, so that a process is left to clean up when the coordinator dies: the
 * end of their connection, for any reason, makes the guardian end every descendant and exit. */
#pragma once

#include <sys/types.h>

#include "base/err.h"
#include "exec/process/runner_link.h"

/* Forks the guardian. Returns its process id and the coordinator's end of the connection
 * (non-blocking, close on exec) in *fd; -1 with *err on failure. The caller waits for the process
 * after closing *fd. Ignores the options before lock_fd. */
pid_t guardian_start(const struct runner_options *options, int *fd, struct err *err);

/* Starts a guardian process and returns its link (guardian_link.c). Returns NULL with *err on
 * failure. */
struct runner_link *guardian_link_open(const struct runner_options *options, struct err *err);
