/* assemble.h - jobs from rows, whatever the format. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "inputs/trace/draft.h"

struct assemble;

/* Creates an assembler; borrows the context until assemble_destroy. */
struct assemble *assemble_create(struct draft_context context);
void assemble_destroy(struct assemble *a); /* NULL is fine */

/* Adds the next row of a job, in the order of row_encode; its texts must be valid until
 * assemble_job. */
void assemble_row(struct assemble *a, const struct row *r);

/* Ends a job: appends it as job_pack bytes. Returns false if its rows do not make a job (none, or
 * an error that `trouble` has counted). The next row begins another job. */
bool assemble_job(struct assemble *a, struct row_bytes *to, int64_t *arrived_us);
