/* map_copy.h - bytes from one file to another. */
#ifndef MAP_MAP_COPY_H
#define MAP_MAP_COPY_H

#include <stddef.h>
#include <stdint.h>

/* Copies up to `most` bytes from where `in` stands to where `out` does, and stops at the end of
 * `in`. How many were copied, or -1 with errno. */
int64_t map_copy(int in, int out, int64_t most);

/* Writes all of it, also where `fd` does not block. 0, or -1 with errno. */
int map_copy_bytes(int fd, const char *at, size_t length);

#endif
