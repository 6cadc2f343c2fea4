/* telling.c - which tasks tell most, without knowing what is still to come.
 *
 * Each task of a job that is over gets a score in each kind that it belongs to. A list takes what
 * scores more than the least it has to keep, and is cut to its best half when it is full: so of a
 * run of any length few texts are ever made, and what is kept does not depend on the order. */
#include "commands/report/telling.h"

#include <string.h>

#include "base/mem.h"
#include "record/story/story_pace.h"

enum { TEXT_MAX = 6000 };

static int by_task(const void *a, const void *b)
{
    return attempt_compare_tasks(((const struct telling_task *)a)->at,
                                 ((const struct telling_task *)b)->at);
}

static int by_score(const void *a, const void *b)
{
    int64_t x = ((const struct telling_task *)a)->score,
            y = ((const struct telling_task *)b)->score;
    return x != y ? (x < y) - (x > y) : by_task(a, b);
}

static void forget(struct telling_task *t)
{
    mem_free(t->title);
    mem_free(t->text);
}

/* Keeps the best TELLING_EACH. */
static void trim(struct telling_kept *t, int kind)
{
    struct telling_list *list = &t->kinds[kind];

    if (list->v.count <= TELLING_EACH)
        return;
    vec_sort(&list->v, by_score);
    for (uint32_t i = TELLING_EACH; i < list->v.count; i++)
        forget(&list->v.at[i]);
    list->v.count = TELLING_EACH;
    t->least[kind] = list->v.at[TELLING_EACH - 1].score;
}

/* A task that ran thousands of times is told from its beginning. */
static char *text_of(const struct explain *x, uint16_t phase, uint32_t task)
{
    struct str text = {0};

    explain_task(x, phase, task, &text);
    if (text.length > TEXT_MAX) {
        size_t cut = TEXT_MAX;
        while (cut > 0 && text.text[cut - 1] != '\n')
            cut--;
        str_cut(&text, cut);
        str_add(&text, "...\n");
    }
    explain_cloning(x, phase, &text);
    return text.text;
}

/* `text` is that of the task, made when the first list takes it: it is what costs most. */
static void offer(struct telling_kept *t, int kind, int64_t score, const struct explain *x,
                  uint16_t phase, uint32_t task, char **text)
{
    if (score < 0 || (score <= t->least[kind] && t->kinds[kind].v.count >= TELLING_EACH))
        return;
    struct str title = {0};
    if (kind == TELLING_FAILED && explain_failure_is(x, phase, task))
        explain_failure(x, phase, task, &title);
    if (!*text)
        *text = text_of(x, phase, task);
    vec_push(&t->kinds[kind].v,
             ((struct telling_task){.score = score,
                                    .at = {.job = x->job->id, .phase = phase, .task = task},
                                    .title = title.text,
                                    .text = mem_strdup(*text)}));
    if (t->kinds[kind].v.count == 2 * TELLING_EACH)
        trim(t, kind);
}

/* How long it took beyond what tasks of its phase with as much input took; at least 0. */
static int64_t beyond_us(const struct explain *x, const struct story_phase *p,
                         const struct story_phase_facts *f, uint32_t task,
                         const struct story_race *race)
{
    const struct story_task *t = &p->tasks[task];
    int64_t end_us = race->winner ? t->committed_us : x->run->last_us;
    double bytes = race->winner && f->median_bytes > 1 ? story_pace_bytes(x->job, race->winner) : 1;
    double fair_us = f->median_hold_per_byte * bytes;

    if (!f->has_medians || t->launched_us < 0)
        return 0;
    return story_job_max_us(end_us - t->launched_us - (int64_t)fair_us, 0);
}

static bool is_refusal(uint16_t code)
{
    return code == WHY_OVER_BUDGET || code == WHY_OVER_TAU || code == WHY_CAP ||
           code == WHY_SPECULATION_CAP;
}

/* Whether extra attempts of the phase were not allowed, at least once. */
static bool is_capped(const struct story_phase *p)
{
    bool is = is_refusal(p->cloning.why.code);

    for (uint32_t i = 0; i < p->verdicts.count; i++)
        is |= is_refusal(p->verdicts.at[i].why.code);
    return is;
}

#define FINAL_SCORE INT64_C(0x80000000)

/* Tasks that failed for good first, then those with most failures and losses; -1: none. */
static int64_t failed_score(const struct story_job *j, const struct story_task *t)
{
    int64_t lost = 0;
    bool last = t->given_up_us >= 0 || story_job_failed_task(j) == t;

    for (uint32_t i = t->newest; i != STORY_NONE; i = j->attempts.at[i].older)
        lost += j->attempts.at[i].ending == EV_ATTEMPT_LOST;
    lost += t->failures + t->outputs_lost;
    return lost > 0 || last ? lost + (last ? FINAL_SCORE : 0) : -1;
}

void telling_job(struct telling_kept *t, const struct explain *x)
{
    for (uint16_t k = 0; k < x->job->phase_count; k++) {
        const struct story_phase *p = &x->job->phases[k];
        const struct story_phase_facts *f = &x->facts.phases[k];
        bool capped = is_capped(p);
        for (uint32_t i = 0; i < p->count; i++) {
            struct story_race race = story_race(x->job, f, p, i);
            if (p->tasks[i].newest == STORY_NONE)
                continue;
            int64_t beyond = beyond_us(x, p, f, i, &race);
            char *text = NULL;
            offer(t, TELLING_SLOW, beyond, x, k, i, &text);
            if (race.winner && story_is_extra(race.winner))
                offer(t, TELLING_SAVED, race.pace_us - p->tasks[i].committed_us, x, k, i, &text);
            offer(t, TELLING_FAILED, failed_score(x->job, &p->tasks[i]), x, k, i, &text);
            if (capped && beyond > 0)
                offer(t, TELLING_CAPPED, beyond, x, k, i, &text);
            mem_free(text);
        }
    }
}

struct telling_list telling_all(struct telling_kept *t)
{
    struct telling_list all = {0};
    uint32_t kept = 0;

    for (int k = 0; k < TELLING_KINDS; k++) {
        trim(t, k);
        for (uint32_t i = 0; i < t->kinds[k].v.count; i++)
            vec_push(&all.v, t->kinds[k].v.at[i]);
    }
    vec_sort(&all.v, by_task);
    for (uint32_t i = 0; i < all.v.count; i++)
        if (kept == 0 || by_task(&all.v.at[kept - 1], &all.v.at[i]) != 0)
            all.v.at[kept++] = all.v.at[i];
    all.v.count = kept;
    return all;
}

void telling_fini(struct telling_kept *t)
{
    for (int k = 0; k < TELLING_KINDS; k++) {
        for (uint32_t i = 0; i < t->kinds[k].v.count; i++)
            forget(&t->kinds[k].v.at[i]);
        vec_free(&t->kinds[k].v);
    }
}
