#include "map/map_copy.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

int map_copy_bytes(int fd, const char *at, size_t length)
{
    while (length > 0) {
        ssize_t n = write(fd, at, length);
        if (n < 0 && errno == EAGAIN && poll(&(struct pollfd){fd, POLLOUT, 0}, 1, -1) > 0)
            continue;
        if (n < 0 && errno != EINTR)
            return -1;
        at += n > 0 ? n : 0;
        length -= n > 0 ? (size_t)n : 0;
    }
    return 0;
}

int64_t map_copy(int in, int out, int64_t most)
{
    char chunk[1 << 16];
    int64_t copied = 0;

    while (copied < most) {
        int64_t left = most - copied;
        ssize_t n = read(in, chunk, left < (int64_t)sizeof chunk ? (size_t)left : sizeof chunk);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 || map_copy_bytes(out, chunk, (size_t)n) < 0)
            return -1;
        if (n == 0)
            break;
        copied += n;
    }
    return copied;
}
