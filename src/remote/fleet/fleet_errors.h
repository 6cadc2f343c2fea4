/* fleet_errors.h - the stderr of the processes of a fleet: a file in the folder of the run, whose
 * last lines give the reason why a process has ended. A process may outlive the coordinator, so it
 * is not a pipe. */
#pragma once

#include <stddef.h>

/* Creates an empty file for the process of this name, which is valid in file names. Returns a
 * descriptor, or -1 with errno. */
int fleet_errors_open(const char *dir, const char *name);

/* Writes the last line of the file (fleet_errors_last) to `line`, and removes the file. */
void fleet_errors_take(const char *dir, const char *name, char *line, size_t size);

/* Writes the last line to `line`, while the process still runs. */
void fleet_errors_look(const char *dir, const char *name, char *line, size_t size);

/* Writes the last non-empty line of a text, preferably one that is not srun's own; control
 * characters become question marks. */
void fleet_errors_last(const char *text, size_t length, char *line, size_t size);
