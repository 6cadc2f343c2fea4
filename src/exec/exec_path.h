/* exec_path.h - where the files of an attempt lie (exec.h has the functions for callers). */
#ifndef EXEC_EXEC_PATH_H
#define EXEC_EXEC_PATH_H

#include <limits.h>

struct exec;
struct attempt_row;

/* Writes where the output of an attempt lies that has finished, or won. */
void exec_path_output(struct exec *x, const struct attempt_row *e, char path[PATH_MAX]);

#endif
