/* stores.c - makes what a program stores into a file that it has mapped visible to strace.
 *
 * Preloaded by tests/crash/power.sh. Before each write of the program, the file that it has mapped
 * last is written once more, by a system call, if it has changed: nothing changes, but who records
 * calls has the contents. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
    char *at, *seen; /* seen: as it was written the last time */
    size_t bytes;
    int fd;
} map;

static void show(void)
{
    if (!map.at || memcmp(map.at, map.seen, map.bytes) == 0)
        return;
    memcpy(map.seen, map.at, map.bytes);
    syscall(SYS_pwrite64, map.fd, map.seen, map.bytes, 0L);
}

static void begin(void *at, size_t bytes, int fd)
{
    struct stat st;
    bool file = at != MAP_FAILED && fstat(fd, &st) == 0 && st.st_nlink > 0; /* else it is memory */
    char *seen = file ? calloc(1, bytes) : NULL;

    if (!seen)
        return;
    map.at = at;
    map.seen = seen;
    map.bytes = bytes;
    map.fd = fd;
}

void *mmap(void *at, size_t bytes, int protection, int flags, int fd, off_t offset)
{
    void *made = (void *)syscall(SYS_mmap, at, bytes, protection, flags, fd, offset);

    if (flags & MAP_SHARED && protection & PROT_WRITE && fd >= 0)
        begin(made, bytes, fd);
    return made;
}

int munmap(void *at, size_t bytes)
{
    if (at == map.at) {
        show();
        map.at = NULL;
    }
    return (int)syscall(SYS_munmap, at, bytes);
}

ssize_t write(int fd, const void *at, size_t bytes)
{
    show();
    return syscall(SYS_write, fd, at, bytes);
}

ssize_t splice(int in, off64_t *in_at, int out, off64_t *out_at, size_t bytes, unsigned flags)
{
    show();
    return syscall(SYS_splice, in, in_at, out, out_at, bytes, flags);
}
