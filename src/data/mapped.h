/* mapped.h - a whole file in memory, for reading. */
#pragma once

#include <stddef.h>

#include "base/err.h"

struct mapped {
    const char *at; /* "" if the file is empty */
    size_t size;
};

/* Maps the file. Returns -1 with *err if it cannot be read, is not a regular file,
 * or is too large for the addresses of a 32-bit machine. */
int mapped_open(struct mapped *m, const char *path, struct err *err);
/* Maps an open file, which the caller still owns; `name` is for messages. */
int mapped_take(struct mapped *m, int fd, const char *name, struct err *err);
/* Unmaps the file; does nothing for a zeroed struct. */
void mapped_close(struct mapped *m);
