/* yield.c - attempts that could wait make room for attempts that cannot.
 *
 * Early readers. With a slow start readers hold slots while they wait for the phases above. A task
 * up there that has to be launched again may then find every slot taken by those that wait for it,
 * directly or over phases in between, and all would wait for ever. So a task that finds no room
 * takes that of early readers anywhere below it, furthest first, as many as it needs and all on one
 * node (fit/room.h). A reader behind complete phases is left alone, or it would be launched again
 * at once and yield again for ever. Room is on a node, or a place under the job's own limit
 * (running_max): phases that lack a node stand in their queues, those of a job at its limit are
 * noted by queue_refresh. Looking for readers walks over a job, and only while something of a job
 * with a slow start waits.
 *
 * Clones that take only what is idle yield to first attempts that found no room, newest first, but
 * only on nodes where these then fit: a large task is not helped by clones that end all over the
 * cluster. And
 * they need an idle core, not only an idle slot: a slot is what the user allows to run at once, and
 * may have no core behind it; where attempts compute, a clone without a core of its own slows first
 * attempts down. The body reports (event `cores`) what first attempts and other programs leave of
 * the machine, and what one attempt takes of it. Clones
 *
 *   - are launched while spare holds all of them and one more, up to a quarter of one;
 *   - go, newest first, once spare is exceeded by half a clone: were it the same number, a machine
 *     on the edge would launch and end the same clone for ever;
 *   - are queued again when there is a core for them.
 *
 * A body that has reported nothing, or that attempts take next to nothing because they mostly wait,
 * holds no clone back: at the start of a phase clones run before anything is known of it, which
 * costs little, as bodies run clones behind everything else. Rejected: to report a smaller capacity
 * of nodes, because first attempts may have all the slots that the user wants. */
#include "brain/yield.h"

#include "brain/phase.h"
#include "brain/state.h"

/* What an attempt holds, for fit/room.h. */
static struct room_holder holder_of(const struct brain *b, const struct attempt *a)
{
    return (struct room_holder){(uint32_t)(a - b->world.attempts.at), a->node.v,
                                &attempt_phase(a)->demand, &b->world.nodes.at[a->node.v].free};
}

/* The end of an attempt on a node that takes no others helps nobody. */
static bool end_helps(const struct brain *b, const struct attempt *a)
{
    return world_node_takes(&b->world, a->node.v);
}

/* The attempt may go. Whether `need` then fits on its node, once those end that now are told to. */
static bool make_room(struct brain *b, const struct attempt *a, const struct res *need)
{
    if (!end_helps(b, a) || !room_make(&b->room, holder_of(b, a), need))
        return false;
    for (uint32_t i = 0; i < b->room.ending.count; i++)
        decider_stop(b, world_attempt(&b->world, b->room.ending.at[i]), &REASON_PLAIN(WHY_YIELD));
    return true;
}

/* ---- in a group ---- */

/* What a group (a queue) may hold beside what it holds, and that. */
struct group_left {
    struct res_sum room, held;
};

static void group_loses(struct group_left *g, const struct phase *p)
{
    res_sum_plus(&g->room, &p->demand);
    res_sum_minus(&g->held, &p->demand);
}

/* Who holds nothing may always hold one attempt. */
static bool group_left_allows(const struct group_left *g, const struct res *need)
{
    bool empty = true, fits = true;
    for (int i = 0; i < RES_COUNT; i++) {
        empty &= g->held.v[i] == 0;
        fits &= need->v[i] == 0 || need->v[i] <= g->room.v[i];
    }
    return empty || fits;
}

/* Tasks that need so much would fit on nodes, but their group may not hold more. Ends those of its
 * attempts that were noted (b->may_yield), in that order, as far as tasks may start then. */
static void make_room_in_group(struct brain *b, uint32_t group, const struct res *need,
                               uint64_t waiting)
{
    struct group_left g = {.held = b->world.groups.at[group].held};
    uint32_t from = 0, to = 0;
    res_sum_plus(&g.room, &b->lanes.groups.at[group]->room);
    for (uint32_t i = 0; i < b->may_yield.count; i++)
        if (world_attempt(&b->world, b->may_yield.at[i])->asked)
            group_loses(&g, attempt_phase(world_attempt(&b->world, b->may_yield.at[i])));
    for (; waiting > 0; waiting--) {
        for (; to < b->may_yield.count && !group_left_allows(&g, need); to++)
            if (!world_attempt(&b->world, b->may_yield.at[to])->asked)
                group_loses(&g, attempt_phase(world_attempt(&b->world, b->may_yield.at[to])));
        if (!group_left_allows(&g, need))
            return;
        for (; from < to; from++)
            decider_stop(b, world_attempt(&b->world, b->may_yield.at[from]),
                         &REASON_PLAIN(WHY_YIELD));
        res_sum_minus(&g.room, need);
        res_sum_plus(&g.held, need);
    }
}

