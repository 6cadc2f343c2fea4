/* brain.c - makes and destroys a brain.
 *
 * The parts of the policy declare what they need (samples, progress reports, sizes of outputs,
 * lists of running attempts), and it is collected here once: nothing is kept or computed that no
 * part reads. */
#include "core/brain/brain.h"

#include "core/brain/hint.h"
#include "core/brain/job.h"
#include "core/brain/state.h"
#include "core/brain/yield.h"

static void part_list_add(struct part_list *l, const struct part_ctx *s, bool has)
{
    if (has)
        l->at[l->count++] = s;
}

static void part_create(struct brain *b, uint32_t i)
{
    const struct choice *c = &b->policy->parts[i];
    const struct policy_part *part = c->ops;
    if (!part)
        return; /* there is one mitigation only */
    void *state = part->state_size ? mem_zalloc(1, part->state_size) : NULL;
    struct part_ctx *s = &b->parts[i];
    *s = (struct part_ctx){part, c->params, state, &b->world, b};
    part_list_add(&b->on_attempt_end, s, part->attempt_ended);
    part_list_add(&b->on_phase_end, s, part->phase_finished);
    part_list_add(&b->on_before, s, part->before);
    b->wants_outputs |= part->reads_outputs;
    b->world.keeps_expected |= part->reads_expected;
    b->wants_samples |= part->phase_finished && i != PART_PROTECT; /* which only counts */
}

static int64_t tick_us(const struct part_ctx *s)
{
    return s->part->tick ? *(const int64_t *)((const char *)s->params + s->part->tick_at) : 0;
}

static void mitigate_create(struct brain *b, uint32_t i)
{
    const struct mitigate_ops *m = mitigate_ops(b, i);
    const struct part_ctx *s = &b->parts[PART_MITIGATE + i];
    b->mitigates_after |= m->pass || m->part.tick;
    b->hears_reports |= m->reported || m->task_done;
    b->world.keeps_running |= m->reads_running;
    b->backs_up |= m->backs_up;
    b->backups_yield |= m->backups_yield && m->backups_yield(s);
    b->world.keeps_progress |= m->reads_words;
    if (m->clones_when)
        b->clones_when = m->clones_when(s);
    if (m->clones_order)
        b->clones_order = m->clones_order(s);
    b->timers.at[TIMER_MITIGATE + i].every_us = tick_us(s);
}

struct brain *brain_create(const struct policy *policy, uint64_t seed)
{
    struct brain *b = mem_zalloc(1, sizeof *b);
    b->policy = policy;
    b->seed = seed;
    b->world.kinds = RES_KINDS_PLAIN;
    cost_cap_begin(b);
    b->world.attempt_free = ATTEMPT_NONE;
    b->world.newest_clone = b->world.newest_backup = ATTEMPT_NONE;
    b->disk_full.extra_ended_us = -1;
    recall_init(&b->world.recall);
    for (uint32_t i = 0; i < PART_COUNT; i++)
        part_create(b, i);
    queue_init(b);
    for (uint32_t i = 0; i < policy->mitigate_count; i++)
        mitigate_create(b, i);
    b->timers.at[TIMER_SCREEN].every_us = tick_us(&b->parts[PART_SCREEN]);
    if (place_ops(b)->match && !order_ops(b)->group)
        b->match = place_ops(b)->match(&b->parts[PART_PLACE]);
    if (yield_clones_do(b) || b->backups_yield)
        b->world.roomier = &b->yield.roomier;
    b->world.keeps_extras = b->world.roomier || policy->disks == DISKS_OWN;
    if (place_ops(b)->reads_scores)
        b->world.changed = &b->unscored;
    if (b->match == MATCH_SERVER)
        b->world.grown = &b->queue.serve_firsts.grown;
    if (place_ops(b)->choose) {
        match_list_by_tie(&b->queue.serve_firsts.list);
        match_list_by_tie(&b->queue.serve_clones.list);
    }
    return b;
}

void brain_destroy(struct brain *b)
{
    if (!b)
        return;
    job_free_all(b);
    queue_fini(b);
    for (uint32_t i = 0; i < PART_COUNT; i++) {
        if (b->parts[i].part && b->parts[i].part->fini)
            b->parts[i].part->fini(&b->parts[i]);
        mem_free(b->parts[i].state);
    }
    pool_free(&b->world.nodes);
    pool_free(&b->world.attempts);
    pool_free(&b->world.progress);
    pool_free(&b->world.running);
    pool_free(&b->world.copies);
    pool_free(&b->world.extras);
    pool_free(&b->ready_bytes);
    vec_free(&b->world.racks);
    fit_index_fini(&b->world.fit);
    recall_fini(&b->world.recall);
    vec_free(&b->world.groups);
    vec_free(&b->decisions.list);
    vec_free(&b->todo);
    yield_fini(b);
    vec_free(&b->pressure.nodes);
    vec_free(&b->disk_full.rests);
    vec_free(&b->launch.fits.what);
    vec_free(&b->launch.aside);
    match_nodes_fini(&b->scores);
    node_set_fini(&b->unscored);
    mem_free(b);
}

void brain_hint(struct brain *b, const struct hint *hint)
{
    if (b->hinted)
        hint_attempt(&b->world, b->hint.at);
    b->hinted = hint != NULL;
    if (!hint)
        return;
    b->hint = *hint;
    hint_task(&b->world, hint->at, hint->node);
}

const struct world *brain_world(const struct brain *b)
{
    return &b->world;
}
