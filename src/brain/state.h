/* state.h - the brain's insides, shared by the files of this folder and by nobody else.
 *
 *   attempt.c  the pool of attempts and the accounts of who holds what
 *   job.c      building, finding and freeing jobs
 *   queue.c     what is to be launched, in queues of equal demand
 *   phase.c    when phases open, finish, and come back because an output was lost
 *   apply.c     events -> state
 *   breach.c    events that no body of ours would tell
 *   retract.c   what was made from an output that has changed starts again
 *   cores.c     clones take idle cores only
 *   yield.c      readers that started early make room for what they wait for
 *   trim.c      extra attempts that cost more than they may
 *   job_copy.c  jobs that are cloned as a whole
 *   decide.c    state -> decisions, in the order screen, order, within, place, mitigate
 *   decider.c   what policies may ask for */
#ifndef BRAIN_STATE_H
#define BRAIN_STATE_H

#include "base/heap.h"
#include "brain/brain.h"
#include "brain/cost_cap.h"
#include "brain/decider.h"
#include "brain/seam.h"
#include "brain/world.h"

/* Runnable phases whose tasks need the same resources. When one of them does not fit anywhere, none
 * does, so a decide looks at a full cluster once per demand and not once per job. */
struct demand_queue {
    struct res demand;
    uint32_t fit;                        /* its number in world.fit */
    struct heap firsts, clones;          /* phases by (order key, job, phase) */
    bool firsts_blocked, clones_blocked; /* during one decide */
};

/* Something that an event made necessary; worked off in order by decide. */
enum todo_what {
    TODO_JOB_NEW,
    TODO_JOB_CANCELLED,
    TODO_TASK_FAILED, /* for good */
    TODO_JOB_DONE,
    TODO_COMMIT,  /* an attempt of this task finished */
    TODO_WON,     /* the task was committed */
    TODO_STOP,    /* the attempt is unwanted and may not know yet */
    TODO_DISCARD, /* the attempt's output could not be committed */
    TODO_FILL,    /* readers of this phase may find new sources */
    TODO_REVIVE,  /* an output of this phase was lost */
    TODO_CHANGED, /* the task was committed again, and is not the same */
    TODO_RETRACT, /* the task was committed, and is stale */
    TODO_COMMITS, /* the copy that ended first commits its next phase */
    TODO_REDO,    /* ... and what was made from this phase's outputs is made again */
};

/* The regular wake-up of a part. It sleeps while nothing runs. */
struct ticker {
    int64_t every_us; /* 0: none */
    bool armed, due;
};

/* Ids of our timers. */
enum {
    TIMER_MITIGATE = 1,
    TIMER_SCREEN = TIMER_MITIGATE + MITIGATE_MAX,
    TIMER_AVOID,
    TIMER_SHUFFLE,
    TIMER_COST_CAP
};

struct todo {
    uint8_t what;
    uint16_t copy; /* 0: the lead's */
    struct attempt_ref at;
};

struct brain {
    struct world world;
    const struct policy *policy;
    struct part_ctx order, within, place, shuffle, protect, screen, mitigate[MITIGATE_MAX];
    uint64_t seed;
    uint64_t last_id; /* of decisions */
    struct hint hint; /* the last one */
    bool hinted;      /* ... was in the turn before */
    bool clones_idle;
    uint32_t early_jobs;           /* live jobs with a slow start */
    VEC(struct attempt_ref) stuck; /* phases of theirs that wait for running_max */
    bool wants_samples;
    bool mitigates_before, mitigates_after; /* some mitigation has a say before, after launches */
    bool backs_up;                          /* some mitigation launches backups */
    bool wants_outputs;                     /* how large they are */
    POOL(int64_t) ready_bytes;              /* by slot of their attempt, until they are committed */
    struct ticker tick_mitigate[MITIGATE_MAX], tick_screen;
    int64_t wake_us;       /* when the seam `shuffle` wants to be woken; 0: not at all */
    int64_t wake_armed_us; /* for when a timer is set; 0: none is */
    bool wake_due;
    struct cost_cap cost_cap;
    int64_t cost_cap_armed_us;    /* for when a timer is set; 0: none is */
    int64_t avoid_next_us;        /* when the first avoided node comes back; 0: none is avoided */
    bool avoid_armed;             /* a timer is set for that */
    int64_t disk_full_until_us;   /* a disk was full: no extra attempts before */
    int64_t disk_full_blame_us;   /* ... and until then some held room that others needed */
    bool disk_full_sheds;         /* ... and those that live are to go */
    bool cores_said;              /* why clones wait for a core */
    VEC(struct attempt_ref) shed; /* phases whose clones went for want of one */
    VEC(struct decision) out;
    VEC(struct todo) todo;
    VEC(struct demand_queue *) queues;
    struct job *unkeyed; /* stands in its queues with an old key; NULL: none does */
};

#define BRAIN_OPS(b, seam) ((const struct seam##_ops *)(b)->policy->seam.ops)
#define BRAIN_MITIGATE(b, i) ((const struct mitigate_ops *)(b)->policy->mitigate[i].ops)

