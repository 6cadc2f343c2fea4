/* write_all.h - write(2) until everything is written. */
#ifndef BASE_WRITE_ALL_H
#define BASE_WRITE_ALL_H

#include <errno.h>
#include <stddef.h>
#include <sys/poll.h>
#include <unistd.h>

/* Writes all of it, whatever interrupts, also where `fd` does not block. 0, or -1 with errno; then
 * a part of it may have been written. */
static inline int write_all(int fd, const void *from, size_t length)
{
    const char *at = from;
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

#endif
