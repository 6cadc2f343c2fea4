#include "sim/sim_round.h"

#include "base/mem.h"

struct sim_rounds *sim_rounds_create(int64_t startup_us)
{
    struct sim_rounds *r = mem_zalloc(1, sizeof *r);
    r->startup_us = startup_us;
    pool_add(&r->chunks);
    pool_add(&r->plans);
    return r;
}

void sim_rounds_destroy(struct sim_rounds *r)
{
    if (!r)
        return;
    pool_free(&r->chunks);
    pool_free(&r->plans);
    mem_free(r);
}

uint32_t sim_rounds_drop(struct sim_rounds *r, uint32_t chunk)
{
    uint32_t next = r->chunks.at[chunk].next;
    r->chunks.at[chunk].next = r->chunk_free;
    r->chunk_free = chunk;
    return next;
}

void sim_rounds_extend(struct sim_rounds *r, struct sim_round *round)
{
    uint32_t chunk = r->chunk_free;
    if (chunk) {
        r->chunk_free = r->chunks.at[chunk].next;
    } else {
        chunk = r->chunks.count;
        pool_add(&r->chunks);
    }
    r->chunks.at[chunk].next = 0;
    r->chunks.at[chunk].count = 0;
    *(round->last ? &r->chunks.at[round->last].next : &round->first) = chunk;
    round->last = chunk;
}

static uint32_t keep(struct sim_rounds *r, const struct luck_plan *plan)
{
    uint32_t i = r->plan_free;
    if (i) {
        r->plan_free = (uint32_t)r->plans.at[i].startup_us;
    } else {
        i = r->plans.count;
        pool_add(&r->plans);
    }
    r->plans.at[i] = *plan;
    return i;
}

struct round_member sim_rounds_member(struct sim_rounds *r, uint32_t attempt, uint32_t generation,
                                      const struct luck_plan *plan)
{
    struct round_member m = {.attempt = attempt, .generation = generation & ((1U << 28) - 1)};
    if (plan->stall_us != 0 || plan->work_us > UINT32_MAX ||
        (plan->startup_us != 0 && plan->startup_us != r->startup_us)) {
        m.plan = MEMBER_KEEPS;
        m.what = keep(r, plan);
    } else {
        m.plan = plan->startup_us != 0 ? MEMBER_STARTS : MEMBER_WORKS;
        m.what = (uint32_t)plan->work_us;
    }
    return m;
}
