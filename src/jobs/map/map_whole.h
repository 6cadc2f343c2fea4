/* map_whole.h - whether outputs are what they were when their task ended. */
#ifndef JOBS_MAP_MAP_WHOLE_H
#define JOBS_MAP_MAP_WHOLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "core/model/id.h"

struct map;
struct map_output;

/* Looks at the outputs of a task before they are passed on. If one is gone, has another size, or in
 * a resumed run another checksum, or cannot be read, the task has failed: its user reads so, it is
 * counted so, and p->end says so from now on. */
void map_whole_look(struct map *m, struct map_output *p);

/* Does the same to an output whose bytes could not be read to their end, by errno (0: it was
 * shorter than it should be). */
void map_whole_unread(struct map *m, struct map_output *p, int error);

/* Is `spoilt` of struct exec_hooks; ctx is the map. */
bool map_whole_again(void *ctx, struct attempt_ref at);

/* Returns -1 with *err if `spoilt` was asked for tasks that must not run again (--once), else 0. */
int map_whole_refuse(const struct map *m, struct err *err);

/* Has a task that was over in an earlier life count as open: it runs again. */
void map_whole_reopen(struct map *m, uint32_t task);

#endif
