/* mapped.c - a whole file in memory, for reading. */
#include "data/mapped.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int mapped_open(struct mapped *m, const char *path, struct err *err)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC), error = 0;
    void *map = NULL;

    *m = (struct mapped){.at = ""};
    if (fd < 0 || fstat(fd, &st) < 0)
        error = errno;
    else if (!S_ISREG(st.st_mode))
        error = EINVAL;
    else if (st.st_size > 0 &&
             (map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0)) == MAP_FAILED)
        error = errno;
    if (fd >= 0)
        close(fd);
    if (error)
        return err_system(err, "%s: %s", path, strerror(error));
    if (map)
        *m = (struct mapped){map, (uint64_t)st.st_size};
    return 0;
}

void mapped_close(struct mapped *m)
{
    if (m->size > 0)
        munmap((void *)(uintptr_t)m->at, m->size);
    *m = (struct mapped){0};
}
