/* task_state.h - functions that the files of a task share. */
#pragma once

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

/* ---- task_env.c ---- */

/* Makes the folder in which commands run, with the plan's files, and changes to it. Returns 0, or
 * -1 with *err. */
int task_env_enter(const struct task_attempt *t, struct err *err);
/* Removes the folder again if the command has left no files there: an empty attempt folder can be
 * used once more. */
void task_env_leave(const struct task_attempt *t);
/* Returns the environment of commands: this process's, the plan's, and Hadoop's names for this
 * task. */
char **task_env_make(const struct task_attempt *t);
void task_env_free(char **env);
/* Returns the status to exit with for a status of wait, as a shell does. */
int task_env_status(int status);
/* Reports progress, not too often. */
void task_env_progress(const struct task_attempt *t, uint64_t done, uint64_t total);

/* How long a command of the phase may be quiet, as in pump.h. */
static inline int task_quiet_ms(const struct plan_phase *p)
{
    return (int)((p->quiet_us + 999) / 1000);
}

/* The piece of the inputs that it reads, or NULL. */
static inline const struct plan_split *task_split(const struct task_attempt *t)
{
    return t->phase->above == PLAN_INPUTS ? &t->split : NULL;
}

/* Returns true if there is no input at all, and so no command to run. */
static inline bool task_reads_nothing(const struct task_attempt *t)
{
    return t->phase->above == PLAN_INPUTS && !*t->split.path;
}

/* Returns true if it reads keys with their values, in order, rather than lines. */
static inline bool task_reads_keys(const struct task_attempt *t)
{
    return t->phase->above != PLAN_INPUTS && t->plan->phases.at[t->phase->above].partitions > 0;
}

/* ---- inputs of a command ---- */

/* A kind of input; the struct of each kind begins with this one. */
struct task_input {
    /* As in pump.h, with this as its ctx. */
    int64_t (*feed)(void *ctx, const char **at, struct err *err);
    /* Called once the command has ended; returns -1 with *err if its input was not valid. NULL: it
     * always is. */
    int (*check)(struct task_input *in, struct err *err);
    void (*close)(struct task_input *in);
    /* For an input of keys: the same as records, for readers that do not call `feed`. */
    struct record_stream records;
    uint64_t read; /* number of lines or records handed out so far */
};

/* Opens the attempt's piece of an input. Returns NULL with *err on failure. */
struct task_input *task_piece_open(const struct task_attempt *t, struct err *err);
/* Adds OFFSET TAB before each line of `in`, which it takes and whose first byte has this offset; or
 * a TAB after each line that has none. `drops_cr`: CR before LF counts, but is removed. */
struct task_input *task_pairs_add(struct task_input *in, enum plan_offsets kind, uint64_t from,
                                  bool drops_cr);

/* Opens the attempt's partition of the sorted files of the phase above, merged. Returns NULL with
 * *err on failure. */
struct task_input *task_merged_open(const struct task_attempt *t, struct err *err);

/* Opens the printed outputs of the phase above. Returns NULL with *err on failure. */
struct task_input *task_printed_open(const struct task_attempt *t, struct err *err);

/* ---- task_reads.c ---- */

/* Callbacks for the outputs of tasks above. */
struct task_reader {
    void *ctx;
    /* Reads the output of the task with index `at` among those that are read; replaces an earlier
     * one. `folder`: that of its path, if it is open, else AT_FDCWD. Returns its bytes; or -1 with
     * *err if it cannot be used. */
    int64_t (*fetch)(void *ctx, uint32_t at, int folder, const char *path, struct err *err);
    /* The same for an output that was fetched from another machine. */
    int64_t (*take)(void *ctx, uint32_t at, const struct fetched *what, struct err *err);
    uint32_t partition; /* the partition to fetch there */
};

/* Gets the outputs of all tasks above that it reads, from the places that are announced. Returns 0,
 * or -1 with *err. */
int task_reads_gather(const struct task_attempt *t, const struct task_reader *r, struct err *err);

/* ---- task_result.c ---- */

/* Size and checksum of the output. */
struct task_sum {
    bool is_known; /* else the output has to be read to compute it */
    struct write_behind_sum of;
    uint64_t records; /* number of records or lines in it, before any are combined */
};

/* Opens standard output for reading, before anything can replace it. Returns the descriptor, or -1
 * with *err. */
int task_result_open(struct err *err);
/* Computes the sum of the output, as far as it is not known. Returns 0, or -1 with *err. */
int task_result_measure(const struct task_attempt *t, int output, struct task_sum *sum,
                        struct err *err);
/* Computes the sum of an output at this path; `is_run`: it is a sorted file. Returns 0, or -1 with
 * *err. */
