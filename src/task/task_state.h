/* task_state.h - what the files of a task share. */
#ifndef TASK_TASK_STATE_H
#define TASK_TASK_STATE_H

#include "base/vec.h"
#include "data/record_stream.h"
#include "task/pump.h"
#include "task/task.h"

/* ---- task_room.c ---- */

/* Makes the folder in which commands run, with the plan's files, and goes there. */
int task_room_enter(const struct task_attempt *t, struct err *err);
/* The environment of commands: ours, the plan's, and Hadoop's names for this task. `split` is that
 * of a mapper, else NULL. Valid until the program ends. */
char **task_room_env(const struct task_attempt *t, const struct plan_split *split);
/* The status to exit with after a status of wait: as a shell has it. */
int task_room_status(int status);
/* Tells progress, seldom enough. */
void task_room_progress(const struct task_attempt *t, uint64_t done, uint64_t total);

/* ---- task_lines.c ---- */

/* Records as lines for a command's standard input. */
struct task_lines {
    struct record_stream in;
    char separator;
    uint64_t done;                          /* records */
    void (*tell)(void *ctx, uint64_t done); /* after each piece; NULL: nobody listens */
    void *ctx;
    VEC(char) piece;
};
/* `feed` of a pump whose ctx this is. */
int64_t task_lines_feed(void *ctx, const char **at, struct err *err);

/* ---- task_combine.c ---- */

/* A sorter_combine whose ctx is a struct task_combiner. */
struct run_writer;
struct task_combiner {
    const struct task_plan *plan;
    char *const *env;
};
int task_combine(void *ctx, struct record_stream in, uint32_t partition, struct run_writer *out,
                 struct err *err);

#endif
