/* map_look.h - the names and commands of the tasks of a `dolly map` run, from its folder. Reads
 * only. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/os/path.h"
#include "base/text.h"

struct map_look;

/* Opens the folder. Returns NULL if it does not hold a run of `dolly map`, or one of another
 * version, a damaged one, or one that cannot be trusted. Close with map_look_close. */
struct map_look *map_look_open(const char *dir);
void map_look_close(struct map_look *l); /* NULL is fine */

uint32_t map_look_tasks(const struct map_look *l);

/* Returns true if a journal with this number of tasks can be that of this run. If arguments arrived
 * while tasks ran, it may have fewer. */
bool map_look_fits(const struct map_look *l, uint64_t tasks);

/* Returns the sequence number of an existing task, as in job logs. */
uint64_t map_look_seq(const struct map_look *l, uint32_t task);

/* Appends the command of an existing task. */
void map_look_command(const struct map_look *l, uint32_t task, struct str *out);

/* Returns the path of the stderr of a task that failed for good. */
struct path map_look_stderr(const struct map_look *l, uint32_t task);
