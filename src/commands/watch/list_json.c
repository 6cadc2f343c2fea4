/* list_json.c - see list_json.h. A list has no more members than the query wants, and is made of
 * the account alone: a client pages through it by the number of the last member that it got. */
#include "commands/watch/list_json.h"

#include <string.h>

#include "commands/report/series.h"
#include "ui/json_out.h"

static bool is_asked(const struct http_query *q, const char *state, uint64_t number)
{
    return (!*q->state || strcmp(q->state, state) == 0) &&
           (q->after < 0 || number > (uint64_t)q->after);
}

/* ---- jobs ---- */

/* A job that was chosen; `open` or `over` has the rest. */
struct listed_job {
    uint32_t id;
    json_t *o;
};

struct listed_jobs {
    const struct http_query *query;
    VEC(struct listed_job) v;
};

static json_t *job_json(struct job_id id, const char *name, const char *state, uint64_t tasks)
{
    json_t *o = json_object();

    json_out_put(o, "job", id.v);
    json_out_put(o, "name", name);
    json_out_put(o, "state", state);
    json_out_put(o, "tasks", tasks);
    return o;
}

static void see_open(void *ctx, const struct explain *x)
{
    struct listed_jobs *l = ctx;
    const struct story_job *j = x->job;
    const char *state = j->over_us < 0 ? "open" : j->failed ? "failed" : "done";
    uint64_t done = 0, failed = story_job_failed_task(j) != NULL, clones = 0;

    if (!is_asked(l->query, state, j->id.v))
        return;
    for (uint16_t k = 0; k < j->phase_count; k++) {
        const struct story_phase *p = &j->phases[k];
        done += p->committed;
        failed += p->given_up;
        clones += p->launched[LAUNCH_CLONE] + p->launched[LAUNCH_BACKUP];
    }
    json_t *o = job_json(j->id, j->name, state, j->tasks);
    json_out_put(o, "done", done);
    json_out_put(o, "failed", failed);
    json_out_put(o, "copies", clones);
    json_out_members(o, j, arrived_us);
    json_out_members(o, &x->facts, begun_us);
    json_out_set(o, "ended_s", json_out_seconds(j->over_us < 0 ? -1 : j->over_us + j->wrapup_us));
    vec_push(&l->v, ((struct listed_job){j->id.v, o}));
}

/* Of a failed job it is not kept how many tasks were done. */
static void see_over(struct listed_jobs *l, const struct gather_job *j)
{
    const char *state = j->open ? "open" : j->failed ? "failed" : "done";

    if (!is_asked(l->query, state, j->id.v))
        return;
    json_t *o = job_json(j->id, j->name, state, j->tasks);
    bool whole = !j->failed && !j->open;
    json_out_set(o, "done", whole ? json_out_u64(j->tasks - j->given_up) : json_null());
    json_out_set(o, "failed", j->failed ? json_null() : json_out_u64(j->given_up));
    json_out_put(o, "copies", j->clones);
    json_out_set(o, "arrived_s", json_out_seconds(j->arrived_us));
    json_out_set(o, "begun_s", json_out_seconds(j->began_us));
    json_out_set(o, "ended_s", json_out_seconds(j->open ? -1 : j->ended_us));
    vec_push(&l->v, ((struct listed_job){j->id.v, o}));
}

static int by_id(const void *a, const void *b)
{
    uint32_t x = ((const struct listed_job *)a)->id, y = ((const struct listed_job *)b)->id;
    return (x > y) - (x < y);
}

json_t *list_json_jobs(const struct followed_run *f, const struct http_query *q)
{
    struct listed_jobs l = {.query = q};
    json_t *list = json_array();

    followed_run_open_jobs(f, &l, see_open);
    for (uint32_t i = 0; i < f->report.gather.jobs.count; i++)
        see_over(&l, &f->report.gather.jobs.at[i]);
    vec_sort(&l.v, by_id);
    for (uint32_t i = 0; i < l.v.count; i++)
        if (i < q->limit)
            json_array_append_new(list, l.v.at[i].o);
        else
            json_decref(l.v.at[i].o);
    vec_free(&l.v);
    return list;
}

