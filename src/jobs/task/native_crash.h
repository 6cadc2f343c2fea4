/* native_crash.h - prints one line about a crash or an exit in functions of the user, before the
 * process dies of it. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* Reports crashes (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) on standard error until
 * native_crash_leave, with the object, the phase, and the last name given to native_crash_in.
 * Reports exit() as well, and changes its status to 1 if it was 0; stdio files are not flushed
 * then. */
void native_crash_watch(const char *object, const char *phase);
void native_crash_in(const char *function); /* a constant text */
void native_crash_leave(void);

/* Returns true if this process is a child that the user's functions have forked. */
bool native_crash_is_child(void);

/* Discards the buffer of `out` in such a child at the fork, so that it does not write the parent's
 * bytes once more. NULL: none. Holds until native_crash_leave. */
void native_crash_file(FILE *out);
