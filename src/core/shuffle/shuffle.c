/* shuffle.c - assigns outputs to readers: contention cloning, contention avoidance, delay
 * assignment (Dolly, NSDI'13, section 4), and DollyMP's dealing (ICPP'20, section 5.2).
 *
 * Where neither phase is cloned every reader reads the committed outputs. Between cloned phases
 * each upstream task may have several outputs, one per attempt that finished, and each reader needs
 * one of them. Readers of the same task that share an output slow each other down; a reader that
 * waits for an output of its own starts late. All three rules are one rule with one number:
 *
 *   a reader takes an output that no sibling reads; if there is none it waits until omega has
 *   passed since the upstream task was won, and then reads along with a sibling.
 *
 *   cc     omega = 0: all share the first output; its siblings are ended at once. There is nothing
 *          to choose, so what is all there is read as a whole: a fetch for each task of the phase
 *          above would be most of the work of a simulation
 *   cac    omega = infinity, and an output once taken stays taken (reuse = off)
 *   delay  omega from omega.h, by size of job and from what was observed; an output becomes free
 *          again when its reader is done with it
 *   deal   omega as in delay, but of each task's outputs only two are ever there: at the win one
 *          more attempt, the nearest to its data, is kept while a phase below is or may be cloned.
 *          A reader's copies take the first and the second of them in turn; those whose turn is the
 *          second wait for it. Where a task had fewer copies than its reader has, all read the
 *          first
 *
 * Upstream attempts that have not finished omega after the first are ended. A reader never waits
 * for an output that nothing can make: when no attempt of the upstream task is alive it shares.
 * When an output is lost, its readers take another; if there is none they make room.
 *
 * Reads of whole phases leave nothing to choose, but the journal records for them, too, whether a
 * sibling reads along; so they are kept until they are answered or the reader has ended. They
 * decide nothing: a reader of single tasks neither waits for nor avoids a sibling that reads
 * everything, and such reads are not samples of omega. */
#include "base/check.h"
#include "base/rare.h"
#include "core/brain/decider.h"
#include "core/parts/parts.h"
#include "core/shuffle/deal.h"
#include "core/shuffle/losers.h"
#include "core/shuffle/omega.h"
#include "core/shuffle/readers.h"

enum { REUSE_ON, REUSE_OFF };
#define PARAMS struct rule
struct rule {
    int64_t omega_us; /* FIELD_AUTO: from observation; FIELD_FOREVER: never */
    int64_t prior_us, window_us;
    int reuse;
};

static const struct field delay_params[] = {
    PARAM_WAIT("omega", omega_us, "auto", 0, 1e6,
               "how long a reader waits for an output of its own"),
    PARAM_CHOICE("reuse", reuse, "on", "on|off",
                 "an output is free again when its reader is done with it"),
    PARAM_TIME("omega_prior", prior_us, "3s", 0, 1e6,
               "omega until enough reads have been measured"),
    PARAM_TIME("omega_window", window_us, "1h", 1, 1e7, "how often omega is chosen again"),
    {0},
};

static const struct field deal_params[] = {
    PARAM_WAIT("omega", omega_us, "auto", 0, 1e6,
               "how long a reader whose turn is the second output waits for it"),
    PARAM_TIME("omega_prior", prior_us, "3s", 0, 1e6,
               "omega until enough reads have been measured"),
    PARAM_TIME("omega_window", window_us, "1h", 1, 1e7, "how often omega is chosen again"),
    {0},
};

static const struct rule cc_rule = {.omega_us = 0};
static const struct rule cac_rule = {.omega_us = FIELD_FOREVER, .reuse = REUSE_OFF};

/* Phases with more tasks than this are too large to keep their clones apart: all read what was
 * committed. (A budget never admits them; policies without one do.) */
enum { SPLIT_MAX = 128 };
enum { EXPLORE_EVERY = 16 };

/* Most readers read whole phases and have no siblings: what others need is RARE. */

struct deadline {
    struct task_ref task;
    int64_t won_us, at_us;
};

