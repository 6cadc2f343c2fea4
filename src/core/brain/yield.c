/* yield.c - attempts that could wait make room for attempts that cannot.
 *
 * Promises (the swarm's rule `room` checks all but the last):
 *
 *   - early readers end for a phase above them, in their own job; clones that take only what is
 *     left and, where a policy says so, backups for first attempts of any job, clones before
 *     backups, the newest first, but not the last attempt of a task;
 *   - they end only if a task that waits may then start: a node has room for it, and so has its
 *     group (a queue) under its limit, and its job under its own (running_max);
 *   - one ends either on that node, or because it counts towards a limit that is in the way: of its
 *     group, or, of a reader, of its job;
 *   - what readers of a job cannot do alone, those of several jobs do together, if all of these
 *     wait in vain;
 *   - these make room for no task that gets it from readers, and that of a queue only once.
 *
 * Early readers. With a slow start readers hold slots while they wait for the phases above. A task
 * up there that has to be launched again may then find every slot taken by those that wait for it,
 * directly or over phases in between, and all would wait for ever. So a task that finds no room
 * takes that of early readers anywhere below it, furthest first, as many as it needs and all on one
 * node (core/match/evict.h). A reader behind complete phases is left alone, or it would be launched
 * again at once and yield again for ever. Looking for readers walks over a job, and only while
 * something of a job with a slow start waits. Phases that lack a node or room in their group stand
 * in their queues, those of a job at its limit are noted by queue_refresh. A limit may be exceeded,
 * because nodes leave and users change limits.
 *
 * Clones that take what is idle also need an idle core, not only an idle slot: a slot is what the
 * user allows to run at once, and may have no core behind it; where attempts compute, a clone
 * without a core of its own slows first attempts down. The body reports (event `cores`) what first
 * attempts and other programs leave of the machine, and what one attempt takes of it. Clones
 *
 *   - are launched while spare holds all of them and one more, up to a quarter of one;
 *   - go, newest first, once spare is exceeded by half a clone: were it the same number, a machine
 *     on the edge would launch and end the same clone for ever;
 *   - are queued again when there is a core for them.
 *
 * A body that has reported nothing, or that attempts use next to no CPU time, holds no clone back:
 * at the start of a phase clones run before it is known, which costs little, as bodies run clones
 * at a lower priority. Rejected: reporting a smaller capacity of nodes, because first attempts may
 * use all slots that the user allows. */
#include "core/brain/yield.h"

#include "core/brain/decisions.h"
#include "core/brain/phase.h"
#include "core/brain/state.h"
#include "core/brain/stop.h"

/* What an attempt holds, for core/match/evict.h. */
static struct evict_holder holder_of(const struct brain *b, const struct attempt *a)
{
    return (struct evict_holder){(uint32_t)(a - b->world.attempts.at), a->node.v,
                                 &attempt_phase(a)->demand, &b->world.nodes.at[a->node.v].free};
}

/* The end of an attempt on a node that takes no others helps no task there. */
static bool end_helps(const struct brain *b, const struct attempt *a)
{
    return world_node_takes(&b->world, a->node.v);
}

/* ---- room for tasks of one kind, from those that were noted (b->yield.may_yield), in that order
 * ---- */

static void may_yield(struct brain *b, const struct attempt *a)
{
    vec_push(&b->yield.may_yield, (uint32_t)(a - b->world.attempts.at));
}

static struct attempt *noted(const struct brain *b, uint32_t i)
{
    return world_attempt(&b->world, b->yield.may_yield.at[i]);
}

/* What ends already counts as room to come. */
static void room_to_come(struct brain *b)
{
    evict_begin(&b->yield.evict);
    for (uint32_t i = 0; i < b->yield.may_yield.count; i++)
        if (noted(b, i)->asked)
            evict_count(&b->yield.evict, holder_of(b, noted(b, i)));
}

/* What counts towards the limits of a group and of a job. */
struct holding {
    struct res_sum group;
    int64_t job;
};

