/* watch_answers.c - every answer is made from the account of the run at that moment, or, about one
 * job, phase or task, by reading the journal as `dolly explain` does: jobs that are over are not
 * kept. Names and outputs of tasks are data in JSON or plain text, never markup. */
#include "commands/watch/watch_answers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/os/clock.h"
#include "commands/watch/metrics.h"
#include "commands/watch/snapshot_json.h"
#include "ui/journal_json.h"
#include "ui/json_out.h"

enum { STATE_EVERY_US = 250000, COST_FACTOR = 20, ATTEMPTS_MAX = 1000 };

void watch_answers_fini(struct watch_answers *w)
{
    live_page_fini(&w->page);
    str_free(&w->sums);
}

static void put_text(struct http_answer *a, unsigned status, const char *text)
{
    a->status = status;
    str_addf(&a->body, "%s\n", text);
}

/* In one line, as streams need it. Takes the reference. */
static void put_json(json_t *o, struct str *to)
{
    char *text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(15));

    str_add(to, text);
    free(text);
    json_decref(o);
}

/* ---- the run ---- */

static void see_job(void *ctx, const struct explain *x)
{
    const struct story_job *j = x->job;
    uint64_t done = 0, failed = story_job_failed_task(j) != NULL;
    json_t *o = json_object();

    for (uint16_t k = 0; k < j->phase_count; k++) {
        done += j->phases[k].committed;
        failed += j->phases[k].given_up;
    }
    json_out_set(o, "job", json_integer(j->id.v));
    json_out_set(o, "name", journal_json_text(j->name));
    json_out_set(o, "tasks", journal_json_u64(j->tasks));
    json_out_set(o, "done", journal_json_u64(done));
    json_out_set(o, "failed", journal_json_u64(failed));
    json_out_set(o, "arrived_s", json_real((double)j->arrived_us / 1e6));
    json_array_append_new(ctx, o);
}

static json_t *jobs_json(const struct followed_run *f)
{
    json_t *list = json_array();

    followed_run_open_jobs(f, list, see_job);
    return list;
}

static json_t *health_json(const struct watch_answers *w)
{
    json_t *o = json_object();

    json_out_set(o, "turn", journal_json_u64(w->run->source.turns));
    json_out_set(o, "behind_s",
                 json_real(w->run->over ? 0 : (double)(clock_now_us() - w->seen_us) / 1e6));
    return o;
}

static json_t *json_of(const struct watch_answers *w, enum http_route route,
                       const struct snapshot *s)
{
    const struct followed_run *f = w->run;

    switch (route) {
    case ROUTE_RUN:
        return snapshot_json_run(s, f);
    case ROUTE_JOBS:
        return jobs_json(f);
    case ROUTE_ATTEMPTS:
        return snapshot_json_attempts(s, f, ATTEMPTS_MAX);
    case ROUTE_FAILURES:
        return snapshot_json_failures(s, f);
    case ROUTE_NODES:
        return snapshot_json_nodes(s, f);
    case ROUTE_VERDICTS:
        return snapshot_json_verdicts(f);
    default:
        return health_json(w);
    }
}

static void give_snapshot(struct watch_answers *w, enum http_route route, struct http_answer *a)
{
    struct snapshot s;

    snapshot_init(&s, w->run);
    if (route == ROUTE_METRICS) {
        a->type = "text/plain; version=0.0.4; charset=utf-8";
        if (s.sums.stragglers > w->stragglers)
            w->stragglers = s.sums.stragglers;
        metrics_write(&s, w->run, w->stragglers, &a->body);
    } else {
        a->type = "application/json";
        put_json(json_of(w, route, &s), &a->body);
        str_add(&a->body, "\n");
    }
    snapshot_fini(&s);
}

/* ---- one job, phase or task ---- */

static bool find_task(const struct explain *x, uint16_t phase, uint64_t number, uint32_t *task)
{
    for (*task = 0; *task < x->job->phases[phase].count; ++*task)
        if (explain_number(x, *task) == number)
            return true;
    return false;
}

static void give_stderr(const struct explain *x, uint32_t task, struct http_answer *a)
{
    char path[PATH_MAX];
    struct str tail = {0};
    bool cut;

    if (explain_stderr_tail(x, task, path, &tail, &cut))
        str_add(&a->body, tail.text);
    else
        put_text(a, 404, "the run has kept no stderr of this task");
    str_free(&tail);
}

static json_t *task_json(const struct explain *x, uint16_t phase, uint32_t task)
{
    json_t *o = explain_json_task(x, phase, task);
    struct str text = {0};

    explain_task(x, phase, task, &text);
    json_out_set(o, "sentences", journal_json_text(text.text));
    str_free(&text);
    return o;
}

