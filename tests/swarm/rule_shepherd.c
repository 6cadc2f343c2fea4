/* rule_shepherd.c - shepherd does no harm, by the referee's own book.
 *
 * What the policy promises (docs/measured/shepherd.md): a copy is made of a task that works, never
 * of one that has failed; no attempt that is no copy ends for a copy's sake; a copy yields to first
 * attempts; copies that stay come only after races have shown that copies are luckier; and those of
 * one task hold 2 % of the slots and one more, for a task that beats them may be large. The policy
 * gives the outcomes of its races as a reason, so they are counted here once more, from launches,
 * starts and ends alone. A race begins with the first copy of a late task and ends when
 * an attempt of the task finishes. It is won by that copy and by later ones. It is lost if the copy
 * still runs, asked to end or not, and has had 1.2 times what its reason said that a new attempt
 * takes.
 *
 * The proof is a gambler's who bets on each copy at even odds, by its chance to win so far: a stake
 * of 1 has become 5. A reason may be a look old: it must be what the races once were.
 *
 * Of a copy that stays while tasks wait, more races must have been won than lost, with those that
 * the late attempt won before the copy had had its time; and where jobs are served in order of
 * arrival none of an earlier one may wait. A task waits if its job lets it start, wherever it fits.
 *
 * That a yielding copy ends is asked as leniently as it can be: of a task that waits and would fit
 * if copies ended, and fits nowhere else, whatever ends meanwhile. Copies are left out that may be
 * all that their task has. A copy that stays may take the room that another one has left for the
 * task; so it is asked again in the next turns that bring more than reports. */
#include <math.h>

#include "base/mem.h"
#include "tests/swarm/rule.h"

#define RACE_FAIR 1.2
#define STAKE_PROOF 5.0
#define STAKE_BOUND 1000.0
enum { OVERSTAY_MAX = 8 }; /* turns */
#define STAY_SHARE 0.02    /* of the cluster, for copies of one task that stay */
#define RACES_KEPT 500.0   /* beyond this, older races count for less and less */

static bool is_copy(uint8_t kind)
{
    return kind == LAUNCH_CLONE || kind == LAUNCH_BACKUP;
}

/* Returns true if the policy says of its races what is, or was, true. */
static bool is_true(const struct referee *r, const struct reason *why)
{
    double won = why->num[3], races = why->num[4];

    if (r->races.count >= RACES_KEPT)
        return true;
    return races >= 0 && races <= r->races.count &&
           won == (races > 0 ? r->races.at[(uint32_t)races - 1] : 0);
}

/* Copies of the task that stay, and that nobody has asked to end. */
static long backups_of(const struct book_task *t)
{
    long backups = 0;

    for (uint32_t i = 0; i < t->attempts.count; i++)
        backups += t->attempts.at[i].kind == LAUNCH_BACKUP && t->attempts.at[i].state < BOOK_LEFT &&
                   !t->attempts.at[i].asked_ever;
    return backups;
}

/* How many of them are as many as may be there before one more. */
static long backups_most(const struct referee *r, const struct book_phase *p)
{
    int64_t each = p->demand.v[RES_CPU];

    return each > 0 ? lround(STAY_SHARE * (double)r->book.capacity.v[RES_CPU] / (double)each) : 0;
}

/* Whether a first attempt of the phase waits, as far as its own job lets it. */
static bool firsts_wait_in(const struct book_job *job, const struct book_phase *p)
{
    return !job->over && !job->cancelled && !job->replicated &&
           (!job->running_max || job->live < job->running_max) && p->idle > 0 &&
           book_inputs_complete(job, p);
}

/* Of first attempts that wait: whether there are any, and any of jobs before this one. */
struct line {
    bool any, earlier;
};

static struct line line_of(const struct referee *r, struct job_id than)
{
    struct line line = {0};

    for (uint32_t j = 0; j < r->book.jobs.count; j++) {
        const struct book_job *job = &r->book.jobs.at[j];
        for (uint16_t k = 0; k < job->phase_count; k++) {
            bool waits = firsts_wait_in(job, &job->phases[k]);
            line.any |= waits;
            line.earlier |= waits && job->id.v < than.v;
        }
    }
    return line;
}