/* The other live attempts of a reader's task, at one edge: the same for all tasks above it. */
struct siblings {
    uint32_t whole;           /* how many are at the phase above in one piece */
    VEC(struct read *) reads; /* of each of those that read it task by task: one for each task */
};

struct shuffle {
    struct readers readers;
    VEC(struct deadline) deadlines; /* of won tasks whose siblings may still finish */
    VEC(uint32_t) put_off;          /* attempts whose reads will be said at the end of the decide */
    struct siblings siblings;       /* of the reader and the edge whose reads are being assigned */
    struct omega omega;
};

/* ---- the rules ---- */

static const struct rule *rule(const struct part_ctx *s)
{
    if (s->params)
        return s->params;
    return s->part == &shuffle_cac.part ? &cac_rule : &cc_rule;
}

static bool deals(const struct part_ctx *s)
{
    return s->part == &shuffle_deal.part;
}

static bool learns(const struct part_ctx *s)
{
    return rule(s)->omega_us == FIELD_AUTO;
}

/* One job in EXPLORE_EVERY waits as long as if nothing were known. Once omega is 0 no other
 * job would ever see a read alone or the second of two attempts finish, and it would be 0 for good.
 */
static bool explores(const struct job *j)
{
    return (j->id.v * UINT32_C(2654435761) >> 16) % EXPLORE_EVERY == 0;
}

static int64_t omega_us(const struct part_ctx *s, const struct job *j)
{
    const struct shuffle *d = s->state;
    if (!learns(s))
        return rule(s)->omega_us;
    int64_t omega = omega_of_bin(&d->omega, job_bin(j->tasks), rule(s)->prior_us);
    return omega < rule(s)->prior_us && explores(j) ? rule(s)->prior_us : omega;
}

/* When the task was won. Who never waits need not know. */
static int64_t won_us(const struct phase *p, uint32_t task)
{
    return p->won_us ? p->won_us[task] : 0;
}

static bool is_past(const struct part_ctx *s, const struct phase *up, uint32_t task)
{
    int64_t omega = omega_us(s, up->job);
    return omega != FIELD_FOREVER && s->world->now_us >= won_us(up, task) + omega;
}

/* ---- readers ---- */

/* Whether tasks of the phase may have more than one output, and readers are kept apart. */
static bool has_outputs_to_choose(const struct part_ctx *s, const struct phase *up)
{
    return up->cloned && up->count <= SPLIT_MAX && rule(s)->omega_us != 0;
}

/* Task by task where clones must not meet, where not all of the phase above is there yet, and where
 * nothing is committed before a whole copy of the job has ended. (One standing request for all
 * of a phase would do for early readers without clones, and cost one decision instead of one for
 * each task. But it fails as a whole, and the reader starts again: in the swarm that was four times
 * as many kills.) */
static bool splits_reads(const struct part_ctx *s, const struct phase *p, uint16_t edge)
{
    const struct phase *up = &p->job->phases[p->edges[edge].from];
    return (p->cloned && has_outputs_to_choose(s, up)) || up->done < up->count || p->job->holds;
}

static struct shuffle_reader *reader_of(const struct part_ctx *s, const struct attempt *a)
{
    struct shuffle *d = s->state;
    return readers_of(&d->readers, s->world, a);
}

static struct read *reader_find(const struct part_ctx *s, const struct attempt *a,
                                uint16_t upstream, uint32_t task)
{
    struct shuffle *d = s->state;
    return readers_find(&d->readers, s->world, a, upstream, task);
}

static void read_set(const struct part_ctx *s, const struct attempt *a, struct read *r,
                     uint8_t state)
{
    struct shuffle *d = s->state;
    readers_set(&d->readers, s->world, a, r, state);
}

/* ---- siblings ---- */

static void siblings_gather(const struct part_ctx *s, const struct attempt *reader, uint16_t edge)
{
    struct siblings *found = &((struct shuffle *)s->state)->siblings;
    const struct phase *p = attempt_phase(reader);
    found->whole = 0;
    vec_clear(&found->reads);
    FOR_ATTEMPTS (a, s->world, &p->tasks[reader->task]) {
        if (a == reader || a->state == ATTEMPT_FINISHED)
            continue;
        const struct shuffle_reader *own = reader_of(s, a);
        struct read *reads = readers_of_edge(own, a, edge);
        found->whole += phase_set_has(&own->whole, p->edges[edge].from);
        if (reads)
            vec_push(&found->reads, reads);
    }
}