/* ---- attempt.c ---- */

/* The attempt an event speaks of, or NULL when it is unknown (any more). */
struct attempt *attempt_find(const struct brain *b, struct attempt_ref ref);

/* A new attempt, charged to its node, job and budget. */
struct attempt *attempt_create(struct brain *b, struct phase *p, uint32_t task, uint8_t kind,
                               struct node_id node);

/* A launched attempt has started. */
void attempt_runs(struct brain *b, struct attempt *a);

/* Whether the attempt was asked to end because it is slow; the reason's first number says how many
 * seconds it has to go. */
bool attempt_is_slow(const struct attempt *a);

/* It holds no resources any more: `to_finished` keeps it for its output, else it is forgotten. */
void attempt_release(struct brain *b, struct attempt *a, bool to_finished);

/* Forgets an attempt in ATTEMPT_FINISHED. */
void attempt_forget(struct brain *b, struct attempt *a);

/* Changes the state of a task and keeps the accounts that depend on it. */
void task_set_state(struct brain *b, struct phase *p, struct task *t, uint8_t state);

/* How many live attempts of the task the clone budget pays for: its extra ones but backups, in a
 * cloned phase. */
uint32_t task_charged(const struct brain *b, const struct phase *p, const struct task *t);

/* Adds what the job's tasks hold beyond need to the clone budget, or with sign -1 takes it out. */
void job_tally_extra(struct brain *b, const struct job *j, int sign);

/* Tells placement what the node has free, or that it takes no attempts. */
void node_refit(struct world *w, uint32_t node);

/* ---- job.c ---- */
struct job *job_create(struct brain *b, const struct job_spec *spec);
/* Another struct job of the same shape, for a copy; in no list yet. */
struct job *job_create_copy(struct brain *b, const struct job *lead);
void job_free_if_over(struct brain *b, struct job *j);
void jobs_fini(struct brain *b);

/* ---- queue.c ---- */
void queue_fini(struct brain *b);
/* Puts the phase into the queue of its demand. */
void queue_join(struct brain *b, struct phase *p);
/* The phase's counters or its job's changed: enters or leaves its queue as they say. */
void queue_refresh(struct brain *b, struct phase *p);
void queue_refresh_job(struct brain *b, struct job *j); /* every phase of the job */
/* The job's place in the order changed. */
void queue_rekey_job(struct brain *b, struct job *j);
/* The same, but it may wait until somebody looks: often it changes back before. */
void queue_rekey_later(struct brain *b, struct job *j);
/* What waits is done. Before the queues are looked at. */
void queue_settle(struct brain *b);
/* The task is to be launched. */
void queue_pend(struct brain *b, struct phase *p, uint32_t task);
/* The phase has opened: every task that waits, and has what it reads, is to be launched. */
void queue_pend_waiting(struct brain *b, struct phase *p);
uint32_t queue_first_pending(struct phase *p);
void queue_unpend(struct brain *b, struct phase *p, uint32_t task);
/* The next task of the phase that wants a clone; TASK_ALL when none is left. */
uint32_t queue_next_clone(struct brain *b, struct phase *p);
void queue_take_clone(struct brain *b, struct phase *p);
/* All clones that the phase was given join the queue again, but for those that are there. */
void queue_clones_again(struct brain *b, struct phase *p);
/* Clones of the task that were not launched leave the queue. */
void queue_drop_clones(struct brain *b, struct phase *p, uint32_t task);

void phase_mark_cloned(struct brain *b, struct phase *p);

/* The phase that stands in a queue's heap of first attempts, or of clones. */
static inline struct phase *queue_first_at(const struct heap_item *it)
{
    return (struct phase *)(void *)((char *)it->place - offsetof(struct phase, place_first));
}

static inline struct phase *queue_clone_at(const struct heap_item *it)
{
    return (struct phase *)(void *)((char *)it->place - offsetof(struct phase, place_clone));
}

/* ---- yield.c ---- */
/* A phase of a job with a slow start has tasks to launch, and the job is at its limit. */
void yield_note(struct brain *b, struct phase *p);
/* Early readers yield to tasks above them that found no room. After first attempts were placed. */
void yield_make_room(struct brain *b);

/* ---- disk_full.c ---- */
/* A disk was full just now, and this attempt failed of it. Before it is released. */
void disk_full_begin(struct brain *b, const struct attempt *failed);
/* Whether that is not long ago. */
bool disk_full_lately(const struct brain *b);
/* Whether a failure of this attempt by a full disk does not count. Before the attempt is released.
 */
bool disk_full_forgives(const struct brain *b, const struct attempt *failed);
/* Ends extra attempts if that is due. Before anything is launched. */
void disk_full_shed(struct brain *b);
/* Whether launches have to wait for those that were ended. */
bool disk_full_waits(struct brain *b);

