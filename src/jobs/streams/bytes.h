/* bytes.h - maps files into memory, and copies bytes between them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct bytes {
    const char *at;
    size_t length;
};

/* Maps a file, which may be larger than memory. Returns no bytes if it cannot be read. */
struct bytes bytes_open(const char *path);
void bytes_close(struct bytes b);

/* Copies up to `most` bytes between the current offsets of `in` and `out`, and stops at the end of
 * `in`. Returns the number of bytes copied, or -1 with errno. */
int64_t bytes_copy(int in, int out, int64_t most);