/* How many of them read the `i`-th output above the edge from this attempt, now (or, without reuse,
 * ever). */
static uint32_t source_users(const struct part_ctx *s, uint32_t i, uint16_t source)
{
    const struct siblings *all = &((const struct shuffle *)s->state)->siblings;
    bool ever = rule(s)->reuse == REUSE_OFF;
    uint32_t users = 0;
    for (uint32_t k = 0; k < all->reads.count; k++) {
        const struct read *r = &all->reads.at[k][i];
        users += (r->state == READ_RUNS || (r->state == READ_DONE && ever)) && r->source == source;
    }
    return users;
}

/* Those that do so now do not have it to themselves any more. */
static void source_joined(const struct part_ctx *s, uint32_t i, uint16_t source)
{
    const struct siblings *all = &((const struct shuffle *)s->state)->siblings;
    for (uint32_t k = 0; k < all->reads.count; k++) {
        struct read *r = &all->reads.at[k][i];
        if (r->state == READ_RUNS && r->source == source)
            r->exclusive = false;
    }
}

/* How many of them are at what was committed above the edge: at all of it in one piece, or at some
 * task of it. */
static uint32_t committed_users(const struct part_ctx *s, const struct phase *up,
                                struct job_span span)
{
    const struct siblings *all = &((const struct shuffle *)s->state)->siblings;
    uint32_t users = all->whole;
    for (uint32_t k = 0; k < all->reads.count; k++)
        for (uint32_t t = span.from; t < span.to; t++) {
            const struct read *r = &all->reads.at[k][t - span.from];
            if (r->state == READ_RUNS && r->source == up->tasks[t].winner &&
                up->tasks[t].state == TASK_DONE) {
                users++;
                break;
            }
        }
    return users;
}

/* ---- sources ---- */

struct choice_of_source {
    uint16_t source;
    uint32_t users;
    bool any;
};

static void consider(const struct part_ctx *s, uint32_t i, uint16_t source,
                     struct choice_of_source *best)
{
    uint32_t users = source_users(s, i, source);
    if (!best->any || users < best->users)
        *best = (struct choice_of_source){source, users, true};
}

/* The output with the fewest users among the reader's siblings: the committed one first, then the
 * others in the order of their launches. */
static struct choice_of_source best_source(const struct part_ctx *s, const struct task *t,
                                           uint32_t i)
{
    struct choice_of_source best = {0};
    if (t->state != TASK_DONE)
        return best;
    consider(s, i, t->winner, &best);
    FOR_ATTEMPTS (a, s->world, t)
        if (a->source && !a->barred && a->checksum == t->checksum)
            consider(s, i, a->ordinal, &best);
    return best;
}

/* What is dealt to the reader: the committed output or, if that is its turn and it is there, the
 * other one. */
static struct choice_of_source dealt_source(const struct part_ctx *s, const struct attempt *reader,
                                            const struct task *t, uint32_t i)
{
    uint16_t source = t->winner;
    if (t->state != TASK_DONE)
        return (struct choice_of_source){0};
    const struct attempt *second =
        deal_is_second(s->world, reader, t) ? deal_second(s->world, t) : NULL;
    if (second && !second->barred && second->checksum == t->checksum)
        source = second->ordinal;
    return (struct choice_of_source){source, source_users(s, i, source), true};
}

/* Whether another output of the task may still come: one that runs, or one that has just finished
 * and is not known to be kept. */
static bool more_to_come(const struct part_ctx *s, const struct task *t)
{
    FOR_ATTEMPTS (a, s->world, t)
        if (a->state == ATTEMPT_FINISHED ? !a->source && a->checksum == t->checksum : !a->unwanted)
            return true;
    return false;
}

/* Omega after the task was won, attempts beside its winner end and readers need not wait. Asked for
 * at the win, and by readers that wait: the phase may have been cloned only after it. */
