/* sim_report.c - progress reports: sampled on a fixed beat, perhaps lost, perhaps late.
 *
 * Report k of an attempt is due k beats (sim_beat.h) after its start. Reports are gathered in
 * rounds, as by a coordinator that asks all attempts at once: each is moved back to the last tick
 * of a clock that all share, and says what is true at that moment. The clock ticks once a second,
 * or more often where beats are shorter, so that no report moves by more than a quarter of its
 * beat. A thousand running attempts then make one event of the queue and one turn of the loop a
 * second, and not hundreds.
 *
 * An attempt that has lived for more than a thousand beats reports at every thousandth of its age:
 * who mixes up units and asks for centuries would wait for as many reports.
 *
 * One report per attempt is planned at a time, the next one; its number follows from the time, so
 * nothing about reports is kept in struct sim_attempt: what they are drawn from goes from round to
 * round with the attempt (sim_round.h). Members of a round are never removed: one that has ended
 * meanwhile is recognised by its generation, as everywhere. Only a report that is late needs a
 * record of what it will say.
 *
 * An attempt that reads over the network has done a share of its task when it has its input,
 * wires.read_score, whatever reading and working take. Total is twice the bytes, so that with the
 * usual half done counts the bytes that have arrived, then as many again for the work. While it
 * waits and nothing is on its way it is silent: or a brain that has forgotten it would be woken for
 * ever, and the run would never be found to have stalled. */
#include "sim/sim_state.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "sim/sim_attempt.h"
#include "sim/sim_beat.h"
#include "sim/sim_read.h"
#include "sim/sim_round.h"

enum { REPORT_MILLIONTHS = 1000000, REPORT_AGE_PART = 1000 };
enum { AHEAD = 16 }; /* members of a round lie anywhere in memory, which is slow */
enum { REPORT_STAGE_COPY = 0, REPORT_STAGE_REDUCE = 2 }; /* of attempts that read */

/* The clock ticks every TICK_LEAST_US << k, of which the largest k makes a second. */
enum { TICK_LEAST_US = 15625, TICK_K_MAX = 6, TICK_NONE = -1 };

/* What reports count progress in: the input bytes of the task, or millionths where it has none. */
static int64_t report_total(const struct sim_phase *phase, uint32_t task)
{
    int64_t bytes = phase_input_bytes(phase->spec, task);
    return bytes > 0 ? bytes : REPORT_MILLIONTHS;
}

void sim_report_init(struct sim *s)
{
    const struct faults *faults = &s->cluster->faults;
    if (s->reports)
        s->rounds = sim_rounds_create(s->cluster->luck.startup_us);
    s->reports_steady = !s->reads && faults->report_loss_p <= 0 && faults->report_lag_us <= 0 &&
                        faults->report_skew <= 0;
}

/* The ticks for reports of this beat, as k; those of slow beats are ticks of faster ones, too.
 * TICK_NONE: the beat is too short. */
static int tick_of(int64_t beat)
{
    uint64_t most = (uint64_t)beat / (4 * TICK_LEAST_US); /* 1 << k */
    int k = most > 0 ? 63 - __builtin_clzll(most) : TICK_NONE;
    return k < TICK_K_MAX ? k : TICK_K_MAX;
}

/* How long after its start the attempt reports next, if it would by its beat after next_us: what
 * lives for long says nothing new every few seconds, and reports at every thousandth of its age. */
static uint64_t next_of(uint64_t lived_us, uint64_t next_us)
{
    uint64_t older_us = lived_us + lived_us / REPORT_AGE_PART;
    return older_us > next_us ? older_us : next_us;
}

/* Where the round of that time is. */
static uint32_t round_place(uint64_t ticks)
{
    return (uint32_t)(ticks * 0x9e3779b1u >> 16) % SIM_ROUNDS;
}

/* Plans a report of the member for the last tick of the time in which it is due. Rounds are found
 * by their time; the rare two that want the same place do not share it: the later one queues its
 * reports one by one. */
