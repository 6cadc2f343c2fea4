#include "base/os/sync.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <unistd.h>

#include "base/mem.h"

static int sync_opened(int fd, int (*sync)(int fd))
{
    if (fd < 0)
        return -1;
    int result = sync(fd), saved = errno;
    close(fd);
    errno = saved;
    return result;
}

int sync_file(const char *path)
{
    return sync_opened(open(path, O_RDONLY | O_CLOEXEC), fdatasync);
}

int sync_folder(const char *path)
{
    return sync_opened(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fsync);
}

int sync_name(const char *path)
{
    char *copy = mem_strdup(path);
    int result = sync_folder(dirname(copy)), saved = errno;

    mem_free(copy);
    errno = saved;
    return result;
}
