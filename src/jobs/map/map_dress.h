/* map_dress.h - the command, environment and stdin of an attempt. */
#pragma once

#include "base/text.h"
#include "base/vec.h"
#include "exec/exec.h"
#include "remote/coordinator/where_env.h"

/* The command of the attempt that was launched last. */
struct map_dress {
    struct str command, stdin_path;
    VEC(char) env;         /* NAME=VALUE strings, each with its NUL */
    struct where_env sent; /* sent with every attempt */
};

void map_dress_fini(struct map_dress *d);

/* A hook of the body; `ctx` is the map. */
void map_dress(void *ctx, struct attempt_ref at, struct node_id node, struct exec_dress *dress);

/* Removes the variables of an outer run from the environment. */
void map_dress_clean_environment(void);

/* Finds the shell that runs commands: $PARALLEL_SHELL, a path or a name in $PATH, the nearest shell
 * above this process (so that functions it has exported work), or $SHELL. NULL: /bin/sh. Free with
 * mem_free. Returns 0, or -1 with *err. */
int map_dress_shell(char **shell, struct err *err);
