/* state.h - struct brain, which only the files of this folder share.
 *
 * From the ground up, which is the order in which the files are best read: each calls only those
 * above it, which tools/tidy proves. Work for files below is noted in the list of todo.h.
 *
 *   world.h          all that is known, as policies see it
 *   seam.h           what a policy is made of
 *   decisions.c      the list of decisions
 *   todo.c           the list of work that events made necessary
 *   queue.c          first attempts and clones to be launched, in queues of equal demand
 *   hint.c           prefetches data of later events
 *   expect.c         how long tasks are expected to take, with recall.c
 *   timers.c         when to be woken
 *   spend_window.c   an account of resources held; cost_cap.c: by extra attempts
 *   attempt.c        the pool of attempts, and the accounts of their resources
 *   phase.c          when phases open, finish, and come back because an output was lost
 *   stop.c           attempts, outputs and nodes are given up
 *   retract.c        withdraws everything made from an output that has changed
 *   job.c            jobs begin and end
 *   yield.c          attempts that could wait make room
 *   pressure.c       clones keep away from nodes whose disk or memory others want
 *   cost_cap_trim.c  extra attempts beyond the cap end
 *   job_copy.c       jobs that run several times at once
 *   disk_full.c      nodes, and extra attempts, rest after a disk was full
 *   todo_run.c       does the work of that list
 *   launch.c         first attempts and clones
 *   brain_breach.c   events that break the contract
 *   brain_apply.c    events -> state
 *   decider.c        what policies may ask for
 *   brain_decide.c   state -> decisions: todo, screen, order, within, place, mitigate, yield
 *   brain.c          both, behind brain.h */
#pragma once

#include "core/brain/brain.h"
#include "core/brain/cost_cap.h"
#include "core/brain/decisions.h"
#include "core/brain/disk_full.h"
#include "core/brain/launch.h"
#include "core/brain/pressure.h"
#include "core/brain/queue.h"
#include "core/brain/seam.h"
#include "core/brain/timers.h"
#include "core/brain/todo.h"
#include "core/brain/world.h"
#include "core/brain/yield.h"
#include "core/match/match.h"

/* The parts that have a hook, in the order in which they are called. */
struct part_list {
    uint32_t count;
    const struct part_ctx *at[PART_COUNT];
};

struct brain {
    struct world world;
    const struct policy *policy;
    struct part_ctx parts[PART_COUNT];
    struct part_list on_attempt_end, on_phase_end, on_before;
    uint64_t seed;
    struct hint hint; /* the last one */
    bool hinted;      /* ... was in the turn before */

    /* The part of each file, from the ground up. */
    struct decisions decisions;
    VEC(struct todo) todo;
    struct brain_queue queue;
    struct brain_timers timers;
    struct cost_cap cost_cap;
    struct brain_yield yield;
    struct brain_pressure pressure;
    struct brain_disk_full disk_full;
    struct brain_launch launch;
    struct match_nodes scores; /* decider.c, for reads_scores: nodes by their resources ... */
    struct node_set unscored;  /* ... but for those that have changed since */

    /* What the parts of the policy want, asked once. */
    bool wants_samples, wants_outputs;
    bool mitigates_after; /* some mitigation has a hook after launches, ... */
    bool hears_reports;   /* ... or one for reports, or for tasks that are done */
    bool backs_up;        /* some mitigation launches backups ... */
    bool backups_yield;   /* ... which end for first attempts that then fit */
    enum place_match match;
    enum clones_when clones_when;
    enum clones_order clones_order;
    POOL(int64_t) ready_bytes; /* sizes of outputs by attempt, until they are committed */

    bool off_tick;          /* nothing may be launched in this turn (policy.tick_us) ... */
    bool turned_away;       /* ... which a search for a node has noticed */
    uint32_t looks_at_tick; /* bit i: mitigation i was, in its tick, and looks again at the next */

    bool reader_launched; /* in this decide: its reads are settled at the end */
    uint32_t early_jobs;  /* live jobs with a slow start */
};

/* The chosen part of a seam; its context is b->parts[PART_...]. */
#define OPS_OF(seam, index)                                                                        \
    static inline const struct seam##_ops *seam##_ops(const struct brain *b)                       \
    {                                                                                              \
        return (const struct seam##_ops *)b->parts[index].part;                                    \
    }

OPS_OF(order, PART_ORDER)
OPS_OF(within, PART_WITHIN)
OPS_OF(place, PART_PLACE)
OPS_OF(shuffle, PART_SHUFFLE)
OPS_OF(protect, PART_PROTECT)
#undef OPS_OF

static inline const struct mitigate_ops *mitigate_ops(const struct brain *b, uint32_t i)
{
    return (const struct mitigate_ops *)b->parts[PART_MITIGATE + i].part;
}

/* Puts off the keys of this job, or with NULL of all, if the order follows this event (enum
 * order_follows). */
static inline void queue_follow(struct brain *b, struct job *j, unsigned what)
{
    if (order_ops(b)->follows & what && !(j && j->unkeyed > 0))
        queue_put_off(b, j);
}

/* Begins a walk; or returns false if it is certain that there is nothing to walk over. */
static inline bool queue_begin(struct brain *b, bool firsts, bool clones)
{
    if (!b->queue.settles && demand_queues_are_still(&b->queue.by_demand))
        return false;
    queue_begin_walk(b, firsts, clones);
    return true;
}

/* Returns the phase of an entry of a queue's heap of first attempts. */
static inline struct phase *queue_first_phase(const struct heap_item *it)
{
    return (struct phase *)(void *)((char *)it->heap_index -
                                    offsetof(struct phase, queued.first_index));
}

/* Returns the phase of an entry of a queue's heap of clones. */
static inline struct phase *queue_clone_phase(const struct heap_item *it)
{
    return (struct phase *)(void *)((char *)it->heap_index -
                                    offsetof(struct phase, queued.clone_index));
}

/* Returns true if the cost of extra attempts is limited. */
static inline bool cost_cap_is_on(const struct brain *b)
{
    return b->policy->cap < 1;
}

/* Returns true if a disk that all attempts need was full not long ago: no extra attempts then. */
static inline bool disk_full_lately(const struct brain *b)
{
    return b->world.now_us < b->disk_full.until_us;
}

/* Returns true if new attempts may be launched on the node. */
static inline bool world_node_takes(const struct world *w, uint32_t i)
{
    const struct node *n = &w->nodes.at[i];
    return n->state == NODE_UP && n->avoid_until_us <= w->now_us && !(n->trial && n->live > 0);
}

/* Returns true if clones keep away from the node, because other processes use its disk or
 * memory. */
static inline bool world_node_is_pressed(const struct world *w, uint32_t i)
{
    return w->nodes.at[i].pressed_until_us > w->now_us;
}

/* Passes the free resources of the node to placement, or that it accepts no attempts. */
static inline void world_refit_node(struct world *w, uint32_t i)
{
    static const struct res closed = {{-1, -1, -1, -1}};
    const struct res *free = world_node_takes(w, i) ? &w->nodes.at[i].free : &closed;
    bool grows = (w->grown || w->roomier) && !res_fits(free, &w->fit.free[i]);
    if (grows && w->grown)
        node_set_add(w->grown, i);
    if (grows && w->roomier)
        node_set_add(w->roomier, i);
    if (w->changed)
        node_set_add(w->changed, i);
    fit_index_set(&w->fit, i, free);
}

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
