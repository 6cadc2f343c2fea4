/* seam.h - the seven places where policies differ, each a struct of functions.
 *
 * The brain owns the state machine, the queues and the accounts; a part only answers the questions
 * below. It sees the world read-only and acts through core/brain/decider.h. It has no memory of its
 * own: `state` is bytes that the brain keeps for it, zeroed at the start. Hooks marked "may be
 * NULL" are skipped. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/field.h"
#include "base/rng.h"
#include "core/brain/world.h"
#include "core/model/event.h"

enum seam {
    SEAM_ORDER,
    SEAM_WITHIN,
    SEAM_PLACE,
    SEAM_MITIGATE,
    SEAM_SHUFFLE,
    SEAM_PROTECT,
    SEAM_SCREEN,
    SEAM_COUNT,
};

enum { MITIGATE_MAX = 2 }; /* a proactive policy and its reactive partner */

/* The parts of a policy: one for each seam, in that order, but MITIGATE_MAX mitigations. */
enum part_index {
    PART_ORDER,
    PART_WITHIN,
    PART_PLACE,
    PART_MITIGATE,
    PART_SHUFFLE = PART_MITIGATE + MITIGATE_MAX,
    PART_PROTECT,
    PART_SCREEN,
    PART_COUNT,
};

static inline enum part_index seam_part(enum seam seam)
{
    return (enum part_index)(seam <= SEAM_MITIGATE ? (int)seam : (int)seam + MITIGATE_MAX - 1);
}

struct brain;
struct part_ctx;

/* The common part; the first member of each of the structs below. */
struct policy_part {
    const char *name, *help;
    const struct field *params; /* NULL: none */
    size_t params_size, state_size;
    bool reads_outputs;  /* needs phase->outputs */
    bool reads_expected; /* reads expected times (core/brain/expect.h) */

    /* Hooks that a part of any seam may have; each may be NULL. */
    void (*fini)(const struct part_ctx *s); /* frees memory of the state */
    /* Called when an attempt ended (type is one of the four endings); it is still in the world. */
    void (*attempt_ended)(const struct part_ctx *s, const struct attempt *a, uint8_t type);
    /* Called when every task of the phase has been done for the first time. */
    void (*phase_finished)(const struct part_ctx *s, struct phase *p);
    /* Called before first attempts are placed, at every decide. */
    void (*before)(const struct part_ctx *s);
    /* Called every `tick_at`, the offset of an int64_t (us) among the parameters, while anything
     * runs: of a mitigation after first attempts were placed, of a screen before; others have
     * none. */
    void (*tick)(const struct part_ctx *s);
    size_t tick_at;
};

/* The context of a hook: its own parameters and state, and the means to act. */
struct part_ctx {
    const struct policy_part *part;
    const void *params;
    void *state;
    const struct world *world;
    struct brain *brain;
};

/* What the keys of an order follow, or-ed. It is asked again after that alone, and not before
 * a part looks. */
enum order_follows {
    FOLLOWS_ARRIVALS = 1,  /* of jobs: the keys of all jobs */
    FOLLOWS_ENDS = 2,      /* of jobs: the keys of all jobs */
    FOLLOWS_CAPACITY = 4,  /* of the cluster: the keys of all jobs */
    FOLLOWS_BUSY = 8,      /* job->busy: its own keys */
    FOLLOWS_HELD = 16,     /* job->held: its own keys */
    FOLLOWS_COMMITS = 32,  /* a task of the job was done, given up or lost: its own keys */
    FOLLOWS_EXPECTED = 64, /* expected times of a phase's tasks: the keys of its job */
    FOLLOWS_JOBS = FOLLOWS_ARRIVALS | FOLLOWS_ENDS
};

enum { ORDER_KEY_MAX = 60 }; /* keys are in 0 .. 2^60 - 1 */

