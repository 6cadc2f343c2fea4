/* cores.c - clones that take what is idle need an idle core, not only an idle slot.
 *
 * A slot is what the user allows to run at once; on one machine it may have no core behind it.
 * Where attempts compute, a clone without a core of its own runs on those of first attempts and
 * slows the job down. So the body tells (event `cores`) what first attempts and everybody else
 * leave of the machine, and what one attempt takes of it, and clones that take only what is idle
 *
 *   - are launched while spare holds all of them and one more, up to a quarter of one;
 *   - go, newest first, once spare is exceeded by half a clone: were it the same number, a machine
 *     on the edge would launch and end the same clone for ever;
 *   - are queued again when there is a core for them.
 *
 * A body that has told nothing, or that attempts take next to nothing because they mostly wait,
 * holds nothing back: at the start of a phase clones run before anything is known of it. That costs
 * first attempts next to nothing, as bodies run clones behind everybody else. Rejected: to tell a
 * smaller capacity of nodes, because first attempts may have all the slots that the user wants. */
#include "brain/state.h"

/* Live clones that nobody has asked to end. */
static int64_t clones_count(const struct world *w)
{
    int64_t count = 0;
    for (uint32_t i = w->newest_clone; i != ATTEMPT_NONE; i = world_older_clone(w, i))
        count += !world_attempt(w, i)->unwanted;
    return count;
}

bool decider_core_is_idle(const struct brain *b)
{
    const struct world *w = &b->world;
    return w->each <= 0 || (clones_count(w) + 1) * w->each <= w->spare + w->each / 4;
}

static struct reason no_idle_core(const struct world *w, int64_t clones)
{
    return REASON(WHY_NO_IDLE_CORE, (double)clones, w->each / 1e3, w->spare / 1e3);
}

bool cores_forbid(struct brain *b, const struct phase *p)
{
    if (!b->clones_idle || decider_core_is_idle(b))
        return false;
    if (!b->cores_said) {
        struct reason why = no_idle_core(&b->world, clones_count(&b->world));
        decider_verdict(b, p, &why);
    }
    b->cores_said = true;
    return true;
}

void cores_shed(struct brain *b)
{
    const struct world *w = &b->world;
    if (!b->clones_idle || w->each <= 0)
        return;
    int64_t count = clones_count(w);
    for (uint32_t i = w->newest_clone;
         i != ATTEMPT_NONE && count * w->each > w->spare + w->each / 2;) {
        struct attempt *a = world_attempt(w, i);
        i = world_older_clone(w, i);
        if (a->unwanted || !attempt_is_spare(w, a))
            continue;
        struct reason why = no_idle_core(w, count--);
        struct attempt_ref phase = phase_ref(attempt_phase(a));
        if (b->shed.count == 0 || !attempt_equal(b->shed.at[b->shed.count - 1], phase))
            vec_push(&b->shed, phase);
        decider_stop(b, a, &why);
    }
}

void cores_refill(struct brain *b)
{
    b->cores_said &= !decider_core_is_idle(b);
    if (b->shed.count == 0 || !decider_core_is_idle(b))
        return;
    for (uint32_t i = 0; i < b->shed.count; i++) {
        struct job *j = world_job(&b->world, b->shed.at[i].job);
        /* Policies that launch clones themselves have no queue. */
        if (j && j->state == JOB_LIVE && j->phases[b->shed.at[i].phase].clone_end > 0)
            queue_clones_again(b, &j->phases[b->shed.at[i].phase]);
    }
    vec_clear(&b->shed);
}
