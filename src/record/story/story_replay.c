/* The problem: what would have been without stragglers, or without clones? A task that straggles
 * holds its slot, and with more tasks than slots others wait for it: they would have been launched
 * earlier, so their recorded launches say nothing about that other run.
 *
 * The method: the slots of the phase are taken from the journal as lanes. A lane opens with an
 * attempt that was launched while no attempt of the phase had just left its node, and goes on as
 * long as the next is launched there in the turn in which the last one ended. It is open from then
 * on to whatever the phase has to do, until it was seen to go to another job: closed while tasks
 * of the phase still waited. The tasks, in the order of their first launches, then go to the lane
 * that is free first, each for as long as the question says. A lane takes at least as many as it
 * did, so nothing is left over when tasks take longer.
 *
 * Whether a slot that came late had been with another job, or nothing was to be launched yet
 * (--delay, arguments that still come, a machine that is too busy), the phase does not show. If the
 * job was the only one, it was the latter, and its tasks do not start before they did.
 *
 * Rejected: the simulator. It would need the whole run, every job of it, in memory, the policy's
 * parameters and the cluster, to answer a question about one phase; and the answers differ by less
 * than what is unknown about attempts that were stopped. */
#include "record/story/story_replay.h"

#include <stdlib.h>

#include "base/heap.h"
#include "base/mem.h"
#include "base/vec.h"
#include "record/story/story_pace.h"
#include "record/story/story_race.h"

/* ---- lanes ---- */

struct replay_lane {
    int64_t open_us, free_us, close_us; /* close: INT64_MAX no other job is known to want it */
    uint32_t took;                      /* attempts that it held */
    uint32_t heap_index;                /* in a heap */
};

struct replay_lanes {
    VEC(struct replay_lane) at;
    VEC(const struct story_attempt *) attempts; /* of the phase, in the order of their launches */
    bool *opened;                               /* by place in attempts: it has opened a lane */
};

/* An attempt by its place in the list of all of its phase. */
struct placed {
    const struct story_attempt *attempt;
    uint32_t heap_index;
};

static int by_node_and_age(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    if (x->attempt->node.v != y->attempt->node.v)
        return x->attempt->node.v < y->attempt->node.v ? -1 : 1;
    return x->heap_index < y->heap_index ? -1 : x->heap_index > y->heap_index;
}

static int by_age(const void *a, const void *b)
{
    const struct story_attempt *x = *(const struct story_attempt *const *)a;
    const struct story_attempt *y = *(const struct story_attempt *const *)b;
    return x < y ? -1 : x > y; /* the job lists attempts in the order of their launches */
}

/* Those of other phases are not looked at: a job may have a thousand phases. */
static void attempts_find(struct replay_lanes *l, const struct story_job *j,
                          const struct story_phase *p)
{
    for (uint32_t t = 0; t < p->count; t++)
        for (uint32_t i = p->tasks[t].newest; i != STORY_NONE; i = j->attempts.at[i].older)
            vec_push(&l->attempts, &j->attempts.at[i]);
    vec_sort(&l->attempts, by_age);
}

/* Adds an attempt to the lane that it continues and returns true, or opens one. */
static bool lane_continue(struct replay_lanes *l, struct heap *ends, const struct story_attempt *a,
                          int64_t opened_us)
{
    int64_t end_us = a->ended_us < 0 ? INT64_MAX : a->ended_us;
    const struct heap_item *top;
    while ((top = heap_top(ends)) && top->key < a->launched_us)
        heap_remove(ends, top->heap_index);
    if (top && top->key == a->launched_us) {
        struct replay_lane *lane = &l->at.at[top->tie];
        lane->took++;
        lane->free_us = end_us;
        heap_rekey(ends, &lane->heap_index, end_us);
        return true;
    }
    uint32_t index = l->at.count++; /* there is room: the heap holds addresses */
    l->at.at[index] = (struct replay_lane){.open_us = story_job_max_us(a->launched_us, opened_us),
                                           .free_us = end_us,
                                           .took = 1,
                                           .heap_index = HEAP_NOWHERE};
    heap_push(ends, end_us, index, &l->at.at[index].heap_index);
    return false;
}

