/* native_object.c - a shared object of the user. See native_object.h. */
#include "jobs/task/native_object.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/os/lazy.h"
#include "exec/folder/run_dir.h"

static int hash_of(int fd, const char *path, char text[NATIVE_OBJECT_HASH], struct err *err)
{
    int64_t bytes;
    uint64_t checksum;

    if (run_dir_checksum_of(fd, &bytes, &checksum) < 0)
        return err_set(err, "%s: %s", path, strerror(errno));
    snprintf(text, NATIVE_OBJECT_HASH, "%016" PRIx64, checksum);
    return 0;
}

static int open_object(const char *path, struct err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        err_set(err, "%s: %s", path, strerror(errno));
    return fd;
}

int native_object_hash(const char *path, char hash[NATIVE_OBJECT_HASH], struct err *err)
{
    int fd = open_object(path, err);

    if (fd < 0)
        return -1;
    int result = hash_of(fd, path, hash, err);
    close(fd);
    return result;
}

/* What the loader says begins with the name that it was given, which is not the file's. */
static int not_loaded(const char *path, const char *given, const char *why, struct err *err)
{
    size_t length = strlen(given);

    if (why && strncmp(why, given, length) == 0 && why[length] == ':')
        why += length + 1;
    while (why && *why == ' ')
        why++;
    return err_set(err, "%s: cannot be loaded: %s", path, why ? why : "unknown error");
}

static int check(const char *path, const char *name, const struct dolly_functions *f,
                 const char *need, struct err *err)
{
    if (!f)
        return err_set(
            err, "%s: it has no '%s'; expected `DOLLY_EXPORT const struct dolly_functions %s`",
            path, name, name);
    if (f->abi != DOLLY_ABI)
        return err_set(
            err, "%s: '%s' is of version %" PRIu32 " of dolly.h, expected %d; compile it again",
            path, name, f->abi, DOLLY_ABI);
    if (strcmp(need, "map") == 0 ? !f->map : !f->reduce)
        return err_set(err, "%s: '%s' has no %s, which its phase needs", path, name, need);
    return 0;
}

/* The file that was hashed is the one that is loaded, whatever its name stands for meanwhile. */
static const struct dolly_functions *load(int fd, const char *path, const char *name,
                                          const char *need, struct err *err)
{
    char given[40];

    snprintf(given, sizeof given, "/proc/self/fd/%d", fd);
    const char *why;
    void *object = lazy_open(given, &why);
    if (!object) {
        not_loaded(path, given, why, err);
        return NULL;
    }
    const struct dolly_functions *f = dlsym(object, name);
    return check(path, name, f, need, err) < 0 ? NULL : f;
}

const struct dolly_functions *native_object_load(const char *path, const char *name,
                                                 const char *hash, const char *need,
                                                 struct err *err)
{
    const struct dolly_functions *found = NULL;
    char has[NATIVE_OBJECT_HASH];
    int fd = open_object(path, err);

    if (fd < 0)
        return NULL;
    if (hash_of(fd, path, has, err) < 0)
        ;
    else if (hash && strcmp(hash, has) != 0)
        err_set(err, "%s: this shared object has changed since the job began", path);
    else
        found = load(fd, path, name, need, err);
    close(fd);
    return found;
}