static void join_round(struct sim *s, struct round_member m, const struct luck_plan *plan,
                       int64_t delay_us, int k)
{
    int64_t left_us = INT64_MAX - s->now_us;
    int64_t at_us = s->now_us + (delay_us < left_us ? delay_us : left_us);
    struct sim_round *round = NULL;
    if (k != TICK_NONE) {
        uint64_t ticks = (uint64_t)at_us / TICK_LEAST_US >> k << k;
        uint32_t place = round_place(ticks);
        at_us = (int64_t)(ticks * TICK_LEAST_US);
        round = &s->rounds->at[place];
        if (round->first == 0) {
            round->at_us = at_us;
            sim_push(s, at_us - s->now_us, ENTRY_ROUND, 0, place);
        }
    }
    if (!round || round->at_us != at_us) {
        sim_rounds_forget(s->rounds, m);
        sim_push_attempt(s, at_us - s->now_us, ENTRY_REPORT, m.attempt);
        return;
    }
    if (m.plan == MEMBER_NO_PLAN)
        m = sim_rounds_member(s->rounds, m.attempt, m.generation, plan);
    sim_rounds_add(s->rounds, round, m);
}

static int64_t beat_us(const struct sim *s, uint32_t i, const struct luck_plan *plan)
{
    return sim_beat_us(s, sim_phase_of(s, s->attempts.at[i].at), plan);
}

static struct round_member newcomer(const struct sim *s, uint32_t i)
{
    return (struct round_member){.attempt = i, .generation = s->attempts.at[i].generation};
}

/* Queues the next report of a reader. However short its work, it may wait for its input for long:
 * a tenth of its time so far is taken for a tenth of its life. */
static void push_reader(struct sim *s, struct round_member m, const struct luck_plan *plan,
                        int64_t beat)
{
    int64_t lived_us = s->now_us - s->attempts.at[m.attempt].started_us;
    int64_t tenth = lived_us / BEATS_PER_LIFE;
    int64_t every = s->cluster->faults.report_every_us;
    if (beat < tenth)
        beat = tenth < every ? tenth : every;
    beat = (int64_t)next_of((uint64_t)lived_us, (uint64_t)(lived_us + beat)) - lived_us;
    join_round(s, m, plan, beat, tick_of(beat));
}

void sim_report_resume(struct sim *s, uint32_t i)
{
    struct luck_plan plan = sim_attempt_plan(s, i);
    push_reader(s, newcomer(s, i), &plan, beat_us(s, i, &plan));
}

void sim_report_begin(struct sim *s, uint32_t i, const struct luck_plan *plan)
{
    int64_t beat = beat_us(s, i, plan);
    if (s->cluster->faults.report_every_us > 0 &&
        (beat < luck_life_us(plan) || sim_reader_of(s, i)))
        join_round(s, newcomer(s, i), plan, beat, tick_of(beat));
}

/* What a task says when it has done so much of the total: with skewed reports some tasks are ahead
 * of the truth and others behind, which belongs to their data and so is the same for all attempts;
 * at the end all are right. */
static int64_t said(const struct sim *s, struct attempt_ref at, int64_t done, int64_t total)
{
    double sigma = s->cluster->faults.report_skew;
    if (sigma <= 0)
        return done;
    struct rng r = rng_stream(s->seed, RNG_SKEW, at.job.v, at.phase, at.task, 0);
    double share = pow((double)done / (double)total, exp(sigma * rng_normal(&r)));
    return (int64_t)(share * (double)total);
}

/* What the attempt would say now. */
static struct sim_report report_now(const struct sim *s, uint32_t i, const struct luck_plan *plan)
{
    const struct sim_attempt *x = &s->attempts.at[i];
    const struct sim_reader *r = sim_reader_of(s, i);
    int64_t lived_us = sim_attempt_lived_us(s, i, plan);
    struct sim_report report = {.attempt = i, .generation = x->generation};
    if (!r) {
        report.total = report_total(sim_phase_of(s, x->at), x->at.task);
        report.done = luck_done(plan, lived_us, report.total);
    } else {
        int64_t half = r->need_bytes > 0 ? r->need_bytes : REPORT_MILLIONTHS;
        double read = 2 * s->cluster->wires.read_score;
        bool computes = r->compute_us >= 0;
        report.total = 2 * half;
        report.done = computes ? (int64_t)(read * (double)half +
                                           (2 - read) * (double)luck_done(plan, lived_us, half))
                               : (int64_t)(read * (double)sim_reader_bytes(s, i));
        report.stage = computes ? REPORT_STAGE_REDUCE : REPORT_STAGE_COPY;
    }
    report.done = said(s, x->at, report.done, report.total);
    return report;
}

static void emit_progress(struct sim *s, const struct sim_report *report)
{
    const struct sim_attempt *x = &s->attempts.at[report->attempt];
    struct event *e = sim_emit(s, EV_ATTEMPT_PROGRESS, CAUSE_NONE, x->at, x->node);
    e->u.progress.done = report->done;
    e->u.progress.total = report->total;
    e->u.progress.cpu_us = -1;
    e->u.progress.stage = report->stage;
}

