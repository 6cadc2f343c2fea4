/* job_files_hint.h - a file that a command has looked for, and that lies where dolly was started:
 * commands run in a folder of their own, and have there what the job names. */
#ifndef JOBS_RUN_JOB_FILES_HINT_H
#define JOBS_RUN_JOB_FILES_HINT_H

#include <stdbool.h>
#include <stddef.h>

#include "jobs/task/plan.h"

/* Finds such a file in what a command said last; its path from here goes to `path`. False: there is
 * none, or the plan has it. */
bool job_files_hint(const struct task_plan *p, const char *words, char *path, size_t size);

#endif
