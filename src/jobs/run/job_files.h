/* job_files.h - the files of a job, as its commands find them: what they were when it began. */
#ifndef JOBS_RUN_JOB_FILES_H
#define JOBS_RUN_JOB_FILES_H

#include "base/err.h"
#include "jobs/task/plan.h"

/* Adds PATH or PATH#NAME to the list, unless it is there; `option` is for messages. -1 with *err:
 * there is no such file, or another of that name. */
int job_files_add(struct task_plan *plan, const char *option, const char *text, struct err *err);
/* The same without adding it; the caller frees what is in *found. */
int job_files_find(const char *option, const char *text, struct plan_file *found, struct err *err);
/* Refuses a name that one of the files has. */
int job_files_name(const struct task_plan *plan, const char *option, const struct plan_file *file,
                   struct err *err);

/* Copies the files of the plan into the folder, which is made, under their names; from then on they
 * are those of the plan. Nobody may write to the copies, and all may be executed, as Hadoop has it.
 * -1 with *err. */
int job_files_copy(struct task_plan *plan, const char *folder, struct err *err);
/* Instead, where tasks do not see the folder: notes the hash of each, which tasks compare
 * (task_room.c). Folders have none. */
int job_files_bind(struct task_plan *plan, struct err *err);

#endif
