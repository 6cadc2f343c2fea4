/* run.h - one run: a policy and a seed make the brain, a journal records the run, and a body and
 * taps are connected to them.
 *
 * Every command that runs jobs calls
 *
 *     run_create    opens the journal and makes the brain
 *     run_drive     runs the engine to its end; the body is made between the two, because it may
 *                   write its commits to the journal
 *     run_close     ends the journal and frees */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "core/engine/engine.h"
#include "record/journal/journal.h"
#include "record/journal/journal_play.h"

struct policy;
struct run;

struct run_options {
    const struct policy *policy; /* borrowed until run_close */
    uint64_t seed;
    const struct journal_options *journal; /* NULL: nothing is written, there is no digest */
    const char *body;                      /* its name in the journal; not without one */
    const char *policy_text;               /* the same of the policy; NULL: policy_describe */
};

/* Creates a run. Returns NULL with *err if the journal cannot be created. */
struct run *run_create(const struct run_options *options, struct err *err);

struct journal *run_journal(const struct run *r); /* NULL where there is none */

/* Restores the state of a run from its journal: feeds the brain of a run without a journal the one
 * at `path`, from the reader's position, after its first record, as journal_verify_tap does, and
 * then passes it to the taps of `play`. Unless it is complete, continues it after its valid part as
 * the journal of this run, with each turn on the disk. Returns 0 with *played, or -1 with *err. */
int run_recall(struct run *r, struct journal_reader *reader, const char *path,
               const struct journal_play *play, struct journal_played *played, struct err *err);

/* Runs until the body has no more events. The taps get each turn after the journal. Returns 0, or
 * -1 with *err. */
int run_drive(struct run *r, struct body body, const struct tap *taps, uint32_t tap_count,
              struct err *err);

/* Returns the digest of the journal so far. */
uint64_t run_digest(const struct run *r);

/* Closes the journal, as complete if `result` (of run_drive and later steps) is 0, and frees.
 * Returns the result; -1 with *err if only the closing failed. NULL is fine. */
int run_close(struct run *r, int result, struct err *err);

/* Makes the brain of a recorded run again from the journal at `path`, and feeds it the journal
 * (journal_verify). Returns 0 if it decides the same, else -1 with *err; *turns were the same. The
 * reader is at its beginning. */
int run_verify(struct journal_reader *r, const char *path, uint64_t *turns, struct err *err);
