/* rule_turn.c - what must hold when a turn is complete.
 *
 * Some promises are about a whole turn: losers are asked to end in the turn in which they lost (or
 * omega later, where readers may want their outputs), a phase that starts has its verdict, and an
 * idle-only clone took no place that a first attempt could have used. Only tasks that the turn
 * touched are looked at, and those on a list because a time will come for them. */
#include "tests/swarm/rule.h"

/* Whether the other attempts of a won task may still be of use: a cloned phase's readers may wait
 * omega for them. */
static bool losers_useful(const struct referee *r, const struct book_phase *p,
                          const struct book_task *t)
{
    if (!p->read || !p->cloned)
        return false;
    return r->rules.omega_us >= REFEREE_OMEGA_AUTO || r->now_us < t->won_us + r->rules.omega_us;
}

static int losers_asked(struct referee *r, struct book_place at)
{
    const struct book_job *job = &r->book.jobs.at[at.job];
    const struct book_phase *p = &job->phases[at.phase];
    struct book_task *t = &p->tasks[at.task];

    if (!job->over && (t->commit != BOOK_COMMIT_DONE || !t->live))
        return 0;
    if (!job->over && losers_useful(r, p, t)) {
        if (r->rules.deal && book_wanted(t) > 1)
            return rule_fail(r, RULE_LOSERS, "task %u.%u.%u is won and %u attempts go on",
                             job->id.v, at.phase, at.task, book_wanted(t));
        if (!t->outlived)
            vec_push(&r->book.losers, at);
        t->outlived = true;
        return 0;
    }
    for (uint32_t i = 0; t->live && i < t->attempts.count; i++)
        if (t->attempts.at[i].state != BOOK_ENDED && !t->attempts.at[i].asked &&
            (job->over || !t->attempts.at[i].spare))
            return rule_fail(r, RULE_LOSERS, "attempt %u.%u.%u.%u lives on: %s", job->id.v,
                             at.phase, at.task, i,
                             job->over ? "its job is over" : "its task is won");
    return 0;
}

/* The same for those that were let live, when their time is over. */
static int late_losers_asked(struct referee *r)
{
    struct book *b = &r->book;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < b->losers.count; i++) {
        struct book_place at = b->losers.at[i];
        struct book_task *t = &b->jobs.at[at.job].phases[at.phase].tasks[at.task];
        if (t->live == 0 || t->commit != BOOK_COMMIT_DONE) {
            t->outlived = false;
            r->tally.late_losers++;
            continue;
        }
        b->losers.at[kept++] = at;
        if (losers_asked(r, at) < 0)
            return -1;
    }
    b->losers.count = kept;
    return 0;
}

/* A clone may have to make room for others, but a task that is still needed keeps an attempt. */
static int last_copy_kept(struct referee *r, struct book_place at)
{
    const struct book_job *job = &r->book.jobs.at[at.job];
    const struct book_task *t = &job->phases[at.phase].tasks[at.task];

    if (job->over || book_finished(t) || book_wanted(t) > 0)
        return 0;
    for (uint32_t i = 0; t->live && i < t->attempts.count; i++) {
        const struct book_attempt *a = &t->attempts.at[i];
        if (a->state != BOOK_ENDED && a->gave_way == r->tally.turns && a->replica <= 1)
            return rule_fail(r, RULE_LAST_COPY, "attempt %u.%u.%u.%u was the last of its task",
                             job->id.v, at.phase, at.task, i);
    }
    return 0;
}

static int phase_answered(struct referee *r, struct book_place at)
{
    const struct book_job *job = &r->book.jobs.at[at.job];
    const struct book_phase *p = &job->phases[at.phase];

    if (r->rules.clones && p->started && !p->settled && !p->waiting_for_preempt)
        return rule_fail(r, RULE_VERDICT, "phase %u.%u started without an answer", job->id.v,
                         at.phase);
    return 0;
}

/* Whether `demand` would fit the node if those launched in this turn to take what is left were not
 * there. */
static bool fits_without_spare(const struct book_node *n, const struct res *demand)
{
    for (int i = 0; i < RES_COUNT; i++)
        if (n->charged.v[i] - n->spare_now.v[i] + demand->v[i] > n->capacity.v[i])
            return false;
    return true;
}

static int idle_phase(struct referee *r, const struct book_job *job, uint16_t phase)
{
    const struct book_phase *p = &job->phases[phase];

    if (!p->idle || !book_inputs_complete(job, p) || !rule_queue_allows(r, job, &p->demand))
        return 0;
    for (uint32_t i = 0; i < r->book.nodes.count; i++) {
        const struct book_node *n = &r->book.nodes.at[i];
        if (book_node_usable(n, r->now_us) && fits_without_spare(n, &p->demand))
            return rule_fail(r, RULE_IDLE,
                             "copies were launched, %u tasks of %u.%u wait and fit node %u",
                             p->idle, job->id.v, phase, i);
    }
    return 0;
}

/* budget=idle, dollymp, careful backups: they only take what no first attempt could have used. */
static int idle_only(struct referee *r)
{
    for (uint32_t j = 0; j < r->book.jobs.count; j++) {
        const struct book_job *job = &r->book.jobs.at[j];
        if (job->over || (job->running_max && job->live >= job->running_max))
            continue;
        for (uint16_t p = 0; p < job->phase_count; p++)
            if (idle_phase(r, job, p) < 0)
                return -1;
    }
    return 0;
}

/* Whether one more attempt of the touched phases would not have fitted the budget. */
static void tally_budget(struct referee *r)
{
    for (uint32_t i = 0; i < r->book.touched.count; i++) {
        struct book_place at = r->book.touched.at[i];
        const struct res *demand = &r->book.jobs.at[at.job].phases[at.phase].demand;
        if (rule_over_share(r, &r->book.extra, demand, r->rules.beta) >= 0) {
            r->tally.budget_full++;
            return;
        }
    }
}

int rule_turn_end(struct referee *r)
{
    struct book *b = &r->book;

    for (uint32_t i = 0; i < b->touched.count; i++)
        if (losers_asked(r, b->touched.at[i]) < 0 || last_copy_kept(r, b->touched.at[i]) < 0 ||
            phase_answered(r, b->touched.at[i]) < 0 ||
            rule_copy_turn_end(r, b->touched.at[i]) < 0 ||
            rule_replica_turn_end(r, &b->jobs.at[b->touched.at[i].job]) < 0)
            return -1;
    if (late_losers_asked(r) < 0 || rule_read_turn_end(r) < 0)
        return -1;
    if (r->clone_launched && !r->rules.budget_idle)
        tally_budget(r);
    r->clone_launched = false;
    if (r->spare_launched) {
        if (idle_only(r) < 0)
            return -1;
        for (uint32_t i = 0; i < b->nodes.count; i++)
            b->nodes.at[i].spare_now = (struct res_sum){0};
        r->spare_launched = false;
    }
    if (rule_room_turn_end(r) < 0 || rule_disk_turn_end(r) < 0 || rule_pressure_turn_end(r) < 0 ||
        rule_cost_turn_end(r) < 0 || rule_work_turn_end(r) < 0 || rule_shepherd_turn_end(r) < 0)
        return -1;
    book_turn_over(b);
    return 0;
}
