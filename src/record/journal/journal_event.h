/* journal_event.h - events as bytes of the journal and back. */
#ifndef RECORD_JOURNAL_JOURNAL_EVENT_H
#define RECORD_JOURNAL_JOURNAL_EVENT_H

#include <stddef.h>

#include "core/model/event.h"
#include "record/journal/journal_job.h"
#include "record/journal/wire.h"

/* The common fields that a type of event or decision carries, besides those of its own. */
enum journal_fields {
    JOURNAL_AT = 1,    /* job, phase, task, attempt */
    JOURNAL_JOB = 2,   /* of `at` only the job */
    JOURNAL_NODE = 4,  /* node */
    JOURNAL_CAUSE = 8, /* cause and, unless it is none, detail */
};

/* Of `at` and `node`, those that a type has. */
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

/* Which of them events of this type carry; fields outside are neither written nor compared. */
unsigned journal_event_fields(uint8_t type);

/* Bytes that journal_event_put needs at most. */
size_t journal_event_bound(const struct event *e);

/* Writes the event at `p` and returns the byte behind it. `old`: see journal_job.h. */
unsigned char *journal_event_put(unsigned char *p, const struct event *e, bool old);

/* Reads an event; fields that its type does not carry are 0 (node: NODE_NONE). Pointers in it lie
 * in the record or in the scratch. Spoils `in` when the bytes make no event. */
void journal_event_get(struct wire_in *in, struct event *e, struct wire_scratch *s);

#endif
