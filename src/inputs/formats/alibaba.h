/* alibaba.h - what the tables of Alibaba's traces of 2017 and 2018 share. */
#ifndef INPUTS_FORMATS_ALIBABA_H
#define INPUTS_FORMATS_ALIBABA_H

#include "inputs/formats/table.h"
#include "inputs/trace/feed.h"

/* How an instance (one of a task's) or a task with this status ended. False: no such status. */
bool alibaba_status(struct row_text word, enum row_end *end);

/* How sure it is of a table without a header that has this many columns, a whole number in the
 * column `number` and a status in `status`. */
int alibaba_detect(const char *at, size_t length, bool is_all, uint32_t columns, uint32_t number,
                   uint32_t status);

/* What a task of 2018 and its status say of a row: its phase, that one's parents, and how it
 * ended. False: a bad line, which was counted. */
bool alibaba_task(struct feed_reader *r, struct row_text task, struct row_text status,
                  struct row_bytes *parents, struct row *row);

/* The end of a part whose state is `parents`. */
void alibaba_end(struct feed_reader *r, void *parents);

/* A row about a phase that ran from start to end, in seconds, or, as row->end has it, did not; 0
 * and -1: not known; before 0: before the trace, whose beginning is then when it was submitted.
 * False: a bad line, which was counted. */
bool alibaba_span(struct feed_reader *r, struct row_text start, struct row_text end,
                  struct row *row);

/* plan_cpu (100: a core; empty: unknown) and plan_mem (in `whole` for the largest machine). */
bool alibaba_plan(struct feed_reader *r, struct row_text cpu, struct row_text mem, double whole,
                  struct row *row);

#endif