/* ---- tasks ---- */

static bool runs(const struct story_job *j, const struct story_task *t)
{
    for (uint32_t i = t->newest; i != STORY_NONE; i = j->attempts.at[i].older)
        if (j->attempts.at[i].ending == 0 && j->attempts.at[i].ended_us < 0)
            return true;
    return false;
}

static const char *task_state(const struct story_job *j, const struct story_task *t)
{
    return t->given_up_us >= 0 || story_job_failed_task(j) == t ? "failed"
           : t->committed_us >= 0 && !t->lost                   ? "done"
           : runs(j, t)                                         ? "running"
                                                                : "waiting";
}

static json_t *task_json(const struct explain *x, uint16_t phase, uint32_t task, const char *state)
{
    const struct story_phase *p = &x->job->phases[phase];
    const struct story_phase_facts *facts = &x->facts.phases[phase];
    const struct story_task *t = &p->tasks[task];
    struct story_race r = story_race(x->job, facts, p, task);
    bool straggled = false, won = r.winner != NULL;

    for (uint32_t i = t->newest; i != STORY_NONE; i = x->job->attempts.at[i].older)
        straggled |= story_race_straggled(x->job, facts, &x->job->attempts.at[i]);
    json_t *o = json_object();
    json_out_put(o, "task", explain_number(x, task));
    json_out_put(o, "state", state);
    json_out_put(o, "attempts", t->launches);
    json_out_set(o, "winner", won ? json_integer(t->winner) : json_null());
    json_out_set(o, "begun_s", json_out_seconds(t->launched_us));
    json_out_set(o, "ended_s",
                 json_out_seconds(t->committed_us >= 0 ? t->committed_us : t->given_up_us));
    json_out_put(o, "straggled", straggled);
    json_out_set(o, "rescued", json_boolean(story_race_rescued(x->job, facts, &r)));
    json_out_set(o, "alone_about_s", won ? json_out_seconds(r.pace_us) : json_null());
    json_out_set(o, "alone_low_s", won ? json_out_seconds(r.low_us) : json_null());
    json_out_set(o, "alone_high_s", won ? json_out_seconds(r.high_us) : json_null());
    return o;
}

json_t *list_json_tasks(const struct explain *x, uint16_t phase, const struct http_query *q)
{
    const struct story_phase *p = &x->job->phases[phase];
    json_t *list = json_array();

    for (uint32_t i = 0; i < p->count && json_array_size(list) < q->limit; i++) {
        const char *state = task_state(x->job, &p->tasks[i]);
        if (is_asked(q, state, explain_number(x, i)))
            json_array_append_new(list, task_json(x, phase, i, state));
    }
    return list;
}

/* ---- values over time ---- */

json_t *list_json_series(const struct gather *g, const struct http_query *q)
{
    const struct series *s = g->series;
    uint32_t spans = series_spans(s), from = spans, to = spans, each = 1;
    json_t *o = json_object(), *times = json_array();

    if (q->from_us / s->span_us < from)
        from = (uint32_t)(q->from_us / s->span_us);
    if (q->to_us < (int64_t)spans * s->span_us)
        to = (uint32_t)((q->to_us + s->span_us - 1) / s->span_us);
    if (q->steps > 0 && to > from)
        each = (to - from + q->steps - 1) / q->steps;
    for (uint32_t i = from; i < to; i += each)
        json_array_append_new(times, json_out_seconds((int64_t)i * s->span_us));
    json_out_set(o, "span_s", json_out_seconds(each * s->span_us));
    json_out_set(o, "from_s", times);
    for (uint32_t k = 0; k < GATHER_SERIES; k++) {
        json_t *values = json_array();
        for (uint32_t i = from; i < to; i += each)
            json_array_append_new(
                values,
                json_out_number(series_mean_of(s, k, i, i + each < to ? i + each : to), false));
        json_out_set(o, gather_series_name((enum gather_series)k), values);
    }
    return o;
}
