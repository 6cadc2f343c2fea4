/* phase_sums.c - see phase_sums.h. A sample that is full loses every second value, and from then on
 * takes half as many: so it holds every 2^k-th task in the order in which jobs ended, and the same
 * journal gives the same numbers. */
#include "commands/report/phase_sums.h"

#include <string.h>

#include "base/mem.h"
#include "base/stat.h"
#include "record/story/story_pace.h"

void phase_sums_value(struct phase_values *v, double value)
{
    if (v->count == 0) {
        v->least = v->most = value;
        v->every = 1;
    }
    v->least = value < v->least ? value : v->least;
    v->most = value > v->most ? value : v->most;
    if (v->count++ % v->every != 0)
        return;
    if (v->at.count == PHASE_SUMS_VALUES) {
        for (uint32_t i = 0; i < PHASE_SUMS_VALUES / 2; i++)
            v->at.at[i] = v->at.at[2 * i];
        v->at.count = PHASE_SUMS_VALUES / 2;
        v->every *= 2;
    }
    vec_push(&v->at, value);
}

double phase_sums_quantile(struct phase_values *v, double q)
{
    if (q <= 0)
        return v->least;
    return q >= 1 ? v->most : stat_quantile(v->at.at, v->at.count, q);
}

const struct phase_sums_text phase_sums_texts[PHASE_METRICS] = {
    [PHASE_TIME] = {"time of a task", "time_s"},
    [PHASE_READING] = {"reading", "reading_s"},
    [PHASE_CPU] = {"CPU time", "cpu_s"},
    [PHASE_BYTES] = {"bytes read", "read_bytes"},
};

const struct phase_sum *phase_sums_find(const struct phase_sums *s, const char *name)
{
    for (uint32_t i = 0; i < s->v.count; i++)
        if (strcmp(s->v.at[i].name, name) == 0)
            return &s->v.at[i];
    return NULL;
}

/* The same, added if it is new; NULL: there are too many names. */
static struct phase_sum *find_or_add(struct phase_sums *s, const char *name)
{
    const struct phase_sum *known = phase_sums_find(s, name);

    if (known)
        return &s->v.at[known - s->v.at];
    if (s->v.count == PHASE_SUMS_MAX)
        return NULL;
    vec_push(&s->v, ((struct phase_sum){.name = mem_strdup(name)}));
    return &s->v.at[s->v.count - 1];
}

static void add_task(struct phase_sum *sum, const struct explain *x, uint16_t phase, uint32_t task)
{
    const struct story_phase_facts *f = &x->facts.phases[phase];
    const struct story_phase *p = &x->job->phases[phase];
    const struct story_task *t = &p->tasks[task];
    struct story_race race = story_race_winner(x->job, p, task);

    sum->failed += t->given_up_us >= 0 || story_job_failed_task(x->job) == t;
    if (!race.winner)
        return;
    sum->done++;
    sum->rescued += story_race_rescued(x->job, f, &race);
    phase_sums_value(&sum->values[PHASE_TIME], (double)(t->committed_us - t->launched_us));
    phase_sums_value(&sum->values[PHASE_READING], (double)story_race_read_us(race.winner));
    if (race.winner->cpu_us >= 0)
        phase_sums_value(&sum->values[PHASE_CPU], (double)race.winner->cpu_us);
    phase_sums_value(&sum->values[PHASE_BYTES], story_pace_bytes(x->job, race.winner));
}

void phase_sums_job(struct phase_sums *s, const struct explain *x)
{
    for (uint16_t k = 0; k < x->job->phase_count; k++) {
        const struct story_phase *p = &x->job->phases[k];
        struct phase_sum *sum = find_or_add(s, p->name);
        if (!sum) {
            s->left_out += p->count;
            continue;
        }
        sum->tasks += p->count;
        for (uint32_t i = 0; i < p->count; i++)
            add_task(sum, x, k, i);
    }
}

void phase_sums_fini(struct phase_sums *s)
{
    for (uint32_t i = 0; i < s->v.count; i++) {
        mem_free(s->v.at[i].name);
        for (int m = 0; m < PHASE_METRICS; m++)
            vec_free(&s->v.at[i].values[m].at);
    }
    vec_free(&s->v);
}
