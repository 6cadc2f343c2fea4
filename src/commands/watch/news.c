/* news.c - see news.h. Nothing is allocated and no text is made while turns are read: at a million
 * turns a second most items are overwritten before a client could have got them. */
#include "commands/watch/news.h"

#include <stdlib.h>

#include "base/mem.h"
#include "ui/json_out.h"

/* ---- collecting ---- */

void news_add(struct news *n, const struct news_item *item)
{
    if (!n->ring)
        n->ring = mem_zalloc(NEWS_MAX, sizeof *n->ring);
    n->ring[n->count++ % NEWS_MAX] = *item;
}

/* Adds an item of this turn and moment. */
static void add(struct news *n, struct news_item item)
{
    item.turn = *n->turns + 1;
    item.at_us = n->account->now_us;
    news_add(n, &item);
}

static void job_submitted(void *ctx, struct live_job *j, const struct job_spec *spec)
{
    (void)spec;
    add(ctx, (struct news_item){.type = NEWS_JOB, .at = {.job = j->id}});
}

static void attempt_launched(void *ctx, const struct live_place *p, const struct decision *d)
{
    struct news *n = ctx;

    follow_keep(n->account, p, d->at.attempt)->node = d->node.v;
    add(n,
        (struct news_item){.type = NEWS_ATTEMPT, .at = d->at, .node = d->node.v, .kind = d->kind});
}

static void attempt_ended(void *ctx, const struct live_place *p, const struct event *e,
                          const struct live_attempt *a)
{
    (void)p;
    add(ctx,
        (struct news_item){
            .type = NEWS_ATTEMPT, .state = e->type, .at = e->at, .node = a->node, .kind = a->kind});
}

static void attempt_won(void *ctx, const struct live_place *p, const struct event *e,
                        const struct live_attempt *a)
{
    (void)p;
    add(ctx, (struct news_item){
                 .type = NEWS_TASK, .state = EV_ATTEMPT_FINISHED, .at = e->at, .kind = a->kind});
}

static void output_lost(void *ctx, const struct live_place *p, const struct event *e)
{
    (void)p;
    add(ctx, (struct news_item){.type = NEWS_TASK, .state = EV_ATTEMPT_LOST, .at = e->at});
}

static void job_over(void *ctx, struct live_job *j, bool done)
{
    add(ctx, (struct news_item){.type = NEWS_JOB,
                                .state = done ? DO_JOB_DONE : DO_JOB_FAILED,
                                .at = {.job = j->id}});
}

static void other_event(void *ctx, const struct event *e)
{
    struct news *n = ctx;
    const struct live_attempt *a;

    if (event_is_node(e->type) && e->type != EV_NODE_CAPACITY)
        add(n, (struct news_item){.type = NEWS_NODE, .state = e->type, .node = e->node.v});
    else if (e->type == EV_ATTEMPT_STARTED && (a = follow_attempt(n->account, e->at)))
        add(n, (struct news_item){.type = NEWS_ATTEMPT,
                                  .state = e->type,
                                  .at = e->at,
                                  .node = a->node,
                                  .kind = a->kind});
}

static void decided(void *ctx, const struct decision *d)
{
    bool last = d->at.task != TASK_ALL &&
                (d->why.code == WHY_TOO_MANY_FAILURES || d->why.code == WHY_TOO_MANY_LAUNCHES);

    if (last && (d->type == DO_VERDICT || d->type == DO_JOB_FAILED))
        add(ctx, (struct news_item){.type = NEWS_FAILED, .at = d->at, .code = d->why.code});
    else if (d->type == DO_VERDICT)
        add(ctx, (struct news_item){.type = NEWS_VERDICT, .at = d->at, .code = d->why.code});
}

void news_begin(struct news *n, struct follow *account, const uint64_t *turns)
{
    static const struct follow_hooks hooks = {.submitted = job_submitted,
                                              .launched = attempt_launched,
                                              .ended = attempt_ended,
                                              .won = attempt_won,
                                              .unwon = output_lost,
                                              .over = job_over,
                                              .event = other_event,
                                              .decision = decided};

    n->account = account;
    n->turns = turns;
    follow_subscribe(account, n, &hooks);
}

void news_fini(struct news *n)
{
    mem_free(n->ring);
    *n = (struct news){0};
}

/* ---- reading ---- */

uint64_t news_oldest(const struct news *n)
{
    return n->count > NEWS_MAX ? n->count - NEWS_MAX : 0;
}

uint64_t news_after(const struct news *n, uint64_t turn)
{
    uint64_t low = news_oldest(n), high = n->count;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (news_at(n, middle)->turn > turn)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

const char *news_name(const struct news_item *item)
{
    static const char *const names[] = {"attempt", "task", "job", "node", "verdict", "failed"};
    return names[item->type];
}

static const char *state_of(const struct news_item *item)
{
    switch (item->type) {
    case NEWS_ATTEMPT:
        return item->state ? event_name(item->state) : "launched";
    case NEWS_TASK:
        return item->state == EV_ATTEMPT_FINISHED ? "done" : "output_lost";
    case NEWS_JOB:
        return item->state == DO_JOB_DONE ? "done" : item->state ? "failed" : "open";
    case NEWS_NODE:
        return event_name(item->state);
    default:
        return NULL;
    }
}

static void add_task(const struct news_item *item, const struct explain *x, json_t *o)
{
    json_out_put(o, "phase", item->at.phase);
    json_out_set(o, "task",
                 item->at.task == TASK_ALL ? json_null()
                                           : json_out_u64(explain_number(x, item->at.task)));
}

static void add_attempt(const struct news_item *item, const struct explain *x, json_t *o)
{
    json_out_put(o, "attempt", item->at.attempt);
    json_out_put(o, "kind", decision_kind_name(item->kind));
    if (item->type == NEWS_ATTEMPT)
        json_out_put(o, "node", explain_node(x, (struct node_id){item->node}).text);
}

static void add_stderr(const struct news_item *item, const struct explain *x, json_t *o)
{
    struct explain_tail tail;

    explain_stderr_tail(x, item->at, EXPLAIN_STDERR_LINES, &tail);
    json_out_put(o, "stderr", tail.text.text);
    str_free(&tail.text);
}

void news_write(const struct news_item *item, const struct explain *x, struct str *out)
{
    json_t *o = json_object();
    const char *state = state_of(item);

    json_out_set(o, "at_s", json_real((double)item->at_us / 1e6));
    if (state)
        json_out_put(o, "state", state);
    if (item->type == NEWS_NODE)
        json_out_put(o, "node", explain_node(x, (struct node_id){item->node}).text);
    else
        json_out_put(o, "job", item->at.job.v);
    if (item->type != NEWS_NODE && item->type != NEWS_JOB)
        add_task(item, x, o);
    if (item->type == NEWS_ATTEMPT ||
        (item->type == NEWS_TASK && item->state == EV_ATTEMPT_FINISHED))
        add_attempt(item, x, o);
    if (item->type == NEWS_VERDICT || item->type == NEWS_FAILED)
        json_out_put(o, "code", reason_name(item->code));
    if (item->type == NEWS_FAILED)
        add_stderr(item, x, o);
    char *text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(15));
    str_add(out, text);
    free(text);
    json_decref(o);
}
