/* map_files.h - writes outputs to files that the user has named: --results, --output, --error,
 * --files. */
#pragma once

#include "base/err.h"
#include "base/text.h"

struct map;
struct map_output;

/* Empties the files that all tasks share, or removes the incomplete additions of an earlier process
 * of the run. Returns 0, or -1 with *err. */
int map_files_open(struct map *m, struct err *err);

/* Copies the outputs of a task that is over to the files of --results. */
void map_files_results(struct map *m, const struct map_output *p);

/* Appends the outputs of a task that is over to the files of --output and --error. */
void map_files_add(struct map *m, const struct map_output *p);

/* Keeps the output in a file (--files), that of --results if there is one, and adds its name to
 * *path. */
void map_files_name(struct map *m, const struct map_output *p, struct str *path);
