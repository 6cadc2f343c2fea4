/* rule_room.c - whoever makes room for a waiting task does so where that task then fits.
 *
 * Attempts that yield (early readers, clones that take only what is left, and backups) are noted
 * when they are asked to end, and judged at the end of the turn, as if all attempts had ended that
 * were asked to. There must be a task that waits and may start then: its job and its queue let it,
 * and a node has room. For such a task an attempt ends on that node, or wherever it is, if it
 * counts towards a limit that was in the way: that of its queue, or, of a reader, that of its job.
 * Of tasks that are alike several may start, so a limit may be in the way of the fifth; then nodes
 * must have room for five.
 *
 * A reader yields to a phase above it. To one of another job it does so only if both wait in vain:
 * all readers below such a phase would not make room for it if they were the only ones to end.
 *
 * Others that yield (dolly-hotcloud, job-clone) go by the cluster, not by a node. */
#include "tests/swarm/rule.h"

/* Tasks that wait and are alike, and whether the limit of the first one's job may be met for them.
 */
struct want {
    const struct book_job *job;
    const struct res *demand;
    uint32_t tasks;
    bool reader_yields;
};

/* What is held, and what it counts towards. */
struct holding {
    struct res_sum queue;
    uint32_t job;
};

/* Returns true if attempts of the kind make room for first attempts. */
static bool kind_yields(const struct referee *r, uint8_t kind)
{
    return (kind == LAUNCH_CLONE && (r->rules.budget_idle || r->rules.yields)) ||
           (kind == LAUNCH_BACKUP && r->rules.backups_yield);
}

void rule_room_yields(struct referee *r, const struct decision *d, const struct book_attempt *a)
{
    bool by_cluster = r->rules.hotcloud || r->rules.job_clone;

    if (d->why.code == WHY_YIELD && !(a->kind == LAUNCH_CLONE && by_cluster))
        vec_push(&r->yielded, book_place(&r->book, d->at));
}

/* ---- what is held once some attempts have ended ---- */

struct later {
    VEC(struct res_sum) nodes; /* by number */
    VEC(uint32_t) jobs;        /* by index: attempts that are charged */
    struct res_sum queues[BOOK_QUEUES];
};

static struct later later_begin(const struct book *b)
{
    struct later x = {0};

    for (uint32_t i = 0; i < b->nodes.count; i++)
        vec_push(&x.nodes, b->nodes.at[i].charged);
    for (uint32_t j = 0; j < b->jobs.count; j++)
        vec_push(&x.jobs, b->jobs.at[j].live);
    for (int i = 0; i < BOOK_QUEUES; i++)
        x.queues[i] = b->queues[i];
    return x;
}

static void later_fini(struct later *x)
{
    vec_free(&x->nodes);
    vec_free(&x->jobs);
}

/* The attempts of the phase have ended that were asked to or, with `all`, that are older than this
 * turn. */
static void later_phase_ends(struct later *x, const struct referee *r, uint32_t job, uint16_t phase,
                             bool all)
{
    const struct book_job *j = &r->book.jobs.at[job];
    const struct book_phase *p = &j->phases[phase];

    for (uint32_t t = 0; t < p->task_count && j->live; t++)
        for (uint32_t i = 0; i < p->tasks[t].attempts.count && p->tasks[t].live; i++) {
            const struct book_attempt *a = &p->tasks[t].attempts.at[i];
            bool goes = all ? a->launched < r->tally.turns : a->asked_ever;
            if (a->state >= BOOK_LEFT || !goes)
                continue;
            res_sum_minus(&x->nodes.at[a->node.v], &p->demand);
            res_sum_minus(&x->queues[j->queue], &p->demand);
            x->jobs.at[job]--;
        }
}

