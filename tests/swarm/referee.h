/* referee.h - an independent judge of a run: sees every turn, keeps its own book, knows the rules.
 *
 * It is a tap of the engine. The first broken rule stops the run with the time, the event or
 * decision and the numbers. Body and brain are judged alike: a simulator that answers twice is
 * caught as well as a policy that overspends. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/engine/engine.h"

/* Each rule in one line; docs/inside/testing.md says more. */
enum rule {
    RULE_NONE,
    RULE_UNKNOWN,     /* nothing is said about a job, task, attempt or node that was never told */
    RULE_ONE_ANSWER,  /* one answer per launch, one ending per started attempt, one per commit */
    RULE_ORDINAL,     /* ordinals count the launches of a task from 0 */
    RULE_CAPACITY,    /* charged demand never exceeds a node's capacity */
    RULE_NODE_STATE,  /* no launch on a node that is down, suspect, draining or avoided */
    RULE_RUNNING_MAX, /* no launch beyond the job's own limit */
    RULE_QUEUE,       /* no launch that takes a queue above its maximum, but for its only attempt */
    RULE_RANK,        /* on a node, first attempts of a turn start in the order of their ranks, and
                         none where one of a better rank fits */
    RULE_BACKUP,      /* backups: beside one wanted attempt of an unfinished, uncloned task */
    RULE_TRIES,       /* what is tried on one task is bounded: restarts, copies again and again */
    RULE_CAP,         /* LATE's backups never hold more than cap x C */
    RULE_TICK,        /* where attempts start at ticks, none is launched between them */
    RULE_COST,        /* extra slot-seconds per trailing window: cap x C, and then none go on */
    RULE_BUDGET,      /* extra attempts of cloned phases never hold more than beta x C */
    RULE_WORK,        /* no task that is needed waits while a node has room for it */
    RULE_IDLE, /* budget=idle, dollymp: no clone while a first attempt waits that would have fitted
                */
    RULE_TAU,  /* budget=cluster: no clone while U + demand > tau x C */
    RULE_SIDE_EFFECTS, /* no clone in a phase that says never */
    RULE_COPIES,       /* no more copies than the verdict allowed, nor than the phase above got */
    RULE_VERDICT,      /* each phase that starts gets one answer from dolly */
    RULE_REPLICA,      /* whole-job clones keep apart, and nothing is committed before one ended */
    RULE_COMMIT,       /* commit: a finished attempt, whole output, one at a time, once per task */
    RULE_BARRIER,      /* no launch before the phases above are committed */
    RULE_FINISHED,     /* no launch for a task that is won */
    RULE_JOB_DONE,     /* done means that every task is committed */
    RULE_GIVEN_UP,     /* a task is given up only where the job allows it, and with reason; and no
                          copy starts of one that will be */
    RULE_JOB_FAILED,   /* a job fails for a reason that is true */
    RULE_JOB_OVER,     /* over once, and nothing is asked for it afterwards */
    RULE_LOSERS,       /* attempts of a finished task or job are asked to end in time */
    RULE_READ,         /* reads name what a reader needs, is there, is the committed one's equal */
    RULE_SHARE,        /* siblings share an output only when they must, and say so */
    RULE_WAIT,         /* a reader waits only for what can come, and not beyond omega */
    RULE_FETCH,     /* one answer per read, before the reader finishes, of a source that exists */
    RULE_PARTS,     /* parts are as many as readers, equal where outputs are, and what is read */
    RULE_MIX,       /* a result is made of one output of each task, though its attempts differ */
    RULE_COPY,      /* replicas: of what is committed, elsewhere, once; lost with the last copy */
    RULE_TOKENS,    /* replicated bytes of a job never exceed their share of those it has read */
    RULE_SPARE,     /* pre-computation: of what is committed, alone, elsewhere, within its time */
    RULE_ROOM,      /* who yields does so where a task that waits then fits */
    RULE_SCREEN,    /* of nodes that make stragglers no more are avoided than the rest can carry */
    RULE_DISK,      /* disks=own: who has a full one is avoided, and its extra attempts end */
    RULE_PRESSURE,  /* clones keep away from nodes whose disk or memory is wanted by others */
    RULE_HARM,      /* shepherd: copies of what works, in no first attempt's way but by proof */
    RULE_DOUBT,     /* an end counts only when its node has lived on for long enough */
    RULE_LAST_COPY, /* who yields or is preempted is not the last attempt of its task */
    RULE_KILL,      /* kill and withdraw name attempts that can still be ended */
    RULE_DECISION_ID, /* decision ids rise by one */
    RULE_TIME,        /* time never falls, and timers are never early or uncalled for */
    RULE_HANG,        /* not too many turns at one instant, or in all, and not too much time */
    RULE_END,         /* at the end every job is over, every attempt ended, nothing charged */
    RULE_COUNT,
};

#define REFEREE_OMEGA_NEVER INT64_MAX      /* readers wait for an output of their own (cac) */
#define REFEREE_OMEGA_AUTO (INT64_MAX - 1) /* chosen by the policy: any wait is fine */

