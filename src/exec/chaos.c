#include "exec/chaos.h"

#include "base/rng.h"

enum { CHAOS_SLOW, CHAOS_KILL, CHAOS_NODE };

static struct rng chaos_attempt(const struct chaos *c, struct attempt_ref at, uint32_t what)
{
    return rng_stream(c->seed, RNG_CHAOS, what, at.job.v, (uint64_t)at.phase << 32 | at.task,
                      at.attempt);
}

uint32_t chaos_slow_milli(const struct chaos *c, struct attempt_ref at)
{
    struct rng r = chaos_attempt(c, at, CHAOS_SLOW);
    return rng_unit(&r) < c->slow_p ? (uint32_t)(c->slow_factor * 1000) : 1000;
}

int64_t chaos_kill_us(const struct chaos *c, struct attempt_ref at)
{
    struct rng r = chaos_attempt(c, at, CHAOS_KILL);
    if (rng_unit(&r) >= c->kill_p)
        return -1;
    return (int64_t)rng_below(&r, (uint64_t)c->kill_within_us + 1);
}

int64_t chaos_node_us(const struct chaos *c, struct node_id node, uint32_t k)
{
    struct rng r = rng_stream(c->seed, RNG_CHAOS, CHAOS_NODE, node.v, k, 0);
    double mean = (double)(k % 2 ? c->node_repair_us : c->node_mtbf_us);

    return c->node_mtbf_us ? 1 + (int64_t)(rng_exponential(&r) * mean) : INT64_MAX;
}