/* For how many tasks of this demand, up to `most`, the node has room then. */
static uint32_t later_node_holds(const struct later *x, const struct referee *r, uint32_t node,
                                 const struct res *demand, uint32_t most)
{
    const struct book_node *n = &r->book.nodes.at[node];

    if (!book_node_usable(n, r->now_us))
        return 0;
    for (int i = 0; i < RES_COUNT; i++) {
        int64_t room = n->capacity.v[i] - x->nodes.at[node].v[i];
        if (room < demand->v[i])
            return 0;
        if (demand->v[i] > 0 && room / demand->v[i] < most)
            most = (uint32_t)(room / demand->v[i]);
    }
    return most;
}

/* How many of these tasks may then start, as far as nodes and limits are concerned. */
static uint32_t later_starts(const struct later *x, const struct referee *r, const struct want *w)
{
    uint32_t limit = w->reader_yields ? w->job->running_max : 0, n = 0;
    uint32_t live = x->jobs.at[w->job - r->book.jobs.at];

    for (uint32_t i = 0; i < x->nodes.count && n < w->tasks; i++)
        n += later_node_holds(x, r, i, w->demand, w->tasks - n);
    if (limit && n + live > limit)
        n = limit > live ? limit - live : 0;
    while (n > 0 &&
           !rule_queue_would_allow(r, w->job->queue, &x->queues[w->job->queue], w->demand, n))
        n--;
    return n;
}

/* ---- tasks that wait ---- */

uint32_t rule_room_waiting(const struct book_job *job, const struct book_phase *p)
{
    uint32_t n = 0;

    if (job->replicated && job->winner == 0)
        return p->task_count - p->done; /* each replica has tasks of its own */
    for (uint32_t t = 0; t < p->task_count && book_inputs_ready(job, p); t++)
        n += p->tasks[t].live == 0 && p->tasks[t].outputs == 0 && !p->tasks[t].given_up &&
             p->tasks[t].commit == BOOK_COMMIT_NONE;
    return n;
}

/* Of all jobs in this one's queue those that are like the phase's, as far as their own jobs let
 * them start. */
static uint32_t tasks_alike(const struct book *b, const struct book_job *job,
                            const struct res *demand)
{
    uint32_t n = 0;

    for (uint32_t j = 0; j < b->jobs.count; j++) {
        const struct book_job *other = &b->jobs.at[j];
        uint32_t most = !other->running_max                ? UINT32_MAX
                        : other->running_max > other->live ? other->running_max - other->live
                                                           : 0;
        for (uint16_t p = 0; p < other->phase_count && !other->over; p++) {
            uint32_t tasks = rule_room_waiting(other, &other->phases[p]);
            if (other->queue == job->queue && res_equal(&other->phases[p].demand, demand))
                n += tasks < most ? tasks : most;
        }
    }
    return n;
}

/* Whether the end of attempt `x` is of use to one of them. */
static bool end_helps(struct referee *r, const struct later *later, const struct book_entry *x,
                      const struct want *w)
{
    uint32_t n = later_starts(later, r, w), max = w->job->running_max;

    if (n == 0)
        return false;
    if (later_node_holds(later, r, x->attempt->node.v, w->demand, 1) > 0)
        return true;
    if (w->reader_yields && x->job == w->job && max && w->job->live + n > max)
        return true;
    return x->job->queue == w->job->queue &&
           !rule_queue_would_allow(r, w->job->queue, &r->book.queues[w->job->queue], w->demand, n);
}

/* ---- clones and backups ---- */

static bool extra_helps(struct referee *r, const struct later *later, const struct book_entry *x)
{
    for (uint32_t j = 0; j < r->book.jobs.count; j++) {
        const struct book_job *job = &r->book.jobs.at[j];
        for (uint16_t p = 0; p < job->phase_count && !job->over; p++) {
            struct want w = {job, &job->phases[p].demand, 0, false};
            if (rule_room_waiting(job, &job->phases[p]) == 0)
                continue;
            w.tasks = tasks_alike(&r->book, job, w.demand);
            if (end_helps(r, later, x, &w))
                return true;
        }
    }
    return false;
}

