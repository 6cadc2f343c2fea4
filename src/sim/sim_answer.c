/* sim_answer.c - refusals, and answers that take their time. */
#include "sim/sim_state.h"

#include "base/rng.h"

void sim_answer_refuse(struct sim *s, const struct decision *d, uint8_t cause)
{
    struct event *e = sim_emit(s, EV_REFUSED, cause, d->at, d->node.v);
    e->u.refused.decision = d->id;
    e->u.refused.decision_type = d->type;
}

void sim_answer_lag(struct sim *s, uint32_t i, enum lag which, int64_t max_us, enum entry_kind kind)
{
    struct attempt_ref at = s->attempts.at[i].at;
    struct rng r = rng_stream(s->seed, RNG_LAG, at.job.v, at.phase, at.task,
                              (uint64_t)which << 16 | at.attempt);
    sim_push_attempt(s, (int64_t)rng_below(&r, (uint64_t)max_us + 1), kind, i);
}
