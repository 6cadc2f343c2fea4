/* journal_decision.h - decisions as bytes of the journal and back. */
#ifndef RECORD_JOURNAL_JOURNAL_DECISION_H
#define RECORD_JOURNAL_JOURNAL_DECISION_H

#include "core/model/decision.h"
#include "record/journal/journal_event.h"
#include "record/journal/wire.h"

/* Which common fields (enum journal_fields) decisions of this type carry. */
unsigned journal_decision_fields(uint8_t type);

enum { JOURNAL_DECISION_MAX = 256 };

/* Writes the decision at `p`, which has room for JOURNAL_DECISION_MAX bytes, and returns the byte
 * behind it. */
unsigned char *journal_decision_put(unsigned char *p, const struct decision *d);

/* Reads a decision; fields that its type does not carry are 0 (node: NODE_NONE). Spoils `in` when
 * the bytes make no decision. */
void journal_decision_get(struct wire_in *in, struct decision *d);

#endif
