/* sim_report.c - progress reports: sampled on a fixed beat, perhaps lost, perhaps late.
 *
 * One entry per attempt is in the queue at a time, the next sample; its number follows from the
 * time, so nothing about reports is kept in the slot. Only a report that is late needs a record of
 * what it will say.
 *
 * An attempt that reads over the network is half done when it has its input: done counts the bytes
 * that have arrived, then as many again for the work, and total is twice the bytes. So its score,
 * done / total, is (copied + computed) / 2, whatever the two take. While it waits and nothing is on
 * its way it is silent: or a brain that has forgotten it would be woken for ever, and nobody would
 * notice that the run has stalled. */
#include "base/rng.h"
#include "sim/sim_state.h"

enum { REPORT_MILLIONTHS = 1000000, REPORTS_PER_LIFE = 10 };
enum { REPORT_STAGE_COPY = 0, REPORT_STAGE_REDUCE = 2 }; /* of attempts that read */

int64_t sim_report_total(const struct sim *s, struct attempt_ref at)
{
    int64_t bytes = phase_input_bytes(sim_phase_of(s, at)->spec, at.task);
    return bytes > 0 ? bytes : REPORT_MILLIONTHS;
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
    sim_push_slot(s, beat, ENTRY_REPORT, i);
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
        sim_push_slot(s, beat, ENTRY_REPORT, i);
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
    int64_t beat = beat_us(s, &plan), elapsed = s->now_us - x->started_us;
    if (sim_reader_of(s, i)) {
        if (sim_reader_falls_silent(s, i))
            return;
        push_reader(s, i, beat);
    } else if (elapsed < luck_life_us(&plan) - beat) {
        sim_push_slot(s, beat, ENTRY_REPORT, i);
    }

    int64_t lag_us = report_lag_us(s, x->at, (uint64_t)(elapsed / beat));
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
