/* plan.h - the list of tasks, and the command of each.
 *
 * Tasks are numbered from 0 in the order in which they are to start. Their sequence number, from 1,
 * is the one they have without --resume; job logs use it. */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "base/text.h"
#include "jobs/args/array_spec.h"
#include "jobs/args/inputs.h"
#include "jobs/args/options.h"

struct plan;

/* The tasks are made from rows of arguments, indices, or blocks of a stream. */
struct plan_sources {
    struct inputs *inputs;          /* borrowed; NULL: one of the others */
    const struct array_spec *array; /* borrowed; may be NULL */
    uint64_t blocks;                /* number of blocks, if both are NULL */
    const char *block_files;        /* --cat: folder of the blocks' files, 0, 1, ...; else NULL */
    /* Borrowed; sequence number of each row, for --retry-failed; NULL: 1, 2, ... */
    const uint64_t *seqs;
};

/* Creates a plan. `slots`: the number of commands among which -m and -X distribute their arguments.
 * Returns NULL with *err on failure. Destroy with plan_destroy. */
struct plan *plan_create(const struct options *options, const struct plan_sources *from,
                         uint32_t slots, struct err *err);
void plan_destroy(struct plan *p); /* NULL is fine */

/* Adds the new rows, or blocks, as tasks. The plan must have one of them per task, in their order.
 * Returns 0, or -1 with *err if there are too many. */
int plan_grow(struct plan *p, uint64_t blocks, struct err *err);

/* Removes the tasks for whose sequence numbers `done` returns true. */
void plan_skip(struct plan *p, bool (*done)(void *ctx, uint64_t seq), void *ctx);

uint32_t plan_tasks(const struct plan *p); /* number of tasks to run */
uint64_t plan_seq(const struct plan *p, uint32_t task);

/* Returns the arguments of a task; valid until the next call of any function here. */
struct fields plan_arguments(struct plan *p, uint32_t task);

/* Returns NULL, or the error about an argument that is too long for any command: the tasks end
 * before it. */
const char *plan_unfit(const struct plan *p);

/* Appends the command of a task that runs in this slot. Slot 0, here and below, is one that is not
 * known: {%} is kept. */
void plan_command(struct plan *p, uint32_t task, uint32_t slot, struct str *out);

/* Returns true if the command does not depend on the slot (template_is_steady). */
bool plan_command_is_steady(const struct plan *p);

/* Appends the tag of a task. */
void plan_tag(struct plan *p, uint32_t task, uint32_t slot, struct str *out);

/* Appends the folder of a task for --results, or its prefix (plan_results_plain). */
void plan_results(struct plan *p, uint32_t task, uint32_t slot, struct str *out);

/* Returns the index of --array, or the sequence number without --array. */
int64_t plan_index(const struct plan *p, uint32_t task);

/* Returns true if --wd names a folder for each task instead of one for all. */
bool plan_workdir_each(const struct plan *p);

/* Appends the shell code that changes to the task's folder, if plan_workdir_each. */
void plan_enter(struct plan *p, uint32_t task, uint32_t slot, struct str *out);

/* Returns true if --results names a folder (DIR/1/ARG/stdout), false if it is a prefix of files
 * with {} in it. */
bool plan_results_plain(const struct plan *p);
