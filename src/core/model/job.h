/* job.h - the specification of a job: a DAG of phases of tasks.
 *
 * This is all that the brain knows about a job in advance. The real duration of a task is not here:
 * the simulator does not reveal it, and the real world does not know it. */
#pragma once

#include <stdint.h>

#include "core/model/id.h"
#include "core/model/res.h"

/* Limits that keep ids small and arithmetic safe; readers of files enforce them. */
enum {
    JOB_PHASES_MAX = 1024,
    JOB_TASKS_MAX = 10 * 1000 * 1000, /* of one phase */
    JOB_TASKS_ALL_MAX = 10 * JOB_TASKS_MAX,
    JOB_WEIGHT_ONE = 1000, /* weights are in thousandths */
    JOB_PAST_MAX = 64,     /* maximum number of times of earlier runs in a phase */
};

#define JOB_INPUT_MAX (INT64_C(1) << 50) /* bytes, of one task */

/* Which tasks of the phase above a task reads. */
enum edge_pattern { EDGE_ALL_TO_ALL, EDGE_MANY_TO_ONE, EDGE_ONE_TO_ONE };

struct edge_spec {
    uint16_t from;     /* index of the upstream phase; smaller than the phase's own index */
    uint8_t pattern;   /* enum edge_pattern */
    uint8_t slowstart; /* 0: a barrier; else readers may start when this % of upstream is done */
};

enum phase_clone { PHASE_CLONE_AUTO, PHASE_CLONE_NEVER }; /* never: the task has side effects */

struct phase_spec {
    const char *name;
    uint32_t tasks; /* 1..JOB_TASKS_MAX */
    struct res demand;
    const struct edge_spec *edges;
    uint16_t edge_count;
    uint8_t clone; /* enum phase_clone */
    /* tasks that may fail for good while the job still succeeds; 0 if another phase reads this
     * one */
    uint32_t failures_allowed;
    int64_t input_bytes;       /* of each task; used if input_each is NULL */
    const int64_t *input_each; /* per task, or NULL */
    /* Replicas of task t's input: replicas[replica_from[t]] .. replicas[replica_from[t + 1] - 1].
     * Both NULL if unknown. */
    const uint32_t *replica_from;
    const struct node_id *replicas;
    /* Results of earlier runs of the same phase: times of tasks, newest first; the number of
     * attempts, and of those that straggled (took over twice the median of their run). */
    const int64_t *past_us;
    uint32_t past_count; /* up to JOB_PAST_MAX */
    uint32_t past_seen, past_straggled;
    /* Mean and standard deviation of the time of its tasks, as told by the submitter; 0:
     * unknown. */
    int64_t expect_us, expect_dev_us;
};

struct job_spec {
    struct job_id id; /* increases with each submission */
    const char *name; /* the same for every run of a recurring job */
    const char *app;  /* jobs of one application have similar tasks; NULL or "": unknown */
    const char *user, *queue;
    uint32_t weight;      /* thousandths, > 0 */
    uint32_t running_max; /* maximum concurrent attempts; 0: no limit */
    int64_t arrived_us;   /* time of the request, maybe before the submission; < 0: then */
    int64_t wrapup_us;    /* time that the job takes after its last task under every policy */
    const struct phase_spec *phases;
    uint16_t phase_count; /* 1..JOB_PHASES_MAX */
};

/* The input bytes of a task. */
static inline int64_t phase_input_bytes(const struct phase_spec *p, uint32_t task)
{
    return p->input_each ? p->input_each[task] : p->input_bytes;
}

/* The tasks [from, to) of the phase above that a reader reads. */
struct job_span {
    uint32_t from, to;
};

/* The tasks that a reader reads: all of them, the one of the same index, or (many-to-one) its equal
 * share of them, in order. */
struct job_span job_edge_span(const struct edge_spec *edge, uint32_t upstream, uint32_t readers,
                              uint32_t reader);

/* The bin of a job by its number of tasks, 1..5, as the papers count them. */
int job_bin(uint64_t tasks);

/* The number of tasks of all phases. */
uint64_t job_tasks(const struct job_spec *job);
