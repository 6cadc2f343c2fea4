#include "exec/folder/trust.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/path.h"

enum {
    TRUST_WRITERS = S_IWGRP | S_IWOTH, /* may change a file, or what a folder holds */
    TRUST_GUESTS = S_IXGRP | S_IXOTH,  /* may reach what a folder holds */
};

/* `reached`: others can get at it. `link`: it may be one. */
static int trust_one(const char *path, bool reached, bool link, mode_t *mode, struct err *err)
{
    struct stat st;

    if (lstat(path, &st) < 0)
        return err_set(err, "%s: %s", path, strerror(errno));
    if (st.st_uid != geteuid())
        return err_set(err,
                       "%s: belongs to user %lu, and its commands would run as user %lu; only its "
                       "owner can resume it",
                       path, (unsigned long)st.st_uid, (unsigned long)geteuid());
    if (S_ISLNK(st.st_mode) && link)
        return 0; /* everybody may write to its mode, and nobody can change where it leads */
    if (S_ISLNK(st.st_mode))
        return err_set(err, "%s: is a symbolic link, and dolly follows none in a run folder", path);
    if (reached && st.st_mode & TRUST_WRITERS)
        return err_set(err,
                       "%s: other users may write to it, so dolly does not trust its contents; "
                       "inspect it, and if all is well: chmod go-w",
                       path);
    *mode = st.st_mode;
    return 0;
}

int trust_folder(const char *dir, const char *link, struct err *err)
{
    mode_t mode = 0, inside;
    int result = trust_one(dir, true, false, &mode, err);
    DIR *d = result == 0 ? opendir(dir) : NULL;

    if (result == 0 && !d)
        return err_system(err, "%s: %s", dir, strerror(errno));
    for (struct dirent *e; d && result == 0 && (e = readdir(d));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        result = trust_one(path_of("%s/%s", dir, e->d_name).text, mode & TRUST_GUESTS,
                           link && strcmp(e->d_name, link) == 0, &inside, err);
    }
    if (d)
        closedir(d);
    return result;
}

bool trust_is_foreign(const char *path, uid_t *owner)
{
    struct stat st;

    if (stat(path, &st) < 0 || st.st_uid == geteuid())
        return false;
    *owner = st.st_uid;
    return true;
}
