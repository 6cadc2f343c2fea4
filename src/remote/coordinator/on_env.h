/* on_env.h - --env: variables of ours that commands on other hosts get.
 *
 * Agents that are started by Slurm, or here, have our environment. What ssh starts has that of its
 * host, so variables that the user has named are sent with each launch. */
#ifndef REMOTE_COORDINATOR_ON_ENV_H
#define REMOTE_COORDINATOR_ON_ENV_H

#include "base/err.h"
#include "base/field.h"
#include "base/vec.h"

/* How long they may be in all: a launch has room for that beside the longest command. */
enum { ON_ENV_BYTES_MAX = 24 * 1024 };

/* NAME=VALUE strings, each with its NUL, one after the other. Zero-initialise. */
struct on_env {
    VEC(char) bytes;
};

/* Takes the variables of `environment` (as environ) that are named, and functions that bash has
 * exported by these names. A text of the list may hold several names with commas between them. 0,
 * or -1 with *err: one is not there, or is not sent. Free in both cases. */
int on_env_take(struct on_env *e, const struct field_list *names, char *const *environment,
                struct err *err);
void on_env_fini(struct on_env *e);

#endif