int task_result_look(const char *path, bool is_run, struct task_sum *sum, struct err *err);
/* Reports the size and checksum of the output. Returns 0, or -1 with *err. */
int task_result_tell(struct task_control *to, const struct task_sum *sum, struct err *err);

/* ---- task_keys.c ---- */

/* How lines of a phase become records. */
struct task_keys {
    const struct plan_phase *phase;
    const char *separator;                 /* between fields of its lines */
    uint32_t fields;                       /* number of fields that are the key */
    struct key_order order, partition;     /* in phases that set them */
    struct key_order_text written, hashed; /* scratch */
};
void task_keys_init(struct task_keys *k, const struct plan_phase *p);
/* Initialises for the lines that the combiner of the phase prints. */
void task_keys_init_combined(struct task_keys *k, const struct plan_phase *p);
void task_keys_fini(struct task_keys *k);
/* Returns the record of a line; valid until the next call. */
struct data_record task_keys_record(struct task_keys *k, const char *line, uint32_t length);
/* Returns the partition of a record of the phase. */
uint32_t task_keys_partition(struct task_keys *k, const struct data_record *r);

/* ---- task_lines.c ---- */

/* Converts records of a phase to lines for a command's standard input. */
struct task_lines {
    struct record_stream in;
    const struct plan_phase *of;
    uint64_t done; /* records */
    VEC(char) piece;
};
/* `feed` of a pump (pump.h). */
int64_t task_lines_feed(struct task_lines *l, const char **at, struct err *err);

/* ---- task_output.c ---- */

/* Converts the output of a command to a sorted file. */
struct task_output;
/* Creates it. `combine` with `ctx` is called unless the phase has a command that combines; NULL:
 * records are not combined then. */
struct task_output *task_output_create(const struct task_attempt *t, char *const *env,
                                       sorter_combine *combine, void *ctx);
void task_output_destroy(struct task_output *o); /* NULL is fine */
/* `take` of a pump whose ctx is a struct task_output. */
int task_output_take(void *ctx, const char *at, size_t count, struct err *err);
/* Adds a record. */
int task_output_add(struct task_output *o, const struct data_record *r, struct err *err);
/* Writes the file, and sets *lines to the number of lines that were taken. Call after the last
 * record. Returns 0, or -1 with *err. */
int task_output_finish(struct task_output *o, int fd, uint64_t *lines, struct err *err);

/* ---- task_print.c ---- */

/* Converts the output of a command to a result as Hadoop writes it: lines that end with LF, with
 * another separator between key and value if the phase has one. */
struct task_print;
struct task_print *task_print_create(const struct plan_phase *p);
/* `take` of a pump whose ctx is a struct task_print. */
int task_print_take(void *ctx, const char *at, size_t count, struct err *err);
/* Writes the rest, and frees it. Returns 0, or -1 with *err if standard output could not be
 * written. */
int task_print_finish(struct task_print *p, struct task_sum *sum, struct err *err);

/* ---- task_combine.c ---- */

struct task_combiner {
    const struct plan_phase *phase;
    char *const *env;
    struct task_report *report;
    const char *scratch; /* a folder for its temporary files */
};
/* A sorter_combine whose ctx is a struct task_combiner. */
int task_combine(void *ctx, struct record_stream in, uint32_t partition, struct sorted_writer *out,
                 struct err *err);

/* Receives a combiner's records. Zero-initialise except the first two fields; free `last`. */
struct task_combined {
    struct sorted_writer *out;
    uint32_t partition;
    bool any;
    VEC(char) last; /* key */
};
/* Adds a record. Returns -1 with *err if its key sorts before the last one. */
int task_combine_add(struct task_combined *c, const struct data_record *r, struct err *err);

/* ---- task_same.c ---- */

/* Returns true if the command of the phase is known to print its input unchanged. */
bool task_same_is(const struct task_attempt *t);
/* Passes the whole input to `take`, or, if that is NULL, to standard output, instead of running the
 * command. */
int task_same_run(struct task_input *in,
                  int (*take)(void *ctx, const char *at, size_t count, struct err *err), void *ctx,
                  struct task_sum *sum, struct err *err);

/* ---- task_native.c ---- */

/* Runs the functions of the phase on its input, with the environment `env`, and writes their
 * output. Sets *emitted to the number of records that they have emitted. Returns as task_run. */
int task_native_run(const struct task_attempt *t, struct task_input *in, char **env,
                    uint64_t *emitted, struct err *err);

/* ---- task_apart.c ---- */

/* Runs the attempt in a child process, with the phase's limit of memory. */
int task_apart_run(const struct task_attempt *t,
                   int (*run)(const struct task_attempt *t, struct err *err), struct err *err);
/* Kills this process if there is no progress (task_report_beat) for as long as the phase allows.
 * Returns 0, or -1 with *err. */
int task_apart_watch(const struct task_attempt *t, struct err *err);
void task_apart_unwatch(void);
