/* Events on the wire: the type, the common fields that the type uses, then the fields of its own.
 *
 * One table says which common fields a type has, another (journal_fields.h) which fields of its
 * own; both serve the writer and the reader (struct wire). Rejected: one function per type behind a
 * pointer (the writer runs tens of millions of times per second in a simulation, and the format
 * would be spread over fifty places), and writing all fields always (three times the bytes).
 * docs/reference/journal.md prints the tables; journal_doc_test.c holds it to the code. */
#include "record/journal/journal_event.h"

#include "base/check.h"
#include "core/model/decision.h"
#include "record/journal/journal_fields.h"

enum { PART_MIN = 1 + 8, PART_MAX = WIRE_U64_MAX + 8 };

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
    size_t bytes = JOURNAL_EVENT_MAX;
    if (!journal_event_has_more(e))
        return bytes;
    if (e->type == EV_NODE_UP)
        bytes += wire_string_bound(e->u.node.name);
    else if (e->type == EV_RESOURCE)
        bytes += wire_string_bound(e->u.resource.name);
    else if (e->type == EV_JOB_SUBMITTED)
        bytes += journal_job_bound(e->u.job);
    else
        bytes += (size_t)e->u.output.partition_count * PART_MAX;
    return bytes;
}

/* ---- kinds of fields that only events have ---- */

WIRE_BOTH wire_capacity(struct wire *w, struct res *capacity)
{
    for (int i = 0; i < RES_COUNT; i++)
        wire_i32(w, &capacity->v[i]);
}

/* Left out where it is 0, as it always is in a simulation. */
WIRE_BOTH wire_late(struct wire *w, int64_t *late_us)
{
    if (w->in ? wire_left(w->in) > 0 : *late_us > 0)
        wire_int(w, late_us);
    if (w->in && *late_us < 0)
        wire_spoil(w->in);
}

/* Takes one byte, or two. */
WIRE_BOTH wire_u8(struct wire *w, uint8_t *v)
{
    if (w->in)
        *v = wire_get_enum(w->in, UINT8_MAX + 1u);
    else
        w->out = wire_put_uint(w->out, *v);
}

#define wire_decision_type(w, v) wire_enum(w, v, DO_TYPE_END)
#define wire_resource(w, v) wire_enum(w, v, RES_COUNT)
#define wire_res_kind(w, v) wire_enum(w, v, RES_KIND_END)

WIRE_BOTH output_fields(struct wire *w, struct event *e, struct wire_scratch *s)
{
    uint8_t listed = e->u.output.partitions != NULL;
    wire_int(w, &e->u.output.bytes);
    wire_fixed64(w, &e->u.output.checksum);
    wire_u32(w, &e->u.output.partition_count);
    wire_enum(w, &listed, 2);
    uint32_t count = listed ? e->u.output.partition_count : 0;
    struct output_partition *partitions =
        (struct output_partition *)(uintptr_t)e->u.output.partitions;
    if (w->in && listed) {
        if (count > wire_left(w->in) / PART_MIN) {
            wire_spoil(w->in);
            return;
        }
        e->u.output.partitions = partitions = wire_scratch_add(s, count, sizeof *partitions);
    }
    for (uint32_t i = 0; i < count; i++) {
        wire_int(w, &partitions[i].bytes);
        wire_fixed64(w, &partitions[i].checksum);
    }
}

WIRE_BOTH own_fields(struct wire *w, uint8_t type, struct event *e, struct wire_scratch *s)
{
#define CASE(type) case type:
#define FIELD(wire, json, member, key) wire_##wire(w, &e->member);
#define LAST(...)                                                                                  \
    FIELD(__VA_ARGS__)                                                                             \
    return;
    switch ((enum event_type)type) {
        JOURNAL_EVENT_FIELDS(CASE, FIELD, LAST)
    case EV_JOB_SUBMITTED:
        if (w->in)
            e->u.job = journal_job_get(w->in, s);
        else
            w->out = journal_job_put(w->out, e->u.job, w->old);
        return;
    case EV_OUTPUT_READY:
        output_fields(w, e, s);
        return;
    default:
        return; /* the common fields say it all */
    }
#undef CASE
#undef FIELD
#undef LAST
}

WIRE_BOTH all_fields(struct wire *w, uint8_t type, struct event *e, struct wire_scratch *s)
{
    unsigned has = fields[type];
    journal_event_common(w, has, &e->at, &e->node);
    if (has & JOURNAL_CAUSE) {
        wire_enum(w, &e->cause, CAUSE_END);
        if (e->cause != CAUSE_NONE)
            wire_i32(w, &e->detail);
    }
    own_fields(w, type, e, s);
}

static inline __attribute__((always_inline)) unsigned char *put(unsigned char *p, uint8_t type,
                                                                const struct event *e, bool old)
{
    struct wire w = {p, NULL, old};
    *w.out++ = type;
    all_fields(&w, type, (struct event *)(uintptr_t)e, NULL); /* writing leaves it as it is */
    return w.out;
}

/* Of the most frequent types it is known in advance which fields they have, and that there is no
 * cause among them. */
unsigned char *journal_event_put(unsigned char *p, const struct event *e, bool old)
{
    switch (e->type) {
    case EV_ATTEMPT_STARTED:
        return put(p, EV_ATTEMPT_STARTED, e, old);
    case EV_ATTEMPT_PROGRESS:
        return put(p, EV_ATTEMPT_PROGRESS, e, old);
    case EV_ATTEMPT_FINISHED:
        return put(p, EV_ATTEMPT_FINISHED, e, old);
    case EV_COMMITTED:
        return put(p, EV_COMMITTED, e, old);
    case EV_FETCH_STARTED:
        return put(p, EV_FETCH_STARTED, e, old);
    case EV_FETCH_DONE:
        return put(p, EV_FETCH_DONE, e, old);
    default:
        check(e->type > 0 && e->type < EV_TYPE_END && e->cause < CAUSE_END);
        return put(p, e->type, e, old);
    }
}

void journal_event_get(struct wire_in *in, struct event *e, struct wire_scratch *s)
{
    struct wire w = {NULL, in, in->old};
    *e = (struct event){.type = wire_get_enum(in, EV_TYPE_END), .node = NODE_NONE};
    if (e->type == 0)
        wire_spoil(in);
    all_fields(&w, e->type, e, s);
    if (e->type == EV_JOB_SUBMITTED)
        e->at.job = e->u.job->id;
}
