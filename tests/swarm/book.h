/* book.h - what the referee writes down while it watches: jobs, tasks, attempts, nodes and sums.
 *
 * The book only records; referee.c and the rule files judge. It shares nothing with the brain but
 * the vocabulary of src/core/model, so that one mistake cannot hide in both. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "core/model/decision.h"
#include "core/model/event.h"

/* Left: it runs no more and holds no room, but its ending was not told. */
enum book_state { BOOK_LAUNCHED, BOOK_RUNNING, BOOK_LEFT, BOOK_ENDED };

/* One thing that an attempt was told to read; those of an attempt are indexed by book_read.h. */
enum book_read_state {
    BOOK_READ_NONE, /* never asked for, or it failed or was refused */
    BOOK_READ_ASKED,
    BOOK_READ_DONE
};

struct book_read {
    uint8_t state;   /* enum book_read_state */
    uint16_t source; /* ordinal of the upstream attempt */
    uint64_t id;     /* the decision that asked */
    uint64_t got;    /* checksum of what was read; entries of single tasks only */
    uint64_t failed; /* the turn in which it last did; 0: never */
};

/* The replica of an output. */
enum book_copy { BOOK_COPY_NONE, BOOK_COPY_ASKED, BOOK_COPY_THERE };

struct book_attempt {
    uint8_t state;       /* enum book_state */
    uint8_t ending;      /* the event that ended it; meaningful when BOOK_ENDED */
    uint8_t kind;        /* enum launch_kind */
    bool output;         /* it finished and its output can still win, has won or can be read */
    bool output_lost;    /* told lost */
    bool asked_ever;     /* a kill or withdraw was asked for at some time */
    bool waits;          /* is in book.readers */
    uint64_t asked;      /* decision id of the standing kill or withdraw; 0: none */
    uint64_t launched;   /* the turn of the decision to launch it, ... */
    int64_t launch_us;   /* ... and when that was */
    int64_t start_us;    /* when it was told to have started */
    uint64_t gave_way;   /* the turn in which it was asked to make room for another; 0: never */
    int64_t left_us;     /* when it was told to have ended; meaningful from BOOK_LEFT on */
    uint64_t checksum;   /* of its output */
    uint64_t partitions; /* a hash of its partitions; 0: not reported */
    uint64_t inputs;     /* a hash of the checksums of all that it read; 0: not known (yet) */
    struct node_id node;
    uint16_t replica;               /* of the whole job; 0: none */
    bool spare;                     /* launched while its task was committed */
    uint8_t copy;                   /* enum book_copy */
    struct node_id home, copy_node; /* where its output is, and the replica of it */
    uint64_t copy_gone;             /* the turn in which a copy found its output gone; 0: never */
    struct book_read *reads;        /* NULL: it reads nothing, or has ended */
    uint32_t unassigned;            /* upstream tasks it needs and was not told to read */
    uint32_t unread;                /* ... and has not read */
    uint32_t outstanding;           /* reads asked for and not answered */
    uint32_t read_by; /* live attempts that were told to read its output and are at it */
};

enum book_commit { BOOK_COMMIT_NONE, BOOK_COMMIT_ASKED, BOOK_COMMIT_DONE };

struct book_task {
    VEC(struct book_attempt) attempts; /* the ordinal is the index */
    uint32_t live;                     /* attempts that are charged */
    uint32_t outputs;                  /* attempts with an output */
    uint32_t failures;                 /* launch_failed, failed, lost, and failed commits */
    uint32_t own_failures;             /* of these, those that count against it in any case */
    uint8_t commit;                    /* enum book_commit; back to none when the output is lost */
    bool commit_ever;
    bool listed;        /* is in book.touched */
    bool outlived;      /* is in book.losers */
    bool given_up;      /* failed for good, and the job goes on */
    bool backed;        /* the first attempt to finish was a backup */
    uint32_t restarts;  /* Mantri's */
    bool races;         /* a copy was made of it because it was late: shepherd's, ... */
    uint16_t race_copy; /* ... this one, and after this time it was beaten fairly */
    double race_fair_us;
    int64_t charged;    /* its part of book.extra */
    uint16_t candidate; /* whose commit was asked for or is done */
    uint64_t commit_id; /* the decision that asked */
    int64_t won_us;     /* when it was committed last */
    uint64_t checksum;  /* of what was committed last */
};

