/* slurm_jobs.h - parses the output of `squeue --json`, and keeps the jobs of one run.
 *
 * The shape changes with the release of Slurm: numbers became objects {set, infinite, number}, and
 * states became lists. All shapes since 21.08 are read. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "remote/fleet/slurm_blocks.h"

struct slurm_jobs {
    VEC(struct slurm_blocks_job) at; /* end_us: seconds of Slurm's own clock, times a million */
    void *root;                      /* owner of the strings */
};

/* Parses the jobs whose name is `name`, or with NULL the one with this id; older releases list
 * those of all users. Returns 0, free with slurm_jobs_fini; or -1 with *err and nothing to free. */
int slurm_jobs_parse(struct slurm_jobs *jobs, const char *text, size_t length, const char *name,
                     int64_t id, struct err *err);
void slurm_jobs_fini(struct slurm_jobs *jobs);