/* How late report `number` of an attempt is; -1 if it is lost. */
static int64_t report_lag_us(const struct sim *s, struct attempt_ref at, uint64_t number)
{
    const struct faults *faults = &s->cluster->faults;
    if (faults->report_loss_p <= 0 && faults->report_lag_us <= 0)
        return 0;
    struct rng r =
        rng_stream(s->seed, RNG_REPORT, at.job.v, at.phase, at.task, number << 16 | at.attempt);
    if (rng_unit(&r) < faults->report_loss_p)
        return -1;
    return faults->report_lag_us > 0 ? (int64_t)rng_below(&r, (uint64_t)faults->report_lag_us + 1)
                                     : 0;
}

static void fly(struct sim *s, const struct sim_report *report, int64_t lag_us)
{
    uint32_t index = vec_take(&s->flying, &s->flying_free);
    s->flying.at[index] = *report;
    sim_push(s, lag_us, ENTRY_REPORT_ARRIVES, 0, index);
}

/* The attempt of the member reports, and plans its next report; once it has ended, it does neither.
 */
static void report(struct sim *s, struct round_member m, const struct luck_plan *plan)
{
    const struct sim_attempt *x = &s->attempts.at[m.attempt];
    int64_t beat = beat_us(s, m.attempt, plan);
    int k = tick_of(beat);
    int64_t tick = k == TICK_NONE ? 1 : TICK_LEAST_US << k;
    int64_t lived_us = s->now_us - x->started_us;
    int64_t number = (lived_us + tick - 1) / beat;
    uint64_t next = sim_beat_next((uint64_t)number, (uint64_t)beat,
                                  (uint64_t)s->cluster->faults.report_every_us);
    uint64_t next_us = next_of((uint64_t)lived_us, next * (uint64_t)beat);
    struct sim_reader *r = sim_reader_of(s, m.attempt);
    if (r) {
        r->silent = r->starved;
        if (r->silent) {
            sim_rounds_forget(s->rounds, m);
            return;
        }
        push_reader(s, m, plan, beat);
    } else if (next_us < (uint64_t)luck_life_us(plan)) {
        join_round(s, m, plan, (int64_t)next_us - lived_us, k);
    } else {
        sim_rounds_forget(s->rounds, m);
    }

    int64_t lag_us = report_lag_us(s, x->at, (uint64_t)number);
    if (lag_us < 0)
        return;
    struct sim_report now = report_now(s, m.attempt, plan);
    if (lag_us > 0)
        fly(s, &now, lag_us);
    else
        emit_progress(s, &now);
}

void sim_report_due(struct sim *s, uint32_t i)
{
    if (!sim_attempt_runs(&s->attempts.at[i]))
        return;
    struct luck_plan plan = sim_attempt_plan(s, i);
    report(s, newcomer(s, i), &plan);
}

/* join_round where that is only another line in a list, as it is nine times out of ten. */
static inline bool join_quickly(struct sim *s, const struct round_member *m, uint64_t at_us, int k)
{
    uint64_t ticks = at_us / TICK_LEAST_US >> k << k;
    const struct sim_round *round = &s->rounds->at[round_place(ticks)];
    struct round_chunk *c = &s->rounds->chunks.at[round->last];
    if (round->at_us != (int64_t)(ticks * TICK_LEAST_US) || !round->last || c->count == ROUND_CHUNK)
        return false;
    c->at[c->count++] = *m;
    return true;
}

/* What reports of a round have in common, at hand while they are made. */
struct round_view {
    const struct sim_attempt *attempts;
    uint64_t now_us, every_us, startup_us;
    /* Mostly members of one phase follow each other. */
    struct attempt_ref of;         /* one of this phase */
    const struct sim_phase *phase; /* NULL: none yet */
    uint64_t beat;                 /* of its attempts, unless each has its own */
    int k;
};

/* Looks at the phase of the attempt. */
static void view_phase(struct sim *s, struct round_view *t, const struct sim_attempt *x,
                       const struct luck_plan *plan)
{
    struct sim_phase *phase = sim_phase_of(s, x->at);
    t->beat = (uint64_t)sim_beat_us(s, phase, plan);
    t->k = tick_of((int64_t)t->beat);
    t->of = x->at;
    t->phase = phase;
}