static void may_yield(struct brain *b, const struct attempt *a)
{
    vec_push(&b->may_yield, (uint32_t)(a - b->world.attempts.at));
}

/* ---- early readers ---- */

static bool reads_any(const struct phase *p, const uint64_t *phases)
{
    for (uint16_t e = 0; e < p->edge_count; e++)
        if (phases[p->edges[e].from / 64] >> (p->edges[e].from % 64) & 1)
            return true;
    return false;
}

/* Whether the task waits for nothing more, although others of its phase may. */
static bool has_all(const struct phase *p, uint32_t task)
{
    for (uint16_t e = 0; e < p->edge_count; e++) {
        const struct phase *up = &p->job->phases[p->edges[e].from];
        if (p->edges[e].pattern == EDGE_ALL_TO_ALL && up->done < up->count)
            return false;
    }
    return p->piecewise && phase_has_inputs(p, task);
}

/* Whether room for a task of `up` comes from the end of this reader. One that is dying already
 * counts as room to come. */
static bool reader_yields(struct brain *b, struct attempt *a, const struct phase *up)
{
    /* It is only the job's limit that the task waits for: a place is a place. */
    if (job_is_full(up->job) && fit_index_any(&b->world.fit, up->fit)) {
        decider_stop(b, a, &REASON_PLAIN(WHY_YIELD));
        return true;
    }
    if (!a->asked)
        return make_room(b, a, &up->demand);
    room_count(&b->room, holder_of(b, a));
    return end_helps(b, a) && room_take(&b->room, holder_of(b, a), &up->demand);
}

