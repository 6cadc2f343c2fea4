/* cmd_map.h - the commands `map`, `resume`, and `leave`, which a run whose supervisor is killed
 * becomes. Each takes its arguments, argv[0] being its name, and returns an exit status. */
#pragma once

#include <stdbool.h>

struct map;

int cmd_map(int argc, char **argv);
int cmd_map_given(int argc, char **argv); /* `map` without the options of $PARALLEL */
int cmd_resume(int argc, char **argv);
int cmd_leave(int argc, char **argv);

/* For cmd_resume.c: the exit status of a run, as GNU parallel has it. */
enum {
    MAP_USAGE = 255,
    MAP_FAILED_MAX = 100,
    MAP_FAILED_MANY = 101,
    MAP_READER_LEFT = 141, /* as if SIGPIPE had ended the process */
};

/* Returns the exit status of a run, as GNU parallel does. For cmd_resume.c. */
int cmd_map_status(const struct map *m);

/* Prints the summary or the object at the end of a run, which has this exit status. */
void cmd_map_conclude(struct map *m, bool complete, int status);

/* Prints one line on how to continue a run that has ended too early. */
void cmd_map_suggest_resume(const struct map *m);