static void deadline_need(const struct part_ctx *s, const struct phase *up, uint32_t task)
{
    struct shuffle *d = s->state;
    int64_t won = won_us(up, task), at_us = won + omega_us(s, up->job);
    decider_wake(s->brain, at_us);
    for (uint32_t i = 0; i < d->deadlines.count; i++) {
        const struct deadline *one = &d->deadlines.at[i];
        if (one->task.job.v == up->job->id.v && one->task.phase == up->index &&
            one->task.task == task && one->won_us == won && one->at_us <= at_us)
            return;
    }
    vec_push(&d->deadlines, ((struct deadline){{up->job->id, task, up->index}, won, at_us}));
}

/* ---- assigning ---- */

/* Whether the reader had better wait than take this output. With reuse, one that a sibling will be
 * done with soon is worth waiting for as well. */
static bool hopes_for_more(const struct part_ctx *s, const struct attempt *a, const struct task *t,
                           const struct choice_of_source *best)
{
    if (deals(s))
        return best->source == t->winner && deal_is_second(s->world, a, t) && more_to_come(s, t);
    return best->users > 0 && (more_to_come(s, t) || rule(s)->reuse == REUSE_ON);
}

/* Assigns the reader a source for read `r`: of this task, whose output is the `i`-th above its
 * edge. The siblings were gathered. */
static void assign(const struct part_ctx *s, struct attempt *a, const struct phase *up,
                   uint32_t task, uint32_t i, struct read *r)
{
    const struct shuffle *d = s->state;
    const struct phase *p = attempt_phase(a);
    const struct task *t = &up->tasks[task];
    struct choice_of_source best = deals(s) ? dealt_source(s, a, t, i) : best_source(s, t, i);
    if (!best.any && p->early)
        return;      /* not done yet; a task above that needs our room will take it */
    if (!best.any) { /* lost: whatever makes it again may need our room */
        decider_stop(s->brain, a, &REASON_PLAIN(WHY_HOPELESS_INPUT));
        return;
    }
    bool exclusive = best.users == 0;
    if (hopes_for_more(s, a, t, &best) && !is_past(s, up, task)) {
        if (omega_us(s, up->job) != FIELD_FOREVER)
            deadline_need(s, up, task);
        return;
    }
    if (!exclusive)
        source_joined(s, i, best.source);
    r->source = best.source;
    read_set(s, a, r, READ_RUNS);
    r->exclusive = exclusive;
    struct attempt_ref source = {up->job->id, task, up->index, best.source};
    double waited_s = (double)(s->world->now_us - reader_of(s, a)->launched_us) / 1e6;
    uint32_t users = best.users;
    if (best.source == t->winner)
        users += d->siblings.whole;
    decider_read(s->brain, a, source, users == 0,
                 &REASON(users ? WHY_SHARED_OUTPUT : WHY_OWN_OUTPUT, waited_s, users));
}

/* At the launch of the reader: everything is there, so that it never waits. */
static void assign_whole(const struct part_ctx *s, struct attempt *a, uint16_t upstream,
                         uint32_t users)
{
    struct attempt_ref source = {a->job->id, TASK_ALL, upstream, 0};
    decider_read(s->brain, a, source, users == 0, &REASON(WHY_READ_COMMITTED, 0, users));
}

RARE static void assign_whole_among(const struct part_ctx *s, struct attempt *a, uint16_t edge)
{
    const struct phase *p = attempt_phase(a), *up = &p->job->phases[p->edges[edge].from];
    siblings_gather(s, a, edge);
    assign_whole(s, a, up->index, committed_users(s, up, readers_span(p, edge, a->task)));
}

static void fill_reader(const struct part_ctx *s, struct attempt *a)
{
    const struct phase *p = attempt_phase(a);
    const struct shuffle_reader *own = reader_of(s, a);
    for (uint16_t e = 0; e < p->edge_count && own->waits > 0 && !a->unwanted; e++) {
        struct read *reads = readers_of_edge(own, a, e);
        if (!reads)
            continue;
        struct job_span span = readers_span(p, e, a->task);
        siblings_gather(s, a, e);
        for (uint32_t t = span.from; t < span.to && !a->unwanted; t++)
            if (reads[t - span.from].state == READ_WAITS)
                assign(s, a, &p->job->phases[p->edges[e].from], t, t - span.from,
                       &reads[t - span.from]);
    }
}

