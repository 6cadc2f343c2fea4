/* map_control.h - when to stop, to pause, to end a task. */
#ifndef JOBS_MAP_MAP_CONTROL_H
#define JOBS_MAP_MAP_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

struct map;
struct map_end;

struct map_control {
    bool halting;
    int halt_status; /* of --halt; -1: count the failed tasks */
};

/* A hook of the body, and how often it is called; 0: never. `ctx` is the map. */
void map_control_tick(void *ctx, int64_t now_us);
int64_t map_control_tick_us(const struct map *m);

/* A task is over: decides whether to halt, and sets a new time limit. */
void map_control_task_over(struct map *m, uint32_t task, const struct map_end *end);

/* A task is about to succeed: if that ends the run, nothing new may start meanwhile. */
void map_control_committing(struct map *m);

/* Restores limits and halts after the journal of an earlier life was read. */
void map_control_recalled(struct map *m);

/* Prints on stderr that the job of this task was killed; not for earlier lives. */
void map_control_timed_out(struct map *m, uint32_t task);

#endif
