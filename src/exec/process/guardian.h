/* guardian.h - the process that owns the attempts: it starts, watches, ends and reaps them.
 *
 * A small process of its own, so that another process is left to clean up when the coordinator
 * dies: the end of their conversation, however it comes about, makes the guardian end every
 * descendant and leave. */
#ifndef EXEC_PROCESS_GUARDIAN_H
#define EXEC_PROCESS_GUARDIAN_H

#include <sys/types.h>

#include "base/err.h"
#include "exec/process/runner_link.h"

/* Forks the guardian. Returns its process id and our end of the conversation (non-blocking, close
 * on exec) in *fd; -1 with *err on failure. The caller waits for the process after closing *fd. Of
 * the options, those before lock_fd are not used. */
pid_t guardian_start(const struct runner_options *options, int *fd, struct err *err);

/* Starts a guardian and stands for it here (guardian_link.c). NULL with *err. */
struct runner_link *guardian_link_open(const struct runner_options *options, struct err *err);

#endif
