/* native_crash.h - one line about a crash in functions of the user, before the process dies of it.
 */
#ifndef TASK_NATIVE_CRASH_H
#define TASK_NATIVE_CRASH_H

/* Until native_crash_leave, a crash (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) is told on standard
 * error with what was being run: the object, the phase, and what native_crash_in named last. */
void native_crash_watch(const char *object, const char *phase);
void native_crash_in(const char *function); /* a constant text */
void native_crash_leave(void);

#endif
