/* cmd_task.h - `dolly task`: an attempt of a data-parallel job, started by dolly. */
#pragma once

struct task_plan;

int cmd_task(int argc, char **argv);

/* Runs an attempt in a process that has the plan in its memory, with the environment of the attempt
 * and the words of such a command. Returns the status to exit with; or -1 if the words are those of
 * another plan, or the phase is native: code of the user needs a new process. */
int cmd_task_own(const struct task_plan *plan, char *const *argv);
