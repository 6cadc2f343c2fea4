/* story_job.c - the memory of a job and how to find things in it. A job keeps its tasks in one
 * array per phase and its attempts in one list; each task chains its own from the newest. Reasons
 * carry up to six numbers and most carry none, so the numbers lie in a list of their own and a
 * reason takes eight bytes. What fills all this is story_fold.c. */
#include "record/story/story_job.h"

#include "base/mem.h"
#include "base/text.h"

/* ---- making ---- */

static void phase_init(struct story_phase *p, const struct phase_spec *spec)
{
    p->name = text_tame(mem_strdup(spec->name ? spec->name : ""));
    p->count = spec->tasks;
    p->demand = spec->demand;
    p->input_bytes = spec->input_bytes;
    p->input_each = mem_copy(spec->input_each, spec->tasks, sizeof *spec->input_each);
    p->edges = mem_copy(spec->edges, spec->edge_count, sizeof *spec->edges);
    p->edge_count = spec->edge_count;
    p->tasks = mem_zalloc(spec->tasks, sizeof *p->tasks);
    for (uint32_t t = 0; t < spec->tasks; t++)
        p->tasks[t] = (struct story_task){
            .launched_us = -1, .committed_us = -1, .given_up_us = -1, .newest = STORY_NONE};
}

struct story_job *story_job_create(const struct job_spec *spec, int64_t now_us)
{
    struct story_job *j = mem_zalloc(1, sizeof *j);
    j->kinds = RES_KINDS_PLAIN;
    j->id = spec->id;
    j->name = text_tame(mem_strdup(spec->name ? spec->name : ""));
    j->arrived_us = spec->arrived_us;
    j->submitted_us = now_us;
    j->wrapup_us = spec->wrapup_us;
    j->over_us = -1;
    j->phase_count = spec->phase_count;
    j->tasks = job_tasks(spec);
    j->phases = mem_zalloc(spec->phase_count, sizeof *j->phases);
    for (uint16_t k = 0; k < spec->phase_count; k++)
        phase_init(&j->phases[k], &spec->phases[k]);
    return j;
}

void story_job_destroy(struct story_job *j)
{
    if (!j)
        return;
    for (uint16_t k = 0; k < j->phase_count; k++) {
        struct story_phase *p = &j->phases[k];
        mem_free(p->name);
        mem_free(p->tasks);
        mem_free(p->input_each);
        mem_free(p->edges);
        vec_free(&p->verdicts);
    }
    mem_free(j->phases);
    mem_free(j->name);
    vec_free(&j->attempts);
    vec_free(&j->reads);
    vec_free(&j->numbers);
    mem_free(j);
}

/* ---- looking up ---- */

struct reason story_job_reason(const struct story_job *j, struct story_why why)
{
    struct reason r = {.code = why.code, .count = why.count};
    for (uint8_t i = 0; i < why.count; i++)
        r.num[i] = j->numbers.at[why.first + i];
    return r;
}

const struct story_attempt *story_job_attempt(const struct story_job *j, const struct story_task *t,
                                              uint16_t ordinal)
{
    uint32_t i = t->newest;
    while (i != STORY_NONE && j->attempts.at[i].ordinal != ordinal) {
        const struct story_attempt *a = &j->attempts.at[i];
        bool far = a->skip != STORY_NONE && j->attempts.at[a->skip].ordinal >= ordinal;
        i = far ? a->skip : a->older;
    }
    return i == STORY_NONE ? NULL : &j->attempts.at[i];
}

/* Where the next attempt of a task skips to: as far as the newest one where the last two skips are
 * of one length, else to the newest. So a search takes as many steps as the number of attempts has
 * digits in base two, twice. */
uint32_t story_job_skip(const struct story_job *j, const struct story_task *t)
{
    const struct story_attempt *at = j->attempts.at;
    uint32_t a = t->newest, b = a == STORY_NONE ? a : at[a].skip;
    uint32_t c = b == STORY_NONE ? b : at[b].skip;
    if (c == STORY_NONE || at[a].depth - at[b].depth != at[b].depth - at[c].depth)
        return a;
    return c;
}

const struct story_attempt *story_job_last_failed(const struct story_job *j,
                                                  const struct story_task *t)
{
    for (uint32_t i = t->newest; i != STORY_NONE; i = j->attempts.at[i].older) {
        const struct story_attempt *a = &j->attempts.at[i];
        if (a->ending == EV_ATTEMPT_FAILED || a->ending == EV_ATTEMPT_LAUNCH_FAILED)
            return a;
    }
    return NULL;
}

const struct story_reads *story_job_reads(const struct story_job *j, const struct story_attempt *a)
{
    return a->reads == STORY_NONE ? NULL : &j->reads.at[a->reads];
}

const struct story_task *story_job_failed_task(const struct story_job *j)
{
    struct attempt_ref at = j->failed_at;
    bool named =
        j->failed && at.phase < j->phase_count && at.task < j->phases[at.phase].count &&
        (j->over_why.code == WHY_TOO_MANY_FAILURES || j->over_why.code == WHY_TOO_MANY_LAUNCHES);
    return named ? &j->phases[at.phase].tasks[at.task] : NULL;
}

int64_t story_job_input_bytes(const struct story_phase *p, uint32_t task)
{
    int64_t bytes = p->input_each ? p->input_each[task] : p->input_bytes;
    return bytes > 0 ? bytes : 0;
}

bool story_job_is_cloned(uint16_t code)
{
    return code == WHY_CLONED || code == WHY_PARTIAL || code == WHY_UNSAFE_NODES;
}

bool story_job_is_about_cloning(uint16_t code)
{
    return story_job_is_cloned(code) || code == WHY_NO_NEED || code == WHY_OVER_BUDGET ||
           code == WHY_OVER_TAU || code == WHY_SIDE_EFFECTS || code == WHY_UPSTREAM_COPIES ||
           code == WHY_WAIT_PREEMPT || code == WHY_JOB_NOT_ADMITTED || code == WHY_OFFERED ||
           code == WHY_WATCHED;
}

uint16_t story_job_cloning(const struct story_job *j, const struct story_phase *p)
{
    struct reason r = story_job_reason(j, p->cloning.why);
    bool alone = r.code == WHY_OFFERED && r.count > 0 && r.num[0] <= 1;
    return alone ? WHY_NO_NEED : r.code;
}
