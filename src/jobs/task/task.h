/* task.h - runs one attempt of a data-parallel job: connects its data with the user's command.
 *
 * An attempt reads a piece of an input, or the output of the phase above: its partition of all run
 * files (data/sorted_file.h), merged, or the lines that tasks above have printed. It gets each of
 * these when the coordinator announces it (task_control.h), perhaps before all are finished. It
 * writes to standard output a sorted file, if other tasks read partitions of it, else the output of
 * its command. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "jobs/task/plan.h"

struct task_control;
struct task_report;

/* The identity of this attempt, as the executor passed it. */
struct task_attempt {
    const struct task_plan *plan;
    const struct plan_phase *phase;
    struct plan_split split; /* its piece of the inputs, if its phase reads them */
    uint32_t number, attempt;
    const char *scratch;          /* an empty folder of its own */
    uint32_t first, last;         /* the tasks above whose output it reads */
    int progress;                 /* descriptor for progress reports; -1: none */
    struct task_control *control; /* announces where that output is */
    const char *counters;         /* file for its counters; NULL: none */
    struct task_report *report;
};

/* Runs the attempt. Returns the status to exit with: the command's, if it is not 0; or -1 with
 * *err. */
int task_run(const struct task_attempt *t, struct err *err);

/* Copies the output of an attempt from standard input to standard output; runs in a process that is
 * not an attempt. Checks the copy and reports it (packet RESULT), or reports that the original is
 * damaged (FETCH_FAILED). `is_run`: a sorted file, each of whose partitions must match its
 * checksum. Returns 0, or -1 with *err. */
int task_copy(struct task_control *control, bool is_run, struct err *err);
