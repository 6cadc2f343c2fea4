#include "exec/process/lineage.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/os/path.h"
#include "base/vec.h"
#include "exec/process/sys.h"

int lineage_init(struct lineage *k)
{
    uint64_t random;
    const char *above = getenv("DOLLY_LINEAGE");

    *k = (struct lineage){0};
    if (getrandom(&random, sizeof random, 0) != sizeof random)
        return -1;
    snprintf(k->run, sizeof k->run, "%016llx", (unsigned long long)random);
    if (above && strlen(above) <= LINEAGE_LINEAGE_MAX)
        memcpy(k->above, above, strlen(above));
    return 0;
}

void lineage_env(const struct lineage *k, uint32_t handle, char out[LINEAGE_ENV_BYTES])
{
    char digits[sizeof ".4294967295:"], *at = digits + sizeof digits - 1;

    /* By hand: every attempt gets one. */
    *at = 0;
    *--at = ':';
    do {
        *--at = (char)('0' + handle % 10);
        handle /= 10;
    } while (handle);
    *--at = '.';
    stpcpy(stpcpy(stpcpy(stpcpy(out, "DOLLY_LINEAGE="), k->above), k->run), at);
}

int lineage_of(const struct lineage *k, pid_t pid, uint32_t *handle)
{
    VEC(char) env = {0};
    ssize_t n = 0;
    int found = -1;

    int fd = sys_open(path_of("/proc/%d/environ", (int)pid).text, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    do {
        env.count += (uint32_t)n;
        vec_reserve(&env, env.count + 4096u);
        n = sys_read(fd, env.at + env.count, env.cap - env.count - 1);
    } while (n > 0);
    sys_close(&fd);
    if (n == 0 && env.count > 0) {
        env.at[env.count] = 0;
        const char *mark = memmem(env.at, env.count, k->run, LINEAGE_RUN_CHARS);
        found = mark && mark[LINEAGE_RUN_CHARS] == '.';
        if (found)
            *handle = (uint32_t)strtoul(mark + LINEAGE_RUN_CHARS + 1, NULL, 10);
    }
    vec_free(&env);
    return found;
}

bool lineage_holds(pid_t pid, const char *file)
{
    char link[PATH_MAX];
    bool holds = false;
    DIR *fds = opendir(path_of("/proc/%d/fd", (int)pid).text);

    for (struct dirent *e; fds && !holds && (e = readdir(fds));) {
        ssize_t n = readlinkat(dirfd(fds), e->d_name, link, sizeof link);
        holds = n > 0 && (size_t)n == strlen(file) && memcmp(link, file, (size_t)n) == 0;
    }
    if (fds)
        closedir(fds);
    return holds;
}

bool lineage_writes(pid_t pid, const char *dir)
{
    static const char *const names[] = {"stdout", "stderr"};
    struct stat file, held;
    bool writes = false;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (stat(path_of("%s/%s", dir, names[i]).text, &file) < 0)
            continue;
        DIR *fds = opendir(path_of("/proc/%d/fd", (int)pid).text);
        for (struct dirent *e; fds && !writes && (e = readdir(fds));)
            writes = fstatat(dirfd(fds), e->d_name, &held, 0) == 0 && held.st_dev == file.st_dev &&
                     held.st_ino == file.st_ino;
        if (fds)
            closedir(fds);
    }
    return writes;
}