/* Tasks that wait. */
struct want {
    const struct res *need;
    uint32_t fit, group;
    const struct job *job;              /* whose limit counts, or NULL */
    struct holding now, then;           /* what is held, and that once all end that were told, */
    struct holding at_least;            /* ... or may be told, to */
    struct res_sum *promised;           /* to others of the group, which `then` counts; or NULL */
    uint32_t free_node;                 /* where room may be without anybody's end */
    uint32_t on_node, in_job, in_group; /* who may be told next, for room there */
};

static bool job_allows(const struct want *w, const struct holding *x)
{
    return !w->job || w->job->running_max == 0 || x->job < w->job->running_max;
}

static bool group_allows(const struct brain *b, const struct want *w, const struct holding *x)
{
    return queue_group_would_allow(b, w->group, &x->group, w->need);
}

static bool limits_allow(const struct brain *b, const struct want *w, const struct holding *x)
{
    return job_allows(w, x) && group_allows(b, w, x);
}

static bool is_in_job(const struct want *w, const struct attempt *a)
{
    return job_lead(a->job) == w->job;
}

static bool is_in_group(const struct want *w, const struct attempt *a)
{
    return job_lead(a->job)->group == w->group;
}

static void let_go(const struct want *w, struct holding *x, const struct attempt *a)
{
    if (is_in_group(w, a))
        res_sum_minus(&x->group, &attempt_phase(a)->demand);
    x->job -= is_in_job(w, a);
}

static void want_begin(const struct brain *b, struct want *w)
{
    if (b->world.groups.count > 0)
        w->now.group = b->world.groups.at[w->group].held;
    w->now.job = w->job ? w->job->live : 0;
    w->then = w->now;
    for (int r = 0; w->promised && r < RES_COUNT; r++)
        w->then.group.v[r] += w->promised->v[r];
    w->at_least = w->then;
    for (uint32_t i = 0; i < b->yield.may_yield.count; i++) {
        let_go(w, &w->at_least, noted(b, i));
        if (noted(b, i)->asked)
            let_go(w, &w->then, noted(b, i));
    }
}

/* The phase's clones are queued again once they hold nobody up (yield_refill). */
static void comes_back(struct brain *b, const struct attempt *clone)
{
    struct attempt_ref phase = phase_ref(attempt_phase(clone));
    if (b->yield.shed.count == 0 ||
        !attempt_equal(b->yield.shed.at[b->yield.shed.count - 1], phase))
        vec_push(&b->yield.shed, phase);
}

static void want_stop(struct brain *b, struct want *w, struct attempt *a)
{
    if (!a->asked) {
        let_go(w, &w->then, a);
        if (a->kind == LAUNCH_CLONE)
            comes_back(b, a);
    }
    stop_attempt(b, a, &REASON_PLAIN(WHY_YIELD));
}

/* Room for one task that a node has now, and that was not counted for another. */
static bool find_room_on_node(struct brain *b, struct want *w)
{
    for (uint32_t n;; w->free_node = n + 1) {
        n = fit_index_find(&b->world.fit, w->fit, w->free_node);
        if (n == FIT_NONE || n < w->free_node)
            return false; /* once round */
        struct evict_holder nobody = {.node = n, .free = &b->world.nodes.at[n].free};
        if (evict_take(&b->yield.evict, nobody, w->need))
            return true;
    }
}

/* Room for one task on a node, by the end of others. */
static bool make_room_on_node(struct brain *b, struct want *w)
{
    for (; w->on_node < b->yield.may_yield.count; w->on_node++) {
        const struct attempt *a = noted(b, w->on_node);
        if (!end_helps(b, a))
            continue;
        if (a->asked && evict_take(&b->yield.evict, holder_of(b, a), w->need))
            return true;
        if (a->asked || !evict_make(&b->yield.evict, holder_of(b, a), w->need))
            continue;
        for (uint32_t i = 0; i < b->yield.evict.ending.count; i++)
            want_stop(b, w, world_attempt(&b->world, b->yield.evict.ending.at[i]));
        return true;
    }
    return false;
}

/* Room for one task under the limits: attempts end that count towards the one in the way. There are
 * enough of them. The job's limit comes first, because what its attempts hold its group does, too.
 */
