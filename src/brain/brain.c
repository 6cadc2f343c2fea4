/* brain.c - makes and destroys a brain, and is its entrance.
 *
 * What the parts of the policy need (samples, progress reports, sizes of outputs, lists of what
 * runs) is asked of them once, here: nothing is kept or worked out that no part reads. */
#include "brain/brain.h"

#include "brain/hint.h"
#include "brain/state.h"

static struct part_ctx part_ctx_make(struct brain *b, const struct choice *c)
{
    void *state = c->ops->state_size ? mem_zalloc(1, c->ops->state_size) : NULL;
    return (struct part_ctx){c->params, state, &b->world, b};
}

struct brain *brain_create(const struct policy *policy, uint64_t seed)
{
    struct brain *b = mem_zalloc(1, sizeof *b);
    b->policy = policy;
    b->seed = seed;
    cost_cap_init(&b->cost_cap, policy->cap, policy->cap_window_us);
    b->world.attempt_free = ATTEMPT_NONE;
    b->world.newest_clone = ATTEMPT_NONE;
    b->disk_full_blame_us = -1;
    b->order = part_ctx_make(b, &policy->order);
    b->within = part_ctx_make(b, &policy->within);
    b->place = part_ctx_make(b, &policy->place);
    b->wants_outputs = BRAIN_OPS(b, place)->reads_outputs;
    b->shuffle = part_ctx_make(b, &policy->shuffle);
    b->protect = part_ctx_make(b, &policy->protect);
    b->wants_outputs |= BRAIN_OPS(b, protect)->reads_outputs;
    b->screen = part_ctx_make(b, &policy->screen);
    if (BRAIN_OPS(b, shuffle)->init)
        BRAIN_OPS(b, shuffle)->init(&b->shuffle);
    for (uint32_t i = 0; i < policy->mitigate_count; i++) {
        const struct mitigate_ops *m = BRAIN_MITIGATE(b, i);
        b->mitigate[i] = part_ctx_make(b, &policy->mitigate[i]);
        b->wants_samples |= m->phase_finished != NULL;
        b->mitigates_before |= m->before != NULL;
        b->mitigates_after |= m->pass || m->tick_us;
        b->world.keeps_running |= m->reads_running;
        b->backs_up |= m->backs_up;
        b->world.keeps_progress |= m->reads_words;
        b->clones_idle |= m->clones_idle && m->clones_idle(&b->mitigate[i]);
        b->tick_mitigate[i].every_us = m->tick_us ? m->tick_us(&b->mitigate[i]) : 0;
    }
    const struct screen_ops *screen = BRAIN_OPS(b, screen);
    b->wants_samples |= screen->phase_finished || BRAIN_OPS(b, shuffle)->phase_finished;
    b->tick_screen.every_us = screen->tick_us ? screen->tick_us(&b->screen) : 0;
    return b;
}

void brain_destroy(struct brain *b)
{
    if (!b)
        return;
    jobs_fini(b);
    queue_fini(b);
    for (uint32_t i = 0; i < b->policy->mitigate_count; i++) {
        if (BRAIN_MITIGATE(b, i)->fini)
            BRAIN_MITIGATE(b, i)->fini(&b->mitigate[i]);
        mem_free(b->mitigate[i].state);
    }
    if (BRAIN_OPS(b, screen)->fini)
        BRAIN_OPS(b, screen)->fini(&b->screen);
    if (BRAIN_OPS(b, shuffle)->fini)
        BRAIN_OPS(b, shuffle)->fini(&b->shuffle);
    if (BRAIN_OPS(b, place)->fini)
        BRAIN_OPS(b, place)->fini(&b->place);
    if (BRAIN_OPS(b, protect)->fini)
        BRAIN_OPS(b, protect)->fini(&b->protect);
    struct part_ctx *parts[] = {&b->order,   &b->within,  &b->place,
                                &b->shuffle, &b->protect, &b->screen};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        mem_free(parts[i]->state);
    pool_free(&b->world.nodes);
    pool_free(&b->world.attempts);
    pool_free(&b->world.progress);
    pool_free(&b->world.running);
    pool_free(&b->world.clones);
    pool_free(&b->ready_bytes);
    vec_free(&b->world.racks);
    fit_index_fini(&b->world.fit);
    vec_free(&b->out);
    vec_free(&b->todo);
    vec_free(&b->stuck);
    vec_free(&b->shed);
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
