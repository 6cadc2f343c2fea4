/* exec_fail.h - a run that cannot go on, and the causes that fit errors of the system. */
#ifndef EXEC_EXEC_FAIL_H
#define EXEC_EXEC_FAIL_H

#include <stdint.h>

struct exec;

/* Ends the run, which cannot go on; the first reason counts. */
__attribute__((format(printf, 2, 3))) void exec_fail_run(struct exec *x, const char *format, ...);

/* Returns the cause that fits an errno. */
uint8_t exec_fail_cause(int error);

#endif
