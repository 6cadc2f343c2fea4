/* cmd_run.h - `dolly run`: a data-parallel job from a file. */
#pragma once

int cmd_run(int argc, char **argv);
