/* exec_presence.c - runners that come, fall silent and leave, and what becomes of what they had.
 *
 * To the brain these are nodes: those of a runner that came are up, those of one that is silent
 * are suspect and take nothing new, those of one that left are down, with their capacity. What a
 * runner had when it left is lost, and another attempt may start elsewhere at once, even though
 * the lost one may still be running where we cannot see it: it wrote to a place of its own, and
 * nothing reads that.
 *
 * Commands with side effects (clone: never) must not do that. They are told lost when the runner,
 * wherever it is, has surely ended them (remote/wire/lease.h). Until then they are `owed`: neither
 * dead nor alive, and nothing that is reported of them counts.
 *
 * A runner that is away may come back, or another in its place, and the run waits for it, as it
 * does for one that is silent or about to leave, which will be here again or away. One that is lost
 * will not; a run whose runners are all lost ends. */
#include "exec/exec_presence.h"

#include "exec/exec_attempt.h"
#include "exec/exec_copy.h"
#include "exec/exec_fail.h"
#include "exec/exec_node.h"
#include "exec/exec_queue.h"
#include "exec/exec_state.h"

/* ---- cores ---- */

/* The event knows only one machine: clones may take what all of them leave, and each takes as much
 * as it does where it takes the most. */
static void presence_emit_cores(struct exec *x)
{
    struct event *e = exec_emit(x, EV_CORES, (struct attempt_ref){0}, NODE_NONE);

    for (uint32_t i = 0; i < x->runners.count; i++) {
        const struct exec_runner *r = &x->runners.at[i];
        int32_t left = INT32_MAX - e->u.cores.spare;
        e->u.cores.spare += r->spare < left ? r->spare : left;
        e->u.cores.each = r->each > e->u.cores.each ? r->each : e->u.cores.each;
    }
}

void exec_presence_cores(struct exec_runner *r, int32_t spare, int32_t each)
{
    r->spare = spare;
    r->each = each;
    presence_emit_cores(r->exec);
}

/* ---- pressure ---- */

/* All nodes of a runner are on one machine, and have its disk and its memory. */
void exec_presence_pressure(struct exec_runner *r, int32_t disk, int32_t memory)
{
    struct exec *x = r->exec;

    for (uint32_t i = 0; i < x->options.cluster->node_count; i++) {
        if (&x->runners.at[x->runners.of[i]] != r || exec_node_is_taken(x, i))
            continue;
        struct event *e = exec_emit(x, EV_PRESSURE, (struct attempt_ref){0}, (struct node_id){i});
        e->u.pressure.disk = disk;
        e->u.pressure.memory = memory;
    }
}

/* ---- attempts of a runner that is away ---- */

static bool presence_runs_once(const struct exec *x, struct attempt_ref at)
{
    return x->jobs.at[at.job.v].work->spec.phases[at.phase].clone == PHASE_CLONE_NEVER;
}

/* Once the run is interrupted, nothing is launched in their place. */
void exec_presence_lose(struct exec *x, uint32_t handle, int64_t over_us)
{
    struct attempt_row *e = exec_row(x, handle);
    int64_t now_us = exec_now_us(x);

    if (exec_queue_remove(x, handle, CAUSE_NODE_DOWN))
        return;
    if (e->left || over_us <= now_us || x->interrupted || !presence_runs_once(x, e->at)) {
        exec_attempt_lose(x, e, now_us);
        return;
    }
    e->owed = true;
    vec_push(&x->presence.owed, ((struct attempt_time){handle, over_us}));
    exec_due(x, EXEC_DUE_OWED, over_us);
}

