/* split.c - pieces of an input, cut between lines. See split.h. */
#include "data/split.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

int64_t split_line_start(int fd, const char *path, uint64_t size, uint64_t from, struct err *err)
{
    char buffer[16384];

    if (from == 0)
        return 0;
    for (uint64_t at = from - 1; at < size;) { /* the line before may end just there */
        ssize_t n = pread(fd, buffer, sizeof buffer, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_system(err, "%s: %s", path, strerror(errno));
        if (n == 0)
            return err_system(err, "%s: it became shorter while it was read", path);
        const char *newline = memchr(buffer, '\n', (size_t)n);
        if (newline)
            return (int64_t)at + (newline - buffer) + 1;
        at += (uint64_t)n;
    }
    return (int64_t)size;
}
