/* cost_cap_trim.c - ends the newest extra attempts when they hold more than the cap allows.
 *
 * An extra attempt is a clone or a backup whose task has another attempt that is to run. In a job
 * that is cloned as a whole it is a whole copy, which is as old as its job. The search visits all
 * live jobs. That is expensive but rare: it happens when the tokens run out, and then new extra
 * attempts wait for a step's worth of tokens. */
#include "core/brain/cost_cap_trim.h"

#include "base/heap.h"
#include "core/brain/cost_cap.h"
#include "core/brain/job.h"
#include "core/brain/state.h"
#include "core/brain/stop.h"

struct extra {
    int64_t since_us;
    struct res_sum holds;
    struct attempt *a; /* or */
    struct job *copy;
    uint32_t heap_index; /* in the heap */
};

struct trim {
    VEC(struct extra) extras;
    struct res_sum wanted; /* held by extra attempts that were not asked to end */
    double may_hold[RES_COUNT];
};

static void trim_task(const struct brain *b, const struct phase *p, const struct task *t,
                      struct trim *trim)
{
    int64_t wanted = task_extra(t);
    struct res_sum one = {{0}};
    if (wanted == 0)
        return;
    res_sum_plus(&one, &p->demand);
    FOR_ATTEMPTS (a, &b->world, t) {
        if (a->state == ATTEMPT_FINISHED)
            continue;
        wanted -= a->unwanted;
        if (!a->unwanted && (a->kind == LAUNCH_CLONE || a->kind == LAUNCH_BACKUP))
            vec_push(&trim->extras, ((struct extra){a->launched_us, one, a, NULL, HEAP_NOWHERE}));
    }
    res_sum_add(&trim->wanted, &p->demand, wanted > 0 ? wanted : 0);
}

static void trim_copy(const struct brain *b, struct job *copy, struct trim *trim)
{
    struct res_sum all = {{0}};
    for (uint16_t k = 0; k < copy->phase_count; k++)
        for (uint32_t t = 0; t < copy->phases[k].count; t++)
            FOR_ATTEMPTS (a, &b->world, &copy->phases[k].tasks[t])
                if (a->state != ATTEMPT_FINISHED && !a->unwanted)
                    res_sum_plus(&all, &copy->phases[k].demand);
    vec_push(&trim->extras, ((struct extra){copy->submitted_us, all, NULL, copy, HEAP_NOWHERE}));
    for (int i = 0; i < RES_COUNT; i++)
        trim->wanted.v[i] += all.v[i];
}

static void trim_job(const struct brain *b, struct job *j, struct trim *trim)
{
    for (struct job *copy = j->copies; copy; copy = copy->next)
        if (copy->state == JOB_LIVE)
            trim_copy(b, copy, trim);
    for (uint16_t k = 0; k < j->phase_count; k++)
        for (uint32_t t = 0; t < j->phases[k].count; t++)
            trim_task(b, &j->phases[k], &j->phases[k].tasks[t], trim);
}

/* The first resource of which too much is held, or -1. */
static int too_much(const struct trim *trim, const struct res_sum *held)
{
    for (int i = 0; i < RES_COUNT; i++)
        if ((double)held->v[i] > trim->may_hold[i])
            return i;
    return -1;
}

/* Whether it could stay: it holds something, but nothing of which there is too much. */
static bool is_harmless(const struct trim *trim, const struct extra *x)
{
    bool any = false;
    for (int i = 0; i < RES_COUNT; i++) {
        if (x->holds.v[i] > 0 && (double)trim->wanted.v[i] > trim->may_hold[i])
            return false;
        any |= x->holds.v[i] > 0;
    }
    return any;
}

static void extra_end(struct brain *b, const struct extra *x, const struct reason *why)
{
    if (x->copy)
        job_drop_copy(b, x->copy, why);
    else
        stop_attempt(b, x->a, why);
}

static void trim_newest(struct brain *b, struct trim *trim, const struct reason *why)
{
    struct heap newest = {0};
    for (uint32_t i = 0; too_much(trim, &trim->wanted) >= 0 && i < trim->extras.count; i++)
        heap_push(&newest, -trim->extras.at[i].since_us, UINT32_MAX - i,
                  &trim->extras.at[i].heap_index);
    while (newest.count > 0 && too_much(trim, &trim->wanted) >= 0) {
        struct extra *x = &trim->extras.at[UINT32_MAX - heap_top(&newest)->tie];
        heap_remove(&newest, &x->heap_index);
        if (is_harmless(trim, x))
            continue;
        if (x->a && !attempt_is_spare(&b->world, x->a))
            continue; /* those that ended before it were all that its task had besides */
        for (int i = 0; i < RES_COUNT; i++)
            trim->wanted.v[i] -= x->holds.v[i];
        extra_end(b, x, why);
    }
    heap_fini(&newest);
}

void cost_cap_trim(struct brain *b)
{
    struct trim trim = {.wanted = {{0}}};
    struct res_sum held;
    for (int i = 0; i < RES_COUNT; i++) {
        trim.may_hold[i] = spend_window_may_hold(&b->cost_cap.of[i]);
        held.v[i] = b->cost_cap.of[i].held;
    }
    int resource = too_much(&trim, &held);
    if (resource < 0)
        return;
    struct reason why = cost_cap_reason(b, resource);
    for (uint32_t i = 0; i < b->world.jobs.count; i++)
        if (b->world.jobs.at[i] && b->world.jobs.at[i]->state == JOB_LIVE)
            trim_job(b, b->world.jobs.at[i], &trim);
    trim_newest(b, &trim, &why);
    vec_free(&trim.extras);
}