/* A copy that stays, while first attempts wait. */
static int rule_shepherd_turn(struct referee *r, struct book_entry x)
{
    struct line line = line_of(r, x.job->id);

    if (line.any && r->all_won <= r->all_lost)
        return rule_fail(r, RULE_HARM, "a copy precedes, after %.1f races won and %.1f lost",
                         r->all_won, r->all_lost);
    if (line.earlier && r->rules.fifo)
        return rule_fail(r, RULE_HARM, "a copy precedes the tasks of an earlier job");
    return 0;
}

int rule_shepherd_launch(struct referee *r, const struct decision *d, struct book_entry x)
{
    if (d->why.code != WHY_RESCUE && d->why.code != WHY_HEDGE)
        return 0;
    if (x.task->own_failures > 0)
        return rule_fail(r, RULE_HARM, "a copy of a task that has failed %u times",
                         x.task->own_failures);
    if (d->why.code == WHY_RESCUE && !is_true(r, &d->why))
        return rule_fail(r, RULE_HARM, "a copy for %.0f won of %.0f races, after %u races",
                         d->why.num[3], d->why.num[4], r->races.count);
    if (d->kind == LAUNCH_BACKUP && r->stake_log < log(STAKE_PROOF) - 1e-9)
        return rule_fail(r, RULE_HARM, "a copy that stays, after %u races that have proven nothing",
                         r->races.count);
    if (d->kind == LAUNCH_BACKUP && backups_of(x.task) > backups_most(r, x.phase))
        return rule_fail(r, RULE_HARM,
                         "a copy that stays, beside %ld of the task that do, %ld at most",
                         backups_of(x.task), backups_most(r, x.phase));
    if (d->kind == LAUNCH_BACKUP && d->why.code == WHY_RESCUE && rule_shepherd_turn(r, x))
        return -1;
    r->tally.proven += d->kind == LAUNCH_BACKUP;
    return 0;
}

void rule_shepherd_launched(const struct decision *d, struct book_entry x)
{
    if (d->why.code != WHY_RESCUE || x.task->races)
        return;
    x.task->races = true;
    x.task->race_copy = d->at.attempt;
    x.task->race_fair_us = RACE_FAIR * d->why.num[2] * 1e6;
}

static void count_race(double *won, double *lost, bool wins)
{
    double fades = *won + *lost >= RACES_KEPT ? 1 - 1 / RACES_KEPT : 1;

    *won = *won * fades + wins;
    *lost = *lost * fades + !wins;
}

static void race_ends(struct referee *r, bool won)
{
    double before = r->races.count ? r->races.at[r->races.count - 1] : 0;
    double chance = (r->won + 1) / (r->won + r->lost + 2), bound = log(STAKE_BOUND);
    double q = fmin(fmax(chance, 0.5), 0.9);

    r->stake_log = fmin(fmax(r->stake_log + log(2 * (won ? q : 1 - q)), -bound), bound);
    count_race(&r->won, &r->lost, won);
    vec_push(&r->races, before + won);
    r->tally.races++;
}

void rule_shepherd_finished(struct referee *r, const struct event *e, struct book_entry x)
{
    const struct book_attempt *copy = &x.task->attempts.at[x.task->race_copy];

    if (!x.task->races || x.job->over)
        return;
    x.task->races = false;
    bool won = e->at.attempt >= x.task->race_copy;
    if (won || (copy->state == BOOK_RUNNING &&
                (double)(r->now_us - copy->start_us) > x.task->race_fair_us))
        race_ends(r, won);
    if (won || copy->state == BOOK_RUNNING)
        count_race(&r->all_won, &r->all_lost, won);
}

int rule_shepherd_kill(struct referee *r, const struct decision *d, struct book_entry x, bool early)
{
    uint16_t why = d->why.code;

    if (!r->rules.shepherd || is_copy(x.attempt->kind) || x.attempt->asked_ever || x.job->over ||
        x.job->replicated || book_finished(x.task) || early)
        return 0;
    if (why == WHY_YIELD || why == WHY_PRUNED || why == WHY_RESTART_FASTER ||
        why == WHY_PREEMPTED || why == WHY_BUDGET_SHRANK || why == WHY_NO_IDLE_CORE ||
        why == WHY_PRESSURE || why == WHY_CAP || why == WHY_LOST_RACE)
        return rule_fail(r, RULE_HARM, "an attempt that is no copy ends: %s", reason_name(why));
    return 0;
}

/* ---- copies that should have yielded ---- */

