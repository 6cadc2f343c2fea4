/* drive.h - runs a workload of commands from its first job to its last: jobs/drive/assembly.h with
 * the jobs of a file and a summary.
 *
 * All errors in the request are found before the folder of the run is made, so that a typing error
 * leaves nothing behind. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "core/engine/engine.h"
#include "core/model/id.h"
#include "jobs/drive/assembly.h"
#include "record/stats/summary.h"

struct drive_options {
    const char *workload;        /* a file, as the user named it; borrowed */
    struct assembly_options run; /* `exec` has the folder, the grace and with `data` the copier */
    /* Subscribes to the account of the run, which also covers the turns before it was resumed;
     * NULL: nothing. It and `finish` get the context of the hooks. */
    void (*begin)(void *ctx, struct follow *f);
    /* Finishes a run without failed jobs, while it still holds its folder; NULL: nothing. */
    int (*finish)(void *ctx, struct err *err);
};

struct drive_result {
    struct summary_result summary;
    uint64_t digest;
    char *failure; /* message about jobs that failed, or NULL; owned by the caller */
    bool interrupted;
};

/* Runs the workload. Returns 0 with the result; or -1 with *err, and `interrupted` is set. */
int drive_run(const struct drive_options *options, struct drive_result *result, struct err *err);

/* Resumes an interrupted run; policy, machines, chaos and seed are those of its journal. Only reads
 * a run that was complete. Returns as drive_run. */
int drive_resume(const struct drive_options *options, struct drive_result *result, struct err *err);

/* Returns true if anything may have been run in the folder: its journal has begun. */
bool drive_has_begun(const char *dir);

/* Calls `found` for each attempt whose output was committed in the run of the folder, in the order
 * of time: for a task whose output was lost and made again, the last one counts. Returns 0, or -1
 * with *err if its journal cannot be read. */
int drive_winners(const char *dir, void (*found)(void *ctx, struct attempt_ref at), void *ctx,
                  struct err *err);

/* Fills in the size of the committed output of each task of the phase, of the first job of a run
 * that is over; -1: none was committed. Returns 0, or -1 with *err. */
int drive_sizes(const char *dir, uint16_t phase, int64_t *bytes, uint32_t tasks, struct err *err);

/* Calls `found` with the duration of each finished attempt of the phase, in the journal at `path`.
 * Returns 0, or -1 with *err if it cannot be read, or has no such phase. */
int drive_times(const char *path, const char *phase,
                void (*found)(void *ctx, uint32_t task, int64_t us), void *ctx, struct err *err);