struct book_phase {
    struct res demand;
    struct book_task *tasks;
    struct edge_spec *edges;
    uint32_t task_count;
    uint16_t edge_count;
    bool clone_never;
    bool read;    /* some phase below reads it */
    bool started; /* had a launch */
    bool settled; /* dolly said yes or no */
    bool cloned;  /* it said yes: extra attempts but backups are charged to the budget */
    bool waiting_for_preempt; /* dolly said "not yet" */
    uint32_t done;            /* tasks committed and not lost */
    uint32_t failures_allowed, given_up;
    int64_t input_bytes, *input_each; /* of each task from outside */
    int64_t output_bytes;             /* of each task, as the last one said */
    /* The same of each of those who all read a partition; NULL: not reported. Other phases may be
     * more. */
    int64_t *partitions;
    uint32_t partition_count;
    uint32_t idle;      /* tasks that wait for a first attempt */
    double copies;      /* what the last verdict allowed per task; 1 until then */
    double copies_most; /* the largest it ever allowed */
};

struct book_job {
    struct job_id id;
    struct book_phase *phases;
    uint16_t phase_count;
    bool over, cancelled;
    uint32_t running_max;
    uint32_t queue;     /* index into book.queues */
    uint32_t live;      /* attempts that are charged */
    bool replicated;    /* it is cloned as a whole */
    uint16_t winner;    /* the replica that is committed; 0: none yet */
    bool changed;       /* something was committed that differs from what was committed before */
    bool replicas_lost; /* in this turn attempts were told that another replica ended first */
    double bytes_read, bytes_copied; /* by tasks that were committed; into replicas */
    bool stirred;       /* something happened in this turn that readers may have waited for */
    double rank;        /* with which its last first attempt was launched, ... */
    uint64_t rank_turn; /* ... and when */
};

/* Queues are named q0, q1, ...; jobs with any other name are in the last one. */
enum { BOOK_QUEUES = 5 };

enum book_node_state {
    BOOK_NODE_UNSEEN,
    BOOK_NODE_UP,
    BOOK_NODE_DOWN,
    BOOK_NODE_SUSPECT,
    BOOK_NODE_DRAINING
};

struct book_node {
    uint8_t state; /* enum book_node_state */
    struct res capacity;
    struct res_sum charged;
    struct res_sum spare_now; /* demand of those launched on it in this turn to take what is left */
    double rank;              /* of the job whose first attempt was last launched on it, ... */
    uint64_t rank_turn;       /* ... and when */
    int64_t avoid_until_us;
    uint64_t screened_turn;   /* when it was last avoided because it makes stragglers; 0: never */
    uint64_t full_turn;       /* when its own disk was last full; 0: never */
    uint64_t fault_turn;      /* when it was last at fault; 0: never */
    bool trial;               /* it has rested after a fault */
    int64_t down_us;          /* when it last went down; -1: never */
    int64_t pressed_until_us; /* no clones until then; 0: never */
    uint64_t pressed_turn;    /* when that was last told; 0: never */
};

struct book_timer {
    uint32_t id;
    int64_t at_us;
};

/* A task by its indices: jobs move in memory, so no pointers. */
struct book_place {
    uint32_t job; /* index into jobs, not an id */
    uint32_t task;
    uint16_t phase, attempt;
};