static inline bool is_in_view(const struct round_view *t, const struct sim_attempt *x)
{
    return t->phase && t->of.job.v == x->at.job.v && t->of.phase == x->at.phase &&
           t->phase->beat_us > 0;
}

/* Most reports: they come at once, and from an attempt that works at a steady pace and has nothing
 * to read. The same as report(), with all that is not needed left out. There is room for the event.
 */
static inline void report_steady(struct sim *s, struct round_view *t, const struct round_member *m)
{
    const struct sim_attempt *x = &t->attempts[m->attempt];
    uint64_t work_us = m->what, startup_us = m->plan == MEMBER_STARTS ? t->startup_us : 0;
    uint64_t started_us = (uint64_t)x->started_us;
    uint64_t lived_us = t->now_us - started_us, life_us = startup_us + work_us;
    if (!is_in_view(t, x))
        view_phase(
            s, t, x,
            &(struct luck_plan){.startup_us = (int64_t)startup_us, .work_us = (int64_t)work_us});
    /* Never too short for ticks: the attempt is in a round. */
    uint64_t number = (lived_us + ((uint64_t)TICK_LEAST_US << t->k) - 1) / t->beat;
    uint64_t next_us = next_of(lived_us, sim_beat_next(number, t->beat, t->every_us) * t->beat);
    if (next_us < life_us && !join_quickly(s, m, started_us + next_us, t->k))
        join_round(s, *m, NULL, (int64_t)(next_us - lived_us), t->k);

    int64_t total = report_total(t->phase, x->at.task);
    int64_t worked_us = (int64_t)(lived_us - startup_us);
    s->emitted.at[s->emitted.count++] = (struct event){
        .type = EV_ATTEMPT_PROGRESS,
        .at = x->at,
        .node = {x->node},
        .u.progress = {
            .done = luck_share(worked_us, (int64_t)work_us, total), .total = total, .cpu_us = -1}};
}

/* Members of a round, one after the other. */
static void members_due(struct sim *s, struct round_view *t, const struct round_member *at,
                        uint32_t count)
{
    bool steady = s->reports_steady;
    pool_reserve(&s->emitted, s->emitted.count + count);
    for (uint32_t i = 0; i < count; i++) {
        const struct round_member *m = &at[i];
        const struct sim_attempt *x = &t->attempts[m->attempt];
        if (count - i > AHEAD)
            __builtin_prefetch(&t->attempts[at[i + AHEAD].attempt]);
        if (x->generation != m->generation || !sim_attempt_runs(x)) {
            sim_rounds_forget(s->rounds, *m);
        } else if (steady && m->plan != MEMBER_KEEPS) {
            report_steady(s, t, m);
        } else {
            struct luck_plan plan = sim_rounds_plan(s->rounds, *m);
            report(s, *m, &plan);
        }
    }
}

/* Prefetches the attempts of the first members. */
static void chunk_prefetch(const struct sim *s, const struct round_chunk *c)
{
    for (uint32_t i = 0; i < c->count && i < AHEAD; i++)
        __builtin_prefetch(&s->attempts.at[c->at[i].attempt]);
}

void sim_report_round_due(struct sim *s, uint32_t place)
{
    struct sim_rounds *r = s->rounds;
    struct round_view t = {.attempts = s->attempts.at,
                           .now_us = (uint64_t)s->now_us,
                           .every_us = (uint64_t)s->cluster->faults.report_every_us,
                           .startup_us = (uint64_t)r->startup_us};
    uint32_t chunk = r->at[place].first;
    /* Members join the next rounds meanwhile, one of which may take this one's place, and chunk
     * after chunk its memory. */
    r->at[place] = (struct sim_round){0};
    chunk_prefetch(s, &r->chunks.at[chunk]);
    while (chunk) {
        struct round_member at[ROUND_CHUNK];
        uint32_t count = r->chunks.at[chunk].count;
        memcpy(at, r->chunks.at[chunk].at, count * sizeof *at);
        chunk = sim_rounds_drop(r, chunk);
        if (chunk)
            chunk_prefetch(s, &r->chunks.at[chunk]);
        members_due(s, &t, at, count);
    }
}

void sim_report_arrives(struct sim *s, uint32_t flying)
{
    struct sim_report report = s->flying.at[flying];
    vec_push(&s->flying_free, flying);
    const struct sim_attempt *x = &s->attempts.at[report.attempt];
    if (x->generation == report.generation && sim_attempt_runs(x))
        emit_progress(s, &report);
}
