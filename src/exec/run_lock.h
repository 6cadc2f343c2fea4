/* run_lock.h - whose is the folder of a run? One dolly at a time, and nobody left of an earlier
 * one.
 *
 * DIR/lock is held (flock) by the coordinator and by every process it has started, and names the
 * coordinator. So a lock that is held says that somebody of the run lives, and the name whether
 * that is the coordinator itself or only what a killed one has left. */
#ifndef EXEC_RUN_LOCK_H
#define EXEC_RUN_LOCK_H

#include <stdbool.h>

#include "base/err.h"

/* Takes the lock of a new run. The descriptor, or -1 with *err, also when somebody holds it. */
int run_lock_new(const char *dir, struct err *err);

/* Whether the folder is what a killed dolly has left: nobody holds its lock. A folder that is not
 * signed yet may be somebody's who has only just begun, for a minute. */
bool run_lock_is_stale(const char *dir);

/* Takes the lock of a run whose coordinator is dead, after the guardian has cleaned up, or, if it
 * does not, by killing whoever still holds the lock. Refuses with the name of the coordinator when
 * that one lives. The descriptor, or -1 with *err. */
int run_lock_left(const char *dir, struct err *err);

#endif
