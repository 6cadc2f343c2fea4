/* brain_decide.c - decides once per instant.
 *
 * First the consequences of events (commits, losers, finished jobs) in the order in which they
 * arose; then screen, first attempts and clones in the order of their jobs, the passes of
 * mitigation, room for phases that found none, and clones that come last. The cost is in proportion
 * to the changes: nothing here walks over all jobs, tasks or nodes. */
#include "base/check.h"
#include "core/brain/cost_cap_trim.h"
#include "core/brain/disk_full.h"
#include "core/brain/launch.h"
#include "core/brain/state.h"
#include "core/brain/todo_run.h"
#include "core/brain/yield.h"

static void decide_before(struct brain *b)
{
    if (timers_have_come(&b->timers, TIMER_SHUFFLE))
        shuffle_ops(b)->woken(&b->parts[PART_SHUFFLE]);
    if (cost_cap_is_on(b))
        cost_cap_trim(b);
    if (timers_have_come(&b->timers, TIMER_SCREEN))
        b->parts[PART_SCREEN].part->tick(&b->parts[PART_SCREEN]);
    for (uint32_t i = 0; i < b->on_before.count; i++)
        b->on_before.at[i]->part->before(b->on_before.at[i]);
}

/* A look whose launches had to wait for a tick is repeated then. */
static void decide_look(struct brain *b, uint32_t i)
{
    const struct part_ctx *s = &b->parts[PART_MITIGATE + i];
    bool again = !b->off_tick && (b->looks_at_tick >> i & 1);
    if (!timers_have_come(&b->timers, TIMER_MITIGATE + i) && !again)
        return;
    b->turned_away = false;
    s->part->tick(s);
    b->looks_at_tick &= ~(1U << i);
    b->looks_at_tick |= (uint32_t)b->turned_away << i;
}

static void decide_after(struct brain *b)
{
    for (uint32_t i = 0; b->mitigates_after && i < b->policy->mitigate_count; i++) {
        const struct mitigate_ops *m = mitigate_ops(b, i);
        if (m->pass)
            m->pass(&b->parts[PART_MITIGATE + i]);
        decide_look(b, i);
        timers_ask_tick(b, TIMER_MITIGATE + i);
    }
    b->yield.room_comes = false;
    vec_clear(&b->yield.served);
    if (!b->off_tick && (b->early_jobs > 0 || (yield_extras_do(b) && queue_firsts_wait(b))))
        yield_room(b);
    if (b->clones_when == CLONES_YIELD)
        launch_what_is_left(b);
    if (b->reader_launched && shuffle_ops(b)->settle)
        shuffle_ops(b)->settle(&b->parts[PART_SHUFFLE]);
    b->reader_launched = false;
    if (b->todo.count > 0)
        todo_run_fills(b);
}

static void decide_timers(struct brain *b)
{
    if (b->timers.at[TIMER_SCREEN].every_us > 0)
        timers_ask_tick(b, TIMER_SCREEN);
    if (cost_cap_is_on(b))
        cost_cap_ask(b);
    if (!b->timers.changed)
        return;
    b->timers.changed = false;
    timers_ask(b, TIMER_SHUFFLE);
    timers_ask(b, TIMER_AVOID);
    timers_ask(b, TIMER_TICK);
}

struct decision_list brain_decide(struct brain *b, int64_t now_us)
{
    check(now_us >= b->world.now_us);
    b->world.now_us = now_us;
    b->off_tick = b->policy->tick_us > 0 && !timers_tick_is_now(b);
    vec_clear(&b->decisions.list);
    if (cost_cap_is_on(b))
        cost_cap_turn(b);
    if (b->disk_full.rests.count > 0)
        disk_full_avoid(b);
    if (b->todo.count > 0)
        todo_run(b);
    decide_before(b);
    launch_all(b);
    decide_after(b);
    decide_timers(b);
    return (struct decision_list){b->decisions.list.at, b->decisions.list.count};
}
