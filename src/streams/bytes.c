#include "streams/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct bytes bytes_open(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st = {0};
    void *at = MAP_FAILED;

    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0)
        at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (fd >= 0)
        close(fd);
    return at == MAP_FAILED ? (struct bytes){"", 0} : (struct bytes){at, (size_t)st.st_size};
}

void bytes_close(struct bytes b)
{
    if (b.length > 0)
        munmap((void *)(uintptr_t)b.at, b.length);
}

int bytes_write(int fd, const char *at, size_t length)
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

int64_t bytes_copy(int in, int out, int64_t most)
{
    char chunk[1 << 16];
    int64_t copied = 0;

    while (copied < most) {
        int64_t left = most - copied;
        ssize_t n = read(in, chunk, left < (int64_t)sizeof chunk ? (size_t)left : sizeof chunk);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 || bytes_write(out, chunk, (size_t)n) < 0)
            return -1;
        if (n == 0)
            break;
        copied += n;
    }
    return copied;
}
