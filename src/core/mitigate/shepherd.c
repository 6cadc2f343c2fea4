/* shepherd.c - copies by what they save, within a share of the cluster.
 *
 * One rule in place of clones up front, backups and their thresholds. Each live phase is looked at
 * every now and then. For each of its running tasks three times are compared, from now on:
 *
 *   h   what a fresh attempt takes if it is healthy
 *   e   when the best attempt of the task will end (core/shepherd/outlook.h)
 *   D   when the phase could end: the latest e, where a late task counts with h, as if it were
 *       copied now; plus the waves to come, while tasks of the phase wait
 *
 * A copy is worth the seconds by which its phase ends sooner, per slot-second (bid.h):
 *
 *   rescue   of a task that is late: e - max(D, h) seconds, with the luck that copies have had;
 *            if others of the phase are late, its share of what it gains by all (share.h)
 *   hedge    of a task that is on time but may straggle yet: at the last moment at which a copy can
 *            still meet D. In a phase of equal tasks D is h: then each is cloned as it starts,
 *            which is what Dolly does; in a phase of unequal ones only the longest are. If the job
 *            waits for another chain of phases, D is when that lets this one end (slack.h).
 *
 * Bids are served by value, as far as the brain's cap allows (`cap`, the only number that a user
 * may want to set), and the least value rises while its store is spent; hedges leave a part of it
 * to rescues to come.
 *
 * The chance p that an attempt straggles is known from a number of attempts: of all phases, of
 * earlier runs of this one, and of its own. Attempts of a task share a p that may be wrong, so all
 * of k straggle with the mean of p^k. Where little is known, as in the first run on a machine, that
 * is far above the k-th power of the mean, and a fourth attempt pays.
 *
 * h is the rate of the phase times the task's bytes. The rate is the median of the phase's own
 * attempts (those that run: by their pace, and if that is unknown as longer than all), once half of
 * them are known; before that experts are asked (core/estimate/healthy.h). If they have no opinion,
 * all that is known is that equal tasks end together: each is hedged.
 *
 * Harmless by construction. Nothing that runs is killed. Copies take idle slots and end for any
 * first attempt (CLONES_IDLE), so a wrong estimate costs idle time. A network may be crowded while
 * slots are idle: until the test below tasks that read anything are not hedged, and few are rescued
 * unless that is worth much (crowd.h). Only rescues may stop yielding and become backups, and only
 * after a sequential test has shown that here copies are luckier than late tasks (luck.h): in a
 * world without luck, where tasks differ because they are large or because copies are slower, that
 * hardly ever happens. Backups of one task hold no more than the reserve for rescues and one: a
 * task that beats copy after copy may be large. A backup precedes first attempts only on a full
 * cluster, and if it should free more slot-seconds, of the late attempts that it ends, than it
 * takes: where slots are idle nobody needs those. Then races have to show that copies do so
 * (derby_pays), and the order has to put its phase before those that wait: it takes the turn that
 * one more task of its job would get, under any order.
 *
 * Left alone: tasks that have failed, phases that must not run twice, readers that wait for the
 * phases above, jobs that are cloned as a whole. The time that a reader has fetched is not counted:
 * it is judged from then on, and a copy of it would have to fetch again.
 *
 * Rejected: to rescue in shorter chains of a job only what its end waits for (a late attempt that
 * is beaten gives its slot back there, too); to end stuck attempts while tasks wait (the only act
 * that cannot be taken back; it was worth 1 to 2 % of a job's time where copies are lucky, and cost
 * as much elsewhere); copies beyond a job's running_max (they take the cap from copies that are
 * worth more); to learn luck from hedges (most of their losses are wins of another copy); a fixed
 * interval of looks (twenty times the work where tasks take hours). docs/measured/shepherd.md has
 * the numbers. */
#include <math.h>

#include "base/sort.h"
#include "base/stat.h"
#include "core/brain/decider.h"
#include "core/estimate/healthy.h"
#include "core/estimate/slowness.h"
#include "core/parts/param.h"
#include "core/parts/parts.h"
#include "core/shepherd/bid.h"
#include "core/shepherd/chance.h"
#include "core/shepherd/crowd.h"
#include "core/shepherd/derby.h"
#include "core/shepherd/flock.h"
#include "core/shepherd/luck.h"
#include "core/shepherd/rate.h"
#include "core/shepherd/share.h"
#include "core/shepherd/slack.h"
#include "core/shepherd/ward.h"
#include "core/shepherd/watch.h"

