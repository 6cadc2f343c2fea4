#include "base/os/sync.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <libgen.h>
#include <sys/stat.h>
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

static int sync_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
    (void)where;
    if (type == FTW_DNR)
        return -1;
    return type == FTW_DP ? sync_folder(path) : S_ISREG(st->st_mode) ? sync_file(path) : 0;
}

int sync_tree(const char *path)
{
    return nftw(path, sync_one, 16, FTW_DEPTH | FTW_PHYS);
}

int sync_name(const char *path)
{
    char *copy = mem_strdup(path);
    int result = sync_folder(dirname(copy)), saved = errno;

    mem_free(copy);
    errno = saved;
    return result;
}