/* One that has ended reads nothing more, also while it is not told how. */
static bool may_read(const struct attempt *a)
{
    return a->state < ATTEMPT_ENDED && !a->unwanted;
}

static void shuffle_fill(const struct part_ctx *s, struct phase *p)
{
    if (((const struct shuffle *)s->state)->readers.waits == 0)
        return;
    for (uint32_t t = 0; t < p->count; t++)
        FOR_ATTEMPTS (a, s->world, &p->tasks[t])
            if (may_read(a))
                fill_reader(s, a);
}

RARE static void begin_split(const struct part_ctx *s, struct attempt *a, struct shuffle_reader *r)
{
    struct shuffle *d = s->state;
    readers_split(&d->readers, r);
    fill_reader(s, a);
}

/* Whether what the reader reads is said at the end of the decide: a clone of its phase may start
 * until then, and it had better read task by task, too; or a sibling that comes before it waits for
 * that. Where outputs are dealt, it matters how many copies of the reader there are in the end; a
 * first attempt reads what was committed in any case. */
static bool had_better_wait(const struct part_ctx *s, const struct attempt *a)
{
    const struct phase *p = attempt_phase(a);
    if (p->cloned && deals(s))
        return p->tasks[a->task].live > 1;
    if (p->cloned) {
        FOR_ATTEMPTS (other, s->world, &p->tasks[a->task])
            if (reader_of(s, other)->put_off)
                return true;
        return false;
    }
    for (uint16_t e = 0; e < p->edge_count && e < 64 && p->clones_queued > 0 && !deals(s); e++)
        if (has_outputs_to_choose(s, &p->job->phases[p->edges[e].from]))
            return true;
    return false;
}

static void begin_reads(const struct part_ctx *s, struct attempt *a)
{
    const struct phase *p = attempt_phase(a);
    struct shuffle_reader *r = reader_of(s, a);
    for (uint16_t e = 0; e < p->edge_count; e++) {
        if (e < 64 && splits_reads(s, p, e)) {
            struct job_span span = readers_span(p, e, a->task);
            r->split |= UINT64_C(1) << e;
            r->count += span.to - span.from;
        } else {
            phase_set_add(&r->whole, p->edges[e].from);
            if (p->tasks[a->task].live > 1)
                assign_whole_among(s, a, e);
            else
                assign_whole(s, a, p->edges[e].from, 0);
        }
    }
    if (r->count > 0)
        begin_split(s, a, r);
}

static void shuffle_launched(const struct part_ctx *s, struct attempt *a)
{
    struct shuffle *d = s->state;
    const struct phase *p = attempt_phase(a);
    struct shuffle_reader *r = readers_begin(&d->readers, s->world, a);
    if (!p->cloned && a->ordinal == 0)
        losers_end_useless(s, p);
    r->put_off = had_better_wait(s, a);
    if (r->put_off)
        vec_push(&d->put_off, (uint32_t)(a - s->world->attempts.at));
    else
        begin_reads(s, a);
}

/* There are more copies of the reader than before: some may have waited for a turn that is none. */
static void fill_siblings(const struct part_ctx *s, const struct attempt *reader)
{
    FOR_ATTEMPTS (a, s->world, &attempt_phase(reader)->tasks[reader->task])
        if (a != reader && may_read(a))
            fill_reader(s, a);
}

static void shuffle_settle(const struct part_ctx *s)
{
    struct shuffle *d = s->state;
    for (uint32_t i = 0; i < d->put_off.count; i++) {
        struct attempt *a = world_attempt(s->world, d->put_off.at[i]);
        reader_of(s, a)->put_off = false;
        if (!a->unwanted)
            begin_reads(s, a);
    }
    for (uint32_t i = 0; i < d->put_off.count && deals(s); i++)
        fill_siblings(s, world_attempt(s->world, d->put_off.at[i]));
    vec_clear(&d->put_off);
}