enum { SOUND_MAX = 5 };   /* attempts of a task at once that are on time ... */
enum { COPIES_MAX = 10 }; /* ... and in all */
#define LOOK_SHARE 0.02   /* of the least healthy time of a phase: between looks */
#define RESERVE 0.02      /* of the cluster: what hedges must leave to rescues */

enum { NETWORK_SHARED, NETWORK_NONE };

#define PARAMS struct shepherd_params
struct shepherd_params {
    int64_t scan_us;
    int network;
};

static const struct field params[] = {
    PARAM_ROW("scan", FIELD_TIME, scan_us, "500ms", .min = 0.001, .max = 3600, .filled_in = true,
              .help = "how often it looks: as often as attempts report"),
    PARAM_ROW("network", FIELD_CHOICE, network, "shared", .choices = "shared|none",
              .filled_in = true,
              .help = "none: on one machine; shared: hedges of tasks that read wait for a proof"),
    {0},
};

struct bid {
    double value; /* with its share of the gain, ... */
    double alone; /* ... and of a rescue, if no other task is late */
    double healthy_s;
    struct attempt_ref at; /* the task */
    bool rescue;
    bool crowds; /* it may be in the way of others' reads */
    bool frees;  /* it should end attempts that would hold slots for longer than it */
    struct reason why;
};

/* Of a bid, by value. */
struct rank {
    double value;
    uint32_t bid;
};

/* What a look at a phase has found. */
struct sight {
    double deadline_s; /* when the phase could end: its D */
    double least_s;    /* the least h */
    double least;      /* what a copy must be worth */
    uint32_t tasks;    /* that have an attempt ... */
    uint32_t late;     /* ... and how many are late */
};

struct shepherd {
    struct healthy healthy;
    struct slowness slowness;
    struct luck_record luck;
    struct derby races;
    struct watch watch;
    struct flock flock;
    struct rate rate;
    VEC(struct ward) wards; /* during a look ... */
    VEC(struct bid) bids;
    VEC(struct rank) ranks;
    struct share share;
    struct crowd crowd;
    VEC(struct bid) wishes; /* rescues that found no room, until the next look */
};

/* ---- a phase ---- */

static inline double larger(double a, double b)
{
    return a > b ? a : b;
}

static void bid_for(const struct part_ctx *s, const struct phase *p, uint32_t task, struct bid b)
{
    struct shepherd *d = s->state;
    b.at = (struct attempt_ref){p->job->id, task, p->index, 0};
    vec_push(&d->bids, b);
}

static bool may_be_proven(const struct part_ctx *s)
{
    const struct shepherd *d = s->state;
    return luck_is_proven(&d->luck);
}

/* Each late task gets its share of what its phase gains if all of them are rescued. Where copies
 * may crowd few are made until luck is proven, to see whether they win: of the task that alone
 * would gain most. */
static void share_gain(const struct part_ctx *s, double deadline_s, bool crowds)
{
    struct shepherd *d = s->state;
    double luck = luck_mean(&d->luck);
    vec_clear(&d->share.late);
    for (uint32_t i = 0; i < d->wards.count; i++) {
        struct ward *w = &d->wards.at[i];
        w->value = w->late ? bid_rescue(w->left_s, w->fresh_s, deadline_s, luck) : 0;
        if (w->value > 0)
            vec_push(&d->share.late,
                     ((struct share_late){.left_s = w->left_s,
                                          .takes_s = bid_takes(w->left_s, w->fresh_s, luck),
                                          .item = i}));
    }
    if ((crowds && !may_be_proven(s)) || d->share.late.count < 2)
        return;
    share_work_out(&d->share, deadline_s);
    for (uint32_t i = 0; i < d->share.late.count; i++)
        d->wards.at[d->share.late.at[i].item].value = luck * d->share.late.at[i].value;
}

static void consider_rescue(const struct part_ctx *s, const struct phase *p, const struct ward *w,
                            const struct sight *seen, bool crowds)
{
    const struct shepherd *d = s->state;
    double luck = luck_mean(&d->luck);
    double alone = bid_rescue(w->left_s, w->fresh_s, seen->deadline_s, luck);
    if (alone > BID_RESCUE_MIN && w->value > seen->least)
        bid_for(s, p, w->task,
                (struct bid){.value = w->value,
                             .alone = alone,
                             .rescue = true,
                             .crowds = crowds,
                             .frees = bid_frees(w->left_s, w->fresh_s, w->copies, luck),
                             .healthy_s = w->fresh_s,
                             .why = REASON(WHY_RESCUE, w->left_s,
                                           w->left_s - larger(seen->deadline_s, w->fresh_s),
                                           w->fresh_s, d->luck.won, d->luck.won + d->luck.lost)});
}

