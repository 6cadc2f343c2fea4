/* native_crash.h - one line about a crash or an exit in functions of the user, before the process
 * dies of it. */
#ifndef JOBS_TASK_NATIVE_CRASH_H
#define JOBS_TASK_NATIVE_CRASH_H

#include <stdbool.h>
#include <stdio.h>

/* Until native_crash_leave, a crash (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) is told on standard
 * error with what was being run: the object, the phase, and what native_crash_in named last. So is
 * exit(), whose status is then 1 if it was 0; files of stdio are not written any more. */
void native_crash_watch(const char *object, const char *phase);
void native_crash_in(const char *function); /* a constant text */
void native_crash_leave(void);

/* Whether this process is a child that the functions have forked, and `out` not its own: what the
 * parent has in the buffer of `out` is thrown away at the fork, so that the child does not write it
 * once more. NULL: none. Until native_crash_leave. */
bool native_crash_is_child(void);
void native_crash_file(FILE *out);

#endif