/* What the policy under test has promised, and how long a run may take. */
struct referee_rules {
    bool clones;      /* the policy may launch clones (mitigate=dolly) */
    bool budget_idle; /* budget=idle, else cluster */
    bool hotcloud;    /* mitigate=dolly-hotcloud: tau, but neither a budget nor a plan for phases */
    bool shepherd;    /* mitigate=shepherd: no plan for phases; backups by proof alone */
    bool fifo;        /* order=fifo */
    bool job_clone;   /* mitigate=job-clone: whole jobs, below tau when they begin */
    bool yields; /* mitigate=dollymp, when=yield: clones end for first attempts that then fit */
    bool offers; /* mitigate=dollymp: clones once no first attempt fits anywhere */
    uint32_t copies_max; /* hotcloud, dollymp, shepherd: attempts of a task */
    double beta, tau;
    uint32_t least;       /* clones that fit into any budget */
    bool backups;         /* the policy may launch backups */
    bool backups_yield;   /* careful=yes: they start while none waits that fits, and end for one, */
    bool early;           /* ... but those of LATE with early=yes */
    double cap;           /* of backups by LATE, as a share of all slots */
    bool queues;          /* order=capacity ... */
    double queue_most[5]; /* ... and the maximum share of each queue of book.h; 1: none */
    double cost; /* cap on extra slot-seconds per window, as a share of capacity; 0: none */
    int64_t cost_window_us;
    bool disks_own;        /* each node has a disk of its own */
    int64_t doubt_us;      /* for how long ends are in doubt; 0: they are not */
    int64_t tick_us;       /* attempts start at multiples of it only; 0: at any time */
    uint32_t failures_max; /* of a task; 0: not known */
    uint32_t duplicates_max, restarts_max; /* copies of a task at once, and restarts, by Mantri */
    int64_t duplicate_after_us;   /* Mantri's Delta: none while a copy is younger than this */
    uint32_t launches_max;        /* of a task, half of which mitigation may use; 0: not known */
    int64_t omega_us;             /* how long readers wait for an output of their own; 0: cc */
    bool reuse_off;               /* an output that was read is not free again */
    bool deal;                    /* two outputs of a task, dealt to a reader's copies in turn */
    bool protects;                /* protect=mantri */
    double replicate, precompute; /* its limits: of bytes read, and of the cluster's time */
    bool network;                 /* attempts compute only after they have read */
    uint32_t work_turns;          /* how often rule work looks; 0: never */
    uint64_t turns_max;           /* 0: no limit */
    uint32_t instant_turns_max;   /* at one instant; 0: no limit */
    int64_t time_us_max;          /* 0: no limit */
};

/* What a run was made of, so that a swarm can show that it tested something. */
struct referee_tally {
    uint64_t turns, events, decisions, launches, clones, kills, commits;
    uint64_t launch_failed, failed, lost, outputs_lost, commits_failed, refused;
    uint64_t verdicts, phases_cloned, jobs_done, jobs_failed;
    /* Turns in which the extra attempts were within one attempt of the limit. */
    uint64_t budget_full;
    uint64_t least; /* clones above the budget, one of the least that fit into any */
    uint64_t backups, caps_met, avoided, reads, reads_shared, reads_failed;
    uint64_t reads_kept;          /* from another attempt than the winner */
    uint64_t wholes_shared;       /* reads of a phase that a sibling reads as a whole, too ... */
    uint64_t wholes_of_parts;     /* ... or task by task, */
    uint64_t parts_of_whole;      /* ... and of a task of a phase that a sibling reads as a whole */
    uint64_t waits;               /* times a reader was seen to wait */
    uint64_t late_losers;         /* won tasks whose other attempts lived on for a while */
    uint64_t different;           /* outputs discarded because they differed from the winner's */
    uint64_t launches_spent;      /* jobs that failed because a task was launched too often */
    uint64_t given_up;            /* tasks */
    uint64_t cost_met;            /* answers and kills because of the cap on extra slot-seconds */
    uint64_t replicas_won;        /* jobs whose winner was not their first replica */
    uint64_t copies, copies_used; /* replicas that were there, and saved an output */
    uint64_t spares, spares_used; /* attempts of tasks that were done, and those that won later */
    uint64_t restarts;            /* attempts killed because a new one would be faster */
    uint64_t changed;             /* jobs that were done though an output changed when made again */
    uint64_t queues_full; /* phases that were seen to wait because of their queue's maximum */
    uint64_t disks_full;  /* failures of a full disk of a node's own */
    uint64_t pressed;     /* clones that ended on a node under pressure ... */
    uint64_t eased;       /* ... and those launched where one was */
    uint64_t left;        /* clones launched while a node was down */
    uint64_t ranked;      /* launches on a node after one of a better rank in the turn */
    uint64_t yielded;     /* attempts that made room on a node, or under a limit */
    uint64_t returned;    /* nodes that were suspect or draining, and are no more */
    uint64_t reads_away;  /* of an output whose node was down */
    uint64_t parted;      /* outputs that were told with their parts */
    uint64_t gone;        /* outputs that a reader found to be gone */
    uint64_t believed;    /* ends that counted after they were in doubt ... */
    uint64_t doubted;     /* ... and those whose node went down first */
    uint64_t races;       /* of late tasks with their copies, that showed something, ... */
    uint64_t proven;      /* ... and copies that stayed because of them */
};

struct referee;

/* Copies the rules. Destroy with referee_destroy; NULL is fine there. */
struct referee *referee_create(const struct referee_rules *rules);
void referee_destroy(struct referee *r);

/* The tap that judges turns: -1 with *err for the first broken rule. */
struct tap referee_tap(struct referee *r);

/* Judges the end of a run that the body called complete. 0, or -1 with *err. */
int referee_finish(struct referee *r, struct err *err);

/* The rule that was broken, or RULE_NONE. */
enum rule referee_broken(const struct referee *r);

/* Stable name such as "one-answer". */
const char *referee_rule_name(enum rule rule);

/* Valid until referee_destroy. */
const struct referee_tally *referee_tally(const struct referee *r);
