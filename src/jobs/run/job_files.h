/* job_files.h - the files of a job, as they were when it began, for its commands. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "jobs/task/plan.h"

/* Adds PATH or PATH#NAME to the list, unless it is there; `option` is for messages. Returns 0, or
 * -1 with *err if the file does not exist, or another one has that name. */
int job_files_add(struct task_plan *plan, const char *option, const char *text, struct err *err);
/* As job_files_add without adding it; the caller frees the strings of *found. */
int job_files_find(const char *option, const char *text, struct plan_file *found, struct err *err);
/* Refuses a name that one of the files has. Returns 0, or -1 with *err. */
int job_files_name(const struct task_plan *plan, const char *option, const struct plan_file *file,
                   struct err *err);

/* Copies the files of the plan into the folder, which is made, under their names; the plan then
 * names the copies. They are read-only and executable, as with Hadoop. Returns 0, or -1 with *err.
 */
int job_files_copy(struct task_plan *plan, const char *folder, struct err *err);
/* Notes the hash of each file, which tasks compare (task_env.c); used instead of copies if tasks
 * do not see the folder. Folders have none. Returns 0, or -1 with *err. */
int job_files_bind(struct task_plan *plan, struct err *err);

/* Finds a file, in the last message of a command, that the command has looked for and that is in
 * the folder where dolly was started: commands run in a folder of their own, with the files that
 * the job names. Writes its relative path to `path`. Returns false if there is none, or the plan
 * has it. */
bool job_files_hint(const struct task_plan *p, const char *words, char *path, size_t size);
