/* job_template.h - the jobs of a workload file in compact form, and the making of jobs from it.
 *
 * A template represents all repetitions of a job. Its strings are borrowed from the file's text;
 * its lists are ranges of shared pools, so that a file of a million lines needs few allocations. */
#pragma once

#include <stdint.h>

#include "base/vec.h"
#include "core/model/job.h"
#include "inputs/workload/workload.h"

/* Elements from .. from + count - 1 of a pool. */
struct span {
    uint32_t from, count;
};

/* A line `task`: the differences of one task of a phase. */
struct task_template {
    uint64_t line;
    uint32_t task;
    int64_t size_us;      /* -1: as the phase says */
    int64_t input_bytes;  /* -1: as the phase says */
    const char *command;  /* NULL: as the phase says */
    struct span nodes;    /* replicas of the input, in pool `nodes` */
    struct span attempts; /* explicit times, in pool `numbers` */
};

struct phase_template {
    const char *name, *command; /* command may be NULL */
    uint64_t line;
    uint32_t tasks;
    struct res demand;
    int clone;
    int vary; /* enum recorded_vary */
    int64_t size_us, input_bytes, output_bytes;
    double skew;
    int64_t expect_us, expect_dev_us; /* 0: unknown */
    /* In pool `numbers`; the tasks take the values in turn. Empty: all tasks are the same. */
    struct span sizes, inputs;
    struct span edges;   /* in pool `edges` */
    struct span special; /* in pool `tasks`, in order of task once the phase is complete */
};

struct job_template {
    const char *name, *user, *queue;
    const char *app; /* NULL: unknown */
    uint64_t line;
    int32_t weight; /* thousandths */
    uint32_t running_max, repeat;
    int64_t at_us, every_us, setup_us, wrapup_us;
    struct span phases; /* in pool `phases` */
};

struct job_templates {
    VEC(struct job_template) jobs;
    VEC(struct phase_template) phases;
    VEC(struct task_template) tasks;
    VEC(struct edge_spec) edges;
    VEC(int64_t) numbers;
    VEC(struct node_id) nodes;
};

void job_templates_fini(struct job_templates *t);

/* Reads the remaining lines of the file into *t, which is empty, and checks them; `first` is one
 * that was read already, or NULL. `cluster` gives nodes their numbers; NULL: no node may be named.
 * Returns -1 with *err; t may then hold a part. The templates borrow from the file. */
struct line;
struct line_file;
struct cluster;
int job_template_read(struct job_templates *t, struct line_file *file, const struct line *first,
                      const struct cluster *cluster, struct err *err);

/* The time at which repetition `round` (from 0) is submitted. */
int64_t job_template_submit_us(const struct job_template *j, uint32_t round);

/* Makes repetition `round` (from 0) of job `index`. It may refer to the templates; free with
 * workload_job_free. */
struct workload_job *job_template_make(const struct job_templates *t, uint32_t index,
                                       uint32_t round);

/* Makes the same job with `extra` more bytes in its block at *at, zeroed and aligned to 8 bytes. */
struct workload_job *job_template_make_with(const struct job_templates *t, uint32_t index,
                                            uint32_t round, size_t extra, void **at);
