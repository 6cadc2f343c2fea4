/* plan.h - what each task of a data-parallel job has to do, as a file of the run.
 *
 * The coordinator writes it once; `dolly task` reads it in each attempt. Words and paths may be any
 * bytes but zeros. */
#ifndef TASK_PLAN_H
#define TASK_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

/* A piece of an input, and what the input looked like when it was cut. */
struct plan_split {
    char *path;
    uint64_t from, bytes; /* bytes: until the next piece, before bounds are moved to lines */
    uint64_t size;
    int64_t changed_ns;
    bool packed; /* all of it, to be unpacked: gzip, zstd, xz, ... */
};

/* A file that tasks find in their folder under its name. */
struct plan_file {
    char *path, *name;
};

struct task_plan {
    char *job;                         /* its name */
    char *mapper, *combiner, *reducer; /* commands; combiner and reducer may be NULL */
    uint32_t partitions;               /* and so many reducers; 0: what mappers print is it */
    uint32_t key_fields;               /* at the beginning of a mapper's line are the key */
    uint32_t partition_fields;         /* at the beginning of the key say the partition; 0: all */
    char *separator;                   /* between fields; a character */
    uint64_t memory;                   /* bytes for sorting */
    VEC(char *) env;                   /* NAME=VALUE for commands */
    VEC(struct plan_file) files;
    VEC(struct plan_split) splits;
};

/* Zeroed, with defaults. */
void plan_init(struct task_plan *p);
void plan_fini(struct task_plan *p);

/* The file must not exist. */
int plan_write(const struct task_plan *p, const char *path, struct err *err);
/* Fills a plan that was not initialised; -1 leaves nothing to be freed. */
int plan_read(struct task_plan *p, const char *path, struct err *err);

#endif