/* Which phase next. */
struct order_ops {
    struct policy_part part;
    unsigned follows; /* enum order_follows */
    /* Computes and publishes (decider_publish) the basis of all keys, after an event that all keys
     * follow. Called before any key is asked for, and after `weigh` for each job that has arrived
     * or whose own keys follow an event. May be NULL. */
    void (*plan)(const struct part_ctx *s);
    bool keys_are_ranks; /* and nothing else: after a plan those are asked for whose rank changed */
    /* Computes and publishes the basis of a job's keys, when it has arrived or after an event that
     * its own keys follow. Without `plan` it is called for each job instead. May be NULL. */
    void (*weigh)(const struct part_ctx *s, const struct job *j);
    /* The group of a job, asked once, when it has arrived; 0 is one. Groups (queues) have keys of
     * their own: all phases of a group with a smaller key precede those of the others. NULL: no
     * groups. */
    uint32_t (*group)(const struct part_ctx *s, const struct job *j);
    /* The key of a group, least first, ties by number. Asked again when the use of the group
     * (world->groups) or the capacity of the cluster has changed. NULL: 0. */
    int64_t (*group_key)(const struct part_ctx *s, uint32_t group);
    /* How much more a group that holds `held` may take, which must not grow with `held`. Asked
     * again like the key. NULL: no limit. */
    struct res (*group_allowance)(const struct part_ctx *s, uint32_t group,
                                  const struct res_sum *held);
    /* The number of first attempts of the phase that may start until it is asked again, which is
     * with the key. NULL, UINT32_MAX: no limit. */
    uint32_t (*allowed)(const struct part_ctx *s, const struct phase *p);
    /* The key of a phase: least first, ties by job and phase. A copy of a job has that of the lead:
     * clones cost a job nothing. */
    int64_t (*key)(const struct part_ctx *s, const struct phase *p);
};

/* Which task of a phase next. */
struct within_ops {
    struct policy_part part;
    /* Fills by_rank[0..count-1] with the tasks in the order in which they are to be launched. NULL:
     * by index. */
    void (*rank)(const struct phase *p, uint32_t *by_rank);
};

/* The luck of an attempt that is to be placed. Drawn only where it is needed: on a busy cluster
 * there is mostly one node to choose from. */
struct place_luck {
    uint64_t trunk; /* of the phase's random numbers */
    uint32_t task;
    uint16_t ordinal;
};

/* Draws 64 uniform bits, the same every time. */
static inline uint64_t place_luck_bits(struct place_luck luck)
{
    struct rng r = rng_branch(luck.trunk, luck.task, luck.ordinal);
    return rng_u64(&r);
}

/* How tasks and nodes are matched. */
enum place_match {
    MATCH_TASK,   /* the next phase in line, then a node for its task */
    MATCH_SERVER, /* nodes by number; each takes of the first rank of which anything fits what suits
                     it best, until nothing fits. Phases of equal key are a rank; of a job only its
                     first phase with tasks that wait takes part */
};

/* On which node. */
struct place_ops {
    struct policy_part part;
    /* Returns a block of mem.h to keep as phase->place_state, before the first task of the phase is
     * placed. May be NULL, as may its result: it is not called again. */
    void *(*prepare)(const struct part_ctx *s, const struct phase *p);
    /* Returns a node with room for an attempt of this task, or NODE_NONE. */
    struct node_id (*pick)(const struct part_ctx *s, const struct phase *p, uint32_t task,
                           struct place_luck luck);
    bool (*reads_links)(const struct part_ctx *s); /* needs link samples; may be NULL */
    bool reads_scores; /* asks for the node with the largest score (decider_best_node) */
    /* Returns the way of matching. Called once, unless the order has groups. NULL: MATCH_TASK. With
     * MATCH_SERVER, `pick` places attempts that are in no list: backups, and clones among first
     * attempts. */
    enum place_match (*match)(const struct part_ctx *s);
    /* With MATCH_SERVER: returns the index of the phase that suits the node best. They are one
     * rank, in the order of (job, phase), and fit. NULL: the one with the largest score
     * (match_score.h). */
    uint32_t (*choose)(const struct part_ctx *s, struct node_id node,
                       const struct phase *const *fits, uint32_t count);
};

/* When queued clones start. */
enum clone_leave {
    CLONE_MAY_START,
    CLONE_MUST_WAIT,       /* those of other phases may start */
    CLONES_ALIKE_MUST_WAIT /* so must those of all phases with the same demand */
};

enum clones_when {
    CLONES_AMONG, /* among first attempts, in one order with them */
    CLONES_AFTER, /* once no first attempt fits anywhere */
    CLONES_YIELD, /* the same; and they yield to one that then fits */
    CLONES_IDLE,  /* once none waits; and they yield to any new one */
};

/* The order in which queued clones start. */
enum clones_order {
    CLONES_IN_ORDER,   /* that of the seam `order` */
    CLONES_BY_ARRIVAL, /* of their jobs */
    /* every task's first clone before any second, then that of the seam `order` */
    CLONES_BY_ROUND,
};