/* What ends on each node: because it was asked to, or if copies yield. */
struct leaving {
    struct res_sum asked, copies;
};

/* Whether an attempt of the task that is no copy goes on. */
static bool has_original(const struct book_task *t)
{
    for (uint32_t i = 0; i < t->attempts.count; i++)
        if (t->attempts.at[i].state < BOOK_LEFT && !t->attempts.at[i].asked_ever &&
            !is_copy(t->attempts.at[i].kind))
            return true;
    return false;
}

static void task_leaves(struct leaving *nodes, const struct book_phase *p,
                        const struct book_task *t)
{
    bool safe = has_original(t);

    for (uint32_t i = 0; i < t->attempts.count; i++) {
        const struct book_attempt *a = &t->attempts.at[i];
        if (a->state >= BOOK_LEFT)
            continue;
        if (a->asked_ever)
            res_sum_plus(&nodes[a->node.v].asked, &p->demand);
        else if (safe && a->kind == LAUNCH_CLONE)
            res_sum_plus(&nodes[a->node.v].copies, &p->demand);
    }
}

static bool fits_later(const struct book_node *n, const struct leaving *l, const struct res *demand,
                       bool yield)
{
    for (int i = 0; i < RES_COUNT; i++)
        if (n->charged.v[i] - l->asked.v[i] - (yield ? l->copies.v[i] : 0) + demand->v[i] >
            n->capacity.v[i])
            return false;
    return true;
}

/* Returns the node on which copies are in the way of a task of the phase, or NODE_NONE. */
static struct node_id phase_waits(const struct referee *r, const struct leaving *nodes,
                                  const struct book_job *job, uint16_t phase)
{
    const struct book_phase *p = &job->phases[phase];
    struct node_id in_the_way = NODE_NONE;

    if (!p->idle || !book_inputs_complete(job, p) || !rule_queue_allows(r, job, &p->demand))
        return NODE_NONE;
    for (uint32_t i = 0; i < r->book.nodes.count; i++) {
        const struct book_node *n = &r->book.nodes.at[i];
        if (!book_node_usable(n, r->now_us))
            continue;
        if (fits_later(n, &nodes[i], &p->demand, false))
            return NODE_NONE;
        if (fits_later(n, &nodes[i], &p->demand, true))
            in_the_way = (struct node_id){i};
    }
    return in_the_way;
}

/* Finds a task for which copies should have ended, or returns false. */
static bool find_waiting(const struct referee *r, const struct leaving *nodes,
                         struct attempt_ref *at, struct node_id *node)
{
    for (uint32_t j = 0; j < r->book.jobs.count; j++) {
        const struct book_job *job = &r->book.jobs.at[j];
        if (job->over || job->replicated || (job->running_max && job->live >= job->running_max))
            continue;
        for (uint16_t p = 0; p < job->phase_count; p++) {
            *at = (struct attempt_ref){.job = job->id, .phase = p};
            *node = phase_waits(r, nodes, job, p);
            if (node->v != NODE_NONE.v)
                return true;
        }
    }
    return false;
}

int rule_shepherd_turn_end(struct referee *r)
{
    const struct book *b = &r->book;
    struct attempt_ref at;
    struct node_id node;

    if (!r->rules.shepherd || !r->news ||
        (r->rules.tick_us > 0 && r->now_us % r->rules.tick_us != 0))
        return 0;
    struct leaving *nodes = mem_zalloc(b->nodes.count + 1, sizeof *nodes);
    for (uint32_t j = 0; j < b->jobs.count; j++)
        for (uint16_t p = 0; p < b->jobs.at[j].phase_count && b->jobs.at[j].live; p++)
            for (uint32_t t = 0; t < b->jobs.at[j].phases[p].task_count; t++)
                if (b->jobs.at[j].phases[p].tasks[t].live)
                    task_leaves(nodes, &b->jobs.at[j].phases[p], &b->jobs.at[j].phases[p].tasks[t]);
    bool waits = find_waiting(r, nodes, &at, &node);
    mem_free(nodes);
    r->overstay = waits ? r->overstay + 1 : 0;
    if (r->overstay > OVERSTAY_MAX)
        return rule_fail(r, RULE_HARM, "copies go on on node %u, where a task of %u.%u would fit",
                         node.v, at.job.v, at.phase);
    return 0;
}
