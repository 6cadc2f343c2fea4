/* task_state.h - what the files of a task share. */
#ifndef JOBS_TASK_TASK_STATE_H
#define JOBS_TASK_TASK_STATE_H

#include <stdbool.h>

#include "base/vec.h"
#include "data/key_order.h"
#include "data/record_stream.h"
#include "data/sorter.h"
#include "jobs/task/pump.h"
#include "jobs/task/task.h"
#include "jobs/task/task_report.h"
#include "jobs/task/write_behind.h"
#include "remote/fetch/fetch_places.h"

/* ---- task_room.c ---- */

/* Makes the folder in which commands run, with the plan's files, and goes there. */
int task_room_enter(const struct task_attempt *t, struct err *err);
/* Removes it again if the command has left nothing there: a bare folder can be used once more. */
void task_room_leave(const struct task_attempt *t);
/* The environment of commands: ours, the plan's, and Hadoop's names for this task. */
char **task_room_env(const struct task_attempt *t);
void task_room_env_free(char **env);
/* The status to exit with after a status of wait: as a shell has it. */
int task_room_status(int status);
/* Tells progress, seldom enough. */
void task_room_progress(const struct task_attempt *t, uint64_t done, uint64_t total);

/* How long a command of the phase may be quiet, as pump.h has it. */
static inline int task_quiet_ms(const struct plan_phase *p)
{
    return (int)((p->quiet_us + 999) / 1000);
}

/* The piece that it reads, or NULL. */
static inline const struct plan_split *task_split(const struct task_attempt *t)
{
    return t->phase->above == PLAN_INPUTS ? &t->split : NULL;
}

/* Whether there is no input at all, and so nothing to be run on it. */
static inline bool task_reads_nothing(const struct task_attempt *t)
{
    return t->phase->above == PLAN_INPUTS && !*t->split.path;
}

/* Whether it reads keys with their values, in order, rather than lines. */
static inline bool task_reads_keys(const struct task_attempt *t)
{
    return t->phase->above != PLAN_INPUTS && t->plan->phases.at[t->phase->above].partitions > 0;
}

/* ---- what a command reads ---- */

/* A kind of input; a struct of its own begins with this one. */
struct task_input {
    /* As pump.h's, with this as its ctx. */
    int64_t (*feed)(void *ctx, const char **at, struct err *err);
    /* Once the command has ended: -1 if what it has read is not to be believed. NULL: it is. */
    int (*check)(struct task_input *in, struct err *err);
    void (*close)(struct task_input *in);
    /* Of an input of keys: the same as records, for those who do not feed. */
    struct record_stream records;
};

/* Each opens what the attempt reads; NULL with *err. */
struct task_input *task_piece_open(const struct task_attempt *t, struct err *err);
/* The same with OFFSET TAB before each line. Takes `in`, whose first byte has this offset.
 * `drops_cr`: before LF, which counts, but is not handed on. */
struct task_input *task_offsets_add(struct task_input *in, uint64_t from, bool drops_cr);
/* The same with a TAB behind each line that has none. Takes `in`. */
struct task_input *task_tabs_add(struct task_input *in);
struct task_input *task_merged_open(const struct task_attempt *t, struct err *err);
struct task_input *task_printed_open(const struct task_attempt *t, struct err *err);

/* ---- task_reads.c ---- */

/* What to do with an output of a task above. */
struct task_reader {
    void *ctx;
    /* Gets the output of the task, whose place is `at` among those that are read; another may have
     * been there. `folder`: that of its path, if it is open, else AT_FDCWD. Its bytes; or -1: it is
     * of no use, and `err` says why. */
    int64_t (*fetch)(void *ctx, uint32_t at, int folder, const char *path, struct err *err);
    /* The same of what came from another machine, and which of its partitions is wanted there. */
    int64_t (*take)(void *ctx, uint32_t at, const struct fetched *what, struct err *err);
    uint32_t partition;
};

/* Gets the outputs of all tasks above that it reads, from where it is told to. */
int task_reads_gather(const struct task_attempt *t, const struct task_reader *r, struct err *err);

/* ---- task_result.c ---- */

/* Of what it has printed. */
struct task_sum {
    bool is_known; /* else it has to be read for that */
    struct write_behind_sum of;
};

/* Standard output, for reading: it may be another by the time when all is written. -1 with *err. */
int task_result_open(struct err *err);
/* Says what it has by now. */
int task_result_tell(const struct task_attempt *t, int output, const struct task_sum *sum,
                     struct err *err);