/* Whether a copy may be in the way of others' reads: nothing is known of the network. */
static bool may_crowd(const struct part_ctx *s, const struct fold *fold, const struct phase *p)
{
    return par(s)->network == NETWORK_SHARED && (p->edge_count > 0 || fold->bytes > 1);
}

/* How many attempts of the phase fit into what is reserved for rescues. */
static int64_t reserve_of(const struct part_ctx *s, const struct phase *p)
{
    int64_t each = p->demand.v[RES_CPU], all = s->world->capacity.v[RES_CPU];
    return each > 0 ? (int64_t)(RESERVE * (double)all / (double)each + 0.5) : 0;
}

/* Whether the cap and idle slots leave enough to rescues to come, which are worth more. */
static bool has_reserve(const struct part_ctx *s, const struct phase *p)
{
    const struct world *w = s->world;
    struct res_sum more = {{0}};
    struct reason why;
    res_sum_add(&more, &p->demand, 1 + reserve_of(s, p));
    return more.v[RES_CPU] <= w->capacity.v[RES_CPU] - w->used.v[RES_CPU] &&
           !decider_capped(s->brain, &more, &why);
}

/* As many copies as pay, the first being worth most. */
static void consider_hedge(const struct part_ctx *s, const struct phase *p, const struct ward *w,
                           struct bid_chance straggles, uint32_t tasks, double least)
{
    const struct shepherd *d = s->state;
    double gone = w->age_s / (w->age_s + w->left_s + 1e-9);
    struct bid_hedged h = {w->left_s, w->healthy_s, straggles, gone, w->sound, tasks};
    uint32_t copies = w->copies;
    for (; copies < COPIES_MAX && h.copies < SOUND_MAX; copies++, h.copies++) {
        double value = bid_hedge(&h, luck_mean(&d->luck));
        if (value <= larger(BID_HEDGE_MIN, least))
            return;
        bid_for(
            s, p, w->task,
            (struct bid){.value = value,
                         .why = REASON(WHY_HEDGE, bid_straggles(&h), w->fresh_s, h.copies, tasks)});
    }
}

/* Nothing is known of the phase but that its tasks are equal. */
static void judge_unknown(const struct part_ctx *s, const struct fold *fold, const struct phase *p)
{
    struct bid_chance straggles = chance_prior(p);
    double least = bid_least(decider_cap_spent(s->brain, p));
    for (uint32_t i = 0; i < fold->tasks.count && p->pending_count == 0; i++) {
        struct ward w = {.task = fold->tasks.at[i], .healthy_s = 1, .left_s = 1};
        FOR_ATTEMPTS (a, s->world, &p->tasks[w.task])
            w.copies += rate_counts(a);
        w.sound = w.copies;
        if (w.copies > 0 && p->tasks[w.task].failures == 0)
            consider_hedge(s, p, &w, straggles, p->count - p->done, least);
    }
}

/* Fills the wards, of tasks that are on time only if hedges are considered, too. */
static struct sight sight_of(const struct part_ctx *s, struct fold *fold, const struct phase *p,
                             bool hedges)
{
    struct shepherd *d = s->state;
    struct sight seen = {.least_s = HUGE_VAL};
    vec_reserve(&d->wards, fold->tasks.count);
    struct ward *w = d->wards.at;
    for (uint32_t i = 0; i < fold->tasks.count; i++) {
        w->task = fold->tasks.at[i];
        ward_look(w, fold, p, s->world, &d->watch, &d->slowness);
        if (w->copies == 0)
            continue;
        seen.tasks++;
        seen.deadline_s = larger(seen.deadline_s, w->late ? w->fresh_s : w->left_s);
        seen.least_s = w->healthy_s < seen.least_s ? w->healthy_s : seen.least_s;
        seen.late += w->late;
        if (hedges || w->late)
            w++;
    }
    d->wards.count = (uint32_t)(w - d->wards.at);
    if (p->pending_count > 0 && seen.tasks > 0)
        seen.deadline_s += (double)p->pending_count / seen.tasks * fold->rate * fold->bytes / 1e6;
    return seen;
}

