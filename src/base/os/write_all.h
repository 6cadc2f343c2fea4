/* write_all.h - write(2) until everything is written.
 *
 * The file behind stdout is shared with other processes: the one that started dolly, or an ssh next
 * to it, may have made it non-blocking. Then write(2) writes only a part of the bytes, and stdio
 * drops the rest. */
#pragma once

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/poll.h>
#include <unistd.h>

/* Writes all bytes, despite interruptions, also if `fd` does not block. Returns 0, or -1 with
 * errno; then a part of them may have been written. */
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

struct write_all_stream {
    int fd;
    int error; /* the errno of the first write that failed: stdio itself does not keep it */
};

static inline ssize_t write_all_stream_write(void *cookie, const char *at, size_t length)
{
    struct write_all_stream *s = cookie;

    if (write_all(s->fd, at, length) == 0)
        return (ssize_t)length;
    if (s->error == 0)
        s->error = errno;
    return 0;
}

static inline int write_all_stream_close(void *cookie)
{
    return close(((struct write_all_stream *)cookie)->fd);
}

/* Makes a stream of the descriptor, which fclose closes; *s must outlive the stream. Returns NULL
 * with errno on failure. */
static inline FILE *write_all_stream(struct write_all_stream *s, int fd)
{
    cookie_io_functions_t functions = {.write = write_all_stream_write,
                                       .close = write_all_stream_close};

    *s = (struct write_all_stream){.fd = fd};
    return fopencookie(s, "w", functions);
}
