/* Records as JSON, for people, jq and tests.
 *
 * Every object tells the time and what it is; then come the common fields that its type carries, in
 * the order job, phase, task, attempt, node, and last its own. A field that the type does not carry
 * is not printed: the journal does not hold it. */
#include "ui/journal_json.h"

#include <stdio.h>
#include <stdlib.h>

#include "record/journal/journal_decision.h"
#include "record/journal/journal_event.h"
#include "record/journal/journal_fields.h"
#include "ui/json_out.h"

static void set_int(json_t *o, const char *key, int64_t value)
{
    json_out_set(o, key, json_integer(value));
}

static void set_text(json_t *o, const char *key, const char *text)
{
    json_out_set(o, key, json_out_text(text));
}

static void set_at(json_t *o, struct attempt_ref at)
{
    set_int(o, "job", at.job.v);
    set_int(o, "phase", at.phase);
    if (at.task == TASK_ALL)
        return;
    set_int(o, "task", at.task);
    set_int(o, "attempt", at.attempt);
}

static void set_common(json_t *o, unsigned has, struct attempt_ref at, struct node_id node)
{
    if (has & JOURNAL_JOB)
        set_int(o, "job", at.job.v);
    if (has & JOURNAL_AT)
        set_at(o, at);
    if ((has & JOURNAL_NODE) && node.v != NODE_NONE.v)
        set_int(o, "node", node.v);
}

static json_t *res_json(const struct res *r)
{
    json_t *o = json_object();
    for (int i = 0; i < RES_COUNT; i++)
        set_int(o, res_name(i), r->v[i]);
    return o;
}

static json_t *at_json(struct attempt_ref at)
{
    json_t *o = json_object();
    set_at(o, at);
    return o;
}

/* How fields are printed (journal_fields.h). */
#define json_of_int(x) json_integer(x)
#define json_of_u64(x) json_out_u64(x)
#define json_of_text(x) json_out_text(x)
#define json_of_flag(x) json_boolean(x)
#define json_of_node(x) json_integer((x).v)
#define json_of_at(x) at_json(x)
#define json_of_capacity(x) res_json(&(x))
#define json_of_decision_type(x) json_string(decision_name(x))
#define json_of_launch_kind(x) json_string(decision_kind_name(x))
#define json_of_resource(x) json_string(res_name(x))
#define json_of_res_kind(x) json_string(res_kind_name(x))

static json_t *edges_json(const struct phase_spec *p)
{
    static const char *const patterns[] = {"all_to_all", "many_to_one", "one_to_one"};
    json_t *list = json_array();
    for (uint16_t i = 0; i < p->edge_count; i++) {
        json_t *o = json_out_add(list);
        set_int(o, "from", p->edges[i].from);
        set_text(o, "pattern", patterns[p->edges[i].pattern]);
        set_int(o, "slowstart", p->edges[i].slowstart);
    }
    return list;
}

static json_t *replicas_json(const struct phase_spec *p)
{
    json_t *list = json_array();
    for (uint32_t t = 0; t < p->tasks; t++) {
        json_t *nodes = json_array();
        for (uint32_t i = p->replica_from[t]; i < p->replica_from[t + 1]; i++)
            json_array_append_new(nodes, json_integer(p->replicas[i].v));
        json_array_append_new(list, nodes);
    }
    return list;
}

static json_t *phase_json(const struct phase_spec *p)
{
    json_t *o = json_object();
    set_text(o, "name", p->name);
    set_int(o, "tasks", p->tasks);
    json_out_set(o, "demand", res_json(&p->demand));
    set_text(o, "clone", p->clone == PHASE_CLONE_NEVER ? "never" : "auto");
    set_int(o, "input_bytes", p->input_bytes);
    json_out_set(o, "edges", edges_json(p));
    if (p->failures_allowed)
        set_int(o, "failures_allowed", p->failures_allowed);
    if (p->past_count || p->past_seen) {
        json_t *times = json_array();
        for (uint32_t i = 0; i < p->past_count; i++)
            json_array_append_new(times, json_integer(p->past_us[i]));
        json_out_set(o, "past_us", times);
        set_int(o, "past_seen", p->past_seen);
        set_int(o, "past_straggled", p->past_straggled);
    }
    if (p->expect_us || p->expect_dev_us) {
        set_int(o, "expect_us", p->expect_us);
        set_int(o, "expect_dev_us", p->expect_dev_us);
    }
    if (p->input_each) {
        json_t *each = json_array();
        for (uint32_t t = 0; t < p->tasks; t++)
            json_array_append_new(each, json_integer(p->input_each[t]));
        json_out_set(o, "input_each", each);
    }
    if (p->replica_from)
        json_out_set(o, "replicas", replicas_json(p));
    return o;
}

static void set_job(json_t *o, const struct job_spec *job)
{
    json_t *phases = json_array();
    set_int(o, "job", job->id.v);
    set_text(o, "name", job->name);
    set_text(o, "user", job->user);
    set_text(o, "queue", job->queue);
    if (job->app)
        set_text(o, "app", job->app);
    set_int(o, "weight", job->weight);
    set_int(o, "running_max", job->running_max);
    set_int(o, "arrived_us", job->arrived_us);
    set_int(o, "wrapup_us", job->wrapup_us);
    for (uint16_t i = 0; i < job->phase_count; i++)
        json_array_append_new(phases, phase_json(&job->phases[i]));
    json_out_set(o, "phases", phases);
}