/* ---- what events report ---- */

static void fetched_whole(const struct part_ctx *s, const struct attempt *a, uint16_t upstream)
{
    const struct shuffle *d = s->state;
    if ((size_t)(a - s->world->attempts.at) < d->readers.at.count)
        phase_set_remove(&d->readers.at.at[a - s->world->attempts.at].whole, upstream);
}

RARE static void fetched_task(const struct part_ctx *s, const struct attempt *a,
                              const struct event *e)
{
    struct shuffle *d = s->state;
    struct read *r = reader_find(s, a, e->u.fetch.source.phase, e->u.fetch.source.task);
    if (!r || r->state != READ_RUNS || r->source != e->u.fetch.source.attempt)
        return;
    if (e->type == EV_FETCH_FAILED) {
        read_set(s, a, r, READ_WAITS);
        return;
    }
    read_set(s, a, r, READ_DONE);
    struct shuffle_reader *own = reader_of(s, a);
    if (own->left == 0)
        own->fed_us = s->world->now_us;
    if (learns(s))
        omega_saw_read(&d->omega, job_bin(a->job->tasks), e->u.fetch.bytes, e->u.fetch.took_us,
                       r->exclusive);
}

static void shuffle_fetched(const struct part_ctx *s, const struct attempt *a,
                            const struct event *e)
{
    if (e->u.fetch.source.task == TASK_ALL)
        fetched_whole(s, a, e->u.fetch.source.phase);
    else
        fetched_task(s, a, e);
}

static void shuffle_ended(const struct part_ctx *s, const struct attempt *a, uint8_t type)
{
    struct shuffle *d = s->state;
    const struct phase *p = attempt_phase(a);
    bool finished = type == EV_ATTEMPT_FINISHED;
    int bin = job_bin(a->job->tasks);
    if (learns(s) && p->tasks[a->task].state == TASK_DONE)
        omega_saw_gap(&d->omega, bin, s->world->now_us - won_us(p, a->task), finished);
    if (p->edge_count == 0)
        return; /* it read nothing */
    const struct shuffle_reader *r = reader_of(s, a);
    if (learns(s) && r->reads && r->left == 0)
        omega_saw_compute(&d->omega, bin, s->world->now_us - r->fed_us,
                          phase_task_bytes(p, a->task), r->count, finished);
    readers_forget(&d->readers, s->world, a);
}

/* ---- upstream attempts that have not finished yet (losers.h) ---- */

static void shuffle_won(const struct part_ctx *s, struct phase *p, uint32_t task)
{
    struct task *t = &p->tasks[task];
    int64_t omega = omega_us(s, p->job);
    if (omega == 0 || !losers_are_useful(p))
        losers_end(s, t);
    else if (deals(s))
        deal_keep_nearest(s, p, t);
    if (omega != 0 && omega != FIELD_FOREVER && losers_may_meet_readers(p))
        deadline_need(s, p, task);
}

static bool phase_reads(const struct part_ctx *s, const struct phase *p,
                        const struct attempt *source)
{
    for (uint32_t t = 0; t < p->count; t++)
        FOR_ATTEMPTS (a, s->world, &p->tasks[t]) {
            const struct read *r = reader_find(s, a, source->phase, source->task);
            if (r && r->state == READ_RUNS && r->source == source->ordinal)
                return true;
        }
    return false;
}

/* Readers that would wait for an output of their own read a spare, which is kept anyway. An omega
 * that was chosen may have fallen to 0 since the output was kept; its readers go on. */
static bool shuffle_keeps(const struct part_ctx *s, const struct phase *p, const struct attempt *a)
{
    if (!losers_are_useful(p) && !a->spare)
        return false;
    const struct attempt *second = deals(s) ? deal_second(s->world, &p->tasks[a->task]) : NULL;
    if (second && second != a)
        return false;
    if (a->spare ? rule(s)->omega_us != 0 : omega_us(s, p->job) != 0)
        return true;
    for (uint16_t i = 0; learns(s) && i < p->consumer_count; i++)
        if (phase_reads(s, &p->job->phases[p->consumers[i]], a))
            return true;
    return false;
}

