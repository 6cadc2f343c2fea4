/* tree.c - see tree.h. */
#include "base/os/tree.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *where)
{
    (void)st;
    (void)type;
    (void)where;
    remove(path);
    return 0;
}

int tree_remove(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return remove(path) < 0 && errno != ENOENT ? -1 : 0;
}
