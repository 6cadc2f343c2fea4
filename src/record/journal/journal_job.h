/* journal_job.h - encodes a job's whole specification as bytes of a job_submitted record. */
#pragma once

#include <stddef.h>

#include "core/model/job.h"
#include "record/journal/wire.h"

/* Maximum number of bytes that journal_job_put writes. */
size_t journal_job_bound(const struct job_spec *job);

/* Writes the job at `p` and returns the position after it. `old`: as before JOURNAL_VERSION_APPS,
 * without an application or an expectation. */
unsigned char *journal_job_put(unsigned char *p, const struct job_spec *job, bool old);

/* Reads a job. Its strings are in the record, the rest in the scratch. Spoils `in` if the bytes are
 * not a job. Uses memory of at most a small multiple of the record's length. */
const struct job_spec *journal_job_get(struct wire_in *in, struct wire_scratch *s);
