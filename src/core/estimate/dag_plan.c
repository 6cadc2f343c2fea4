/* dag_plan.c - the method is in dag_plan.h.
 *
 * A plan has a handful of phases, so each step visits all of them. A backward plan is the same walk
 * on reversed edges: time counts from the end of the job, and is reversed at the end. */
#include "core/estimate/dag_plan.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

enum dag_plan_state { PLAN_WAITS, PLAN_RUNS, PLAN_ENDED };

/* A phase in the plan; times count from its beginning, which backward is the end of the job. */
struct dag_plan_phase {
    uint8_t state; /* enum dag_plan_state */
    uint32_t lanes, waves;
    double from_s, to_s;
};

struct dag_plan {
    const struct dag_phase *phases;
    struct dag_plan_phase *at;
    uint16_t count;
    bool backward;
    double room[RES_COUNT];
    double now_s;
};

static bool waits_for(const struct dag_phase *p, uint16_t parent)
{
    for (uint16_t i = 0; i < p->parent_count; i++)
        if (p->parents[i] == parent)
            return true;
    return false;
}

/* Whether all that has to end before phase k in this direction has ended. */
static bool may_start(const struct dag_plan *plan, uint16_t k)
{
    for (uint16_t i = 0; i < plan->count; i++) {
        bool before = plan->backward ? i > k && waits_for(&plan->phases[i], k)
                                     : i < k && waits_for(&plan->phases[k], i);
        if (before && plan->at[i].state != PLAN_ENDED)
            return false;
    }
    return true;
}

/* How many tasks of the phase there is room for, up to all. */
static uint32_t lanes_for(const struct dag_plan *plan, const struct dag_phase *p)
{
    double lanes = p->tasks;
    for (int r = 0; r < RES_COUNT; r++)
        if (p->share[r] > 0)
            lanes = fmin(lanes, floor(plan->room[r] / p->share[r] * (1 + 1e-9)));
    return (uint32_t)fmax(lanes, 0);
}

static double alignment(const struct dag_plan *plan, const struct dag_phase *p)
{
    double sum = 0;
    for (int r = 0; r < RES_COUNT; r++)
        sum += p->share[r] * plan->room[r];
    return sum;
}

static void take_room(struct dag_plan *plan, uint16_t k, double sign)
{
    for (int r = 0; r < RES_COUNT; r++)
        plan->room[r] -= sign * plan->phases[k].share[r] * plan->at[k].lanes;
}

static void place(struct dag_plan *plan, uint16_t k, uint32_t lanes)
{
    const struct dag_phase *p = &plan->phases[k];
    struct dag_plan_phase *at = &plan->at[k];
    at->state = PLAN_RUNS;
    at->lanes = lanes;
    at->waves = lanes > 0 ? p->tasks / lanes + (p->tasks % lanes != 0) : p->runs;
    at->from_s = plan->now_s;
    at->to_s = plan->now_s + at->waves * p->time_s;
    take_room(plan, k, 1);
}

/* Places whatever may start and fits, the best aligned first. */
static void place_all(struct dag_plan *plan)
{
    for (;;) {
        uint16_t best = plan->count;
        double most = -1;
        for (uint16_t k = 0; k < plan->count; k++) {
            const struct dag_phase *p = &plan->phases[k];
            if (plan->at[k].state != PLAN_WAITS || !may_start(plan, k))
                continue;
            if (p->tasks > 0 && lanes_for(plan, p) == 0)
                continue;
            double score = alignment(plan, p);
            if (score > most) {
                most = score;
                best = k;
            }
        }
        if (best == plan->count)
            return;
        place(plan, best, lanes_for(plan, &plan->phases[best]));
    }
}

/* Ends the phases that end next. False: none runs. */
static bool advance(struct dag_plan *plan)
{
    double next_s = INFINITY;
    for (uint16_t k = 0; k < plan->count; k++)
        if (plan->at[k].state == PLAN_RUNS)
            next_s = fmin(next_s, plan->at[k].to_s);
    if (next_s == INFINITY)
        return false;
    plan->now_s = next_s;
    for (uint16_t k = 0; k < plan->count; k++)
        if (plan->at[k].state == PLAN_RUNS && plan->at[k].to_s <= next_s) {
            plan->at[k].state = PLAN_ENDED;
            take_room(plan, k, -1);
        }
    return true;
}

/* Works the plan out. Returns how long it takes, INFINITY when something fits never. */
static double plan_make(struct dag_plan *plan, const struct dag_phase *phases, uint16_t count,
                        const double room[RES_COUNT], bool backward)
{
    *plan = (struct dag_plan){.phases = phases, .count = count, .backward = backward};
    plan->at = mem_zalloc(count, sizeof *plan->at);
    memcpy(plan->room, room, sizeof plan->room);
    do
        place_all(plan);
    while (advance(plan));
    for (uint16_t k = 0; k < count; k++)
        if (plan->at[k].state != PLAN_ENDED)
            return INFINITY;
    return plan->now_s;
}

double dag_plan_forward(const struct dag_phase *phases, uint16_t count,
                        const double room[RES_COUNT], uint32_t *starts)
{
    struct dag_plan plan;
    double took_s = plan_make(&plan, phases, count, room, false);
    for (uint16_t k = 0; k < count; k++) {
        const struct dag_plan_phase *at = &plan.at[k];
        starts[k] = at->state != PLAN_WAITS && at->from_s <= 0 ? at->lanes : 0;
    }
    mem_free(plan.at);
    return took_s;
}

/* How many tasks of a phase of a backward plan have to start by its beginning, for an end after
 * `end_s`. Its waves, counted from the end of the job, are full but for the last, which is the
 * first to run. */
static uint32_t late_tasks(const struct dag_phase *p, const struct dag_plan_phase *at, double end_s)
{
    double late_s = at->to_s - end_s + 1e-9 * fmax(end_s, 1);
    if (at->state == PLAN_WAITS || at->lanes == 0 || late_s <= 0)
        return 0;
    double more =
        p->time_s > 0 ? fmin(floor(late_s / p->time_s), at->waves - 1.0) : at->waves - 1.0;
    return p->tasks - (at->waves - 1 - (uint32_t)more) * at->lanes;
}

double dag_plan_backward(const struct dag_phase *phases, uint16_t count,
                         const double room[RES_COUNT], double end_s, uint32_t *starts)
{
    struct dag_plan plan;
    double took_s = plan_make(&plan, phases, count, room, true);
    for (uint16_t k = 0; k < count; k++)
        starts[k] = late_tasks(&phases[k], &plan.at[k], end_s);
    mem_free(plan.at);
    return took_s;
}