/* Whether a reader may still wait for the phases above. */
static bool waits_for_inputs(const struct phase *p)
{
    for (uint16_t e = 0; p->early && e < p->edge_count; e++) {
        const struct phase *up = &p->job->phases[p->edges[e].from];
        if (up->done + up->given_up < up->count)
            return true;
    }
    return false;
}

/* Whether no copy could start. A job at its running_max has not even wishes, which are for a full
 * cluster; but other phases of it that run want to know when this one ends. */
static bool is_in_vain(const struct part_ctx *s, const struct phase *p, bool waits)
{
    if (!may_be_proven(s))
        return waits;
    return !decider_firsts_wait(s->brain) && job_is_full(p->job) && !slack_has_siblings(p);
}

/* Makes the bids for a phase. Returns in how many seconds to look again. */
static double judge(const struct part_ctx *s, struct fold *fold, const struct phase *p)
{
    struct shepherd *d = s->state;
    double scan_s = (double)par(s)->scan_us / 1e6;
    bool firsts_wait = decider_firsts_wait(s->brain), waits = p->pending_count > 0 || firsts_wait;
    if (waits_for_inputs(p) || is_in_vain(s, p, waits))
        return scan_s;
    flock_prune(fold, p);
    if (fold->tasks.count == 0)
        return scan_s;
    fold->bytes = healthy_mean_bytes(p, fold->inputs);
    bool crowds = may_crowd(s, fold, p), may_hedge = !firsts_wait && (!crowds || may_be_proven(s));
    if (rate_work_out(&d->rate, fold, p, &d->healthy, &d->watch, s->world) <= 0) {
        if (may_hedge)
            judge_unknown(s, fold, p);
        return scan_s;
    }
    bool hedges = !waits && may_hedge && has_reserve(s, p);
    struct sight seen = sight_of(s, fold, p, hedges);
    if (seen.tasks == 0)
        return scan_s;
    fold->ends_us = s->world->now_us + (int64_t)fmin(1e6 * seen.deadline_s, EXPECTED_MAX_US);
    struct bid_chance straggles = {0};
    if (hedges)
        straggles = chance_by_curve(&d->slowness, p, seen.least_s, fold->known + (double)seen.late,
                                    fold->slow + (double)seen.late);
    seen.least = bid_least(decider_cap_spent(s->brain, p));
    share_gain(s, seen.deadline_s, crowds);
    double must_s = seen.deadline_s; /* for hedges */
    if (hedges)
        must_s = slack_must_end_s(&d->flock, &d->healthy, s->world, p, must_s);
    for (uint32_t i = 0; i < d->wards.count; i++) {
        const struct ward *w = &d->wards.at[i];
        if (w->copies >= COPIES_MAX || p->tasks[w->task].failures > 0)
            continue;
        if (w->late)
            consider_rescue(s, p, w, &seen, crowds);
        else if (bid_is_due(w->fresh_s, must_s, scan_s))
            consider_hedge(s, p, w, straggles, seen.tasks, seen.least);
    }
    return fmax(LOOK_SHARE * seen.least_s, scan_s);
}

/* ---- a look ---- */

static bool is_worth_more(const void *a, const void *b, const void *ctx)
{
    (void)ctx;
    return ((const struct rank *)a)->value > ((const struct rank *)b)->value;
}

/* Whether one more copy of the task may stay. */
static bool may_stay(const struct part_ctx *s, const struct phase *p, uint32_t task)
{
    int64_t backups = 0;
    FOR_ATTEMPTS (a, s->world, &p->tasks[task])
        backups += a->kind == LAUNCH_BACKUP && rate_counts(a);
    return backups <= reserve_of(s, p);
}

/* Makes the copy. Returns false if there is no room for it. Where first attempts wait it must be
 * one that stays, pays, and is of the phase that the order would serve next. */
