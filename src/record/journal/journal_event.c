/* Events on the wire: the type, the common fields that the type uses, then the fields of its own.
 *
 * One table says which common fields a type has, one switch which fields of its own; both serve the
 * writer and the reader (struct wire). Rejected: one function per type behind a pointer (the writer
 * runs tens of millions of times per second in a simulation, and the format would be spread over
 * fifty places), and writing all fields always (three times the bytes). docs/reference/journal.md
 * prints the table; journal_event_test.c holds it to the code. */
#include "record/journal/journal_event.h"

#include "base/check.h"
#include "core/model/decision.h"

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
    [EV_RESOURCE] = 0,
    [EV_ATTEMPT_ENDED] = JOURNAL_AT | JOURNAL_NODE,
    [EV_PRESSURE] = JOURNAL_NODE,
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
    else if (e->type == EV_RESOURCE)
        bytes += wire_string_bound(e->u.resource.name);
    else if (e->type == EV_JOB_SUBMITTED)
        bytes += journal_job_bound(e->u.job);
    else if (e->type == EV_OUTPUT_READY && e->u.output.parts)
        bytes += (size_t)e->u.output.part_count * PART_MAX;
    return bytes;
}

WIRE_BOTH capacity_fields(struct wire *w, struct res *capacity)
{
    for (int i = 0; i < RES_COUNT; i++)
        wire_i32(w, &capacity->v[i]);
}

WIRE_BOTH usage_fields(struct wire *w, struct usage *use)
{
    wire_int(w, &use->wall_us);
    wire_int(w, &use->cpu_us);
    wire_int(w, &use->read_bytes);
    wire_int(w, &use->written_bytes);
    wire_int(w, &use->peak_rss_kib);
}

WIRE_BOTH output_fields(struct wire *w, struct event *e, struct wire_scratch *s)
{
    uint8_t listed = e->u.output.parts != NULL;
    wire_int(w, &e->u.output.bytes);
    wire_fixed64(w, &e->u.output.checksum);
    wire_u32(w, &e->u.output.part_count);
    wire_enum(w, &listed, 2);
    uint32_t count = listed ? e->u.output.part_count : 0;
    struct output_part *parts = (struct output_part *)(uintptr_t)e->u.output.parts;
    if (w->in && listed) {
        if (count > wire_left(w->in) / PART_MIN) {
            wire_spoil(w->in);
            return;
        }
        e->u.output.parts = parts = wire_scratch_add(s, count, sizeof *parts);
    }
    for (uint32_t i = 0; i < count; i++) {
        wire_int(w, &parts[i].bytes);
        wire_fixed64(w, &parts[i].checksum);
    }
}

WIRE_BOTH own_fields(struct wire *w, struct event *e, struct wire_scratch *s)
{
    switch ((enum event_type)e->type) {
    case EV_NODE_UP:
        capacity_fields(w, &e->u.node.capacity);
        wire_u32(w, &e->u.node.rack);
        wire_string(w, &e->u.node.name);
        return;
    case EV_NODE_CAPACITY:
        capacity_fields(w, &e->u.node.capacity);
        return;
    case EV_JOB_SUBMITTED:
        if (w->in)
            e->u.job = journal_job_get(w->in, s);
        else
            w->out = journal_job_put(w->out, e->u.job, w->old);
        return;
    case EV_JOB_CHANGED:
        wire_u32(w, &e->u.change.weight);
        wire_u32(w, &e->u.change.running_max);
        return;
    case EV_ATTEMPT_PROGRESS:
        wire_int(w, &e->u.progress.done);
        wire_int(w, &e->u.progress.total);
        wire_int(w, &e->u.progress.cpu_us);
        if (w->in) /* may take two bytes */
            e->u.progress.stage = wire_get_enum(w->in, UINT8_MAX + 1u);
        else
            w->out = wire_put_uint(w->out, e->u.progress.stage);
        return;
    case EV_ATTEMPT_STARTED: /* left out where it is 0, as it always is in a simulation */
        if (w->in ? wire_left(w->in) > 0 : e->u.late_us > 0)
            wire_int(w, &e->u.late_us);
        if (w->in && e->u.late_us < 0)
            wire_spoil(w->in);
        return;
    case EV_ATTEMPT_FINISHED:
    case EV_ATTEMPT_FAILED:
    case EV_ATTEMPT_KILLED:
    case EV_ATTEMPT_LOST:
        usage_fields(w, &e->u.use);
        return;
    case EV_OUTPUT_READY:
        output_fields(w, e, s);
        return;
    case EV_FETCH_STARTED:
    case EV_FETCH_DONE:
    case EV_FETCH_FAILED:
        wire_at(w, &e->u.fetch.source);
        wire_int(w, &e->u.fetch.bytes);
        wire_int(w, &e->u.fetch.took_us);
        return;
    case EV_LINK_SAMPLE:
        wire_node(w, &e->u.link.to);
        wire_int(w, &e->u.link.bytes);
        wire_int(w, &e->u.link.took_us);
        return;
    case EV_REFUSED:
        wire_uint(w, &e->u.refused.decision);
        wire_enum(w, &e->u.refused.decision_type, DO_TYPE_END);
        return;
    case EV_TIMER:
        wire_u32(w, &e->u.timer);
        return;
    case EV_CORES:
        wire_i32(w, &e->u.cores.spare);
        wire_i32(w, &e->u.cores.each);
        return;
    case EV_PRESSURE:
        wire_i32(w, &e->u.pressure.disk);
        wire_i32(w, &e->u.pressure.memory);
        return;
    case EV_RESOURCE:
        wire_enum(w, &e->u.resource.which, RES_COUNT);
        wire_enum(w, &e->u.resource.kind, RES_KIND_END);
        wire_string(w, &e->u.resource.name);
        return;
    default:
        return; /* the common fields say it all */
    }
}

WIRE_BOTH all_fields(struct wire *w, struct event *e, struct wire_scratch *s)
{
    unsigned has = fields[e->type];
    journal_event_common(w, has, &e->at, &e->node);
    if (has & JOURNAL_CAUSE) {
        wire_enum(w, &e->cause, CAUSE_END);
        if (e->cause != CAUSE_NONE)
            wire_i32(w, &e->detail);
    }
    own_fields(w, e, s);
}

unsigned char *journal_event_put(unsigned char *p, const struct event *e, bool old)
{
    struct wire w = {p, NULL, old};
    check(e->type > 0 && e->type < EV_TYPE_END && e->cause < CAUSE_END);
    *w.out++ = e->type;
    all_fields(&w, (struct event *)(uintptr_t)e, NULL); /* writing leaves it as it is */
    return w.out;
}

void journal_event_get(struct wire_in *in, struct event *e, struct wire_scratch *s)
{
    struct wire w = {NULL, in, in->old};
    *e = (struct event){.type = wire_get_enum(in, EV_TYPE_END), .node = NODE_NONE};
    if (e->type == 0)
        wire_spoil(in);
    all_fields(&w, e, s);
    if (e->type == EV_JOB_SUBMITTED)
        e->at.job = e->u.job->id;
}
