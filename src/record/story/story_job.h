/* story_job.h - all facts about one job in the turns of a run, as plain data.
 *
 * Lists grow while the journal is read, so attempts, reasons and reads are named by their index and
 * not by address. An attempt costs about 150 bytes, a task 40. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "core/model/decision.h"
#include "core/model/event.h"
#include "core/model/job.h"
#include "core/model/reason.h"

#define STORY_NONE UINT32_MAX /* no attempt, no reads, no task */

enum { STORY_VERDICTS_MAX = 64 }; /* kept of one phase; the rest is counted */

/* A reason whose numbers are in the job's list. */
struct story_why {
    uint32_t first;
    uint16_t code;
    uint8_t count;
};

/* The assigned and finished reads of an attempt from the phases above: outputs of single tasks, or
 * all of a phase in one piece. */
struct story_reads {
    uint32_t assigned, failed;
    uint32_t shared, said; /* siblings read the same; the journal says whether they do */
    uint32_t siblings;     /* largest number of these siblings */
    uint32_t whole;        /* of those assigned: of whole phases */
    uint16_t whole_phase;  /* the last of them */
    int64_t given_us;      /* when the last one was assigned */
    int64_t bytes;
    int64_t longest_us; /* of one fetch */
    struct attempt_ref longest;
};

struct story_attempt {
    int64_t launched_us;   /* decided */
    int64_t started_us;    /* -1: not yet, or never */
    int64_t ended_us;      /* whichever way; -1: not yet */
    int64_t ran_us;        /* from its start to its end, as the body measured it; -1: unknown */
    int64_t cpu_us;        /* its CPU time; -1: unknown */
    int64_t stop_us;       /* when it was asked to end; -1: never */
    int64_t fed_us;        /* its latest read was done; -1: none was */
    int64_t moved_us;      /* last report that showed progress */
    int64_t still_us;      /* longest time in which its reports showed none */
    double done, still_at; /* share of its work so far (< 0: unknown), and where it stood */
    double step;           /* the longest way from one report to the next; 0: exact */
    double first_done;     /* by its first report that showed progress */
    int64_t first_us;      /* and when that was */
    struct story_why why, stop_why;
    struct node_id node;
    uint32_t task;
    uint32_t older; /* attempt of the task, or STORY_NONE */
    uint32_t skip;  /* one that is much older, or STORY_NONE: see story_job_attempt */
    uint32_t depth; /* how many of the task are older */
    uint32_t reads; /* or STORY_NONE */
    int32_t detail; /* of cause */
    uint16_t phase, ordinal;
    uint16_t reports;                  /* that showed progress */
    uint8_t kind;                      /* enum launch_kind */
    uint8_t ending;                    /* enum event_type; 0: it has not ended */
    uint8_t cause;                     /* enum cause, of its ending or of a commit that failed */
    bool won, commit_failed, differed; /* differed: its output was not the committed one's */
};

struct story_task {
    int64_t launched_us;  /* its first launch; -1: none */
    int64_t committed_us; /* its latest commit; -1: none */
    int64_t given_up_us;  /* failed for good, and the job continues without it; -1: no */
    uint32_t newest;      /* attempt, or STORY_NONE */
    uint16_t winner;      /* ordinal of the attempt that was committed then */
    uint16_t launches, failures, outputs_lost;
    bool lost; /* the committed output is gone, and nothing has been committed since */
};

/* A verdict on the phase or on one of its tasks (STORY_NONE: the phase). */
struct story_verdict {
    int64_t at_us;
    uint32_t task;
    struct story_why why;
};

struct story_phase {
    char *name;
    struct story_task *tasks;
    int64_t *input_each; /* or NULL */
    struct edge_spec *edges;
    int64_t input_bytes;
    struct res demand;
    uint32_t count;
    uint16_t edge_count;
    uint32_t committed, given_up;       /* tasks that have ever been */
    uint32_t launched[LAUNCH_KIND_END]; /* attempts, but for launches that were withdrawn */
    uint32_t withdrawn;
    VEC(struct story_verdict) verdicts;
    uint32_t verdicts_more;       /* not kept */
    struct story_verdict cloning; /* the latest about cloning; why.code WHY_NONE: none */
};

struct story_job {
    struct res_kinds kinds; /* of the run */
    struct job_id id;
    char *name;
    int64_t arrived_us, submitted_us, wrapup_us;
    int64_t over_us; /* decided to be done or failed; -1: not yet */
    bool failed;
    struct attempt_ref failed_at;
    struct story_why over_why;
    struct story_phase *phases;
    uint16_t phase_count;
    uint64_t tasks;
    VEC(struct story_attempt) attempts;
    VEC(struct story_reads) reads;
    VEC(double) numbers;
};

/* Creates a job as it was submitted. Copies the spec; destroy with story_job_destroy. */
struct story_job *story_job_create(const struct job_spec *spec, int64_t now_us);
void story_job_destroy(struct story_job *j); /* NULL is fine */

/* Returns the reason with its numbers. */
struct reason story_job_reason(const struct story_job *j, struct story_why why);

/* Returns the attempt with this ordinal, or NULL. Valid until the job grows. */
const struct story_attempt *story_job_attempt(const struct story_job *j, const struct story_task *t,
                                              uint16_t ordinal);

/* Returns the value of `skip` for the task's next attempt. */
uint32_t story_job_skip(const struct story_job *j, const struct story_task *t);

/* Returns the last attempt of the task that failed, also to start, or NULL. Valid until the job
 * grows. */
const struct story_attempt *story_job_last_failed(const struct story_job *j,
                                                  const struct story_task *t);

/* Returns the reads of an attempt, or NULL. Valid until the job grows. */
const struct story_reads *story_job_reads(const struct story_job *j, const struct story_attempt *a);

/* Returns the task that the job failed for, or NULL. */
const struct story_task *story_job_failed_task(const struct story_job *j);

/* Returns true if a verdict with this reason sets how often the tasks of a phase are to run. */
bool story_job_is_about_cloning(uint16_t code);

/* Returns the code of the latest verdict about cloning the phase: WHY_NONE without one, WHY_NO_NEED
 * for an offer of only one attempt. */
uint16_t story_job_cloning(const struct story_job *j, const struct story_phase *p);

/* Returns true if a verdict with this reason means more than one attempt. */
bool story_job_is_cloned(uint16_t code);

static inline int64_t story_job_max_us(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Returns true for a clone or a backup: an attempt that the task could have done without. */
static inline bool story_is_extra(const struct story_attempt *a)
{
    return a->kind == LAUNCH_CLONE || a->kind == LAUNCH_BACKUP;
}

/* Returns the external input bytes of a task; never negative. */
int64_t story_job_input_bytes(const struct story_phase *p, uint32_t task);
