/* supervisor.h - a process that only watches, so that the coordinator can start attempts itself.
 *
 * Two processes. The first, which the user's shell knows, forwards signals and waits. The second,
 * its child, does everything else. Both are subreapers: if the second is killed, its descendants
 * become children of the first, which ends them; if the first is killed, the kernel signals the
 * second, which abandons its work and ends everything. Only if both are killed at once may
 * processes be left. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* Forks. Returns 0 in the child. Returns 1 in the parent when the child and all its descendants are
 * dead, with the child's wait status. -1 with *err: nothing has happened.
 *
 * When the parent dies, the child becomes this very program, run with the arguments `leave` (first
 * its name, NULL at the end; borrowed for good), wherever it is; that has to call supervisor_leave.
 * The calling process must have one thread and no other children. */
int supervisor_enter(char *const *leave, int *status, struct err *err);

/* Before supervisor_enter: the child, and all its descendants, are killed once the time that it has
 * written to *until_us has passed (CLOCK_BOOTTIME; 0: there is none), even if it is stopped. The
 * memory is shared by both; borrowed for good. Noticed within SUPERVISOR_LOOK_US. */
enum { SUPERVISOR_LOOK_US = 500000 };
void supervisor_hold(const volatile int64_t *until_us);

/* Returns true in the parent if a signal to end was forwarded, even to a child that was dead by
 * then. */
bool supervisor_was_asked(void);

/* Ends every process that is left of a run, whose folder may be gone. Returns 0, or -1 with *err if
 * `lock` is not the path of the lock that this process was started with (SPAWN_LOCK_FD). */
int supervisor_leave(const char *lock, struct err *err);
