/* map_missing.h - a command that does not exist: the shell's line about it is printed once, not for
 * each task, and at the end the tasks are counted. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { MAP_MISSING_EXIT = 127, MAP_MISSING_TOLD = 3 };

/* Zero-initialise; free with map_missing_fini. */
struct map_missing {
    char *line;     /* of the shell; NULL: none yet */
    uint64_t tasks; /* that ended with it */
    uint64_t first[MAP_MISSING_TOLD];
};

void map_missing_fini(struct map_missing *m);

/* Takes the file with the stderr of a task that ended with MAP_MISSING_EXIT. Returns true if it
 * holds nothing but the line that an earlier task has printed. `seq` is the user's number of the
 * task. */
bool map_missing_again(struct map_missing *m, const char *path, uint64_t seq);

/* Prints a line about those tasks, if there were several. */
void map_missing_print(const struct map_missing *m, FILE *to);