/* Deadlines that have come: siblings end, and readers need not wait for them any longer. */
static void shuffle_woken(const struct part_ctx *s)
{
    struct shuffle *d = s->state;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < d->deadlines.count; i++) {
        struct deadline one = d->deadlines.at[i];
        struct job *j = world_job(s->world, one.task.job);
        if (!j || j->state != JOB_LIVE)
            continue;
        if (one.at_us > s->world->now_us) {
            d->deadlines.at[kept++] = one;
            decider_wake(s->brain, one.at_us);
            continue;
        }
        struct phase *p = &j->phases[one.task.phase];
        const struct task *t = &p->tasks[one.task.task];
        if (t->state != TASK_DONE || won_us(p, one.task.task) != one.won_us)
            continue; /* lost meanwhile: those that run are needed again */
        losers_end(s, t);
        for (uint16_t k = 0; k < p->consumer_count; k++)
            if (j->phases[p->consumers[k]].cloned || j->phases[p->consumers[k]].early)
                shuffle_fill(s, &j->phases[p->consumers[k]]);
    }
    d->deadlines.count = kept;
}

static void shuffle_phase_finished(const struct part_ctx *s, struct phase *p)
{
    struct shuffle *d = s->state;
    if (!learns(s) || !p->cloned)
        return;
    omega_saw_phase(&d->omega, job_bin(p->job->tasks), p->copies);
    uint32_t chosen = omega_roll(&d->omega, s->world->now_us, rule(s)->window_us);
    for (int i = 0; i < OMEGA_BINS; i++) {
        const struct omega_choice *c = &d->omega.bins[i].choice;
        if (chosen >> i & 1) /* the verdict stands at the phase that brought the choice about */
            decider_verdict(s->brain, p,
                            &REASON(WHY_OMEGA, i + 1, (double)c->omega_us / 1e6, c->alone_us / 1e6,
                                    c->shared_us / 1e6, c->missing, c->copies));
    }
}

static void shuffle_fini(const struct part_ctx *s)
{
    struct shuffle *d = s->state;
    readers_fini(&d->readers);
    vec_free(&d->deadlines);
    vec_free(&d->put_off);
    vec_free(&d->siblings.reads);
}

#define SHUFFLE_HOOKS                                                                              \
    .launched = shuffle_launched, .settle = shuffle_settle, .won = shuffle_won,                    \
    .keeps = shuffle_keeps, .fetched = shuffle_fetched, .ended = shuffle_ended,                    \
    .fill = shuffle_fill, .woken = shuffle_woken

const struct shuffle_ops shuffle_cc = {
    .part = {.name = "cc",
             .help = "all readers read the first finished attempt's output; its siblings are ended",
             .state_size = sizeof(struct shuffle),
             .fini = shuffle_fini},
    SHUFFLE_HOOKS,
};

const struct shuffle_ops shuffle_cac = {
    .part = {.name = "cac",
             .help = "each output feeds one reader of a task; the others wait for the next",
             .state_size = sizeof(struct shuffle),
             .fini = shuffle_fini},
    .reads_won = true,
    SHUFFLE_HOOKS,
};

const struct shuffle_ops shuffle_delay = {
    .part = {.name = "delay",
             .help = "a reader waits a little for an output of its own, then shares",
             PART_PARAMS(delay_params),
             .state_size = sizeof(struct shuffle),
             .fini = shuffle_fini,
             .phase_finished = shuffle_phase_finished},
    .reads_won = true,
    SHUFFLE_HOOKS,
};

const struct shuffle_ops shuffle_deal = {
    .part = {.name = "deal",
             .help = "the first two outputs of a task go to a reader's copies in turn",
             PART_PARAMS(deal_params),
             .state_size = sizeof(struct shuffle),
             .fini = shuffle_fini,
             .phase_finished = shuffle_phase_finished},
    .reads_won = true,
    SHUFFLE_HOOKS,
};
