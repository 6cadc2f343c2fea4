/* Events on the wire: the type, the common fields that the type uses, then the fields of its own.
 *
 * One table says which common fields a type has, and both directions read it; the fields of its own
 * are written and read by two switches that stand in the same order. Rejected: one function per
 * type behind a pointer (the writer runs tens of millions of times per second in a simulation, and
 * the format would be spread over fifty places), and writing all fields always (three times the
 * bytes). docs/PROTOCOL.md prints the table; journal_event_test.c holds it to the code. */
#include "journal/journal_event.h"

#include "base/check.h"
#include "model/decision.h"

/* Everything but strings, jobs and partitions: the longest is a failed attempt with its use. */
enum { EVENT_FIXED_MAX = 128, PART_MIN = 1 + 8, PART_MAX = WIRE_U64_MAX + 8 };

static const uint8_t fields[EV_TYPE_END] = {
    [EV_NODE_UP] = JOURNAL_NODE,
    [EV_NODE_DOWN] = JOURNAL_NODE | JOURNAL_CAUSE,
    [EV_NODE_SUSPECT] = JOURNAL_NODE | JOURNAL_CAUSE,
    [EV_NODE_DRAIN] = JOURNAL_NODE | JOURNAL_CAUSE,
    [EV_NODE_CAPACITY] = JOURNAL_NODE,
    [EV_JOB_SUBMITTED] = 0, /* the job says which it is */
    [EV_JOB_CHANGED] = JOURNAL_JOB,
    [EV_JOB_CANCELLED] = JOURNAL_JOB,
    [EV_ATTEMPT_STARTED] = JOURNAL_AT | JOURNAL_NODE,
    [EV_ATTEMPT_LAUNCH_FAILED] = JOURNAL_AT | JOURNAL_NODE | JOURNAL_CAUSE,
    [EV_ATTEMPT_PROGRESS] = JOURNAL_AT,
    [EV_ATTEMPT_FINISHED] = JOURNAL_AT | JOURNAL_NODE,
    [EV_ATTEMPT_FAILED] = JOURNAL_AT | JOURNAL_NODE | JOURNAL_CAUSE,
    [EV_ATTEMPT_KILLED] = JOURNAL_AT | JOURNAL_NODE | JOURNAL_CAUSE,
    [EV_ATTEMPT_LOST] = JOURNAL_AT | JOURNAL_NODE | JOURNAL_CAUSE,
    [EV_OUTPUT_READY] = JOURNAL_AT | JOURNAL_NODE,
    [EV_OUTPUT_LOST] = JOURNAL_AT | JOURNAL_NODE | JOURNAL_CAUSE,
    [EV_FETCH_STARTED] = JOURNAL_AT,
    [EV_FETCH_DONE] = JOURNAL_AT,
    [EV_FETCH_FAILED] = JOURNAL_AT | JOURNAL_CAUSE,
    [EV_REPLICA_DONE] = JOURNAL_AT | JOURNAL_NODE,
    [EV_REPLICA_FAILED] = JOURNAL_AT | JOURNAL_NODE | JOURNAL_CAUSE,
    [EV_LINK_SAMPLE] = JOURNAL_NODE,
    [EV_COMMITTED] = JOURNAL_AT,
    [EV_COMMIT_FAILED] = JOURNAL_AT | JOURNAL_CAUSE,
    [EV_REFUSED] = JOURNAL_AT | JOURNAL_CAUSE,
    [EV_TIMER] = 0,
    [EV_CORES] = 0,
};

unsigned journal_event_fields(uint8_t type)
{
    return type < EV_TYPE_END ? fields[type] : 0;
}

size_t journal_event_bound(const struct event *e)
{
    size_t bytes = EVENT_FIXED_MAX;
    if (e->type == EV_NODE_UP)
        bytes += wire_string_bound(e->u.node.name);
    else if (e->type == EV_JOB_SUBMITTED)
        bytes += journal_job_bound(e->u.job);
    else if (e->type == EV_OUTPUT_READY && e->u.output.parts)
        bytes += (size_t)e->u.output.part_count * PART_MAX;
    return bytes;
}