/* Notes the attempts of the phase that wait, its last tasks first. */
static void readers_of_phase(struct brain *b, struct phase *p)
{
    for (uint32_t t = p->count; t-- > 0;)
        FOR_ATTEMPTS (a, &b->world, &p->tasks[t])
            if (a->state != ATTEMPT_FINISHED && !attempt_is_new(&b->world, a) && !has_all(p, t))
                may_yield(b, a);
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

/* Notes the readers anywhere below the phase that may make room for it, furthest first. */
static void readers_below(struct brain *b, const struct phase *up)
{
    struct job *j = up->job;
    uint64_t below[JOB_PHASES_MAX / 64] = {0};
    below[up->index / 64] = UINT64_C(1) << (up->index % 64);
    vec_clear(&b->may_yield);
    for (uint16_t k = (uint16_t)(up->index + 1); k < j->phase_count; k++)
        if (j->phases[k].done < j->phases[k].count && reads_any(&j->phases[k], below))
            below[k / 64] |= UINT64_C(1) << (k % 64);
    for (uint16_t k = j->phase_count; --k > up->index;)
        if (j->phases[k].early && below[k / 64] >> (k % 64) & 1 && may_wait(&j->phases[k]))
            readers_of_phase(b, &j->phases[k]);
}

static void readers_yield(struct brain *b, const struct phase *up)
{
    uint64_t need = up->pending_count;
    readers_below(b, up);
    if (!queue_group_allows(b, up) && fit_index_any(&b->world.fit, up->fit)) {
        make_room_in_group(b, up->job->group, &up->demand, need);
        return;
    }
    room_begin(&b->room);
    for (uint32_t i = 0; i < b->may_yield.count && need > 0; i++)
        need -= reader_yields(b, world_attempt(&b->world, b->may_yield.at[i]), up);
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

void yield_readers(struct brain *b)
{
    for (struct queue_cursor c = {0}; b->early_waiting > 0 && queue_walk_firsts(b, &c);)
        if (c.phase->job->early)
            readers_yield(b, c.phase);
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

/* ---- clones that take what is idle ---- */

/* How many first attempts of the phase found no room, and may start where they get some. */
static uint32_t waiting_of(const struct phase *p)
{
    const struct job *j = job_lead(p->job);
    uint32_t most = p->pending_count < p->allowed ? p->pending_count : p->allowed;
    bool limited = j->running_max > 0 && j->running_max - j->live < most;
    return limited ? j->running_max - j->live : most;
}

/* The same of all phases of the lane. */
static uint64_t waiting_in(const struct lane *l)
{
    const struct heap *firsts = &l->side[LANE_FIRSTS];
    uint64_t waiting = 0;
    for (uint32_t k = 0; k < firsts->count; k++)
        waiting += waiting_of(queue_first_phase(&firsts->at[k]));
    return waiting;
}

/* Never the last attempt of a task, nor the last one beside those that may go with it. */
static bool clone_may_go(const struct brain *b, const struct attempt *a)
{
    const struct world *w = &b->world;
    if (!task_is_open(&attempt_phase(a)->tasks[a->task]) || a->job->lead)
        return true;
    FOR_ATTEMPTS (other, w, &attempt_phase(a)->tasks[a->task])
        if (other != a && !other->unwanted &&
            !room_has(&b->room, (uint32_t)(other - w->attempts.at), other->node.v))
            return true;
    return false;
}

static bool is_noted(const struct brain *b, const struct attempt *a)
{
    for (uint32_t i = 0; i < b->may_yield.count; i++)
        if (world_attempt(&b->world, b->may_yield.at[i]) == a)
            return true;
    return false;
}

/* Whether the clone's task keeps an attempt although all go that were noted. */
static bool clone_may_leave(const struct brain *b, const struct attempt *a)
{
    if (a->asked || !task_is_open(&attempt_phase(a)->tasks[a->task]) || a->job->lead)
        return true;
    FOR_ATTEMPTS (other, &b->world, &attempt_phase(a)->tasks[a->task])
        if (other != a && !other->unwanted && !is_noted(b, other))
            return true;
    return false;
}

/* The lane's tasks may not start because of their group. Its own clones yield if they are all that
 * is in the way; a task that has no node either is not helped by that. */
static void clones_yield_in_group(struct brain *b, const struct lane *l)
{
    vec_clear(&b->may_yield);
    if (!fit_index_any(&b->world.fit, l->fit))
        return;
    room_next(&b->room);
    FOR_CLONES (a, &b->world)
        if (job_lead(a->job)->group == l->group && clone_may_leave(b, a))
            may_yield(b, a);
    make_room_in_group(b, l->group, &l->need, waiting_in(l));
}

/* Clones that are dying already are room to come, and come first. */
static void clones_yield_to(struct brain *b, const struct lane *l)
{
    uint64_t waiting = waiting_in(l);
    if (!lanes_group_has_room(&b->lanes, l->group, &l->need)) {
        clones_yield_in_group(b, l);
        return;
    }
    room_next(&b->room);
    FOR_CLONES (a, &b->world)
        while (a->dying && waiting > 0 && end_helps(b, a) &&
               room_take(&b->room, holder_of(b, a), &l->need))
            waiting--;
    FOR_CLONES (a, &b->world) {
        if (waiting == 0)
            return;
        if (a->unwanted || !clone_may_go(b, a))
            continue;
        waiting -= make_room(b, a, &l->need);
    }
}

void yield_clones(struct brain *b)
{
    if (b->world.newest_clone == ATTEMPT_NONE)
        return;
    room_begin(&b->room);
    FOR_CLONES (a, &b->world)
        if (a->dying)
            room_count(&b->room, holder_of(b, a));
    for (uint32_t i = 0; i < b->lanes.at.count; i++)
        if (b->lanes.at.at[i] && b->lanes.at.at[i]->side[LANE_FIRSTS].count > 0)
            clones_yield_to(b, b->lanes.at.at[i]);
}

/* Live clones that were not asked to end. */
static int64_t clones_count(const struct world *w)
{
    int64_t count = 0;
    FOR_CLONES (a, w)
        count += !a->unwanted;
    return count;
}

bool yield_core_is_idle(const struct brain *b)
{
    const struct world *w = &b->world;
    return w->each <= 0 || (clones_count(w) + 1) * w->each <= w->spare + w->each / 4;
}

static struct reason no_idle_core(const struct world *w, int64_t clones)
{
    return REASON(WHY_NO_IDLE_CORE, (double)clones, w->each / 1e3, w->spare / 1e3);
}

bool yield_forbids_clone(struct brain *b, const struct phase *p)
{
    if (b->clones_when != CLONES_IDLE || yield_core_is_idle(b))
        return false;
    if (!b->cores_said) {
        struct reason why = no_idle_core(&b->world, clones_count(&b->world));
        decider_verdict(b, p, &why);
    }
    b->cores_said = true;
    return true;
}

void yield_cores(struct brain *b)
{
    const struct world *w = &b->world;
    if (w->each <= 0)
        return;
    int64_t count = clones_count(w);
    FOR_CLONES (a, w) {
        if (count * w->each <= w->spare + w->each / 2)
            return;
        if (a->unwanted || !attempt_is_spare(w, a))
            continue;
        struct reason why = no_idle_core(w, count--);
        struct attempt_ref phase = phase_ref(attempt_phase(a));
        if (b->shed.count == 0 || !attempt_equal(b->shed.at[b->shed.count - 1], phase))
            vec_push(&b->shed, phase);
        decider_stop(b, a, &why);
    }
}

void yield_refill(struct brain *b)
{
    b->cores_said &= !yield_core_is_idle(b);
    if (b->shed.count == 0 || !yield_core_is_idle(b))
        return;
    for (uint32_t i = 0; i < b->shed.count; i++) {
        struct job *j = world_job(&b->world, b->shed.at[i].job);
        /* Policies that launch clones themselves have no queue. */
        if (j && j->state == JOB_LIVE && j->phases[b->shed.at[i].phase].clone_end > 0)
            queue_add_clones_again(b, &j->phases[b->shed.at[i].phase]);
    }
    vec_clear(&b->shed);
}