static void lanes_find(struct replay_lanes *l, const struct story_phase *p, int64_t opened_us)
{
    uint32_t count = l->attempts.count;
    struct placed *sorted = mem_zalloc(count, sizeof *sorted);
    struct heap ends = {0};
    int64_t last_us = -1; /* until then a task was waiting */
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = (struct placed){l->attempts.at[i], i};
    for (uint32_t t = 0; t < p->count; t++)
        last_us = story_job_max_us(last_us, p->tasks[t].launched_us);
    if (count > 1)
        qsort(sorted, count, sizeof *sorted, by_node_and_age);
    vec_reserve(&l->at, count);
    l->opened = mem_zalloc(count, sizeof *l->opened);
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && sorted[i].attempt->node.v != sorted[i - 1].attempt->node.v)
            ends.count = 0;
        l->opened[sorted[i].heap_index] = !lane_continue(l, &ends, sorted[i].attempt, opened_us);
    }
    for (uint32_t i = 0; i < l->at.count; i++) {
        struct replay_lane *lane = &l->at.at[i];
        lane->close_us = lane->free_us < last_us ? lane->free_us : INT64_MAX;
        lane->heap_index = HEAP_NOWHERE;
    }
    heap_fini(&ends);
    mem_free(sorted);
}

/* ---- tasks ---- */

/* How long a task holds a slot, in how many attempts, and from then to its commit. */
struct load {
    int64_t ready_us; /* it does not start earlier */
    int64_t hold_us[IF_END], tail_us;
    uint32_t attempts;
};

/* Whether its attempts went at less than half the median rate, as far as that shows. */
static bool task_straggled(const struct story_job *j, const struct story_phase_facts *f,
                           const struct story_race *r, double took_us, double fair_us)
{
    return took_us > 2 * fair_us || (r->own && story_race_rate(j, f, r->own) == RATE_STRAGGLER);
}

/* What the attempts before `last` that were not extra have held. */
static int64_t earlier_us(const struct story_job *j, const struct story_attempt *last, bool healthy,
                          uint32_t *attempts)
{
    int64_t us = 0;
    for (uint32_t i = last->older; i != STORY_NONE; i = j->attempts.at[i].older) {
        const struct story_attempt *a = &j->attempts.at[i];
        if (story_is_extra(a) || a->ended_us < 0)
            continue;
        ++*attempts;
        /* What is not slow is not restarted. */
        if (!healthy || a->stop_why.code != WHY_RESTART_FASTER)
            us += a->ended_us - a->launched_us;
    }
    return us;
}

static void alone_load(struct load *l, const struct story_race *r, int64_t begun_us,
                       int64_t fair_us)
{
    int64_t least_us = story_job_max_us(r->least_us - begun_us, 0);
    if (r->alone == ALONE_KNOWN)
        least_us = story_job_max_us(r->own->ended_us - begun_us, 0);
    for (int what = IF_ALONE; what < IF_END; what++)
        l->hold_us[what] = least_us;
    if (r->alone == ALONE_PACE) {
        l->hold_us[IF_ALONE] = story_job_max_us(r->pace_us - begun_us, least_us);
        l->hold_us[IF_ALONE_LOW] = story_job_max_us(r->low_us - begun_us, least_us);
        l->hold_us[IF_ALONE_HIGH] = story_job_max_us(r->high_us - begun_us, least_us);
    } else if (r->alone == ALONE_UNKNOWN) {
        /* It would have had to run again. */
        if (r->own && r->own->ended_us >= 0)
            l->hold_us[IF_ALONE_LEAST] = story_job_max_us(r->own->ended_us - begun_us, 0);
        for (int what = IF_ALONE; what < IF_ALONE_LEAST; what++)
            l->hold_us[what] = l->hold_us[IF_ALONE_LEAST] + fair_us;
    }
}

