/* run_lock.h - one dolly at a time in the folder of a run, and no process left of an earlier one.
 *
 * DIR/lock is held (flock) by the coordinator and by every process it has started, and names the
 * coordinator. So a lock that is held means that a process of the run lives, and the name shows
 * whether that is the coordinator itself or a process that a killed one has left. */
#pragma once

#include <stdbool.h>

#include "base/err.h"

/* Takes the lock of a new run. Returns the descriptor, or -1 with *err, also if it is held. */
int run_lock_new(const char *dir, struct err *err);

/* Returns true if a killed dolly has left the folder: its lock is free. For a minute, a folder that
 * is not signed may be that of a run that has only just begun. Does not take the lock. */
bool run_lock_is_stale(const char *dir);

/* Takes the lock of a run whose coordinator is dead, after the guardian has cleaned up, or, if it
 * does not, by killing the processes that still hold the lock. Refuses with the name of the
 * coordinator if that is alive. Returns the descriptor, or -1 with *err. */
int run_lock_left(const char *dir, struct err *err);