static void give_part(const struct explain *x, const struct http_target *t, struct http_answer *a)
{
    uint32_t task = 0;
    bool has_task = t->route == ROUTE_TASK || t->route == ROUTE_STDERR;

    if (!x->job || x->job->id.v != t->job)
        put_text(a, 404, "the run has not got this job");
    else if (t->route != ROUTE_JOB && t->phase >= x->job->phase_count)
        put_text(a, 404, "the run has not got this phase");
    else if (has_task && !find_task(x, t->phase, t->task, &task))
        put_text(a, 404, "the run has not got this task");
    else if (t->route == ROUTE_STDERR)
        give_stderr(x, task, a);
    else {
        a->type = "application/json";
        put_json(t->route == ROUTE_TASK    ? task_json(x, t->phase, task)
                 : t->route == ROUTE_PHASE ? explain_json_phase(x, t->phase)
                                           : explain_json_job(x),
                 &a->body);
        str_add(&a->body, "\n");
    }
}

static void give_explained(const struct watch_answers *w, const struct http_target *t,
                           struct http_answer *a)
{
    struct explain_source source;
    struct err err;
    char job[16];

    snprintf(job, sizeof job, "%" PRIu32, t->job);
    if (explain_open(&source, w->run->path, job, NULL, &err) < 0)
        put_text(a, 503, err.text);
    else
        give_part(&source.x, t, a);
    explain_open_end(&source);
}

/* ---- pages ---- */

static void give_page(struct watch_answers *w, struct http_answer *a)
{
    struct err err;

    a->type = "text/html; charset=utf-8";
    if (a->status == 401) {
        live_page_login(&a->body);
        return;
    }
    enum followed_state state = followed_run_state(w->run);
    bool running = state == FOLLOWED_RUNNING || state == FOLLOWED_SILENT;
    const struct str *page =
        live_page_get(&w->page, w->run->path, w->run->source.turns, running, &err);
    if (page) {
        str_add_bytes(&a->body, page->text, page->length);
        a->turn = (int64_t)w->page.turn;
    } else {
        a->type = "text/plain; charset=utf-8";
        put_text(a, 503, err.text);
    }
}

static void give_cookie(const struct watch_answers *w, const char *body, struct http_answer *a)
{
    a->cookie = http_token_is(w->token, body, strlen(body));
    if (a->cookie)
        a->status = 204;
    else
        put_text(a, 401, "the token is wrong");
}

/* Returns true if nothing of the run is in the answer. */
static bool give_constant(const struct watch_answers *w, enum http_route route, const char *body,
                          struct http_answer *a)
{
    switch (route) {
    case ROUTE_LOGIN:
        give_cookie(w, body, a);
        return true;
    case ROUTE_SCRIPT:
    case ROUTE_LOGIN_SCRIPT:
        a->type = "text/javascript; charset=utf-8";
        if (route == ROUTE_SCRIPT)
            live_page_script(&a->body);
        else
            live_page_login_script(&a->body);
        return true;
    case ROUTE_STYLE:
        a->type = "text/css; charset=utf-8";
        live_page_style(&a->body);
        return true;
    default:
        return false;
    }
}

void watch_answers_give(struct watch_answers *w, const struct http_target *target, const char *body,
                        struct http_answer *a)
{
    if (give_constant(w, target->route, body, a))
        return;
    if (target->route == ROUTE_PAGE && a->status == 401) {
        give_page(w, a);
    } else if (!w->run->open) {
        put_text(a, 503, "the journal has no records yet");
    } else if (target->route == ROUTE_PAGE) {
        give_page(w, a);
    } else if (target->route == ROUTE_EVENTS) {
        a->type = "text/event-stream";
        a->stream = true;
    } else if (target->route >= ROUTE_JOB && target->route <= ROUTE_STDERR) {
        give_explained(w, target, a);
    } else {
        give_snapshot(w, target->route, a);
    }
}

/* ---- streams ---- */

static void make_sums(struct watch_answers *w)
{
    struct snapshot s;

    snapshot_init(&s, w->run);
    json_t *o = snapshot_json_sums(&s, w->run);
    json_out_set(o, "running", snapshot_json_attempts(&s, w->run, 8));
    json_out_set(o, "failures", journal_json_u64(w->run->failures.count + s.failures.count));
    json_out_set(o, "page_s", json_real(live_page_period_s(&w->page)));
    str_free(&w->sums);
    put_json(o, &w->sums);
    w->state.turn = s.turn;
    snapshot_fini(&s);
}

struct event_state watch_answers_state(struct watch_answers *w)
{
    int64_t now_us = clock_now_us();
    int64_t costly_us = COST_FACTOR * w->cost_us;
    int64_t period_us = costly_us > STATE_EVERY_US ? costly_us : STATE_EVERY_US;

    w->state.resets = w->run->resets;
    if (w->run->open &&
        (!w->sums.text || now_us - w->made_us >= period_us || w->run->over != w->state.over)) {
        make_sums(w);
        w->state.number++;
        w->state.over = w->run->over;
        w->made_us = clock_now_us();
        w->cost_us = w->made_us - now_us;
    }
    w->state.sums = w->sums.text ? w->sums.text : "{}";
    return w->state;
}
