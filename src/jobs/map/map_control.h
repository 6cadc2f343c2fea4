/* map_control.h - decides when to stop or pause the run, and when to end a task. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct map;
struct map_end;

struct map_control {
    bool halting;
    int halt_status; /* of --halt; -1: count the failed tasks */
};

/* A hook of the body; `ctx` is the map. */
void map_control_tick(void *ctx, int64_t now_us);

/* Returns how often the hook is called; 0: never. */
int64_t map_control_tick_us(const struct map *m);

/* Returns true if the load is above the limit by this text of /proc/loadavg: on average, and right
 * now without this process. */
bool map_control_is_loaded(const char *loadavg, double limit);

/* Decides whether to halt, and sets a new time limit. Call when a task is over. */
void map_control_task_over(struct map *m, uint32_t task, const struct map_end *end);

/* Pauses launches if the success of a task that is being committed ends the run. */
void map_control_committing(struct map *m);

/* Restores limits and halts after the journal of an earlier process was read. */
void map_control_recalled(struct map *m);

/* Prints on stderr that the job of this task was killed; not for earlier processes of the run. */
void map_control_timed_out(struct map *m, uint32_t task, uint32_t slot);
