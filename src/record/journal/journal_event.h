/* journal_event.h - encodes events as bytes of the journal and decodes them. */
#pragma once

#include <stddef.h>

#include "core/model/event.h"
#include "record/journal/journal_job.h"
#include "record/journal/wire.h"

/* The common fields of a type of event or decision, in addition to its own. */
enum journal_fields {
    JOURNAL_AT = 1,    /* job, phase, task, attempt */
    JOURNAL_JOB = 2,   /* of `at` only the job */
    JOURNAL_NODE = 4,  /* node */
    JOURNAL_CAUSE = 8, /* cause and, unless it is none, detail */
};

/* Writes or reads `at` and `node`, if the type has them. */
WIRE_BOTH journal_event_common(struct wire *w, unsigned has, struct attempt_ref *at,
                               struct node_id *node)
{
    if (has & JOURNAL_AT)
        wire_at(w, at);
    if (has & JOURNAL_JOB)
        wire_u32(w, &at->job.v);
    if (has & JOURNAL_NODE)
        wire_node(w, node);
}

/* Returns the common fields of events of this type; other fields are neither written nor compared.
 */
unsigned journal_event_fields(uint8_t type);

/* Everything but strings, jobs and partitions: the longest is a failed attempt with its use. */
enum { JOURNAL_EVENT_MAX = 128 };

/* Returns true for events that may be longer than that. */
static inline bool journal_event_has_more(const struct event *e)
{
    _Static_assert(EV_TYPE_END <= 32, "a bit for each type");
    const uint32_t more =
        1U << EV_NODE_UP | 1U << EV_RESOURCE | 1U << EV_JOB_SUBMITTED | 1U << EV_OUTPUT_READY;
    return more >> (e->type & 31) & 1 && !(e->type == EV_OUTPUT_READY && !e->u.output.partitions);
}

/* Maximum number of bytes that journal_event_put writes. */
size_t journal_event_bound(const struct event *e);

/* Writes the event at `p` and returns the position after it. `old`: see journal_job.h. */
unsigned char *journal_event_put(unsigned char *p, const struct event *e, bool old);

/* Reads an event; fields that its type does not have are 0 (node: NODE_NONE). Its pointers are into
 * the record or the scratch. Spoils `in` if the bytes are not an event. */
void journal_event_get(struct wire_in *in, struct event *e, struct wire_scratch *s);
