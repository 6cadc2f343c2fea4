/* rule.h - inside the referee: its state and the places where rules are judged.
 *
 * A rule function returns 0, or rule_fail(...) which is -1. It reads the book first and writes it
 * only when everything was legal. */
#pragma once

#include "tests/swarm/book.h"
#include "tests/swarm/referee.h"

/* What extra attempts used of each resource until a time (units x us), what the store of tokens
 * lacks then, and what is held and what the cluster has from then on. */
struct rule_spent_at {
    int64_t at_us;
    struct res_sum held, capacity;
    double until[RES_COUNT], lacks[RES_COUNT];
};

struct referee {
    struct referee_rules rules;
    struct book book;
    struct referee_tally tally;
    int64_t now_us;
    uint64_t decision_last; /* id */
    uint32_t instant_turns; /* turns at now_us so far */
    int32_t spare, each;    /* as told by the event `cores` */
    VEC(double) races;      /* shepherd's: how many were won when each had ended, ... */
    double won, lost;       /* ... those that count, and what a bet on copies has become */
    double stake_log;
    double all_won, all_lost; /* the same with races that ended before the copy had had its time */
    bool news;                /* this turn brought more than reports */
    uint32_t overstay;        /* turns in which copies were in a task's way */
    enum rule broken;
    bool clone_launched;             /* in this turn, */
    bool spare_launched;             /* ... or any attempt that takes only what is left */
    bool disk_full;                  /* in this turn a disk of a node's own was */
    bool timer_fired;                /* in this turn */
    uint64_t tick_turn;              /* the last one in which the timer of a tick came */
    VEC(struct rule_spent_at) spent; /* how what extra attempts used grew */
    VEC(struct book_place) shared;   /* upstream tasks an output of which was shared in this turn */
    VEC(struct book_place) yielded;  /* attempts that were asked to make room in this turn */
    VEC(struct book_place) discarded; /* attempts whose output was discarded in this turn */
    struct err *err;                  /* of the call that is under way */
    const struct event *event;        /* under judgement, or NULL */
    const struct decision *decision;  /* under judgement, or NULL */
};

/* Notes the broken rule with what was under judgement; returns -1. */
__attribute__((format(printf, 3, 4))) int rule_fail(struct referee *r, enum rule rule,
                                                    const char *format, ...);

int rule_event(struct referee *r, const struct event *e);
int rule_decision(struct referee *r, const struct decision *d);
int rule_launch(struct referee *r, const struct decision *d, struct book_entry x);
int rule_verdict(struct referee *r, const struct decision *d);
int rule_turn_end(struct referee *r);

/* The node is avoided because it makes stragglers. */
int rule_screen(struct referee *r, struct book_node *node);

/* Full disks, where nodes have their own: a failure, a kill for it, and the end of a turn. */
void rule_disk_full(struct referee *r, const struct event *e, struct book_entry x);
int rule_disk_kill(struct referee *r, const struct decision *d, struct book_entry x);
int rule_disk_turn_end(struct referee *r);

/* Nodes whose disk or memory is wanted by others. */
int rule_pressure_event(struct referee *r, const struct event *e);
int rule_pressure_launch(struct referee *r, const struct decision *d);
int rule_pressure_kill(struct referee *r, const struct decision *d, const struct book_attempt *a);
int rule_pressure_turn_end(struct referee *r);

/* Shepherd does no harm: a copy that is launched, was launched, or is beaten or wins; a kill
 * (`early`: of a reader that waits); and the end of a turn. */
int rule_shepherd_launch(struct referee *r, const struct decision *d, struct book_entry x);
void rule_shepherd_launched(const struct decision *d, struct book_entry x);
void rule_shepherd_finished(struct referee *r, const struct event *e, struct book_entry x);
int rule_shepherd_kill(struct referee *r, const struct decision *d, struct book_entry x,
                       bool early);
int rule_shepherd_turn_end(struct referee *r);

/* Tasks that wait though they are needed and would fit; see rule_work.c. */
int rule_work_turn_end(struct referee *r);