static bool serve(const struct part_ctx *s, const struct bid *b, struct phase *p)
{
    struct shepherd *d = s->state;
    bool waits = decider_firsts_wait(s->brain);
    bool stays = b->rescue && may_be_proven(s) && may_stay(s, p, b->at.task);
    if (b->crowds && !stays && b->alone < BID_CROWDING_MIN &&
        !crowd_may_try(&d->crowd, d->luck.won, d->races.open.count, s->world->live))
        return false;
    if ((waits && !(stays && derby_pays(&d->races))) || (!b->rescue && !has_reserve(s, p)) ||
        !decider_core_is_idle(s->brain, p))
        return false;
    struct node_id node = decider_place(s->brain, p, b->at.task);
    if (node.v == NODE_NONE.v || decider_node_is_pressed(s->brain, p, node) ||
        (waits && !decider_is_next(s->brain, p)))
        return false;
    if (b->rescue)
        derby_begin(&d->races, p, b->at.task, b->healthy_s);
    d->crowd.tried += b->crowds && !stays;
    if (stays)
        decider_backup(s->brain, p, b->at.task, node, &b->why);
    else
        decider_clone(s->brain, p, b->at.task, node, &b->why);
    return true;
}

static void shepherd_tick(const struct part_ctx *s)
{
    struct shepherd *d = s->state;
    int64_t now_us = s->world->now_us;
    if (now_us < d->flock.next_us)
        return;
    d->flock.next_us = INT64_MAX;
    watch_grow(&d->watch, s->world);
    vec_clear(&d->bids);
    vec_clear(&d->wishes);
    for (uint32_t i = 0; i < d->flock.folds.count; i++) {
        struct fold *fold = &d->flock.folds.at[i];
        if (!fold->used)
            continue;
        const struct job *j = world_job(s->world, fold->job);
        if (now_us >= fold->due_us) {
            double rest_us = 1e6 * judge(s, fold, &j->phases[fold->phase]);
            fold->due_us = now_us + (int64_t)fmin(rest_us, EXPECTED_MAX_US) - 1000;
        }
        if (fold->due_us < d->flock.next_us)
            d->flock.next_us = fold->due_us;
    }
    vec_clear(&d->ranks);
    for (uint32_t i = 0; i < d->bids.count; i++)
        vec_push(&d->ranks, ((struct rank){d->bids.at[i].value, i}));
    sort_stable(d->ranks.at, d->ranks.count, sizeof *d->ranks.at, is_worth_more, NULL);
    for (uint32_t i = 0; i < d->ranks.count; i++) {
        const struct bid *b = &d->bids.at[d->ranks.at[i].bid];
        struct phase *p = &world_job(s->world, b->at.job)->phases[b->at.phase];
        if (!serve(s, b, p) && b->frees && decider_firsts_wait(s->brain) && may_be_proven(s))
            vec_push(&d->wishes, *b);
    }
}

/* A new phase is looked at as soon as it runs: a hedge that starts a look later is late by it. */
static void shepherd_pass(const struct part_ctx *s)
{
    const struct shepherd *d = s->state;
    if (d->flock.next_us == 0 && s->world->live > 0)
        shepherd_tick(s);
}

/* The phase of a wish if its task still runs, with as few attempts as it had. */
static struct phase *still_wished(const struct part_ctx *s, const struct bid *b)
{
    const struct job *j = world_job(s->world, b->at.job);
    if (!j || j->state != JOB_LIVE)
        return NULL;
    const struct task *t = &j->phases[b->at.phase].tasks[b->at.task];
    return task_is_open(t) && t->live > 0 && t->failures == 0 && !t->spent ? &j->phases[b->at.phase]
                                                                           : NULL;
}

/* Rescues that free more than they take precede first attempts in their turn, once luck is proven.
 */
static void shepherd_before(const struct part_ctx *s)
{
    struct shepherd *d = s->state;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < d->wishes.count && may_be_proven(s); i++) {
        struct phase *p = still_wished(s, &d->wishes.at[i]);
        if (p && !serve(s, &d->wishes.at[i], p))
            d->wishes.at[kept++] = d->wishes.at[i];
    }
    d->wishes.count = kept;
}

/* ---- learning ---- */

static void shepherd_launched(const struct part_ctx *s, struct attempt *a)
{
    struct shepherd *d = s->state;
    const struct phase *p = attempt_phase(a);
    if (a->job->copy == 0 && !p->clone_never)
        flock_add(&d->flock, p, a->task);
}

static void shepherd_phase_started(const struct part_ctx *s, struct phase *p)
{
    struct shepherd *d = s->state;
    double bytes = healthy_mean_bytes(p, healthy_inputs(p));
    double healthy_s = healthy_guess(&d->healthy, s->world, p, bytes) * bytes / 1e6;
    if (p->clone_never)
        decider_verdict(s->brain, p, &REASON_PLAIN(WHY_SIDE_EFFECTS));
    else
        decider_verdict(s->brain, p,
                        &REASON(WHY_WATCHED, COPIES_MAX, p->count,
                                chance_by_curve(&d->slowness, p, healthy_s, 0, 0).mean, healthy_s));
}

