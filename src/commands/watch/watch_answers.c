/* watch_answers.c - every answer is made from the account of the run at that moment. Names and
 * outputs of tasks are data in JSON or plain text, never markup. */
#include "commands/watch/watch_answers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/clock.h"
#include "commands/watch/list_json.h"
#include "commands/watch/metrics.h"
#include "commands/watch/snapshot_json.h"
#include "ui/json_out.h"

enum { STATE_EVERY_US = 250000, COST_FACTOR = 40, ATTEMPTS_MAX = 1000 };

void watch_answers_fini(struct watch_answers *w)
{
    live_page_fini(&w->page);
    kept_jobs_fini(&w->jobs);
    str_free(&w->sums);
    event_pieces_fini(&w->pieces);
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

static json_t *health_json(const struct watch_answers *w)
{
    json_t *o = json_object();

    json_out_put(o, "turn", w->run->input.turns);
    json_out_set(o, "behind_s",
                 json_real(w->run->over ? 0 : (double)(clock_now_us() - w->seen_us) / 1e6));
    return o;
}

static json_t *json_of(const struct watch_answers *w, const struct http_asked *asked,
                       const struct snapshot *s)
{
    const struct followed_run *f = w->run;

    switch (asked->target.route) {
    case ROUTE_RUN:
        return snapshot_json_run(s, f);
    case ROUTE_JOBS:
        return list_json_jobs(f, &asked->query);
    case ROUTE_ATTEMPTS:
        return snapshot_json_attempts(s, f, ATTEMPTS_MAX);
    case ROUTE_FAILURES:
        return snapshot_json_failures(s, f);
    case ROUTE_NODES:
        return snapshot_json_nodes(s, f);
    case ROUTE_VERDICTS:
        return snapshot_json_verdicts(f);
    case ROUTE_SERIES:
        return list_json_series(&f->report.gather, &asked->query);
    default:
        return health_json(w);
    }
}

static void give_snapshot(struct watch_answers *w, const struct http_asked *asked,
                          struct http_answer *a)
{
    struct snapshot s;

    snapshot_init(&s, w->run);
    if (asked->target.route == ROUTE_METRICS) {
        a->type = "text/plain; version=0.0.4; charset=utf-8";
        metrics_write(&s, w->run, &w->most, &a->body);
    } else {
        a->type = "application/json";
        put_json(json_of(w, asked, &s), &a->body);
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

static void give_stderr(const struct explain *x, struct attempt_ref at, uint32_t lines,
                        struct http_answer *a)
{
    struct explain_tail tail = {.cut = false};

    if (explain_failure_is(x, at.phase, at.task) && explain_stderr_tail(x, at, lines, &tail))
        str_add(&a->body, tail.text.text);
    else
        put_text(a, 404, "the run has kept no stderr of this task");
    str_free(&tail.text);
}

static json_t *task_json(const struct explain *x, uint16_t phase, uint32_t task)
{
    json_t *o = explain_json_task(x, phase, task);
    struct str text = {0};

    explain_task(x, phase, task, &text);
    json_out_put(o, "sentences", text.text);
    str_free(&text);
    return o;
}

static json_t *part_json(const struct explain *x, const struct http_asked *asked, uint32_t task)
{
    const struct http_target *t = &asked->target;

    switch (t->route) {
    case ROUTE_TASK:
        return task_json(x, t->phase, task);
    case ROUTE_TASKS:
        return list_json_tasks(x, t->phase, &asked->query);
    case ROUTE_PHASE:
        return explain_json_phase(x, t->phase);
    default:
        return explain_json_job(x);
    }
}

struct part_asked {
    const struct http_asked *asked;
    struct http_answer *answer;
};

static void give_part(void *ctx, const struct explain *x)
{
    const struct part_asked *p = ctx;
    const struct http_target *t = &p->asked->target;
    struct http_answer *a = p->answer;
    uint32_t task = 0;
    bool has_task = t->route == ROUTE_TASK || t->route == ROUTE_STDERR;

    if (!x)
        put_text(a, 404, "the run has not got this job");
    else if (t->route != ROUTE_JOB && t->phase >= x->job->phase_count)
        put_text(a, 404, "the run has not got this phase");
    else if (has_task && !find_task(x, t->phase, t->task, &task))
        put_text(a, 404, "the run has not got this task");
    else if (t->route == ROUTE_STDERR)
        give_stderr(x, (struct attempt_ref){.job = x->job->id, .phase = t->phase, .task = task},
                    p->asked->query.tail, a);
    else {
        a->type = "application/json";
        put_json(part_json(x, p->asked, task), &a->body);
        str_add(&a->body, "\n");
    }
}

static void give_explained(struct watch_answers *w, const struct http_asked *asked,
                           struct http_answer *a)
{
    struct part_asked part = {asked, a};
    struct err err;

    if (kept_jobs_show(&w->jobs, w->run, asked->target.job, &part, give_part, &err) < 0)
        put_text(a, 503, err.text);
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
    int made = live_page_get(&w->page, w->run, &err);
    if (made > 0) {
        str_add_bytes(&a->body, w->page.text.text, w->page.text.length);
        a->turn = (int64_t)w->page.turn;
    } else if (made == 0) {
        a->later = true;
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
        a->type = "text/javascript; charset=utf-8";
        live_page_script(&a->body);
        return true;
    case ROUTE_LOGIN_SCRIPT:
        a->type = "text/javascript; charset=utf-8";
        live_page_file(&web_login, &a->body);
        return true;
    case ROUTE_STYLE:
        a->type = "text/css; charset=utf-8";
        live_page_file(&web_style, &a->body);
        return true;
    default:
        return false;
    }
}

static void give(void *ctx, const struct http_asked *asked, struct http_answer *a)
{
    struct watch_answers *w = ctx;
    enum http_route route = asked->target.route;

    if (give_constant(w, route, asked->body, a))
        return;
    if (route == ROUTE_PAGE && a->status == 401) {
        give_page(w, a);
    } else if (!w->run->open) {
        put_text(a, 503, "the journal has no records yet");
    } else if (route == ROUTE_PAGE) {
        give_page(w, a);
    } else if (route == ROUTE_EVENTS) {
        a->type = "text/event-stream";
        a->stream = true;
    } else if (route >= ROUTE_JOB && route <= ROUTE_STDERR) {
        give_explained(w, asked, a);
    } else {
        give_snapshot(w, asked, a);
    }
}

/* ---- streams ---- */

static void make_sums(struct watch_answers *w)
{
    struct snapshot s;

    snapshot_init(&s, w->run);
    json_t *o = snapshot_json_sums(&s, w->run);
    json_out_set(o, "running", snapshot_json_attempts(&s, w->run, 8));
    json_out_put(o, "failures", w->run->failures.count + s.failures.count);
    json_out_set(o, "page_s", json_real((double)live_page_period_us(&w->page) / 1e6));
    str_free(&w->sums);
    put_json(o, &w->sums);
    w->state.turn = s.turn;
    snapshot_fini(&s);
}

static struct event_state state_now(void *ctx)
{
    struct watch_answers *w = ctx;
    int64_t now_us = clock_now_us();
    int64_t costly_us = COST_FACTOR * w->cost_us;
    int64_t period_us = costly_us > STATE_EVERY_US ? costly_us : STATE_EVERY_US;

    w->state.resets = w->run->resets;
    if (w->run->open &&
        (!w->sums.text || now_us - w->made_us >= period_us || w->run->over != w->of_end)) {
        int64_t cpu_us = clock_cpu_us();
        make_sums(w);
        w->state.number++;
        w->of_end = w->run->over;
        w->state.over = w->run->over && w->run->input.x.complete; /* others may be resumed */
        w->made_us = clock_now_us();
        w->cost_us = clock_cpu_us() - cpu_us;
    }
    w->state.news = w->run->open ? &w->run->news : NULL;
    w->state.x = &w->run->input.x;
    w->state.pieces = &w->pieces;
    w->state.sums = w->sums.text ? w->sums.text : "{}";
    return w->state;
}

struct http_handler watch_answers_handler(struct watch_answers *w)
{
    return (struct http_handler){.ctx = w, .answer = give, .state = state_now};
}
