/* fresh_file.h - a file that is written under another name and takes its own when it is whole.
 *
 * In a folder that others may write to, a name that can be guessed may be a link that leads to a
 * file of ours. So the other name is drawn at random, and made, never opened. What is there under
 * the file's own name stays if it is a device, a FIFO or the like, and is written into; a link is
 * followed only if it is ours or root's (/dev/stdout), and replaced by the file otherwise. */
#ifndef BASE_OS_FRESH_FILE_H
#define BASE_OS_FRESH_FILE_H

#include <stdbool.h>
#include <sys/types.h>

struct fresh_file {
    int fd;       /* to write to; set to -1 by a caller that has closed it */
    char *path;   /* its own name */
    char *beside; /* where it is written; NULL: into what is there */
};

/* Makes the file, less the umask. 0, or -1 with errno; then there is nothing to close. */
int fresh_file_open(struct fresh_file *f, const char *path, mode_t mode);

/* `whole`: gives the file its name; else removes what was written. Closes it in any case. 0, or -1
 * with errno, and then what had the name before still has it. */
int fresh_file_close(struct fresh_file *f, bool whole);

/* All of it at once: a file with this text. 0, or -1 with errno. */
int fresh_file_write(const char *path, mode_t mode, const void *text, size_t length);

#endif
