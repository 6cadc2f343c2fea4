/* export.h - writes the same attempts for other programs: Chrome's trace events, Nextflow's trace,
 * and CSV. */
#pragma once

#include <zlib.h>

#include "base/err.h"
#include "base/os/fresh_file.h"
#include "base/os/path.h"
#include "base/text.h"
#include "commands/explain/explain.h"
#include "commands/report/gather.h"
#include "commands/report/read_run.h"

/* A file that is written under another name until it is complete (base/os/fresh_file.h). */
struct export_file {
    gzFile f; /* NULL: closed */
    struct fresh_file file;
};

/* Begins a file, compressed if its name ends with .gz, or stdout ("-"). Returns 0, or -1 with *err.
 */
int export_open(struct export_file *e, const char *path, struct err *err);

/* Closes the file and gives it its name. Fails with *err if a part of it was not written, or it is
 * not `whole`. */
int export_close(struct export_file *e, bool whole, struct err *err);

/* Returns the end of an attempt as a word: "won", "killed", ... */
const char *export_fate(uint8_t fate);

/* Returns its exit status, or 128 plus the signal that killed it; -1: none. */
int export_exit(const struct attempt_row_shown *r);

/* Writes a number behind this mark; `none` in its place if it is negative, and so not known. */
void export_number(gzFile f, char mark, int64_t number, const char *none);

/* Adds the name of a phase, or "phase 2" where the job is not known (NULL). */
void export_phase(const struct gather_job *j, uint16_t phase, struct str *to);

/* Writes a trace that Perfetto and chrome://tracing read, compressed if its name ends with .gz: a
 * process for each node, a thread for each lane, a slice for each attempt, a mark for each lost
 * node, a flow for the longest reads. If it exceeds `max` bytes before compression it has several
 * *files, named by export_trace_file, with whole jobs; one job alone may be larger. Returns 0, or
 * -1 with *err. */
int export_trace(const struct explain *x, const struct gather *g, const char *path, uint64_t max,
                 uint32_t *files, struct err *err);

/* Returns the name of a file, from 1 on: run.2.json.gz for run.json.gz. */
struct path export_trace_file(const char *path, uint32_t number);

/* Writes a trace as Nextflow's `-with-trace` does with trace.raw, times in milliseconds of the run.
 * Returns 0, or -1 with *err. */
int export_nextflow(const struct explain *x, const struct gather *g, const char *path,
                    struct err *err);

/* Writes attempts.csv, jobs.csv, phases.csv, series.csv and verdicts.csv into a folder, which is
 * made if needed. Returns 0, or -1 with *err. */
int export_csv(struct read_run *r, const char *dir, struct err *err);
