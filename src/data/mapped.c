/* mapped.c - a whole file in memory, for reading. */
#include "data/mapped.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

int mapped_take(struct mapped *m, int fd, const char *name, struct err *err)
{
    struct stat st;
    void *map = NULL;
    int error = 0;

    *m = (struct mapped){.at = ""};
    if (fstat(fd, &st) < 0)
        error = errno;
    else if (!S_ISREG(st.st_mode))
        error = EINVAL;
    else if (!mem_fits((uint64_t)st.st_size))
        error = EFBIG;
    else if (st.st_size > 0 &&
             (map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0)) == MAP_FAILED)
        error = errno;
    if (error)
        return err_system(err, "%s: %s", name, strerror(error));
    if (map)
        *m = (struct mapped){map, (size_t)st.st_size};
    return 0;
}

int mapped_open(struct mapped *m, const char *path, struct err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    *m = (struct mapped){.at = ""};
    if (fd < 0)
        return err_system(err, "%s: %s", path, strerror(errno));
    int result = mapped_take(m, fd, path, err);
    close(fd);
    return result;
}

void mapped_close(struct mapped *m)
{
    if (m->size > 0)
        munmap((void *)(uintptr_t)m->at, m->size);
    *m = (struct mapped){0};
}