/* ---- readers ---- */

/* Whether the phase reads this one above it, or others that wait for it. */
static bool reads(const struct book_job *job, const struct book_phase *p, uint16_t above)
{
    for (uint16_t e = 0; e < p->edge_count; e++) {
        const struct book_phase *from = &job->phases[p->edges[e].from];
        if (p->edges[e].from == above || (from->done < from->task_count && reads(job, from, above)))
            return true;
    }
    return false;
}

/* Whether tasks of the phase start one by one: then who waits is another question. */
static bool is_piecewise(const struct book_phase *p)
{
    for (uint16_t e = 0; e < p->edge_count; e++)
        if (p->edges[e].slowstart && p->edges[e].pattern != EDGE_ALL_TO_ALL)
            return true;
    return false;
}

/* Whether readers below the phase, all of them, would not make room for a task of it alone. */
static bool waits_in_vain(const struct referee *r, uint32_t job, uint16_t phase)
{
    const struct book_job *j = &r->book.jobs.at[job];
    struct later alone = later_begin(&r->book);
    struct want w = {j, &j->phases[phase].demand, 1, true};

    for (uint16_t p = (uint16_t)(phase + 1); p < j->phase_count && !j->replicated; p++)
        if (book_starts_early(&j->phases[p]) && !is_piecewise(&j->phases[p]) &&
            reads(j, &j->phases[p], phase))
            later_phase_ends(&alone, r, job, p, true);
    bool vain = j->replicated || later_starts(&alone, r, &w) == 0;
    later_fini(&alone);
    return vain;
}

static bool helps_phase(struct referee *r, const struct later *later, const struct book_entry *x,
                        const struct book_job *job, uint16_t phase)
{
    const struct book_phase *p = &job->phases[phase];
    return end_helps(r, later, x, &(struct want){job, &p->demand, rule_room_waiting(job, p), true});
}

static bool helps_others(struct referee *r, const struct later *later, const struct book_entry *x)
{
    for (uint32_t j = 0; j < r->book.jobs.count; j++) {
        const struct book_job *job = &r->book.jobs.at[j];
        for (uint16_t p = 0; p < job->phase_count && !job->over && job != x->job; p++)
            if (helps_phase(r, later, x, job, p) && waits_in_vain(r, j, p))
                return true;
    }
    return false;
}

static bool reader_helps(struct referee *r, const struct later *later, const struct book_entry *x)
{
    const struct book_job *job = x->job;
    bool vain = false;

    for (uint16_t p = 0; &job->phases[p] < x->phase; p++) {
        if (!reads(job, x->phase, p) || rule_room_waiting(job, &job->phases[p]) == 0)
            continue;
        if (helps_phase(r, later, x, job, p))
            return true;
        vain = vain || waits_in_vain(r, (uint32_t)(job - r->book.jobs.at), p);
    }
    return vain && helps_others(r, later, x);
}

int rule_room_turn_end(struct referee *r)
{
    if (r->yielded.count == 0)
        return 0;
    struct book *b = &r->book;
    struct later later = later_begin(b);
    int rc = 0;

    for (uint32_t j = 0; j < b->jobs.count; j++)
        for (uint16_t p = 0; p < b->jobs.at[j].phase_count; p++)
            later_phase_ends(&later, r, j, p, false);
    for (uint32_t i = 0; i < r->yielded.count && rc == 0; i++) {
        struct book_place at = r->yielded.at[i];
        struct book_entry x = book_at(b, at);
        bool extra = kind_yields(r, x.attempt->kind);
        if (!(extra && extra_helps(r, &later, &x)) && !reader_helps(r, &later, &x))
            rc = rule_fail(r, RULE_ROOM, "attempt %u.%u.%u.%u makes room where no task fits",
                           x.job->id.v, at.phase, at.task, at.attempt);
        r->tally.yielded++;
    }
    later_fini(&later);
    vec_clear(&r->yielded);
    return rc;
}
