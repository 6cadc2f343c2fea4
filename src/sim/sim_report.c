/* sim_report.c - progress reports: sampled on a fixed beat, perhaps lost, perhaps late.
 *
 * One entry per attempt is in the queue at a time, the next sample; its number follows from the
 * time, so nothing about reports is kept in the slot. Only a report that is late needs a record of
 * what it will say. */
#include "base/rng.h"
#include "sim/sim_state.h"

enum { REPORT_MILLIONTHS = 1000000, REPORTS_PER_LIFE = 10 };

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

void sim_report_begin(struct sim *s, uint32_t i, const struct luck_plan *plan)
{
    int64_t beat = beat_us(s, plan);
    if (s->cluster->faults.report_every_us > 0 && beat < luck_life_us(plan))
        sim_push_slot(s, beat, ENTRY_REPORT, i);
}

static void tell_progress(struct sim *s, const struct slot *x, int64_t done, int64_t total)
{
    struct event *e = sim_tell(s, EV_ATTEMPT_PROGRESS, CAUSE_NONE, x->at, x->node);
    e->u.progress.done = done;
    e->u.progress.total = total;
    e->u.progress.cpu_us = -1;
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

static void fly(struct sim *s, uint32_t i, int64_t lag_us, int64_t done, int64_t total)
{
    uint32_t index;
    if (s->flying_free) {
        index = s->flying_free - 1;
        s->flying_free = s->flying.at[index].slot;
    } else {
        index = s->flying.count;
        (void)vec_add(&s->flying);
    }
    s->flying.at[index] = (struct sim_report){i, s->slots.at[i].generation, done, total};
    sim_push(s, lag_us, ENTRY_REPORT_ARRIVES, 0, index);
}

void sim_report_due(struct sim *s, uint32_t i)
{
    const struct slot *x = &s->slots.at[i];
    if (!sim_slot_runs(x))
        return;
    struct luck_plan plan = sim_attempt_plan(s, i);
    int64_t beat = beat_us(s, &plan), elapsed = s->now_us - x->started_us;
    if (elapsed < luck_life_us(&plan) - beat)
        sim_push_slot(s, beat, ENTRY_REPORT, i);

    int64_t lag_us = report_lag_us(s, x->at, (uint64_t)(elapsed / beat));
    if (lag_us < 0)
        return;
    int64_t total = sim_report_total(s, x->at), done = luck_done(&plan, elapsed, total);
    if (lag_us > 0)
        fly(s, i, lag_us, done, total);
    else
        tell_progress(s, x, done, total);
}

void sim_report_arrives(struct sim *s, uint32_t flying)
{
    struct sim_report report = s->flying.at[flying];
    s->flying.at[flying].slot = s->flying_free;
    s->flying_free = flying + 1;
    const struct slot *x = &s->slots.at[report.slot];
    if (x->generation == report.generation && sim_slot_runs(x))
        tell_progress(s, x, report.done, report.total);
}