/* Extra attempts and restarts. All hooks may be NULL. */
struct mitigate_ops {
    struct policy_part part;
    /* Decides about clones of the phase, or records why not, before its first task runs. */
    void (*phase_started)(const struct part_ctx *s, struct phase *p);
    /* Called when an attempt that is not extra was launched. */
    void (*launched)(const struct part_ctx *s, struct attempt *a);
    /* Decides whether a queued clone of this phase may start now. */
    enum clone_leave (*clone_may_start)(const struct part_ctx *s, const struct phase *p);
    /* Returns when queued clones start; called once. Only one of two mitigations may have it. */
    enum clones_when (*clones_when)(const struct part_ctx *s);
    /* Returns in which order they start; the same. */
    enum clones_order (*clones_order)(const struct part_ctx *s);
    /* Returns true if backups end for a first attempt that then fits. Asked once; NULL: they do
     * not. Of two mitigations it is enough that one does. */
    bool (*backups_yield)(const struct part_ctx *s);
    void (*job_over)(const struct part_ctx *s, struct job *j);
    /* Called when a fetch of the attempt is done. State only. */
    void (*fetched)(const struct part_ctx *s, const struct attempt *a);
    /* Called when the attempt, which runs, has reported its progress. State only. */
    void (*reported)(const struct part_ctx *s, const struct attempt *a);
    /* Called when the task was committed. State only. */
    void (*task_done)(const struct part_ctx *s, const struct phase *p, uint32_t task);
    /* After first attempts were placed, at every decide. */
    void (*pass)(const struct part_ctx *s);
    bool reads_progress; /* needs progress reports: attempt->score ... */
    bool reads_words;    /* ... and the time and the numbers of each (world_progress) */
    bool backs_up;       /* launches backups of running tasks ... */
    bool ends_copies;    /* ... and ends copies by its own judgement, also those of others */
    bool reads_running;  /* reads the running attempts (world_next_running) */
};

/* Which output each reader reads, and the fate of the other attempts of a won task. */
struct shuffle_ops {
    struct policy_part part;
    bool reads_won; /* it reads the times of commits (phase.won_us) */
    /* Called when an attempt of a phase that reads others was launched. */
    void (*launched)(const struct part_ctx *s, struct attempt *reader);
    /* Called at the end of a decide with launches, after `launched` only. */
    void (*settle)(const struct part_ctx *s);
    /* Called when the task was committed, if a phase reads it or it has other attempts. */
    void (*won)(const struct part_ctx *s, struct phase *p, uint32_t task);
    /* Returns true to keep the output of another attempt of a won task, which is equal, as one more
     * source. */
    bool (*keeps)(const struct part_ctx *s, const struct phase *p, const struct attempt *a);
    /* Called when a fetch of one task's output, or of a whole phase (TASK_ALL), is done or failed.
     * State only. */
    void (*fetched)(const struct part_ctx *s, const struct attempt *reader, const struct event *e);
    /* Called when an attempt ended. State only. */
    void (*ended)(const struct part_ctx *s, const struct attempt *a, uint8_t type);
    /* Assigns sources to waiting reads, after sources of the phases above were added or removed, or
     * a fetch ended. */
    void (*fill)(const struct part_ctx *s, struct phase *p);
    /* Called at the time set with decider_wake. */
    void (*woken)(const struct part_ctx *s);
};

/* Keeping outputs safe; hooks may be NULL. */
struct protect_ops {
    struct policy_part part;
    /* Returns a block of mem.h to keep as phase->guard, when the first task of the phase was won.
     * Must not be NULL if `won` or `output_event` is set. */
    void *(*guard)(const struct part_ctx *s, const struct phase *p);
    /* Called when the task was committed. */
    void (*won)(const struct part_ctx *s, struct phase *p, uint32_t task);
    /* Called for events about copies of the task's committed output: output_lost, replica_done,
     * replica_failed, or refused (a request to replicate it). State only. */
    void (*output_event)(const struct part_ctx *s, struct phase *p, uint32_t task,
                         const struct event *e);
};

/* Which nodes to avoid: decider_avoid, in its tick. */
struct screen_ops {
    struct policy_part part;
};

/* A chosen part with its parameter values; `ops` points to the struct of its seam. */
struct choice {
    const struct policy_part *ops;
    void *params;
};

/* One part per seam. Made by core/policy/policy.h; the brain borrows it. */
struct policy {
    struct choice parts[PART_COUNT]; /* `ops` of a mitigation that was not chosen is NULL */
    uint32_t mitigate_count;
    int64_t failures_max; /* a task with this number of failures fails its job */
    int64_t launches_max; /* and so does one with this number of launches that were all lost */
    double cap; /* extra slot-seconds per trailing window, as a share of capacity; 1: no cap */
    int64_t cap_window_us;
    int64_t tick_us; /* attempts start at multiples of it only; 0: at any time */
    int disks;       /* enum policy_disks */
};

/* The nodes that a full disk affects: all, which write to one, or each its own. */
enum policy_disks { DISKS_ONE, DISKS_OWN };
