/* journal_verify.h - checks that the brain would decide the same again. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "core/engine/engine.h"
#include "record/journal/journal_reader.h"

/* Set the first two. */
struct journal_verify {
    struct brain *brain; /* borrowed; made as in the RUN record */
    uint32_t version;    /* of the journal: journal_reader_version */
    uint64_t turns;      /* number of turns that were the same */
};

/* Returns true if journals of this version record for every read whether siblings read along. Older
 * ones do so for reads of single tasks only, and call every read of a whole phase shared. */
bool journal_verify_knows_shared(uint32_t version);

/* Returns a tap for journal_play that applies the events of each turn to the brain and compares its
 * decisions with the recorded ones, to the byte but for the last digits of a reason's numbers. It
 * stops the play at the first decision that differs (kind ERR_SYSTEM: not the input's fault) and at
 * an event that no body of dolly would send (see brain_breach). If the journal does not record for
 * every read whether it is shared, reads are compared without that. */
struct tap journal_verify_tap(struct journal_verify *v);

/* Plays the rest of a journal, after the RUN record, to that tap alone. Returns 0, or -1 with *err;
 * in both cases with the number of turns that were the same in *turns. */
int journal_verify(struct journal_reader *r, struct brain *brain, uint64_t *turns, struct err *err);