static void shepherd_reported(const struct part_ctx *s, const struct attempt *a)
{
    struct shepherd *d = s->state;
    if (!watch_reported(&d->watch, s->world, a, par(s)->scan_us))
        return;
    struct fold *fold = flock_find(&d->flock, attempt_phase(a));
    if (fold)
        watch_began(&d->watch, s->world, a, &fold->starts);
}

static void shepherd_fetched(const struct part_ctx *s, const struct attempt *a)
{
    struct shepherd *d = s->state;
    watch_fetched(&d->watch, s->world, a);
}

static void note_fetches(struct fold *fold, double fetched_s)
{
    fold->fetches++;
    fold->fetched_s += (fetched_s - fold->fetched_s) / fold->fetches;
}

static void shepherd_ended(const struct part_ctx *s, const struct attempt *a, uint8_t type)
{
    struct shepherd *d = s->state;
    const struct phase *p = attempt_phase(a);
    bool finished = type == EV_ATTEMPT_FINISHED;
    struct fold *fold = flock_find(&d->flock, p);
    double fetched_s = 0, took_us = (double)attempt_elapsed_us(s->world, a);
    int64_t began_us = watch_ended(&d->watch, s->world, a);
    if (a->state == ATTEMPT_RUNNING) {
        fetched_s = (double)(began_us - a->started_us) / 1e6;
        took_us -= fetched_s * 1e6;
    }
    d->crowd.ended++;
    if (finished)
        derby_finished(&d->races, s->world, a, &d->luck);
    if (fold && type != EV_ATTEMPT_FAILED) {
        flock_ended(fold, fmax(took_us, 1) / rate_bytes(p, a->task), finished);
        if (finished && p->edge_count > 0)
            note_fetches(fold, fetched_s);
    }
}

static void shepherd_phase_finished(const struct part_ctx *s, struct phase *p)
{
    enum { LEARN_MIN = 3 };
    struct shepherd *d = s->state;
    const struct fold *fold = flock_find(&d->flock, p);
    if (fold && fold->took.count - fold->stopped >= LEARN_MIN) {
        double median = rate_median(&d->rate, fold);
        double bytes = healthy_mean_bytes(p, fold->inputs);
        healthy_learn(&d->healthy, s->world, p, bytes, median);
        for (uint32_t i = 0; i < fold->took.count; i++)
            slowness_add(&d->slowness, median * bytes / 1e6,
                         fabs((double)fold->took.at[i]) / median, fold->took.at[i] >= 0);
    }
    flock_remove(&d->flock, p);
}

static void shepherd_job_over(const struct part_ctx *s, struct job *j)
{
    struct shepherd *d = s->state;
    for (uint16_t k = 0; k < j->phase_count; k++)
        flock_remove(&d->flock, &j->phases[k]);
    derby_forget(&d->races, j->id);
}

static enum clones_when shepherd_clones_when(const struct part_ctx *s)
{
    (void)s;
    return CLONES_IDLE;
}

static void shepherd_fini(const struct part_ctx *s)
{
    struct shepherd *d = s->state;
    derby_fini(&d->races);
    watch_fini(&d->watch);
    flock_fini(&d->flock);
    vec_free(&d->wards);
    vec_free(&d->bids);
    vec_free(&d->ranks);
    share_fini(&d->share);
    rate_fini(&d->rate);
    vec_free(&d->wishes);
}

const struct mitigate_ops shepherd_mitigate = {
    .part = {.name = "shepherd",
             .help = "copies by the time that they save, in idle slots until races prove them",
             PART_PARAMS(params),
             .state_size = sizeof(struct shepherd),
             .reads_expected = true,
             .fini = shepherd_fini,
             .attempt_ended = shepherd_ended,
             .phase_finished = shepherd_phase_finished,
             .before = shepherd_before,
             PART_TICK(shepherd_tick, scan_us)},
    .phase_started = shepherd_phase_started,
    .launched = shepherd_launched,
    .pass = shepherd_pass,
    .job_over = shepherd_job_over,
    .clones_when = shepherd_clones_when,
    .fetched = shepherd_fetched,
    .reported = shepherd_reported,
    .reads_progress = true,
    .reads_words = true,
    .backs_up = true,
    .reads_running = true, /* for backups */
};
