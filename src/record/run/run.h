/* run.h - one run, put together: a policy and a seed make the brain, a journal writes down what
 * happens, a body and taps are joined to them.
 *
 * Every command that runs jobs goes this way:
 *     run_create    opens the journal and makes the brain
 *     run_drive     runs the engine to its end; the body is made between the two, because it may
 *                   write its commits to the journal
 *     run_close     ends the journal and frees */
#ifndef RECORD_RUN_RUN_H
#define RECORD_RUN_RUN_H

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

/* NULL with *err when the journal cannot be created. */
struct run *run_create(const struct run_options *options, struct err *err);

struct journal *run_journal(const struct run *r); /* NULL where there is none */

/* State is the fold of the journal: feeds the brain of a run without a journal what that at `path`
 * has, from where the reader stands, behind its first record, as journal_verify_tap does, and then
 * shows it to the taps of `play`. Unless it is complete it goes on where it is good, as that of
 * this run, each turn on the disk. 0 with *played, or -1 with *err. */
int run_recall(struct run *r, struct journal_reader *reader, const char *path,
               const struct journal_play *play, struct journal_played *played, struct err *err);

/* Runs until the body has no more events. The taps see each turn after the journal. 0, or
 * -1 with *err. */
int run_drive(struct run *r, struct body body, const struct tap *taps, uint32_t tap_count,
              struct err *err);

/* The digest of the journal so far. */
uint64_t run_digest(const struct run *r);

/* Closes the journal, as complete if `result` (of run_drive and what came after it) is 0, and
 * frees. Returns the result; -1 with *err when only the closing failed. NULL is fine. */
int run_close(struct run *r, int result, struct err *err);

/* Makes the brain of a recorded run again, as the journal at `path` says, and feeds it the journal
 * (journal_verify): 0 if it decides the same, else -1 with *err; *turns were the same. The reader
 * is at its beginning. */
int run_verify(struct journal_reader *r, const char *path, uint64_t *turns, struct err *err);

#endif
