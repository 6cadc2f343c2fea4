/* plan.h - which tasks there are, and what each of them runs.
 *
 * Tasks are numbered from 0 in the order in which they are to start. Their sequence number, from 1,
 * is the one they have without --resume: it is what job logs know them by. */
#ifndef JOBS_ARGS_PLAN_H
#define JOBS_ARGS_PLAN_H

#include <stdint.h>

#include "base/err.h"
#include "base/text.h"
#include "jobs/args/array_spec.h"
#include "jobs/args/inputs.h"
#include "jobs/args/options.h"

struct plan;

/* What the tasks are made from: rows of arguments, indices, or blocks of a stream. */
struct plan_sources {
    struct inputs *inputs;          /* borrowed; NULL: the others */
    const struct array_spec *array; /* borrowed; or NULL */
    uint64_t blocks;                /* where both are NULL */
    const char *block_files;        /* --cat: folder of their files, 0, 1, ...; else NULL */
    const uint64_t *seqs;           /* borrowed; of each row, for --retry-failed; NULL: 1, 2, ... */
};

/* `slots`: among how many -m and -X spread their arguments. NULL with *err. Destroy with
 * plan_destroy. */
struct plan *plan_create(const struct options *options, const struct plan_sources *from,
                         uint32_t slots, struct err *err);
void plan_destroy(struct plan *p); /* NULL is fine */

/* There are more rows, or blocks, than before, in a plan with one of them per task and no order of
 * its own. -1 with *err: too many. */
int plan_grow(struct plan *p, uint64_t blocks, struct err *err);

/* Leaves out the tasks whose sequence numbers `done` is true for. */
void plan_skip(struct plan *p, bool (*done)(void *ctx, uint64_t seq), void *ctx);

uint32_t plan_tasks(const struct plan *p); /* to be run */
uint64_t plan_seq(const struct plan *p, uint32_t task);

/* The arguments of a task, until anything else is asked for. */
struct fields plan_arguments(struct plan *p, uint32_t task);

/* NULL, or what is wrong with an argument that fits into no command: tasks end before it. */
const char *plan_unfit(const struct plan *p);

/* Appends the command, the tag, the folder for --results (or its prefix, see plan_results_plain),
 * and the index of --array as text. */
void plan_command(struct plan *p, uint32_t task, uint32_t slot, struct str *out);
bool plan_command_is_steady(const struct plan *p); /* see template_is_steady */
void plan_tag(struct plan *p, uint32_t task, uint32_t slot, struct str *out);
void plan_results(struct plan *p, uint32_t task, struct str *out);
int64_t plan_index(const struct plan *p, uint32_t task); /* its sequence number without --array */

/* Whether --wd names a folder for each task and not one for all; appends what takes the command of
 * a task there, if it does. */
bool plan_workdir_each(const struct plan *p);
void plan_enter(struct plan *p, uint32_t task, uint32_t slot, struct str *out);

/* Whether --results names a folder (DIR/1/ARG/stdout) and not a prefix of files with {} in it. */
bool plan_results_plain(const struct plan *p);

#endif
