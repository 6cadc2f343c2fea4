/* journal_decision.h - encodes decisions as bytes of the journal and decodes them. */
#pragma once

#include "core/model/decision.h"
#include "record/journal/journal_event.h"
#include "record/journal/wire.h"

/* Returns the common fields (enum journal_fields) of decisions of this type. */
unsigned journal_decision_fields(uint8_t type);

enum { JOURNAL_DECISION_MAX = 256 };

/* Writes the decision at `p`, which has space for JOURNAL_DECISION_MAX bytes, and returns the
 * position after it. */
unsigned char *journal_decision_put(unsigned char *p, const struct decision *d);

/* Reads a decision; fields that its type does not have are 0 (node: NODE_NONE). Spoils `in` if the
 * bytes are not a decision. */
__attribute__((nonnull)) void journal_decision_get(struct wire_in *in, struct decision *d);
