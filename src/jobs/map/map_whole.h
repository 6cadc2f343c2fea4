/* map_whole.h - checks whether outputs are unchanged since their task ended. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "core/model/id.h"

struct map;
struct map_output;

/* Checks the outputs of a task before they are passed on. If one is gone, has another size, or in a
 * resumed run another checksum, or cannot be read, the task has failed: prints that, counts it, and
 * changes p->end. */
void map_whole_look(struct map *m, struct map_output *p);

/* Fails a task whose output could not be read to its end, by errno (0: it was shorter than it
 * should be). */
void map_whole_unread(struct map *m, struct map_output *p, int error);

/* `spoilt` of struct exec_hooks; ctx is the map. */
bool map_whole_again(void *ctx, struct attempt_ref at);

/* Returns -1 with *err if `spoilt` was called for tasks that must not run again (--once), else 0.
 */
int map_whole_refuse(const struct map *m, struct err *err);

/* Makes a task that was over in an earlier process run again. */
void map_whole_reopen(struct map *m, uint32_t task);
