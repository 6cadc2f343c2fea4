/* assemble.h - jobs from rows, whatever the format. */
#ifndef INPUTS_TRACE_ASSEMBLE_H
#define INPUTS_TRACE_ASSEMBLE_H

#include <stdbool.h>
#include <stdint.h>

#include "inputs/trace/draft.h"

struct assemble;

/* The context is borrowed until assemble_destroy. */
struct assemble *assemble_create(struct draft_context context);
void assemble_destroy(struct assemble *a); /* NULL is fine */

/* The next row of a job, in the order of row_encode; its texts must stay until assemble_job. */
void assemble_row(struct assemble *a, const struct row *r);

/* The rows so far are all rows of a job: appends it as job_pack bytes. False: they make no job
 * (none, or trouble knows why). The next row begins another one. */
bool assemble_job(struct assemble *a, struct row_bytes *to, int64_t *arrived_us);

#endif