static void make_room_in_limits(struct brain *b, struct want *w)
{
    for (; !job_allows(w, &w->then); w->in_job++)
        if (is_in_job(w, noted(b, w->in_job)))
            want_stop(b, w, noted(b, w->in_job));
    for (; !group_allows(b, w, &w->then); w->in_group++)
        if (is_in_group(w, noted(b, w->in_group)))
            want_stop(b, w, noted(b, w->in_group));
}

/* Makes room for up to `waiting` tasks: on one node each, and as far as their group and their job
 * may hold them then. Returns for how many. */
static uint64_t make_room(struct brain *b, struct want *w, uint64_t waiting)
{
    uint64_t made = 0;
    bool fits = fit_index_any(&b->world.fit, w->fit);
    want_begin(b, w);
    if (fits && limits_allow(b, w, &w->now))
        return waiting; /* it is something else that they wait for */
    for (; made < waiting && limits_allow(b, w, &w->at_least); made++) {
        if (!(fits && find_room_on_node(b, w)) && !make_room_on_node(b, w))
            break;
        make_room_in_limits(b, w);
        res_sum_plus(&w->then.group, w->need);
        res_sum_plus(&w->at_least.group, w->need);
        w->then.job++;
        w->at_least.job++;
        if (w->promised)
            res_sum_plus(w->promised, w->need);
    }
    b->yield.room_comes |= made > 0;
    return made;
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

/* Notes the attempts of the phase that wait, its last tasks first. */
static void readers_of_phase(struct brain *b, const struct phase *p)
{
    for (uint32_t t = p->count; t-- > 0;)
        FOR_ATTEMPTS (a, &b->world, &p->tasks[t])
            if (a->state < ATTEMPT_ENDED && !attempt_is_new(&b->world, a) && !has_all(p, t))
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

static void note_readers(struct brain *b, const struct phase *p)
{
    for (uint32_t i = 0; i < b->yield.readers.count; i++)
        if (b->yield.readers.at[i] == p)
            return;
    vec_push(&b->yield.readers, p);
    readers_of_phase(b, p);
}

/* Notes the readers anywhere below the phase that may make room for it, furthest first. */
static void readers_below(struct brain *b, const struct phase *up)
{
    const struct job *j = up->job;
    uint64_t below[JOB_PHASES_MAX / 64] = {0};
    below[up->index / 64] = UINT64_C(1) << (up->index % 64);
    for (uint16_t k = (uint16_t)(up->index + 1); k < j->phase_count; k++)
        if (j->phases[k].done < j->phases[k].count && reads_any(&j->phases[k], below))
            below[k / 64] |= UINT64_C(1) << (k % 64);
    for (uint16_t k = j->phase_count; --k > up->index;)
        if (j->phases[k].early && below[k / 64] >> (k % 64) & 1 && may_wait(&j->phases[k]))
            note_readers(b, &j->phases[k]);
}

static bool readers_make_room(struct brain *b, const struct phase *up)
{
    struct want w = {
        .need = &up->demand, .fit = up->fit, .group = up->job->group, .job = job_lead(up->job)};
    room_to_come(b);
    uint64_t made = make_room(b, &w, up->pending_count);
    if (made > 0)
        vec_push(&b->yield.served, ((struct yield_served){up, made}));
    return made > 0;
}

static void readers_yield(struct brain *b, const struct phase *up)
{
    vec_clear(&b->yield.readers);
    vec_clear(&b->yield.may_yield);
    readers_below(b, up);
    if (b->yield.may_yield.count > 0 && !readers_make_room(b, up))
        vec_push(&b->yield.in_vain, up);
}

/* What no job's readers do alone those of several may do together: else these might wait for each
 * other, for ever. For one phase at a time. */
static void readers_yield_together(struct brain *b)
{
    vec_clear(&b->yield.readers);
    vec_clear(&b->yield.may_yield);
    for (uint32_t i = 0; i < b->yield.in_vain.count; i++)
        readers_below(b, b->yield.in_vain.at[i]);
    for (uint32_t i = 0; i < b->yield.in_vain.count; i++)
        if (readers_make_room(b, b->yield.in_vain.at[i]))
            return;
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

static void readers_make_way(struct brain *b)
{
    vec_clear(&b->yield.in_vain);
    for (struct queue_cursor c = {0}; b->queue.early_waiting > 0 && queue_walk_firsts(b, &c);)
        if (c.phase->job->early)
            readers_yield(b, c.phase);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < b->queue.stuck.count; i++) {
        const struct phase *p = noted_phase(b, b->queue.stuck.at[i]);
        if (!p)
            continue;
        b->queue.stuck.at[kept++] = phase_ref(p);
        readers_yield(b, p);
    }
    b->queue.stuck.count = kept;
    if (b->yield.in_vain.count > 1)
        readers_yield_together(b);
}

/* ---- clones that take what is left, and backups ---- */

bool yield_clones_do(const struct brain *b)
{
    return b->clones_when == CLONES_YIELD || b->clones_when == CLONES_IDLE;
}

/* Returns true if attempts of the kind yield to first attempts. */
static bool kind_yields(const struct brain *b, uint8_t kind)
{
    return (kind == LAUNCH_CLONE && yield_clones_do(b)) ||
           (kind == LAUNCH_BACKUP && b->backups_yield);
}

/* For how many tasks of the phase readers make room. */
static uint64_t served_of(const struct brain *b, const struct phase *p)
{
    for (uint32_t i = 0; i < b->yield.served.count; i++)
        if (b->yield.served.at[i].phase == p)
            return b->yield.served.at[i].tasks;
    return 0;
}

/* How many first attempts of the phase found no room, from readers neither, and may start where
 * they get some. */
static uint64_t waiting_of(const struct brain *b, const struct phase *p)
{
    const struct job *j = job_lead(p->job);
    uint64_t most = p->pending_count < p->queued.allowed ? p->pending_count : p->queued.allowed;
    uint64_t served = served_of(b, p);
    if (j->running_max > 0 && j->running_max - j->live < most)
        most = j->running_max - j->live;
    return most > served ? most - served : 0;
}

/* The same of all phases of the queue. */
static uint64_t waiting_in(const struct brain *b, const struct demand_queue *q)
{
    const struct heap *firsts = &q->side[QUEUE_FIRSTS];
    uint64_t waiting = 0;
    for (uint32_t k = 0; k < firsts->count; k++)
        waiting += waiting_of(b, queue_first_phase(&firsts->at[k]));
    return waiting;
}

/* Of a task's attempts that yield all may go but the oldest, if it has no other one that is wanted.
 */
static bool extra_may_go(const struct brain *b, const struct attempt *a)
{
    bool older = true;
    if (attempt_is_new(&b->world, a))
        return false;
    if (a->asked || !task_is_open(&attempt_phase(a)->tasks[a->task]) || a->job->lead)
        return true;
    FOR_ATTEMPTS (other, &b->world, &attempt_phase(a)->tasks[a->task]) {
        if (other == a)
            older = false;
        else if (!other->unwanted && other->state != ATTEMPT_FINISHED &&
                 (older || !kind_yields(b, other->kind)))
            return true;
    }
    return false;
}

/* Whether a task that waits would fit on the node, were there no extras that yield. */
static bool node_may_do(const struct brain *b, uint32_t node)
{
    const struct world *w = &b->world;
    const struct attempt *a = world_attempt_or_null(w, w->nodes.at[node].newest_extra);
    struct res room = w->nodes.at[node].free;
    for (; a; a = world_attempt_or_null(w, w->extras.at[a - w->attempts.at].older))
        if (kind_yields(b, a->kind))
            res_add(&room, &attempt_phase(a)->demand);
    return world_node_takes(w, node) && demand_queues_might_use(&b->queue.by_demand, &room);
}

/* Whether extras that could make room for no task may do so now. Their number must not matter as
 * long as nothing changes for them: another task waits, a group may take more, or a node has more
 * room. */
static bool extras_may_do(struct brain *b)
{
    bool may = queue_groups_ease(b) || b->queue.wanted_anew;
    for (uint32_t n = 0; (n = node_set_next(&b->yield.roomier, n)) != NODE_SET_END;) {
        node_set_remove(&b->yield.roomier, n);
        may = may || node_may_do(b, n);
    }
    return may;
}

/* Tasks of one group wait in several queues, and all of them count towards its limit. */
static void promise_nothing(struct brain *b)
{
    vec_clear(&b->yield.promised);
    while (b->yield.promised.count < b->world.groups.count)
        vec_push(&b->yield.promised, ((struct res_sum){{0}}));
}

static void note_extra(struct brain *b, const struct attempt *a)
{
    if (extra_may_go(b, a))
        may_yield(b, a);
}

/* Clones before backups: these are of tasks that are slow already. */
static void note_extras(struct brain *b)
{
    vec_clear(&b->yield.may_yield);
    if (yield_clones_do(b))
        FOR_CLONES (a, &b->world)
            note_extra(b, a);
    if (b->backups_yield)
        FOR_BACKUPS(a, &b->world)
    note_extra(b, a);
}

bool yield_extras_do(const struct brain *b)
{
    return (b->world.newest_clone != ATTEMPT_NONE && yield_clones_do(b)) ||
           (b->world.newest_backup != ATTEMPT_NONE && b->backups_yield);
}

static void extras_make_way(struct brain *b)
{
    if (!yield_extras_do(b) || !extras_may_do(b))
        return;
    b->queue.wanted_anew =
        b->yield.served.count > 0; /* others may take the room that readers made */
    note_extras(b);
    room_to_come(b);
    promise_nothing(b);
    for (uint32_t i = 0; i < b->queue.by_demand.at.count; i++) {
        const struct demand_queue *q = b->queue.by_demand.at.at[i];
        if (!q || q->side[QUEUE_FIRSTS].count == 0)
            continue;
        struct want w = {.need = &q->need, .fit = q->fit, .group = q->group};
        if (q->group < b->yield.promised.count)
            w.promised = &b->yield.promised.at[q->group];
        evict_next(&b->yield.evict);
        if (make_room(b, &w, waiting_in(b, q)) > 0)
            b->queue.wanted_anew = true; /* as far as is known, for all that wait: more may come */
    }
}

void yield_room(struct brain *b)
{
    if (b->early_jobs > 0)
        readers_make_way(b);
    if (queue_firsts_wait(b))
        extras_make_way(b);
}

/* Live clones that were not asked to end. */
static int64_t clones_count(const struct world *w)
{
    return (int64_t)(w->clones_live - w->clones_dying);
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
    if (!b->yield.cores_told) {
        struct reason why = no_idle_core(&b->world, clones_count(&b->world));
        decisions_add_verdict(b, p, &why);
    }
    b->yield.cores_told = true;
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
        comes_back(b, a);
        stop_attempt(b, a, &why);
    }
}

/* Only then, because another node may have room for it at once. */
void yield_note_end(struct brain *b, const struct attempt *a)
{
    if (a->unwanted && a->stop_why == WHY_PRESSURE)
        comes_back(b, a);
}

void yield_refill(struct brain *b)
{
    b->yield.cores_told &= !yield_core_is_idle(b);
    if (b->yield.shed.count == 0 || !yield_core_is_idle(b))
        return;
    for (uint32_t i = 0; i < b->yield.shed.count; i++) {
        struct job *j = world_job(&b->world, b->yield.shed.at[i].job);
        /* Policies that launch clones themselves have no queue. */
        if (j && j->state == JOB_LIVE && j->phases[b->yield.shed.at[i].phase].queued.clone_end > 0)
            queue_add_clones_again(b, &j->phases[b->yield.shed.at[i].phase]);
    }
    vec_clear(&b->yield.shed);
}

void yield_fini(struct brain *b)
{
    struct brain_yield *y = &b->yield;
    vec_free(&y->shed);
    node_set_fini(&y->roomier);
    evict_fini(&y->evict);
    vec_free(&y->may_yield);
    vec_free(&y->promised);
    vec_free(&y->readers);
    vec_free(&y->in_vain);
    vec_free(&y->served);
}
