/* sim_report.c - progress reports: sampled on a fixed beat, perhaps lost, perhaps late.
 *
 * Report k of an attempt is due k beats after its start. Reports are gathered in rounds, as by a
 * coordinator that asks everybody at once: each is moved back to the last tick of a clock that all
 * share, and says what is true at that moment. The clock ticks once a second, or more often where
 * beats are shorter, so that no report moves by more than a quarter of its beat. A thousand running
 * attempts then make one event of the queue and one turn of the loop a second, and not hundreds.
 *
 * One report per attempt is planned at a time, the next one; its number follows from the time, so
 * nothing about reports is kept in the slot. Members of a round are never removed: one that has
 * ended meanwhile is told by its generation, as everywhere. Only a report that is late needs a
 * record of what it will say.
 *
 * An attempt that reads over the network is half done when it has its input: done counts the bytes
 * that have arrived, then as many again for the work, and total is twice the bytes. So its score,
 * done / total, is (copied + computed) / 2, whatever the two take. While it waits and nothing is on
 * its way it is silent: or a brain that has forgotten it would be woken for ever, and nobody would
 * notice that the run has stalled. */
#include "base/rng.h"
#include "sim/sim_state.h"

enum { REPORT_MILLIONTHS = 1000000, REPORTS_PER_LIFE = 10 };
enum { AHEAD = 8 }; /* members of a round lie anywhere in memory, which is slow */
enum { REPORT_STAGE_COPY = 0, REPORT_STAGE_REDUCE = 2 }; /* of attempts that read */

int64_t sim_report_total(const struct sim *s, struct attempt_ref at)
{
    int64_t bytes = phase_input_bytes(sim_phase_of(s, at)->spec, at.task);
    return bytes > 0 ? bytes : REPORT_MILLIONTHS;
}

void sim_report_init(struct sim *s)
{
    if (s->reports)
        s->rounds = mem_zalloc(SIM_ROUNDS, sizeof *s->rounds);
}

void sim_report_fini(struct sim *s)
{
    for (uint32_t i = 0; s->rounds && i < SIM_ROUNDS; i++)
        vec_free(&s->rounds[i].members);
    mem_free(s->rounds);
    vec_free(&s->gone.members);
    vec_free(&s->flying);
}

/* The time between two ticks for reports of this beat. Each such time is a multiple of the next
 * smaller one, so that the ticks of slow beats are ticks of faster ones, too. */
static int64_t tick_us(int64_t beat)
{
    int64_t tick = 1000000;
    while (tick > beat / 4 && tick % 2 == 0)
        tick /= 2;
    return tick <= beat / 4 ? tick : 1;
}

/* Plans a report of the slot for the last tick of the time in which it is due. Rounds are found by
 * their time; the rare two that want the same place do not share it: the later one queues its
 * reports one by one. */
static void join_round(struct sim *s, uint32_t i, int64_t delay_us, int64_t tick)
{
    int64_t room = INT64_MAX - s->now_us;
    int64_t at_us = s->now_us + (delay_us < room ? delay_us : room);
    at_us -= at_us % tick;
    uint32_t place = (uint32_t)((uint64_t)at_us / 15625 * 0x9e3779b1u >> 16) % SIM_ROUNDS;
    struct sim_round *round = &s->rounds[place];
    if (tick == 1 || (round->members.count > 0 && round->at_us != at_us)) {
        sim_push_slot(s, at_us - s->now_us, ENTRY_REPORT, i);
        return;
    }
    if (round->members.count == 0) {
        round->at_us = at_us;
        sim_push(s, at_us - s->now_us, ENTRY_ROUND, 0, place);
    }
    vec_push(&round->members, ((struct round_member){i, s->slots.at[i].generation}));
}

void sim_report_round_due(struct sim *s, uint32_t place)
{
    /* Members join the next rounds meanwhile, one of which may take this one's place. */
    struct sim_round told = s->rounds[place];
    s->rounds[place] = s->gone;
    for (uint32_t i = 0; i < told.members.count; i++) {
        struct round_member m = told.members.at[i];
        if (told.members.count - i > AHEAD) {
            uint32_t soon = told.members.at[i + AHEAD].slot;
            __builtin_prefetch(&s->slots.at[soon]);
            __builtin_prefetch(&s->plans.at[soon]);
        }
        if (s->slots.at[m.slot].generation == m.generation)
            sim_report_due(s, m.slot);
    }
    vec_clear(&told.members);
    s->gone = told;
}

