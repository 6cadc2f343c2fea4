/* cmd_task.h - `dolly task`: an attempt of a data-parallel job, started by dolly. */
#ifndef JOBS_RUN_CMD_TASK_H
#define JOBS_RUN_CMD_TASK_H

struct task_plan;

int cmd_task(int argc, char **argv);

/* The same in a process that has the plan in its memory, and the environment of the attempt, with
 * the words of such a command. The status to exit with; or -1: the words are those of another plan,
 * or the phase is native, and code that is not ours gets a process that was not. */
int cmd_task_own(const struct task_plan *plan, char *const *argv);

#endif
