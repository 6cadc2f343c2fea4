/* trim.c - extra attempts that cost more than the cap allows end, the newest first.
 *
 * An extra attempt is a clone or a backup whose task has another attempt that is wanted. Of a job
 * that is cloned as a whole it is a whole copy, which is as old as its job. What was asked to end
 * before and has not ended yet is held still, but is not ended twice: only what is wanted beyond
 * the limit goes.
 *
 * They are looked for in all live jobs. That is dear, and rare: it happens when the tokens run out,
 * and after that only a step's worth of them brings new extra attempts. */
#include "brain/state.h"

struct extra {
    int64_t since_us;
    int64_t cpu;       /* what it holds */
    struct attempt *a; /* or */
    struct job *copy;
    uint32_t place; /* in the heap */
};

struct trim {
    VEC(struct extra) extras;
    int64_t wanted; /* held by extra attempts that nobody has asked to end */
};

static void trim_task(const struct brain *b, const struct phase *p, const struct task *t,
                      struct trim *trim)
{
    int64_t wanted = task_extra(t);
    int32_t cpu = p->demand.v[RES_CPU];
    if (wanted == 0)
        return;
    FOR_ATTEMPTS (a, &b->world, t) {
        if (a->state == ATTEMPT_FINISHED)
            continue;
        wanted -= a->unwanted;
        if (!a->unwanted && (a->kind == LAUNCH_CLONE || a->kind == LAUNCH_BACKUP))
            vec_push(&trim->extras, ((struct extra){a->launched_us, cpu, a, NULL, HEAP_NOWHERE}));
    }
    trim->wanted += wanted > 0 ? wanted * cpu : 0;
}

static void trim_copy(const struct brain *b, struct job *copy, struct trim *trim)
{
    int64_t cpu = 0;
    for (uint16_t k = 0; k < copy->phase_count; k++)
        for (uint32_t t = 0; t < copy->phases[k].count; t++)
            FOR_ATTEMPTS (a, &b->world, &copy->phases[k].tasks[t]) {
                if (a->state != ATTEMPT_FINISHED && !a->unwanted)
                    cpu += copy->phases[k].demand.v[RES_CPU];
            }
    vec_push(&trim->extras, ((struct extra){copy->submitted_us, cpu, NULL, copy, HEAP_NOWHERE}));
    trim->wanted += cpu;
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

static void extra_end(struct brain *b, const struct extra *x, const struct reason *why)
{
    if (x->copy)
        decider_drop_copy(b, x->copy, why);
    else
        decider_stop(b, x->a, why);
}

void trim_extras(struct brain *b)
{
    double may_hold = cost_cap_may_hold(&b->cost_cap);
    if ((double)b->cost_cap.held <= may_hold)
        return;
    struct trim trim = {.wanted = 0};
    struct heap newest = {0};
    struct reason why = brain_cap_reason(b);

    for (uint32_t i = 0; i < b->world.jobs.count; i++)
        if (b->world.jobs.at[i] && b->world.jobs.at[i]->state == JOB_LIVE)
            trim_job(b, b->world.jobs.at[i], &trim);
    for (uint32_t i = 0; (double)trim.wanted > may_hold && i < trim.extras.count; i++)
        heap_push(&newest, -trim.extras.at[i].since_us, UINT32_MAX - i, &trim.extras.at[i].place);
    while ((double)trim.wanted > may_hold && newest.count > 0) {
        struct extra *x = &trim.extras.at[UINT32_MAX - heap_top(&newest)->tie];
        heap_remove(&newest, &x->place);
        if (x->a && !attempt_is_spare(&b->world, x->a))
            continue; /* those that ended before it were all that its task had besides */
        trim.wanted -= x->cpu;
        extra_end(b, x, &why);
    }
    heap_fini(&newest);
    vec_free(&trim.extras);
}
