/* cmd_run.h - `dolly run`: a data-parallel job from a file. */
#ifndef DATAJOB_CMD_RUN_H
#define DATAJOB_CMD_RUN_H

int cmd_run(int argc, char **argv);

#endif