static void presence_lose_all(struct exec_runner *r, int64_t over_us)
{
    struct exec *x = r->exec;

    for (uint32_t i = 0; i < x->attempts.at.count; i++) {
        const struct attempt_row *e = exec_row(x, i);
        if (attempt_row_lives(e) && !e->owed && exec_runner_of(x, e->node) == r)
            exec_presence_lose(x, i, over_us);
    }
    for (uint32_t i = 0; i < x->options.cluster->node_count; i++)
        if (&x->runners.at[x->runners.of[i]] == r)
            exec_copy_lose_node(x, i, false);
    exec_copy_lose_kept(x, r);
    if (r->each > 0)
        exec_presence_cores(r, 0, 0);
}

/* What is owed of a runner cannot be alive from then on. */
static void presence_settle(const struct exec_runner *r, int64_t over_us)
{
    struct exec *x = r->exec;

    exec_due(x, EXEC_DUE_OWED, over_us);
    for (uint32_t i = 0; i < x->presence.owed.count; i++) {
        struct attempt_time *c = &x->presence.owed.at[i];
        if (over_us < c->at_us && exec_runner_of(x, exec_row(x, c->handle)->node) == r)
            c->at_us = over_us;
    }
}

int64_t exec_presence_due(struct exec *x, int64_t now_us)
{
    int64_t next_us = INT64_MAX;
    uint32_t left = 0;

    for (uint32_t i = 0; i < x->presence.owed.count; i++) {
        struct attempt_time c = x->presence.owed.at[i];
        if (c.at_us <= now_us || x->interrupted) {
            exec_attempt_lose(x, exec_row(x, c.handle), now_us);
            continue;
        }
        next_us = c.at_us < next_us ? c.at_us : next_us;
        x->presence.owed.at[left++] = c;
    }
    x->presence.owed.count = left;
    return next_us;
}

/* ---- coming and going ---- */

void exec_presence_begin(struct exec *x)
{
    x->presence.told = true;
    for (uint32_t i = 0; i < x->runners.count; i++)
        x->runners.at[i].away_us = exec_now_us(x);
}

void exec_presence_on(void *ctx, enum runner_presence presence, int64_t over_us, const char *why)
{
    struct exec_runner *r = ctx;
    struct exec *x = r->exec;
    const struct exec_hooks *hooks = x->options.hooks;

    if (r->lost || r->presence == presence)
        return;
    r->presence = (uint8_t)presence;
    r->stirred = true;
    if (!x->presence.told)
        return;
    for (uint32_t i = 0; i < x->options.cluster->node_count; i++)
        if (&x->runners.at[x->runners.of[i]] == r && !exec_node_is_taken(x, i))
            exec_node_emit(x, i);
    if (presence != RUNNER_AWAY) {
        if (over_us != INT64_MAX)
            presence_settle(r, over_us - x->start_us);
        return;
    }
    r->away_us = exec_now_us(x);
    presence_lose_all(r, over_us - x->start_us);
    if (hooks && hooks->warn && why)
        hooks->warn(hooks->ctx, why);
}

void exec_presence_on_lost(void *ctx, const char *why)
{
    struct exec_runner *r = ctx;
    struct exec *x = r->exec;

    if (r->lost)
        return;
    if (++x->runners.lost == (x->options.groups ? x->options.groups->count : 1))
        exec_fail_run(x, "%s", why);
    else
        exec_presence_on(r, RUNNER_AWAY, 0, why);
    r->presence = RUNNER_AWAY;
    r->lost = true;
}

bool exec_presence_hopes(const struct exec *x)
{
    for (uint32_t i = 0; i < x->runners.count; i++)
        if (x->runners.at[i].presence != RUNNER_HERE && !x->runners.at[i].lost)
            return true;
    return false;
}

/* A node that may come later is told up and down: so its capacity is known, and no task is taken
 * for one that fits nowhere. */
void exec_presence_first(struct exec *x)
{
    exec_node_emit_resources(x);
    exec_presence_begin(x);
    for (uint32_t i = 0; i < x->options.cluster->node_count; i++) {
        exec_node_emit_as(x, i, EV_NODE_UP);
        if (exec_node_is_down(x, i))
            exec_node_emit_as(x, i, EV_NODE_DOWN);
    }
}
