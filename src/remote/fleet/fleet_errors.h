/* fleet_errors.h - what the processes of a fleet write to their stderr: a file in the folder of the
 * run, whose last words say why a process has ended. A process may outlive us, so it is no pipe. */
#ifndef REMOTE_FLEET_FLEET_ERRORS_H
#define REMOTE_FLEET_FLEET_ERRORS_H

#include <stddef.h>

/* An empty file for the process of this name, which fits into file names. A descriptor, or -1 with
 * errno. */
int fleet_errors_open(const char *dir, const char *name);

/* Its last line into `line`, as fleet_errors_last; the file is removed. */
void fleet_errors_take(const char *dir, const char *name, char *line, size_t room);

/* The same, while the process goes on. */
void fleet_errors_look(const char *dir, const char *name, char *line, size_t room);

/* The last line of a text that is not empty, but rather one that is not srun's own; control
 * characters become question marks. */
void fleet_errors_last(const char *text, size_t length, char *line, size_t room);

#endif
