/* bytes.h - bytes of files: mapped, copied. */
#ifndef JOBS_STREAMS_BYTES_H
#define JOBS_STREAMS_BYTES_H

#include <stddef.h>
#include <stdint.h>

struct bytes {
    const char *at;
    size_t length;
};

/* The contents of a file, which may be larger than memory; none if it cannot be read. */
struct bytes bytes_open(const char *path);
void bytes_close(struct bytes b);

/* Copies up to `most` bytes from where `in` stands to where `out` does, and stops at the end of
 * `in`. How many were copied, or -1 with errno. */
int64_t bytes_copy(int in, int out, int64_t most);

#endif
