/* journal_job.h - a job's whole specification as bytes of a job_submitted record. */
#ifndef RECORD_JOURNAL_JOURNAL_JOB_H
#define RECORD_JOURNAL_JOURNAL_JOB_H

#include <stddef.h>

#include "core/model/job.h"
#include "record/journal/wire.h"

/* Bytes that journal_job_put needs at most. */
size_t journal_job_bound(const struct job_spec *job);

/* Writes the job at `p` and returns the byte behind it. `old`: as before JOURNAL_VERSION_APPS,
 * where it can have neither an application nor an expectation. */
unsigned char *journal_job_put(unsigned char *p, const struct job_spec *job, bool old);

/* Reads a job. Its strings lie in the record, the rest in the scratch. Spoils `in` when the bytes
 * make no job. Memory used is bounded by a small multiple of the record's length. */
const struct job_spec *journal_job_get(struct wire_in *in, struct wire_scratch *s);

#endif
