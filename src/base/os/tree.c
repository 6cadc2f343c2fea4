/* tree.c - see tree.h. */
#include "base/os/tree.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/os/path.h"

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

void tree_make_above(const char *path, mode_t mode)
{
    struct path above = path_of("%s", path);

    for (char *slash = above.text; *slash && (slash = strchr(slash + 1, '/'));) {
        if (slash[strspn(slash, "/")] == 0)
            break; /* of a path that ends with slashes */
        *slash = 0;
        mkdir(above.text, mode);
        *slash = '/';
    }
}
