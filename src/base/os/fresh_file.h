/* fresh_file.h - a file that is written under a temporary name and renamed when it is complete.
 *
 * In a folder that others may write to, a name that can be guessed may be a link that leads to a
 * file of this user. So the temporary name is random, and the file is created, never opened. If the
 * file's own name is a device, a FIFO or the like, it is kept and written to; a link is followed
 * only if it belongs to this user or to root (/dev/stdout), and replaced by the file otherwise. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct fresh_file {
    int fd;       /* to write to; a caller that has closed it sets it to -1 */
    char *path;   /* its own name */
    char *beside; /* the temporary name; NULL: the existing file is written to */
};

/* Creates the file, with the mode less the umask. Returns 0, or -1 with errno; then there is
 * nothing to close. */
int fresh_file_open(struct fresh_file *f, const char *path, mode_t mode);

/* Closes the file. `whole`: renames it to its own name, and returns 0, or -1 with errno; else
 * removes it, keeps errno, and returns -1. After -1 the name still refers to the file that had it
 * before. */
int fresh_file_close(struct fresh_file *f, bool whole);

/* Creates a file with this text in one step. Returns 0, or -1 with errno. */
int fresh_file_write(const char *path, mode_t mode, const void *text, size_t length);

/* Removes the temporary files of this path that killed processes have left. The caller holds a lock
 * that each process takes before it writes the file. */
void fresh_file_sweep(const char *path);
