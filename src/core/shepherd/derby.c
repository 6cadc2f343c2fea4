#include "core/shepherd/derby.h"

void derby_fini(struct derby *r)
{
    vec_free(&r->open);
}

/* The index of the task's race, or the number of races. */
static uint32_t race_of(const struct derby *r, struct attempt_ref at)
{
    uint32_t i = 0;
    while (i < r->open.count &&
           (r->open.at[i].copy.job.v != at.job.v || r->open.at[i].copy.phase != at.phase ||
            r->open.at[i].copy.task != at.task))
        i++;
    return i;
}

void derby_begin(struct derby *r, const struct phase *p, uint32_t task, double healthy_s)
{
    struct attempt_ref copy = {p->job->id, task, p->index, p->tasks[task].ordinals};
    if (race_of(r, copy) == r->open.count)
        vec_push(&r->open, ((struct derby_race){copy, healthy_s}));
}

/* For how many healthy times the race's copy has run; -1: it does not run any more. */
static double had_of(const struct world *w, const struct task *t, const struct derby_race *race)
{
    FOR_ATTEMPTS (a, w, t)
        if (a->ordinal == race->copy.attempt && a->state == ATTEMPT_RUNNING)
            return (double)(w->now_us - a->started_us) / 1e6 / race->healthy_s;
    return -1;
}

void derby_finished(struct derby *r, const struct world *w, const struct attempt *a,
                    struct luck_record *luck)
{
    uint32_t i = race_of(r, attempt_ref_of(a));
    if (i == r->open.count)
        return;
    struct derby_race race = r->open.at[i];
    r->open.at[i] = r->open.at[--r->open.count];
    bool won = a->ordinal >= race.copy.attempt;
    double had = had_of(w, &attempt_phase(a)->tasks[a->task], &race);
    if (won || had > DERBY_FAIR)
        luck_add(luck, won);
    if (won || had >= 0)
        luck_add(&r->all, won);
}

bool derby_pays(const struct derby *r)
{
    return r->all.won > r->all.lost;
}

void derby_forget(struct derby *r, struct job_id job)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < r->open.count; i++)
        if (r->open.at[i].copy.job.v != job.v)
            r->open.at[kept++] = r->open.at[i];
    r->open.count = kept;
}
