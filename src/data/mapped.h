/* mapped.h - a whole file in memory, for reading. */
#ifndef DATA_MAPPED_H
#define DATA_MAPPED_H

#include <stdint.h>

#include "base/err.h"

struct mapped {
    const char *at; /* "" where the file is empty */
    uint64_t size;
};

/* -1 with *err: it cannot be read, or is not a regular file. */
int mapped_open(struct mapped *m, const char *path, struct err *err);
/* The same of an open file, which stays the caller's. */
int mapped_take(struct mapped *m, int fd, const char *name, struct err *err);
void mapped_close(struct mapped *m); /* of zeros, too */

#endif
