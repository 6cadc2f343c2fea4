/* map_look.h - what the tasks of a run of `dolly map` are called and what they run, from its
 * folder. Reads only. */
#ifndef JOBS_MAP_MAP_LOOK_H
#define JOBS_MAP_MAP_LOOK_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "core/model/id.h"

struct map_look;

/* NULL when the folder does not tell: it holds no run of `dolly map`, one of another version,
 * one that is damaged, or one that is not to be trusted. Close with map_look_close. */
struct map_look *map_look_open(const char *dir);
void map_look_close(struct map_look *l); /* NULL is fine */

uint32_t map_look_tasks(const struct map_look *l);

/* Whether a journal with this number of tasks can be that of this run. Where arguments came while
 * tasks ran, it may have fewer. */
bool map_look_fits(const struct map_look *l, uint64_t tasks);

/* The task of an attempt in the journal; there may be no such task. */
uint32_t map_look_task(const struct map_look *l, struct attempt_ref at);

/* The sequence number, as in job logs, and the command of a task that there is. */
uint64_t map_look_seq(const struct map_look *l, uint32_t task);
void map_look_command(const struct map_look *l, uint32_t task, struct str *out);

/* Where the stderr of a task that failed for good is kept. */
void map_look_stderr(const struct map_look *l, uint32_t task, char path[PATH_MAX]);

#endif