/* ---- task_keys.c ---- */

/* How lines of a phase become records. */
struct task_keys {
    const struct plan_phase *phase;
    const char *separator;                 /* between fields of its lines, */
    uint32_t fields;                       /* of which so many are the key */
    struct key_order order, partition;     /* of phases that say so */
    struct key_order_text written, hashed; /* scratch */
};
void task_keys_init(struct task_keys *k, const struct plan_phase *p);
/* The same for lines that its combiner prints. */
void task_keys_init_combined(struct task_keys *k, const struct plan_phase *p);
void task_keys_fini(struct task_keys *k);
/* The record of a line; valid until the next call. */
struct data_record task_keys_record(struct task_keys *k, const char *line, uint32_t length);
/* The partition that a record of the phase belongs to. */
uint32_t task_keys_partition(struct task_keys *k, const struct data_record *r);

/* ---- task_lines.c ---- */

/* Records of a phase as lines for a command's standard input. */
struct task_lines {
    struct record_stream in;
    const struct plan_phase *of;
    uint64_t done; /* records */
    VEC(char) piece;
};
/* As pump.h's. */
int64_t task_lines_feed(struct task_lines *l, const char **at, struct err *err);

/* ---- task_output.c ---- */

/* What a command prints becomes a run file. */
struct task_output;
/* `combine` with `ctx`: unless the phase has a command that combines; NULL: nobody does. */
struct task_output *task_output_create(const struct task_attempt *t, char *const *env,
                                       sorter_combine *combine, void *ctx);
void task_output_destroy(struct task_output *o); /* NULL is fine */
/* `take` of a pump whose ctx this is. */
int task_output_take(void *ctx, const char *at, size_t count, struct err *err);
/* Adds a record instead. */
int task_output_add(struct task_output *o, const struct data_record *r, struct err *err);
/* That was all: writes the file. */
int task_output_finish(struct task_output *o, int fd, struct err *err);

/* ---- task_print.c ---- */

/* What a command prints becomes a result as Hadoop writes it: lines that end with LF, with another
 * separator between key and value if the phase says so. */
struct task_print;
struct task_print *task_print_create(const struct plan_phase *p);
/* `take` of a pump whose ctx this is. */
int task_print_take(void *ctx, const char *at, size_t count, struct err *err);
/* That was all: frees it. -1: not all could be written to standard output. */
int task_print_finish(struct task_print *p, struct task_sum *sum, struct err *err);

/* ---- task_combine.c ---- */

struct task_combiner {
    const struct plan_phase *phase;
    char *const *env;
    struct task_report *report;
    const char *scratch; /* a folder where it may make one */
};
/* A sorter_combine whose ctx is a struct task_combiner. */
int task_combine(void *ctx, struct record_stream in, uint32_t partition, struct run_writer *out,
                 struct err *err);

/* Where a combiner's records go. Zero-initialise but for the first two; free `last`. */
struct task_combined {
    struct run_writer *out;
    uint32_t partition;
    bool any;
    VEC(char) last; /* key */
};
/* -1: the key comes before that of the last one. */
int task_combine_add(struct task_combined *c, const struct data_record *r, struct err *err);

/* ---- task_same.c ---- */

/* Whether the command of the phase is known to print what it reads. */
bool task_same_is(const struct task_attempt *t);
/* In its place: all that is read goes to `take`, or, if that is NULL, to standard output. */
int task_same_run(struct task_input *in,
                  int (*take)(void *ctx, const char *at, size_t count, struct err *err), void *ctx,
                  struct task_sum *sum, struct err *err);

/* ---- task_native.c ---- */

/* Runs the functions of the phase on what it reads, and writes what they leave. They see `env`. As
 * task_run. */
int task_native_run(const struct task_attempt *t, struct task_input *in, char **env,
                    struct err *err);

/* ---- task_apart.c ---- */

/* Runs the attempt in a process below this one, with the phase's limit of memory. */
int task_apart_run(const struct task_attempt *t,
                   int (*run)(const struct task_attempt *t, struct err *err), struct err *err);
/* From now on, ends this process if nothing moves (task_report_beat) for as long as the phase
 * allows. */
int task_apart_watch(const struct task_attempt *t, struct err *err);
void task_apart_unwatch(void);

#endif