/* An attempt is asked to end, for the first time; `early`: one that waits for a phase above. At the
 * end of the turn its end must be of use; see rule_room.c. */
void rule_room_yields(struct referee *r, const struct decision *d, const struct book_attempt *a);
int rule_room_turn_end(struct referee *r);

/* Tasks of the phase that wait to be launched. */
uint32_t rule_room_waiting(const struct book_job *job, const struct book_phase *p);

/* The cap on what extra attempts cost: so much more, a decision that names it, and the end of a
 * turn. */
int rule_cost_launch(struct referee *r, const struct res_sum *more);
int rule_cost_said(struct referee *r, const struct decision *d);
int rule_cost_turn_end(struct referee *r);

/* Jobs that are cloned as a whole: what they add to a verdict, a launch, a read, a commit, the end
 * of the job and that of a turn. */
int rule_replica_verdict(struct referee *r, struct book_entry x, double copies);
int rule_replica_launch(struct referee *r, const struct decision *d, struct book_entry x);
int rule_replica_read(struct referee *r, const struct decision *d, const struct book_attempt *from,
                      uint16_t replica);
int rule_replica_commit(struct referee *r, const struct decision *d, struct book_entry x);
bool rule_replica_missed(const struct book_job *job, const struct book_task *t);
/* Whether the attempt's output differs from one that its replica had and lost. */
bool rule_replica_changed(struct book_entry x);
int rule_replica_turn_end(struct referee *r, struct book_job *job);

/* Whether the task has an output in this replica. */
bool rule_replica_output(const struct book_task *t, uint16_t replica);

/* Whether readers of this attempt's phase read inside its replica: none is committed yet. */
static inline bool rule_replica_open(const struct book_job *job, const struct book_attempt *a)
{
    return a->replica > 0 && job->winner == 0;
}

/* Reads: assigned, answered, refused, and what must hold at the end of their reader and
 * of a turn. */
int rule_read_assign(struct referee *r, const struct decision *d);
int rule_read_answer(struct referee *r, const struct event *e);
/* An output is there, with its parts. */
int rule_read_parts(struct referee *r, const struct event *e, struct book_entry x);
/* An output was found to be gone by who reads it. */
int rule_read_gone(struct referee *r, const struct event *e, struct book_entry x);
void rule_read_refused(struct referee *r, const struct event *e);
int rule_read_finished(struct referee *r, const struct book_attempt *reader);
int rule_read_turn_end(struct referee *r);

/* Replicas of outputs and attempts of tasks that are done (rule_copy.c). */
int rule_copy_ask(struct referee *r, const struct decision *d, struct book_entry x);
int rule_copy_answer(struct referee *r, const struct event *e, struct book_entry x);
int rule_copy_lost(struct referee *r, const struct event *e, struct book_entry x);
void rule_copy_refused(struct book_entry x);
int rule_copy_turn_end(struct referee *r, struct book_place at);
void rule_copy_committed(struct referee *r, struct book_entry x, struct attempt_ref at);
int rule_spare(struct referee *r, const struct decision *d, struct book_entry x);

/* Whether the reason of a task's failure is true: it failed or was launched that often. */
bool rule_spent(const struct decision *d, struct book_entry x);

/* The first dimension of the cluster in which `sum` + `more` exceeds share x capacity, or -1. */
int rule_over_share(const struct referee *r, const struct res_sum *sum, const struct res *more,
                    double share);

/* Slots of all kinds, which LATE's cap and protection count. */
double rule_slots(const struct referee *r, const struct res_sum *sum);

/* Whether one more backup of this demand would exceed LATE's cap. */
bool rule_over_cap(const struct referee *r, const struct res *demand);

/* Whether the job's queue may hold this much more. */
bool rule_queue_allows(const struct referee *r, const struct book_job *job,
                       const struct res *demand);

/* Whether a queue that held so much might hold so many tasks more. */
bool rule_queue_would_allow(const struct referee *r, uint32_t queue, const struct res_sum *held,
                            const struct res *demand, uint32_t tasks);