static void set_output(json_t *o, const struct event *e)
{
    set_int(o, "bytes", e->u.output.bytes);
    json_out_set(o, "checksum", json_out_hex(e->u.output.checksum));
    set_int(o, "part_count", e->u.output.partition_count);
    if (!e->u.output.partitions)
        return;
    json_t *partitions = json_array();
    for (uint32_t i = 0; i < e->u.output.partition_count; i++) {
        json_t *partition = json_out_add(partitions);
        set_int(partition, "bytes", e->u.output.partitions[i].bytes);
        json_out_set(partition, "checksum", json_out_hex(e->u.output.partitions[i].checksum));
    }
    json_out_set(o, "parts", partitions);
}

#define CASE(type) case type:
#define LAST(...)                                                                                  \
    FIELD(__VA_ARGS__)                                                                             \
    break;

static void set_event(json_t *o, const struct event *e)
{
    set_text(o, "type", event_name(e->type));
    set_common(o, journal_event_fields(e->type), e->at, e->node);
    if (e->cause != CAUSE_NONE) {
        set_text(o, "cause", event_cause_name(e->cause));
        set_int(o, "detail", e->detail);
    }
#define FIELD(wire, json, member, key) json_out_set(o, key, json_of_##json(e->member));
    switch (e->type) {
        JOURNAL_EVENT_FIELDS(CASE, FIELD, LAST)
    case EV_JOB_SUBMITTED:
        set_job(o, e->u.job);
        break;
    case EV_OUTPUT_READY:
        set_output(o, e);
        break;
    }
#undef FIELD
}

static bool is_whole(double number)
{
    return number > -1e15 && number < 1e15 && number == (double)(int64_t)number;
}

static json_t *reason_json(const struct reason *why)
{
    json_t *o = json_object();
    set_text(o, "code", reason_name(why->code));
    for (uint8_t i = 0; i < why->count; i++) {
        char unnamed[16];
        const char *name = reason_number_name(why->code, i);
        if (name[0] == '?') {
            snprintf(unnamed, sizeof unnamed, "number_%u", i + 1u);
            name = unnamed;
        }
        json_out_set(o, name, json_out_number(why->num[i], is_whole(why->num[i])));
    }
    return o;
}

static void set_decision(json_t *o, const struct decision *d)
{
    set_text(o, "type", decision_name(d->type));
    json_out_set(o, "id", json_out_u64(d->id));
    set_common(o, journal_decision_fields(d->type), d->at, d->node);
    if (d->type == DO_VERDICT || d->type == DO_JOB_FAILED)
        json_object_del(o, "attempt"); /* it is about the task, or more */
#define FIELD(wire, json, member, key) json_out_set(o, key, json_of_##json(d->member));
    switch (d->type) {
        JOURNAL_DECISION_FIELDS(CASE, FIELD, LAST)
    }
#undef FIELD
    json_out_set(o, "why", reason_json(&d->why));
}

json_t *journal_json_record(const struct record *record)
{
    static const char *const names[] = {
        [RECORD_RUN] = "run",           [RECORD_TURN] = "turn",     [RECORD_EVENT] = "event",
        [RECORD_DECISION] = "decision", [RECORD_INTENT] = "intent", [RECORD_END] = "end",
    };
    json_t *o = json_object();
    set_int(o, "t_us", record->now_us);
    set_text(o, "record", names[record->type]);
    switch (record->type) {
    case RECORD_RUN:
        json_out_set(o, "seed", json_out_u64(record->u.run.seed));
        set_text(o, "policy", record->u.run.policy);
        set_text(o, "body", record->u.run.body);
        if (*record->u.run.about)
            set_text(o, "about", record->u.run.about);
        break;
    case RECORD_TURN:
        set_int(o, "events", record->u.turn.event_count);
        set_int(o, "decisions", record->u.turn.decision_count);
        break;
    case RECORD_EVENT:
        set_event(o, &record->u.event);
        break;
    case RECORD_DECISION:
        set_decision(o, &record->u.decision);
        break;
    case RECORD_INTENT:
        set_at(o, record->u.intent.at);
        json_out_set(o, "checksum", json_out_hex(record->u.intent.checksum));
        set_int(o, "bytes", record->u.intent.bytes);
        break;
    case RECORD_END:
        break;
    }
    return o;
}

size_t journal_json_flags(const struct record *record)
{
    const struct reason *why = &record->u.decision.why;
    size_t digits = 15;
    for (uint8_t i = 0; record->type == RECORD_DECISION && i < why->count; i++)
        for (; digits < 17 && !is_whole(why->num[i]); digits++) {
            char text[32];
            snprintf(text, sizeof text, "%.*g", (int)digits, why->num[i]);
            if (strtod(text, NULL) == why->num[i])
                break;
        }
    return JSON_COMPACT | JSON_REAL_PRECISION(digits);
}