static unsigned char *put_capacity(unsigned char *p, const struct res *capacity)
{
    for (int i = 0; i < RES_COUNT; i++)
        p = wire_put_int(p, capacity->v[i]);
    return p;
}

static unsigned char *put_usage(unsigned char *p, const struct usage *use)
{
    p = wire_put_int(p, use->wall_us);
    p = wire_put_int(p, use->cpu_us);
    p = wire_put_int(p, use->read_bytes);
    p = wire_put_int(p, use->written_bytes);
    return wire_put_int(p, use->peak_rss_kib);
}

static unsigned char *put_output(unsigned char *p, const struct event *e)
{
    const struct output_part *parts = e->u.output.parts;
    p = wire_put_int(p, e->u.output.bytes);
    p = wire_put_fixed64(p, e->u.output.checksum);
    p = wire_put_uint(p, e->u.output.part_count);
    *p++ = parts != NULL;
    for (uint32_t i = 0; parts && i < e->u.output.part_count; i++) {
        p = wire_put_int(p, parts[i].bytes);
        p = wire_put_fixed64(p, parts[i].checksum);
    }
    return p;
}

static unsigned char *put_own_fields(unsigned char *p, const struct event *e)
{
    switch ((enum event_type)e->type) {
    case EV_NODE_UP:
        p = put_capacity(p, &e->u.node.capacity);
        p = wire_put_uint(p, e->u.node.rack);
        return wire_put_string(p, e->u.node.name);
    case EV_NODE_CAPACITY:
        return put_capacity(p, &e->u.node.capacity);
    case EV_JOB_SUBMITTED:
        return journal_job_put(p, e->u.job);
    case EV_JOB_CHANGED:
        p = wire_put_uint(p, e->u.change.weight);
        return wire_put_uint(p, e->u.change.running_max);
    case EV_ATTEMPT_PROGRESS:
        p = wire_put_int(p, e->u.progress.done);
        p = wire_put_int(p, e->u.progress.total);
        p = wire_put_int(p, e->u.progress.cpu_us);
        return wire_put_uint(p, e->u.progress.stage);
    case EV_ATTEMPT_FINISHED:
    case EV_ATTEMPT_FAILED:
    case EV_ATTEMPT_KILLED:
    case EV_ATTEMPT_LOST:
        return put_usage(p, &e->u.use);
    case EV_OUTPUT_READY:
        return put_output(p, e);
    case EV_FETCH_STARTED:
    case EV_FETCH_DONE:
    case EV_FETCH_FAILED:
        p = wire_put_at(p, e->u.fetch.source);
        p = wire_put_int(p, e->u.fetch.bytes);
        return wire_put_int(p, e->u.fetch.took_us);
    case EV_LINK_SAMPLE:
        p = wire_put_node(p, e->u.link.to);
        p = wire_put_int(p, e->u.link.bytes);
        return wire_put_int(p, e->u.link.took_us);
    case EV_REFUSED:
        p = wire_put_uint(p, e->u.refused.decision);
        return wire_put_uint(p, e->u.refused.decision_type);
    case EV_TIMER:
        return wire_put_uint(p, e->u.timer);
    case EV_CORES:
        p = wire_put_int(p, e->u.cores.spare);
        return wire_put_int(p, e->u.cores.each);
    default:
        return p; /* the common fields say it all */
    }
}

unsigned char *journal_event_put(unsigned char *p, const struct event *e)
{
    check(e->type > 0 && e->type < EV_TYPE_END && e->cause < CAUSE_END);
    unsigned has = fields[e->type];

    *p++ = e->type;
    if (has & JOURNAL_AT)
        p = wire_put_at(p, e->at);
    if (has & JOURNAL_JOB)
        p = wire_put_uint(p, e->at.job.v);
    if (has & JOURNAL_NODE)
        p = wire_put_node(p, e->node);
    if (has & JOURNAL_CAUSE) {
        *p++ = e->cause;
        if (e->cause != CAUSE_NONE)
            p = wire_put_int(p, e->detail);
    }
    return put_own_fields(p, e);
}

static void get_capacity(struct wire_in *in, struct res *capacity)
{
    for (int i = 0; i < RES_COUNT; i++)
        capacity->v[i] = wire_get_i32(in);
}

