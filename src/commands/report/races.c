#include "commands/report/races.h"

#include <stdlib.h>

static int by_attempt(const void *a, const void *b)
{
    return attempt_compare(*(const struct attempt_ref *)a, *(const struct attempt_ref *)b);
}

static int by_winner(const void *a, const void *b)
{
    return by_attempt(&((const struct race *)a)->at, &((const struct race *)b)->at);
}

static void add_race(struct races *r, const struct explain *x, uint16_t phase, uint32_t task)
{
    const struct story_phase_facts *f = &x->facts.phases[phase];
    struct story_race race = story_race(x->job, f, &x->job->phases[phase], task);

    if (!race.winner || !story_is_extra(race.winner) || r->won.count == RACES_MAX)
        return;
    vec_push(&r->won, ((struct race){.at = {.job = x->job->id,
                                            .task = task,
                                            .phase = phase,
                                            .attempt = race.winner->ordinal},
                                     .rescued = story_race_rescued(x->job, f, &race),
                                     .alone = (uint8_t)race.alone,
                                     .about_us = race.pace_us,
                                     .low_us = race.low_us,
                                     .high_us = race.high_us}));
}

void races_job(struct races *r, const struct explain *x)
{
    const struct story_job *j = x->job;

    for (uint16_t k = 0; k < j->phase_count; k++)
        for (uint32_t i = 0; i < j->phases[k].count; i++)
            add_race(r, x, k, i);
    for (uint32_t i = 0; i < j->attempts.count && r->stragglers.count < RACES_MAX; i++) {
        const struct story_attempt *a = &j->attempts.at[i];
        if (story_race_straggled(j, &x->facts.phases[a->phase], a))
            vec_push(&r->stragglers,
                     ((struct attempt_ref){
                         .job = j->id, .task = a->task, .phase = a->phase, .attempt = a->ordinal}));
    }
}

void races_sort(struct races *r)
{
    vec_sort(&r->won, by_winner);
    vec_sort(&r->stragglers, by_attempt);
}

const struct race *races_find(const struct races *r, struct attempt_ref at)
{
    struct race like = {.at = at};
    return r->won.count ? bsearch(&like, r->won.at, r->won.count, sizeof like, by_winner) : NULL;
}

bool races_straggled(const struct races *r, struct attempt_ref at)
{
    return r->stragglers.count &&
           bsearch(&at, r->stragglers.at, r->stragglers.count, sizeof at, by_attempt);
}

void races_fini(struct races *r)
{
    vec_free(&r->won);
    vec_free(&r->stragglers);
}
