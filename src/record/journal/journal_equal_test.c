/* What it means that an event or decision came back from the journal unchanged, written down
 * without the encoder's help. */
#include <string.h>

#include "record/journal/journal_sample_test.h"

static bool text_equal(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool phase_equal(const struct phase_spec *a, const struct phase_spec *b)
{
    bool same = text_equal(a->name, b->name) && a->tasks == b->tasks &&
                res_equal(&a->demand, &b->demand) && a->edge_count == b->edge_count &&
                a->clone == b->clone && a->failures_allowed == b->failures_allowed &&
                a->input_bytes == b->input_bytes && !a->input_each == !b->input_each &&
                !a->replica_from == !b->replica_from && a->past_count == b->past_count &&
                a->past_seen == b->past_seen && a->past_straggled == b->past_straggled &&
                a->expect_us == b->expect_us && a->expect_dev_us == b->expect_dev_us;
    if (!same)
        return false;
    for (uint16_t i = 0; i < a->edge_count; i++)
        same = same && a->edges[i].from == b->edges[i].from &&
               a->edges[i].pattern == b->edges[i].pattern &&
               a->edges[i].slowstart == b->edges[i].slowstart;
    for (uint32_t i = 0; i < a->past_count; i++)
        same = same && a->past_us[i] == b->past_us[i];
    for (uint32_t t = 0; t < a->tasks; t++)
        same = same && phase_input_bytes(a, t) == phase_input_bytes(b, t);
    if (!a->replica_from)
        return same;
    for (uint32_t t = 0; t <= a->tasks; t++)
        same = same && a->replica_from[t] == b->replica_from[t];
    for (uint32_t i = 0; same && i < a->replica_from[a->tasks]; i++)
        same = a->replicas[i].v == b->replicas[i].v;
    return same;
}

static bool job_equal(const struct job_spec *a, const struct job_spec *b)
{
    bool same = a->id.v == b->id.v && text_equal(a->name, b->name) &&
                text_equal(a->user, b->user) && text_equal(a->queue, b->queue) &&
                text_equal(a->app, b->app) && a->weight == b->weight &&
                a->running_max == b->running_max && a->arrived_us == b->arrived_us &&
                a->wrapup_us == b->wrapup_us && a->phase_count == b->phase_count;
    for (uint16_t i = 0; same && i < a->phase_count; i++)
        same = phase_equal(&a->phases[i], &b->phases[i]);
    return same;
}

static bool output_equal(const struct event *a, const struct event *b)
{
    bool same = a->u.output.bytes == b->u.output.bytes &&
                a->u.output.checksum == b->u.output.checksum &&
                a->u.output.partition_count == b->u.output.partition_count &&
                !a->u.output.partitions == !b->u.output.partitions;
    for (uint32_t i = 0; same && a->u.output.partitions && i < a->u.output.partition_count; i++)
        same = a->u.output.partitions[i].bytes == b->u.output.partitions[i].bytes &&
               a->u.output.partitions[i].checksum == b->u.output.partitions[i].checksum;
    return same;
}

static bool own_fields_equal(const struct event *a, const struct event *b)
{
    if (event_is_ending(a->type))
        return memcmp(&a->u.use, &b->u.use, sizeof a->u.use) == 0;
    switch (a->type) {
    case EV_NODE_UP:
        return res_equal(&a->u.node.capacity, &b->u.node.capacity) &&
               a->u.node.rack == b->u.node.rack && text_equal(a->u.node.name, b->u.node.name);
    case EV_NODE_CAPACITY:
        return res_equal(&a->u.node.capacity, &b->u.node.capacity);
    case EV_JOB_SUBMITTED:
        return job_equal(a->u.job, b->u.job);
    case EV_JOB_CHANGED:
        return a->u.change.weight == b->u.change.weight &&
               a->u.change.running_max == b->u.change.running_max;
    case EV_ATTEMPT_STARTED:
        return a->u.late_us == b->u.late_us;
    case EV_ATTEMPT_PROGRESS:
        return a->u.progress.done == b->u.progress.done &&
               a->u.progress.total == b->u.progress.total &&
               a->u.progress.cpu_us == b->u.progress.cpu_us &&
               a->u.progress.stage == b->u.progress.stage;
    case EV_OUTPUT_READY:
        return output_equal(a, b);
    case EV_FETCH_STARTED:
    case EV_FETCH_DONE:
    case EV_FETCH_FAILED:
        return attempt_equal(a->u.fetch.source, b->u.fetch.source) &&
               a->u.fetch.bytes == b->u.fetch.bytes && a->u.fetch.took_us == b->u.fetch.took_us;
    case EV_LINK_SAMPLE:
        return a->u.link.to.v == b->u.link.to.v && a->u.link.bytes == b->u.link.bytes &&
               a->u.link.took_us == b->u.link.took_us;
    case EV_REFUSED:
        return a->u.refused.decision == b->u.refused.decision &&
               a->u.refused.decision_type == b->u.refused.decision_type;
    case EV_TIMER:
        return a->u.timer == b->u.timer;
    case EV_CORES:
        return a->u.cores.spare == b->u.cores.spare && a->u.cores.each == b->u.cores.each;
    case EV_PRESSURE:
        return a->u.pressure.disk == b->u.pressure.disk &&
               a->u.pressure.memory == b->u.pressure.memory;
    case EV_RESOURCE:
        return a->u.resource.which == b->u.resource.which &&
               a->u.resource.kind == b->u.resource.kind &&
               text_equal(a->u.resource.name, b->u.resource.name);
    default:
        return true;
    }
}

bool journal_sample_event_equal(const struct event *a, const struct event *b)
{
    return a->type == b->type && a->cause == b->cause && a->detail == b->detail &&
           attempt_equal(a->at, b->at) && a->node.v == b->node.v && own_fields_equal(a, b);
}

static bool request_equal(const struct decision *a, const struct decision *b)
{
    switch (a->type) {
    case DO_KILL:
        return a->u.grace_us == b->u.grace_us;
    case DO_ASSIGN_READ:
        return attempt_equal(a->u.read.source, b->u.read.source) &&
               a->u.read.exclusive == b->u.read.exclusive;
    case DO_AVOID_NODE:
        return a->u.until_us == b->u.until_us;
    case DO_SET_TIMER:
        return a->u.timer.id == b->u.timer.id && a->u.timer.at_us == b->u.timer.at_us;
    default:
        return true;
    }
}

bool journal_sample_decision_equal(const struct decision *a, const struct decision *b)
{
    return a->type == b->type && a->id == b->id && a->kind == b->kind &&
           a->job_copy == b->job_copy && attempt_equal(a->at, b->at) && a->node.v == b->node.v &&
           request_equal(a, b) && a->why.code == b->why.code && a->why.count == b->why.count &&
           memcmp(a->why.num, b->why.num, a->why.count * sizeof a->why.num[0]) == 0;
}