static void get_usage(struct wire_in *in, struct usage *use)
{
    use->wall_us = wire_get_int(in);
    use->cpu_us = wire_get_int(in);
    use->read_bytes = wire_get_int(in);
    use->written_bytes = wire_get_int(in);
    use->peak_rss_kib = wire_get_int(in);
}

static void get_output(struct wire_in *in, struct event *e, struct wire_scratch *s)
{
    e->u.output.bytes = wire_get_int(in);
    e->u.output.checksum = wire_get_fixed64(in);
    uint32_t count = wire_get_u32(in);
    e->u.output.part_count = count;
    if (!wire_get_enum(in, 2))
        return;
    if (count > wire_left(in) / PART_MIN) {
        wire_spoil(in);
        return;
    }
    struct output_part *parts = wire_scratch_add(s, count, sizeof *parts);
    for (uint32_t i = 0; i < count; i++) {
        parts[i].bytes = wire_get_int(in);
        parts[i].checksum = wire_get_fixed64(in);
    }
    e->u.output.parts = parts;
}

static void get_own_fields(struct wire_in *in, struct event *e, struct wire_scratch *s)
{
    switch ((enum event_type)e->type) {
    case EV_NODE_UP:
        get_capacity(in, &e->u.node.capacity);
        e->u.node.rack = wire_get_u32(in);
        e->u.node.name = wire_get_string(in);
        return;
    case EV_NODE_CAPACITY:
        get_capacity(in, &e->u.node.capacity);
        return;
    case EV_JOB_SUBMITTED:
        e->u.job = journal_job_get(in, s);
        e->at.job = e->u.job->id;
        return;
    case EV_JOB_CHANGED:
        e->u.change.weight = wire_get_u32(in);
        e->u.change.running_max = wire_get_u32(in);
        return;
    case EV_ATTEMPT_PROGRESS:
        e->u.progress.done = wire_get_int(in);
        e->u.progress.total = wire_get_int(in);
        e->u.progress.cpu_us = wire_get_int(in);
        e->u.progress.stage = wire_get_enum(in, UINT8_MAX + 1u);
        return;
    case EV_ATTEMPT_FINISHED:
    case EV_ATTEMPT_FAILED:
    case EV_ATTEMPT_KILLED:
    case EV_ATTEMPT_LOST:
        get_usage(in, &e->u.use);
        return;
    case EV_OUTPUT_READY:
        get_output(in, e, s);
        return;
    case EV_FETCH_STARTED:
    case EV_FETCH_DONE:
    case EV_FETCH_FAILED:
        e->u.fetch.source = wire_get_at(in);
        e->u.fetch.bytes = wire_get_int(in);
        e->u.fetch.took_us = wire_get_int(in);
        return;
    case EV_LINK_SAMPLE:
        e->u.link.to = wire_get_node(in);
        e->u.link.bytes = wire_get_int(in);
        e->u.link.took_us = wire_get_int(in);
        return;
    case EV_REFUSED:
        e->u.refused.decision = wire_get_uint(in);
        e->u.refused.decision_type = wire_get_enum(in, DO_TYPE_END);
        return;
    case EV_TIMER:
        e->u.timer = wire_get_u32(in);
        return;
    case EV_CORES:
        e->u.cores.spare = wire_get_i32(in);
        e->u.cores.each = wire_get_i32(in);
        return;
    default:
        return;
    }
}

void journal_event_get(struct wire_in *in, struct event *e, struct wire_scratch *s)
{
    *e = (struct event){.type = wire_get_enum(in, EV_TYPE_END), .node = NODE_NONE};
    unsigned has = fields[e->type];

    if (e->type == 0)
        wire_spoil(in);
    if (has & JOURNAL_AT)
        e->at = wire_get_at(in);
    if (has & JOURNAL_JOB)
        e->at.job.v = wire_get_u32(in);
    if (has & JOURNAL_NODE)
        e->node = wire_get_node(in);
    if (has & JOURNAL_CAUSE) {
        e->cause = wire_get_enum(in, CAUSE_END);
        if (e->cause != CAUSE_NONE)
            e->detail = wire_get_i32(in);
    }
    get_own_fields(in, e, s);
}
