/* yield.c - readers that started early make room for what they wait for.
 *
 * With a slow start readers hold slots while they wait for the phases above. A task up there that
 * has to be launched again may then find every slot taken by those that wait for it, directly or
 * over phases in between, and all would wait for ever. So a task that finds no room takes that of
 * early readers anywhere below it, furthest first, one for each task that waits. A reader behind a
 * phase that is complete waits for nobody: it is left alone, or it would be launched again at once
 * and yield again for ever.
 *
 * Room is a slot on a node, or a place under the job's own limit (running_max). Phases that lack a
 * slot stand in their queues; those of a job at its limit stand in none, so queue_refresh notes
 * them here. Looking for the readers of a phase walks over its job, which is done only while
 * something of a job with a slow start waits. */
#include "brain/state.h"

void yield_note(struct brain *b, struct phase *p)
{
    if (p->stuck)
        return;
    p->stuck = true;
    vec_push(&b->stuck, phase_ref(p));
}

static bool reads_any(const struct phase *p, const uint64_t *phases)
{
    for (uint16_t e = 0; e < p->edge_count; e++)
        if (phases[p->edges[e].from / 64] >> (p->edges[e].from % 64) & 1)
            return true;
    return false;
}

/* Launched in this very turn, by who looks after stragglers: it yields when the launch is answered,
 * if that is needed still. */
static bool is_new(const struct brain *b, const struct attempt *a)
{
    return a->state == ATTEMPT_LAUNCHING && a->launched_us == b->world.now_us;
}

/* Whether the task waits for nothing more, although others of its phase may. */
static bool has_all(const struct phase *p, uint32_t task)
{
    for (uint16_t e = 0; e < p->edge_count; e++) {
        const struct phase *up = &p->job->phases[p->edges[e].from];
        if (p->edges[e].pattern == EDGE_ALL_TO_ALL && up->done < up->count)
            return false;
    }
    return p->piecewise && task_inputs_done(p, task);
}

/* Asks as many attempts of the phase to end as are needed, its last tasks first. Those that are
 * dying already count as room to come. */
static uint64_t phase_yields(struct brain *b, struct phase *p, uint64_t need)
{
    for (uint32_t t = p->count; t-- > 0 && need > 0;)
        FOR_ATTEMPTS (a, &b->world, &p->tasks[t]) {
            if (need == 0 || a->state == ATTEMPT_FINISHED || is_new(b, a) || has_all(p, t))
                continue;
            decider_stop(b, a, &REASON_PLAIN(WHY_YIELD));
            need--;
        }
    return need;
}

/* Tasks that start piece by piece wait in a slot only for outputs that were lost again. */
static bool may_wait(const struct phase *p)
{
    for (uint16_t e = 0; e < p->edge_count && p->piecewise; e++) {
        const struct phase *up = &p->job->phases[p->edges[e].from];
        if (up->done < up->count && (p->edges[e].pattern == EDGE_ALL_TO_ALL ||
                                     up->done + up->given_up + up->incomplete < up->count))
            return true;
    }
    return !p->piecewise;
}

static void readers_yield(struct brain *b, const struct phase *up)
{
    struct job *j = up->job;
    uint64_t below[JOB_PHASES_MAX / 64] = {0}, need = up->pending_count;
    below[up->index / 64] = UINT64_C(1) << (up->index % 64);
    for (uint16_t k = (uint16_t)(up->index + 1); k < j->phase_count; k++)
        if (j->phases[k].done < j->phases[k].count && reads_any(&j->phases[k], below))
            below[k / 64] |= UINT64_C(1) << (k % 64);
    for (uint16_t k = j->phase_count; --k > up->index && need > 0;)
        if (j->phases[k].early && below[k / 64] >> (k % 64) & 1 && may_wait(&j->phases[k]))
            need = phase_yields(b, &j->phases[k], need);
}

/* The phase of a note, as long as it still waits for the job's limit. */
static struct phase *noted_phase(struct brain *b, struct attempt_ref at)
{
    struct job *j = world_job(&b->world, at.job);
    if (!j)
        return NULL;
    struct phase *p = &j->phases[at.phase];
    if (j->state == JOB_LIVE && p->open && p->pending_count > 0 && job_is_full(j))
        return p;
    p->stuck = false;
    return NULL;
}

void yield_make_room(struct brain *b)
{
    for (uint32_t i = 0; i < b->queues.count; i++)
        for (uint32_t k = 0; k < b->queues.at[i]->firsts.count; k++) {
            const struct phase *p = queue_first_at(&b->queues.at[i]->firsts.at[k]);
            if (p->job->early)
                readers_yield(b, p);
        }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < b->stuck.count; i++) {
        const struct phase *p = noted_phase(b, b->stuck.at[i]);
        if (!p)
            continue;
        b->stuck.at[kept++] = phase_ref(p);
        readers_yield(b, p);
    }
    b->stuck.count = kept;
}
