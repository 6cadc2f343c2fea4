/* where_env.h - --env: variables of this process's environment for commands on other hosts.
 *
 * Agents that are started by Slurm, or on this machine, have this environment. Those that ssh
 * starts have the one of their host, so variables that the user has named are sent with each
 * launch. */
#pragma once

#include "base/err.h"
#include "base/field.h"
#include "base/vec.h"

/* Maximum total length: a launch has room for it next to the longest command. */
enum { WHERE_ENV_BYTES_MAX = 24 * 1024 };

/* NAME=VALUE strings, each with its NUL, one after the other. Zero-initialise. */
struct where_env {
    VEC(char) bytes;
};

/* Takes the named variables of `environment` (as environ), and functions that bash has exported by
 * these names. A text of the list may hold several names with commas between them. Returns 0, or -1
 * with *err if one is not set, or cannot be sent. Free in both cases. */
int where_env_take(struct where_env *e, const struct field_list *names, char *const *environment,
                   struct err *err);
void where_env_fini(struct where_env *e);
