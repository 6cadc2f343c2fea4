/* workload_keys.h - the keys of the workload format: tables for key.h, and the structs they fill.
 */
#pragma once

#include <stdint.h>

#include "inputs/config/key.h"
#include "inputs/workload/job_template.h"

enum { WORKLOAD_JOBS_MAX = 1000 * 1000 * 1000 }; /* of a file, repetitions included */

/* Lines `job` fill a struct job_template, `phase` and `task` one of these. */
struct phase_fields {
    struct phase_template phase;
    char *after, *sizes, *inputs; /* lists */
    int pattern;
    uint8_t slowstart;
};

struct task_fields {
    struct task_template task;
    char *on, *attempts; /* lists */
};

enum { WORKLOAD_JOB, WORKLOAD_PHASE, WORKLOAD_TASK, WORKLOAD_KINDS };
extern const struct key_kind workload_keys[WORKLOAD_KINDS];

/* The indices of keys that the reader uses. Items of lists are read as sizes and inputs of
 * tasks. */
enum { TASK_SIZE, TASK_INPUT };
enum { PHASE_SIZE, PHASE_INPUT };
