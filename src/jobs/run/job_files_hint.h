/* job_files_hint.h - finds a file that a command has looked for and that is in the folder where
 * dolly was started: commands run in a folder of their own, with the files that the job names. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "jobs/task/plan.h"

/* Finds such a file in the last message of a command; writes its relative path to `path`. Returns
 * false if there is none, or the plan has it. */
bool job_files_hint(const struct task_plan *p, const char *words, char *path, size_t size);
