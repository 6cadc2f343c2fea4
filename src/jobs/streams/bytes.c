#include "jobs/streams/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/os/write_all.h"

enum { PIECE = 1 << 30 };

struct bytes bytes_open(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st = {0};
    void *at = MAP_FAILED;

    if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0)
        at = mmap(NULL, mem_size((uint64_t)st.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
    if (at == MAP_FAILED && st.st_size > 0 && errno == ENOMEM)
        mem_out(1, (size_t)st.st_size); /* to take it for empty would lose what it has */
    if (fd >= 0)
        close(fd);
    return at == MAP_FAILED ? (struct bytes){"", 0} : (struct bytes){at, (size_t)st.st_size};
}

void bytes_close(struct bytes b)
{
    if (b.length > 0)
        munmap((void *)(uintptr_t)b.at, b.length);
}

int64_t bytes_copy(int in, int out, int64_t most)
{
    char chunk[1 << 16];
    int64_t copied = 0;
    ssize_t moved;

    /* As far as the system can do it by itself; the rest, if anything is left, by hand. */
    while (copied < most && (moved = copy_file_range(
                                 in, NULL, out, NULL,
                                 most - copied < PIECE ? (size_t)(most - copied) : PIECE, 0)) > 0)
        copied += moved;
    while (copied < most) {
        int64_t left = most - copied;
        ssize_t n = read(in, chunk, left < (int64_t)sizeof chunk ? (size_t)left : sizeof chunk);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 || write_all(out, chunk, (size_t)n) < 0)
            return -1;
        if (n == 0)
            break;
        copied += n;
    }
    return copied;
}
