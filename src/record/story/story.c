/* The problem: a journal may be larger than memory, and the questions people ask of it are small.
 *
 * The method: one pass, and only what the question needs is kept. About one job, every record that
 * names another is dropped after one comparison. About the run, each job is kept while
 * something may still be told of it, and is added to the sums when it is over and its last attempt
 * has ended. A job may be named by number or by name, and a name may look like a number: both
 * candidates are followed, and the number wins.
 *
 * Rejected: a first pass to resolve the name. It would read the whole file twice to save the memory
 * of one job. */
#include "record/story/story.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/window.h"
#include "record/story/story_fold.h"

struct story {
    const char *job; /* asked for; NULL: the run */
    struct story_join *join;
    bool is_number;
    uint32_t number;
    struct story_job *by_number, *by_name;
    uint64_t namesakes;
    WINDOW(struct story_job) jobs; /* of the run, by id */
    struct story_run run;
    struct res_kinds kinds;
    struct story_listener listener;
    int64_t warmup_us; /* what is measured */
    uint64_t jobs_max;
};

struct story *story_create(const char *job, struct story_join *join)
{
    struct story *s = mem_zalloc(1, sizeof *s);
    int64_t number;
    s->job = job;
    s->join = join;
    s->kinds = RES_KINDS_PLAIN;
    if (job && text_int(job, &number) && number >= 0 && number <= UINT32_MAX) {
        s->is_number = true;
        s->number = (uint32_t)number;
    }
    return s;
}

void story_destroy(struct story *s)
{
    if (!s)
        return;
    if (s->by_name != s->by_number)
        story_job_destroy(s->by_name);
    story_job_destroy(s->by_number);
    for (uint32_t i = 0; i < s->jobs.count; i++)
        story_job_destroy(s->jobs.at[i]);
    vec_free(&s->jobs);
    story_run_fini(&s->run);
    mem_free(s);
}

/* ---- jobs of the run ---- */

static void run_add(struct story *s, const struct story_job *j)
{
    struct story_facts f;
    story_facts_init(&f, j, s->run.jobs + s->run.others == 1, s->run.last_us);
    story_run_add(&s->run, j, &f);
    if (s->listener.job)
        s->listener.job(s->listener.ctx, j, &f);
    story_facts_fini(&f);
}

/* No record concerns it any more once it is over and none of its attempts lives. */
static void run_settle(struct story *s, uint32_t id)
{
    struct story_job *j = window_find(&s->jobs, id);
    if (!j || j->over_us < 0 || j->live > 0)
        return;
    run_add(s, j);
    window_drop(&s->jobs, id);
    story_job_destroy(j);
}

/* ---- turns ---- */

static void job_submitted(struct story *s, int64_t now_us, const struct job_spec *spec)
{
    enum { GAP_MAX = 1000 };
    if (s->run.jobs + s->run.others > 0 && spec->id.v - s->run.last_job.v - 1 > GAP_MAX)
        return; /* ids rise by one: the journal was changed */
    bool measured =
        spec->arrived_us >= s->warmup_us && (s->jobs_max == 0 || s->run.jobs < s->jobs_max);
    story_run_submitted(&s->run, spec, measured, now_us);
    bool number = s->is_number && spec->id.v == s->number;
    bool name = s->job && spec->name && strcmp(spec->name, s->job) == 0;
    s->namesakes += name;
    if (s->job ? !number && !(name && !s->by_name) : !measured)
        return;
    struct story_job *j = story_job_create(spec, now_us);
    j->kinds = s->kinds;
    if (!s->job)
        window_put(&s->jobs, spec->id.v, j);
    if (number)
        s->by_number = j;
    if (name && !s->by_name)
        s->by_name = j;
}

/* The jobs that a record about this one concerns: in *at, how many are returned. */
static int jobs_of(const struct story *s, uint32_t id, struct story_job *at[2])
{
    int n = 0;
    if (!s->job) {
        at[0] = window_find(&s->jobs, id);
        return at[0] != NULL;
    }
    if (s->by_number && s->by_number->id.v == id)
        at[n++] = s->by_number;
    if (s->by_name && s->by_name != s->by_number && s->by_name->id.v == id)
        at[n++] = s->by_name;
    return n;
}

static void see_event(struct story *s, int64_t now_us, const struct event *e)
{
    struct story_job *at[2];
    s->run.last_us = now_us;
    switch (e->type) {
    case EV_JOB_SUBMITTED:
        job_submitted(s, now_us, e->u.job);
        return;
    case EV_NODE_UP:
    case EV_NODE_DOWN:
    case EV_NODE_CAPACITY:
        story_run_event(&s->run, e);
        return;
    case EV_NODE_SUSPECT:
    case EV_NODE_DRAIN:
    case EV_LINK_SAMPLE:
    case EV_TIMER:
    case EV_CORES:
    case EV_PRESSURE:
        return;
    case EV_RESOURCE:
        s->kinds.v[e->u.resource.which] = e->u.resource.kind;
        story_run_event(&s->run, e);
        return;
    default:
        break;
    }
    int n = jobs_of(s, e->at.job.v, at);
    for (int i = 0; i < n; i++)
        story_fold_event(at[i], now_us, e);
    if (n > 0 && !s->job)
        run_settle(s, e->at.job.v);
}

static void see_decision(struct story *s, int64_t now_us, const struct decision *d)
{
    struct story_job *at[2];
    s->run.last_us = now_us;
    story_run_decision(&s->run, d);
    if (d->type == DO_AVOID_NODE || d->type == DO_SET_TIMER || d->type == DO_CANCEL_TIMER)
        return;
    int n = jobs_of(s, d->at.job.v, at);
    for (int i = 0; i < n; i++)
        story_fold_decision(at[i], now_us, d);
    if (n > 0 && !s->job)
        run_settle(s, d->at.job.v);
}

static int story_turn(void *ctx, const struct turn *turn, struct err *err)
{
    struct story *s = ctx;
    (void)err;
    for (uint32_t i = 0; i < turn->event_count; i++) {
        struct event e = turn->events[i];
        if (!s->join || story_join_event(s->join, &e))
            see_event(s, turn->now_us, &e);
    }
    for (uint32_t i = 0; i < turn->decision_count; i++) {
        struct decision d = turn->decisions[i];
        if (!s->join || story_join_decision(s->join, &d))
            see_decision(s, turn->now_us, &d);
    }
    return 0;
}

void story_listen(struct story *s, struct story_listener listener)
{
    s->listener = listener;
}

struct tap story_tap(struct story *s)
{
    return (struct tap){.ctx = s, .turn = story_turn};
}

void story_measure(struct story *s, int64_t warmup_us, uint64_t jobs_max)
{
    s->warmup_us = warmup_us;
    s->jobs_max = jobs_max;
}

void story_end(struct story *s)
{
    for (uint32_t i = 0; i < s->jobs.count; i++)
        if (s->jobs.at[i])
            run_add(s, s->jobs.at[i]);
}

/* ---- answers ---- */

const struct story_job *story_job(const struct story *s)
{
    return s->by_number ? s->by_number : s->by_name;
}

uint64_t story_namesakes(const struct story *s)
{
    return s->by_number ? 1 : s->namesakes;
}

const struct story_run *story_run(const struct story *s)
{
    return &s->run;
}
