/* cmd_run.h - `dolly run`: a data-parallel job from a file. */
#ifndef JOBS_RUN_CMD_RUN_H
#define JOBS_RUN_CMD_RUN_H

int cmd_run(int argc, char **argv);

#endif
