#include "core/shuffle/losers.h"

#include "core/brain/decider.h"

void losers_end(const struct part_ctx *s, const struct task *t)
{
    FOR_ATTEMPTS (a, s->world, t)
        if (a->state != ATTEMPT_FINISHED)
            decider_stop(s->brain, a, &REASON_PLAIN(WHY_LOST_RACE));
}

bool losers_are_useful(const struct phase *p)
{
    if (!p->cloned)
        return false;
    for (uint16_t i = 0; i < p->consumer_count; i++) {
        const struct phase *reader = &p->job->phases[p->consumers[i]];
        if (reader->cloned || reader->clones_queued > 0 ||
            (!reader->started && !reader->clone_never))
            return true;
    }
    return false;
}

void losers_end_useless(const struct part_ctx *s, const struct phase *p)
{
    for (uint16_t e = 0; e < p->edge_count; e++) {
        const struct phase *up = &p->job->phases[p->edges[e].from];
        if (!up->cloned || up->live == 0 || losers_are_useful(up))
            continue;
        uint32_t left = up->live; /* of tasks that are still to come */
        for (uint32_t t = 0; t < up->count && left > 0; t++) {
            left -= up->tasks[t].live;
            if (up->tasks[t].live > 0 && up->tasks[t].state == TASK_DONE)
                losers_end(s, &up->tasks[t]);
        }
    }
}

bool losers_may_meet_readers(const struct phase *p)
{
    for (uint16_t i = 0; i < p->consumer_count; i++) {
        const struct phase *reader = &p->job->phases[p->consumers[i]];
        if (reader->early || (p->cloned && !reader->clone_never))
            return true;
    }
    return false;
}