static int64_t beat_us(const struct sim *s, const struct luck_plan *plan)
{
    int64_t tenth = luck_life_us(plan) / REPORTS_PER_LIFE;
    int64_t every = s->cluster->faults.report_every_us;
    int64_t beat = tenth < every ? tenth : every;
    return beat > 0 ? beat : 1;
}

/* Queues the next report of a reader. However short its work, it may wait for its input for long:
 * a tenth of its time so far is taken for a tenth of its life. */
static void push_reader(struct sim *s, uint32_t i, int64_t beat)
{
    int64_t tenth = (s->now_us - s->slots.at[i].started_us) / REPORTS_PER_LIFE;
    int64_t every = s->cluster->faults.report_every_us;
    if (beat < tenth)
        beat = tenth < every ? tenth : every;
    join_round(s, i, beat, tick_us(beat));
}

void sim_report_resume(struct sim *s, uint32_t i)
{
    struct luck_plan plan = sim_attempt_plan(s, i);
    push_reader(s, i, beat_us(s, &plan));
}

void sim_report_begin(struct sim *s, uint32_t i, const struct luck_plan *plan)
{
    int64_t beat = beat_us(s, plan);
    if (s->cluster->faults.report_every_us > 0 &&
        (beat < luck_life_us(plan) || sim_reader_of(s, i)))
        join_round(s, i, beat, tick_us(beat));
}

/* What the attempt would say now. */
static struct sim_report report_now(const struct sim *s, uint32_t i, const struct luck_plan *plan)
{
    int64_t lived_us = sim_attempt_lived_us(s, i);
    struct sim_report report = {.slot = i, .generation = s->slots.at[i].generation};
    if (!sim_reader_of(s, i)) {
        report.total = sim_report_total(s, s->slots.at[i].at);
        report.done = luck_done(plan, lived_us, report.total);
        return report;
    }
    bool computes = sim_reader_compute_us(s, i) >= 0;
    int64_t need = sim_reader_need_bytes(s, i), half = need > 0 ? need : REPORT_MILLIONTHS;
    report.total = 2 * half;
    report.done = computes ? half + luck_done(plan, lived_us, half) : sim_reader_bytes(s, i);
    report.stage = computes ? REPORT_STAGE_REDUCE : REPORT_STAGE_COPY;
    return report;
}

static void tell_progress(struct sim *s, const struct sim_report *report)
{
    const struct slot *x = &s->slots.at[report->slot];
    struct event *e = sim_tell(s, EV_ATTEMPT_PROGRESS, CAUSE_NONE, x->at, x->node);
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
    uint32_t index;
    if (s->flying_free) {
        index = s->flying_free - 1;
        s->flying_free = s->flying.at[index].slot;
    } else {
        index = s->flying.count;
        (void)vec_add(&s->flying);
    }
    s->flying.at[index] = *report;
    sim_push(s, lag_us, ENTRY_REPORT_ARRIVES, 0, index);
}

void sim_report_due(struct sim *s, uint32_t i)
{
    const struct slot *x = &s->slots.at[i];
    if (!sim_slot_runs(x))
        return;
    struct luck_plan plan = sim_attempt_plan(s, i);
    int64_t beat = beat_us(s, &plan), tick = tick_us(beat);
    int64_t number = (s->now_us - x->started_us + tick - 1) / beat;
    if (sim_reader_of(s, i)) {
        if (sim_reader_falls_silent(s, i))
            return;
        push_reader(s, i, beat);
    } else if (number * beat < luck_life_us(&plan) - beat) {
        join_round(s, i, x->started_us - s->now_us + (number + 1) * beat, tick);
    }

    int64_t lag_us = report_lag_us(s, x->at, (uint64_t)number);
    if (lag_us < 0)
        return;
    struct sim_report report = report_now(s, i, &plan);
    if (lag_us > 0)
        fly(s, &report, lag_us);
    else
        tell_progress(s, &report);
}

void sim_report_arrives(struct sim *s, uint32_t flying)
{
    struct sim_report report = s->flying.at[flying];
    s->flying.at[flying].slot = s->flying_free;
    s->flying_free = flying + 1;
    const struct slot *x = &s->slots.at[report.slot];
    if (x->generation == report.generation && sim_slot_runs(x))
        tell_progress(s, &report);
}
