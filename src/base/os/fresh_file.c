/* fresh_file.c - files that are renamed when they are complete. See fresh_file.h.
 *
 * Another process may exchange the file between the check of its name and its opening, so the
 * opened file is compared with the one that was checked. mkostemp was rejected because its mode
 * does not follow the umask. */
#include "base/os/fresh_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/os/write_all.h"

enum { FRESH_FILE_TRIES = 100, FRESH_FILE_DIGITS = 16 };

/* Opens what is there and must not be replaced. -1 with errno 0: there is no such thing. */
static int open_into(const char *path)
{
    struct stat was, is;
    bool there = lstat(path, &was) == 0;
    bool link = there && S_ISLNK(was.st_mode);

    errno = 0;
    if (!there || S_ISREG(was.st_mode))
        return -1;
    if (link && ((was.st_uid != geteuid() && was.st_uid != 0) || stat(path, &was) < 0)) {
        errno = 0;
        return -1;
    }
    int fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC | (link ? O_TRUNC : O_NOFOLLOW));
    /* It may have been exchanged under our hands. */
    if (fd >= 0 && (fstat(fd, &is) < 0 || is.st_dev != was.st_dev || is.st_ino != was.st_ino)) {
        close(fd);
        fd = -1;
        errno = EAGAIN;
    }
    return fd;
}

static int open_beside(char beside[PATH_MAX], const char *path, mode_t mode)
{
    int fd = -1;

    errno = EEXIST;
    for (int i = 0; fd < 0 && errno == EEXIST && i < FRESH_FILE_TRIES; i++) {
        unsigned random[2];
        if (getrandom(random, sizeof random, 0) != sizeof random)
            return -1;
        if (snprintf(beside, PATH_MAX, "%s.%08x%08x.new", path, random[0], random[1]) >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    }
    return fd;
}

int fresh_file_open(struct fresh_file *f, const char *path, mode_t mode)
{
    char beside[PATH_MAX];

    *f = (struct fresh_file){.fd = open_into(path)};
    if (f->fd < 0 && errno != 0)
        return -1;
    if (f->fd < 0) {
        f->fd = open_beside(beside, path, mode);
        if (f->fd < 0)
            return -1;
        f->beside = mem_strdup(beside);
    }
    f->path = mem_strdup(path);
    return 0;
}

int fresh_file_close(struct fresh_file *f, bool whole)
{
    int error = whole ? 0 : errno;

    if (f->fd >= 0 && close(f->fd) < 0 && whole)
        error = errno;
    if (f->beside && whole && error == 0 && rename(f->beside, f->path) < 0)
        error = errno;
    if (f->beside && (!whole || error != 0))
        unlink(f->beside);
    mem_free(f->path);
    mem_free(f->beside);
    *f = (struct fresh_file){.fd = -1};
    errno = error;
    return whole && error == 0 ? 0 : -1;
}

int fresh_file_write(const char *path, mode_t mode, const void *text, size_t length)
{
    struct fresh_file f;

    return fresh_file_open(&f, path, mode) < 0
               ? -1
               : fresh_file_close(&f, write_all(f.fd, text, length) == 0);
}

void fresh_file_sweep(const char *path)
{
    char *folder = mem_strdup(path), *slash = strrchr(folder, '/');
    const char *name = slash ? path + (slash + 1 - folder) : path;
    size_t length = strlen(name);
    const struct dirent *e;

    if (slash)
        slash[1] = 0;
    DIR *dir = opendir(slash ? folder : ".");
    while (dir && (e = readdir(dir))) {
        const char *digits = e->d_name + length + 1;
        if (strncmp(e->d_name, name, length) == 0 && e->d_name[length] == '.' &&
            strspn(digits, "0123456789abcdef") == FRESH_FILE_DIGITS &&
            strcmp(digits + FRESH_FILE_DIGITS, ".new") == 0)
            unlinkat(dirfd(dir), e->d_name, 0);
    }
    if (dir)
        closedir(dir);
    mem_free(folder);
}
