/* map_files.h - outputs in files that the user has named: --results, --output, --error, --files. */
#ifndef MAP_MAP_FILES_H
#define MAP_MAP_FILES_H

#include <stdint.h>

#include "base/err.h"

struct map;

/* Empties the files that all tasks share, or takes from them what an earlier life has added by
 * halves. -1 with *err. */
int map_files_open(struct map *m, struct err *err);

/* Copies the outputs of a task, from the files named here, to where --results, or --output and
 * --error, want them. */
void map_files_results(struct map *m, uint32_t task, const char *out, const char *err);
void map_files_add(struct map *m, uint32_t task, const char *out, const char *err);

/* --files: the output stays in a file, that of --results if there is one, and its name is printed.
 */
void map_files_print(struct map *m, uint32_t task, const char *out, const char *tag);

#endif