static struct load load_of(const struct story_job *j, const struct story_phase_facts *f,
                           const struct story_phase *p, uint32_t task)
{
    const struct story_task *t = &p->tasks[task];
    struct story_race r = story_race(j, f, p, task);
    struct load l = {.attempts = 1};
    if (!r.winner) { /* failed for good: all its own attempts */
        l.attempts = 0;
        for (uint32_t i = t->newest; i != STORY_NONE; i = j->attempts.at[i].older) {
            const struct story_attempt *a = &j->attempts.at[i];
            if (story_is_extra(a) || a->ended_us < 0)
                continue;
            l.attempts++;
            for (unsigned what = 0; what < IF_END; what++)
                l.hold_us[what] += a->ended_us - a->launched_us;
        }
        return l;
    }
    const struct story_attempt *own = r.own ? r.own : r.winner;
    int64_t begun_us = story_job_max_us(own->launched_us, f->opened_us);
    int64_t took_us = story_job_max_us(r.winner->ended_us - begun_us, 0);
    double fair_us =
        f->median_hold_per_byte * (f->median_bytes > 1 ? story_pace_bytes(j, r.winner) : 1);
    l.tail_us = story_job_max_us(t->committed_us - r.winner->ended_us, 0);
    for (unsigned what = 0; what < IF_END; what++)
        l.hold_us[what] = took_us;
    if (f->has_medians && (double)took_us > fair_us &&
        task_straggled(j, f, &r, (double)took_us, fair_us))
        l.hold_us[IF_HEALTHY] = (int64_t)fair_us;
    if (r.alone != ALONE_SAME)
        alone_load(&l, &r, begun_us, (int64_t)fair_us);
    for (unsigned what = 0; what < IF_END; what++) {
        uint32_t attempts = 1;
        l.hold_us[what] += earlier_us(j, own, what == IF_HEALTHY, &attempts);
        l.attempts = attempts;
    }
    return l;
}

/* ---- once more ---- */

static int64_t run_again(struct replay_lanes *lanes, const struct load *loads, uint32_t count,
                         enum story_what_if what)
{
    struct heap free = {0};
    int64_t end_us = 0;
    for (uint32_t i = 0; i < lanes->at.count; i++) {
        struct replay_lane *lane = &lanes->at.at[i];
        lane->heap_index = HEAP_NOWHERE;
        heap_push(&free, lane->open_us, i, &lane->heap_index);
    }
    uint32_t *took = mem_zalloc(lanes->at.count, sizeof *took);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = (uint32_t)heap_top(&free)->tie;
        struct replay_lane *lane = &lanes->at.at[index];
        int64_t start_us = story_job_max_us(heap_top(&free)->key, loads[i].ready_us);
        int64_t free_us = start_us + loads[i].hold_us[what];
        end_us = story_job_max_us(end_us, free_us + loads[i].tail_us);
        took[index] += loads[i].attempts;
        if (free_us < lane->close_us || took[index] < lane->took || free.count == 1)
            heap_rekey(&free, &lane->heap_index, free_us);
        else
            heap_remove(&free, &lane->heap_index);
    }
    mem_free(took);
    heap_fini(&free);
    return end_us;
}

/* Whether any task holds its slot for another time than it did. Mostly none does: no task
 * straggled, or no extra attempt won. */
static bool is_other(const struct load *loads, uint32_t count, enum story_what_if what)
{
    for (uint32_t i = 0; i < count; i++)
        if (loads[i].hold_us[what] != loads[i].hold_us[IF_AS_IT_WAS])
            return true;
    return false;
}

void story_replay(const struct story_job *j, uint16_t phase, const struct story_phase_facts *f,
                  bool alone, int64_t end_us[IF_END])
{
    const struct story_phase *p = &j->phases[phase];
    struct replay_lanes lanes = {0};
    VEC(struct load) loads = {0};
    attempts_find(&lanes, j, p);
    lanes_find(&lanes, p, f->opened_us);
    for (uint32_t i = 0; i < lanes.attempts.count; i++) {
        const struct story_attempt *a = lanes.attempts.at[i];
        if (a->older != STORY_NONE)
            continue;
        struct load load = load_of(j, f, p, a->task);
        load.ready_us = alone && lanes.opened[i] ? a->launched_us : f->opened_us;
        vec_push(&loads, load);
    }
    end_us[IF_AS_IT_WAS] =
        lanes.at.count ? run_again(&lanes, loads.at, loads.count, IF_AS_IT_WAS) : 0;
    for (unsigned what = IF_AS_IT_WAS + 1; what < IF_END; what++)
        end_us[what] = lanes.at.count && is_other(loads.at, loads.count, what)
                           ? run_again(&lanes, loads.at, loads.count, what)
                           : end_us[IF_AS_IT_WAS];
    vec_free(&loads);
    vec_free(&lanes.at);
    vec_free(&lanes.attempts);
    mem_free(lanes.opened);
}
