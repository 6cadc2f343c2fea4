/* survey.h - statistics of a trace, gathered while its jobs are assembled.
 *
 * Memory does not grow with the number of tasks: of values that each task has, a sample is kept,
 * chosen by name so that it does not depend on the order of files. */
#pragma once

#include <stdint.h>

#include "base/lookup.h"
#include "base/vec.h"
#include "inputs/trace/row.h"
#include "inputs/workload/workload.h"

enum { SURVEY_BINS = 5 };

/* Values in any order, thinned out evenly when there are more than fit. */
struct survey_sample {
    struct survey_value {
        uint64_t ticket;
        double value;
    } * at;
    uint32_t count, cap;
    uint64_t limit; /* tickets below this are kept */
};

struct survey {
    uint64_t jobs, phases, edges, tasks, attempts;
    uint64_t ends[ROW_END_COUNT]; /* attempts by how they ended */
    uint64_t censored;            /* attempts whose time had to be drawn ... */
    uint64_t tasks_unseen;        /* ... tasks without any attempt */
    uint64_t failed_dropped;      /* attempts that failed and are left out */
    uint64_t not_started;         /* ends of attempts that began before the trace, or never */
    uint64_t phases_timed;        /* phases with times of their own tasks */
    uint64_t phases_cut;          /* phases that had begun but not ended ... */
    uint64_t phases_drawn;        /* ... whose tasks all have drawn times */
    uint64_t phases_waiting;      /* phases that never began, and are left out */
    uint64_t tasks_failed;        /* tasks whose attempts all failed */
    double work_us, censored_us;  /* of all attempts, and the drawn part */
    double cpu_us, mem_mib_us;    /* demand x time of first attempts */
    double cpu_max, mem_mib_max;  /* largest demand, in thousandths and MiB */
    double input_bytes;
    int64_t first_us, last_us;  /* arrivals; of the jobs in the trace */
    int64_t trace_end_us;       /* the last time that any row names */
    uint64_t bins[SURVEY_BINS]; /* jobs by number of tasks, in the papers' bins */
    double bin_work_us[SURVEY_BINS];

    /* Groups: phases of at least four tasks that were done. */
    uint64_t groups, groups_slow; /* slow: with a task over twice the median */
    uint64_t group_tasks, group_tasks_slow;
    struct survey_sample ratios;            /* slowest over median */
    struct survey_sample spread;            /* of all of their tasks: time over median */
    uint64_t byte_groups, byte_groups_slow; /* the same for the bytes that their tasks read */
    struct survey_sample span_ratios;       /* of such phases: span over mean time */

    struct survey_sample job_tasks, job_phases, phase_tasks, first_tasks, times, job_input,
        job_shuffle;
    struct lookup nodes; /* hashes of names of machines */
    struct lookup hosts; /* of the hosts of inputs: indices in ... */
    VEC(uint64_t) host_hashes;
};

struct survey *survey_create(void);
void survey_destroy(struct survey *s); /* NULL is fine */

/* Sums up how much of the trace was cut short so far. */
struct workload_cut survey_cut(const struct survey *s);

/* Adds a value. The ticket, a hash of its name, decides whether it is kept. */
void survey_put(struct survey_sample *s, uint64_t ticket, double value);

/* Adds the times of the attempts of a phase that were done, ascending, in us. */
void survey_group(struct survey *s, const double *times, uint32_t count, uint64_t ticket);

/* Adds the bytes that the tasks of a phase read. */
void survey_bytes(struct survey *s, const int64_t *bytes, uint32_t count);

/* Adds a machine. */
void survey_node(struct survey *s, struct row_text name);

/* Adds a host that holds inputs, by the hash of its name. */
void survey_host(struct survey *s, uint64_t hash);

/* The values of a sample, ascending; free with mem_free. */
double *survey_values(const struct survey_sample *s);

/* The value of rank ceil(q x n) of a sample; NaN for an empty one. */
double survey_quantile(const struct survey_sample *s, double q);

/* The exponent of a Pareto tail, by Hill's estimator over the largest `share` of the values, those
 * above 0; NaN if there are none. */
double survey_hill(const struct survey_sample *s, double share);

/* The share of values of a sample that do not exceed `most`. */
double survey_share(const struct survey_sample *s, double most);
