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

/* ---- states ---- */

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

/* ---- jobs ---- */

/* A job that was chosen; `open` or `over` has the rest. */
struct listed_job {
    uint32_t id;
    json_t *o;
};

struct listed_jobs {
    const struct followed_run *run;
    const struct http_query *query;
    int64_t now_us;
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

/* Whether the job was copied, and why not, by the last verdict about it. */
static void add_copies(json_t *o, const struct gather_job *j, uint64_t copies, bool over)
{
    bool is_refused = copies == 0 && j && j->verdict != WHY_NONE;

    json_out_put(o, "copies", copies);
    json_out_set(o, "cloned", json_boolean(copies > 0));
    json_out_put(o, "why_not", is_refused ? explain_cloning_why_not(j->verdict, over) : NULL);
}

/* The tasks of a job that wait. */
struct list_waiting {
    const struct story_phase *next; /* phase of the first one that may start; else of the first */
    bool may_start;
    int64_t longest_us; /* since the phase of one that may start was opened; 0: none waits */
};

static bool waits(const struct story_job *j, const struct story_phase *p)
{
    for (uint32_t i = 0; i < p->count; i++)
        if (strcmp(task_state(j, &p->tasks[i]), "waiting") == 0)
            return true;
    return false;
}

static struct list_waiting waiting_of(const struct explain *x, int64_t now_us)
{
    struct list_waiting w = {0};

    for (uint16_t k = 0; k < x->job->phase_count && x->job->over_us < 0; k++) {
        const struct story_phase *p = &x->job->phases[k];
        int64_t opened_us = x->facts.phases[k].opened_us;
        if (!waits(x->job, p))
            continue;
        if (!w.next || (opened_us >= 0 && !w.may_start))
            w.next = p;
        w.may_start |= opened_us >= 0;
        if (opened_us >= 0 && now_us - opened_us > w.longest_us)
            w.longest_us = now_us - opened_us;
    }
    return w;
}

/* The first phase that the other one reads and that is not complete; NULL: none. */
static const struct story_phase *missing_of(const struct story_job *j, const struct story_phase *p)
{
    for (uint16_t i = 0; i < p->edge_count; i++) {
        const struct story_phase *from =
            p->edges[i].from < j->phase_count ? &j->phases[p->edges[i].from] : NULL;
        if (from && from->committed + from->given_up < from->count)
            return from;
    }
    return NULL;
}

/* What the job's next task waits for: "slots", "phase map"; null: none waits. */
static json_t *waits_for_json(const struct story_job *j, const struct list_waiting *w)
{
    const struct story_phase *missing = w->next && !w->may_start ? missing_of(j, w->next) : NULL;
    struct str text = {0};

    if (!w->next)
        return json_null();
    if (!missing)
        return json_out_text("slots");
    str_addf(&text, "phase %s", missing->name);
    json_t *o = json_out_text(text.text);
    str_free(&text);
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
    struct list_waiting w = waiting_of(x, l->now_us);
    add_copies(o, gather_open(&l->run->report.gather, j->id), clones, j->over_us >= 0);
    json_out_set(o, "waits_for", waits_for_json(j, &w));
    json_out_set(o, "oldest_wait_s", json_out_seconds(w.longest_us));
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
    add_copies(o, j, j->clones, true);
    json_out_set(o, "waits_for", json_null());
    json_out_set(o, "oldest_wait_s", json_out_seconds(0));
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
    struct listed_jobs l = {.run = f, .query = q, .now_us = followed_run_now_us(f)};
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