/* ---- cores.c ---- */
/* Whether a clone of the phase has to wait for an idle core; says so the first time. */
bool cores_forbid(struct brain *b, const struct phase *p);
/* Ends clones that have no core. Before anything is launched. */
void cores_shed(struct brain *b);
/* Queues those clones again, once there are cores for them. Before clones are launched. */
void cores_refill(struct brain *b);

/* ---- retract.c ---- */
/* What the task had committed has changed: whatever was made from it goes. */
void retract_readers(struct brain *b, struct phase *p, uint32_t task);
/* Attempts of the task that finished though they are stale are thrown away. */
void retract_finished(struct brain *b, struct phase *p, uint32_t task);
/* What the task has just committed was stale: it goes, and the task starts again. */
void retract_commit(struct brain *b, struct phase *p, uint32_t task);

/* ---- phase.c ---- */
/* The phases above changed: opens or closes the phase as they say. */
void phase_review(struct brain *b, struct phase *p);
void phase_review_readers(struct brain *b, struct phase *p);
/* Whether all tasks above are done that the task reads over edges of pieces (one-to-one,
 * many-to-one). */
bool task_inputs_done(const struct phase *p, uint32_t task);
/* The task has no finished attempt and perhaps no live one: what now? */
void task_settle(struct brain *b, struct phase *p, uint32_t task);
void phase_task_done(struct brain *b, struct phase *p, uint32_t task);
/* The task failed for good, and its phase bears it. */
void phase_task_given_up(struct brain *b, struct phase *p, uint32_t task);
void phase_task_lost(struct brain *b, struct phase *p, uint32_t task);
void phase_revive(struct brain *b, struct phase *p);
/* Every task was done: the median of what was measured is known from now on. */
void phase_measure(struct phase *p);

/* Sources of this phase changed: whoever reads it is looked at in this decide. */
void phase_refill_readers(struct brain *b, struct phase *p);
void phase_refill(struct brain *b, struct phase *p);

/* ---- job_copy.c ---- */
/* The copy of this number; the lead for 0; NULL when it is gone. */
struct job *job_copy_find(const struct world *w, struct job_id id, uint16_t copy);
/* An attempt of the task finished in a copy: its output is kept for its own readers. */
void job_copy_hold(struct brain *b, struct phase *p, uint32_t task);
/* The copy has done everything: it becomes the job, the others end, and it commits. */
void job_copy_won(struct brain *b, struct job *j);
/* Commits the outputs of the next phase, once those above are answered. */
void job_copy_commit(struct brain *b, struct job *j);
/* The commit of a phase's output failed: what was made from it is thrown away. */
void job_copy_redo(struct brain *b, const struct phase *p);
/* The output of a finished attempt is gone. False: it was none that a copy kept. */
bool job_copy_output_lost(struct brain *b, struct attempt *a);
/* The copy cannot go on. False: it was the last, and with it the job. */
bool job_copy_failed(struct brain *b, struct job *j, const struct reason *why);
/* All copies but the lead end. */
void job_copy_drop_all(struct brain *b, struct job *lead, const struct reason *why);

/* Whether the commit of the task's winner is on its way, and not only to be asked for later. */
static inline bool commit_is_asked(const struct phase *p, const struct task *t)
{
    return t->state == TASK_COMMITTING && (p->job->copy == 0 || p->index < p->job->commit_next);
}

/* ---- trim.c ---- */
/* Ends what the cap does not allow to go on. */
void trim_extras(struct brain *b);

/* ---- decide.c ---- */
void job_stop_attempts(struct brain *b, struct job *j, const struct reason *why);
void phase_teach(struct brain *b, struct phase *p);
/* Hands the samples of a measured phase to all who learn from them, and forgets them. */
void phase_tell(struct brain *b, struct phase *p);

/* ---- decider.c ---- */
struct decision *brain_add(struct brain *b, uint8_t type, struct attempt_ref at,
                           const struct reason *why);
/* Where the seam `place` puts the next attempt of the task, whatever the job's limits say. */
struct node_id brain_place(struct brain *b, const struct phase *p, uint32_t task);
void brain_launch(struct brain *b, struct phase *p, uint32_t task, uint8_t kind,
                  struct node_id node, const struct reason *why);
/* Whether the cap forbids one more extra attempt of the phase; says so the first time. */
bool brain_capped(struct brain *b, const struct phase *p);
struct reason brain_cap_reason(const struct brain *b);
void brain_set_timer(struct brain *b, uint32_t id, int64_t at_us);
void brain_todo(struct brain *b, const struct job *j, enum todo_what what, struct attempt_ref at);

/* The task in the lead, which counts the ordinals. */
static inline struct task *task_named(const struct phase *p, uint32_t task)
{
    return &job_lead(p->job)->phases[p->index].tasks[task];
}

static inline struct attempt_ref phase_ref(const struct phase *p)
{
    return (struct attempt_ref){p->job->id, TASK_ALL, p->index, 0};
}

static inline struct attempt_ref task_ref_of(const struct phase *p, uint32_t task)
{
    return (struct attempt_ref){p->job->id, task, p->index, 0};
}

#endif