struct book {
    VEC(struct book_job) jobs; /* by rising id */
    VEC(struct book_node) nodes;
    VEC(struct book_timer) timers;
    VEC(struct book_place) touched; /* tasks whose state changed in this turn, each once */
    VEC(struct book_place) readers; /* attempts that may wait for something to read */
    bool reads_cut;                 /* an attempt ended in this turn while it read */
    VEC(struct book_place) losers;  /* won tasks some of whose attempts may live on for a while */
    struct res_kinds kinds;         /* as told */
    struct res_sum capacity;        /* of every node that is not down */
    uint32_t nodes_down;
    struct res_sum charged;
    struct res_sum extra;               /* of cloned phases; see task_extra in book.c */
    struct res_sum all_extra;           /* of all phases, cloned or not */
    struct res_sum backups;             /* charged by attempts of this kind */
    struct res_sum queues[BOOK_QUEUES]; /* charged by jobs of each */
};

/* Everything that concerns one attempt_ref; members are NULL from the first one that is unknown. */
struct book_entry {
    struct book_job *job;
    struct book_phase *phase;
    struct book_task *task;
    struct book_attempt *attempt;
};

void book_fini(struct book *b);

/* Finds what `at` names. */
struct book_entry book_find(struct book *b, struct attempt_ref at);

/* The node, or NULL when it was never seen. */
struct book_node *book_node(struct book *b, struct node_id id);

/* Notes a node's capacity; it becomes known by this. */
struct book_node *book_node_note(struct book *b, struct node_id id, const struct res *capacity);

/* Adds up the capacity of the cluster anew: a node has changed. */
void book_sum_capacity(struct book *b);

/* Writes a new job down; the spec is only read. */
void book_job_add(struct book *b, const struct job_spec *spec);

/* A launch was decided: the attempt exists and is charged from now on. */
void book_launch(struct book *b, struct attempt_ref at, uint8_t kind, struct node_id node);

/* The attempt runs no more: its room is free, and its task waits for its ending. */
void book_leave(struct book *b, struct attempt_ref at, int64_t now_us);

/* The attempt has ended (or never started) and is charged no longer. */
void book_end(struct book *b, struct attempt_ref at, uint8_t ending);

/* The output of the attempt is lost, discarded, or could not be committed; fine if it had none. */
void book_output_gone(struct book *b, struct attempt_ref at);

/* The first clone of the phase was launched: its extra attempts count from now on. */
void book_clone(struct book *b, struct book_phase *phase);

/* The task's commit is asked for, done, or neither any more. */
void book_commit(struct book *b, struct attempt_ref at, uint8_t commit);

/* The job is cloned as a whole, or this copy of it has won. */
void book_replicate(struct book *b, struct book_job *job);
void book_replica_won(struct book *b, struct book_job *job, uint16_t replica);

/* Puts the task on the list of this turn. */
void book_touch(struct book *b, struct attempt_ref at);

/* The place of what `at` names, and what is there: an attempt. */
struct book_place book_place(const struct book *b, struct attempt_ref at);
struct book_entry book_at(const struct book *b, struct book_place at);

/* Forgets what concerns only the turn. */
void book_turn_over(struct book *b);

/* Whether every phase above is committed, or enough of it where the edge allows a slow start. */
bool book_inputs_ready(const struct book_job *job, const struct book_phase *phase);

/* Whether every phase above is committed. */
bool book_inputs_complete(const struct book_job *job, const struct book_phase *phase);

/* Whether the phase has an edge that allows a slow start. */
bool book_starts_early(const struct book_phase *phase);

/* The task failed for good, and its job goes on without it. */
void book_give_up(struct book *b, struct attempt_ref at);

/* Live attempts of the task that nobody asked to end. */
uint32_t book_wanted(const struct book_task *t);

/* Whether the task is won, or will be by an output that exists. */
bool book_finished(const struct book_task *t);

/* Whether new attempts may be put on the node at this time. */
bool book_node_usable(const struct book_node *n, int64_t now_us);
