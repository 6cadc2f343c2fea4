/* alibaba.h - functions for the tables of Alibaba's traces of 2017 and 2018. */
#pragma once

#include "inputs/formats/table.h"
#include "inputs/trace/feed.h"

/* Sets *end to the end of an instance (one of a task's) or a task with this status. Returns false
 * if there is no such status. */
bool alibaba_status(struct row_text word, enum row_end *end);

/* The confidence that a table without a header is of the format that has this many columns, a whole
 * number in the column `number` and a status in `status`. */
int alibaba_detect(const char *at, size_t length, bool is_all, uint32_t columns, uint32_t number,
                   uint32_t status);

/* Fills the row of a task of 2018 from its name and its status: its phase, that one's parents, and
 * its end. Returns false for a bad line, which was counted. */
bool alibaba_task(struct feed_reader *r, struct row_text task, struct row_text status,
                  struct row_bytes *parents, struct row *row);

/* Ends a member whose state is `parents`. */
void alibaba_end(struct feed_reader *r, void *parents);

/* Fills the row of a phase that ran from start to end, in seconds, or, according to row->end, did
 * not; 0 and -1: unknown; negative: before the trace, whose beginning is then the submission.
 * Returns false for a bad line, which was counted. */
bool alibaba_span(struct feed_reader *r, struct row_text start, struct row_text end,
                  struct row *row);

/* Reads plan_cpu (100: a core; empty: unknown) and plan_mem (`whole` is the largest machine). */
bool alibaba_plan(struct feed_reader *r, struct row_text cpu, struct row_text mem, double whole,
                  struct row *row);
