/* journal_job.h - a job's whole specification as bytes of a job_submitted record. */
#ifndef JOURNAL_JOURNAL_JOB_H
#define JOURNAL_JOURNAL_JOB_H

#include <stddef.h>

#include "base/vec.h"
#include "journal/wire.h"
#include "model/job.h"

/* Memory behind the pointers of a decoded record; lives until the next record is read. */
struct journal_scratch {
    struct job_spec job;
    VEC(void *) blocks;
};

/* `count` zeroed objects that live as long as the scratch is not reset. */
void *journal_scratch_add(struct journal_scratch *s, size_t count, size_t size);

/* Frees what was handed out; the scratch can be used again. */
void journal_scratch_reset(struct journal_scratch *s);

/* Bytes that journal_job_put needs at most. */
size_t journal_job_bound(const struct job_spec *job);

/* Writes the job at `p` and returns the byte behind it. */
unsigned char *journal_job_put(unsigned char *p, const struct job_spec *job);

/* Reads a job into s->job; its strings lie in the record, its arrays in the scratch. Spoils `in`
 * when the bytes make no job. Memory used is bounded by a small multiple of the record's length. */
const struct job_spec *journal_job_get(struct wire_in *in, struct journal_scratch *s);

#endif
