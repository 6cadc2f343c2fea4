/* memory_limit.c - a limit of memory. See memory_limit.h. */
#include "jobs/task/memory_limit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/path.h"

#define PREFIX "dolly-task."

/* ---- small files of the kernel ---- */

static bool put_text(const char *folder, const char *name, const char *text)
{
    int fd = open(path_of("%s/%s", folder, name).text, O_WRONLY | O_CLOEXEC);
    bool written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

    if (fd >= 0)
        close(fd);
    return written;
}

/* The number behind `word` in a file of lines WORD NUMBER; with "", the file is a number. */
static int64_t get_number(const char *folder, const char *name, const char *word)
{
    FILE *f = fopen(path_of("%s/%s", folder, name).text, "re");
    char line[256];
    int64_t value = -1;
    size_t length = strlen(word);

    while (f && value < 0 && fgets(line, sizeof line, f))
        if (strncmp(line, word, length) == 0 && (length == 0 || line[length] == ' '))
            value = strtoll(line + length, NULL, 10);
    if (f)
        fclose(f);
    return value;
}

/* ---- groups ---- */

/* The group that we are in, of the hierarchy that has memory. */
static bool find_ours(const struct memory_limit_system *system, char path[PATH_MAX], bool *unified)
{
    FILE *f = fopen(system->ours, "re");
    char line[PATH_MAX];
    struct path mark = path_of("%s/cgroup.controllers", system->root);
    bool found = false;

    while (f && !found && fgets(line, sizeof line, f)) {
        char *controllers = strchr(line, ':'),
             *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group)
            continue;
        group[strcspn(group, "\n")] = 0;
        *group++ = 0;
        *unified = controllers[1] == 0;
        if (*unified && access(mark.text, F_OK) < 0)
            continue;
        if (*unified || strcmp(controllers + 1, "memory") == 0)
            found = snprintf(path, PATH_MAX, "%s%s%s", system->root, *unified ? "" : "/memory",
                             group) < PATH_MAX - 64;
    }
    if (f)
        fclose(f);
    return found;
}

/* Those whose makers were killed. Groups with processes cannot be removed. */
static void remove_stale(const char *ours)
{
    DIR *folder = opendir(ours);
    struct dirent *entry;

    while (folder && (entry = readdir(folder))) {
        if (strncmp(entry->d_name, PREFIX, sizeof PREFIX - 1) != 0)
            continue;
        pid_t maker = (pid_t)strtol(entry->d_name + sizeof PREFIX - 1, NULL, 10);
        if (maker > 0 && kill(maker, 0) < 0 && errno == ESRCH)
            unlinkat(dirfd(folder), entry->d_name, AT_REMOVEDIR);
    }
    if (folder)
        closedir(folder);
}

/* A group below this one that has the limit. */
static bool make_group(struct memory_limit *l, const char *above,
                       const struct memory_limit_system *system)
{
    char text[24];

    remove_stale(above);
    if (snprintf(l->group, sizeof l->group, "%s/" PREFIX "%d", above, (int)getpid()) >=
            (int)sizeof l->group ||
        system->make(l->group, 0755) < 0)
        return false;
    snprintf(text, sizeof text, "%" PRIu64, l->bytes);
    if (put_text(l->group, l->unified ? "memory.max" : "memory.limit_in_bytes", text)) {
        put_text(l->group, l->unified ? "memory.swap.max" : "memory.memsw.limit_in_bytes",
                 l->unified ? "0" : text); /* where it can be limited */
        return true;
    }
    rmdir(l->group);
    return false;
}

static bool find_group(struct memory_limit *l, const struct memory_limit_system *system)
{
    char above[PATH_MAX];

    if (!find_ours(system, above, &l->unified))
        return false;
    if (make_group(l, above, system))
        return true;
    char *own = strrchr(above, '/');
    if (!l->unified || !own || strlen(above) <= strlen(system->root) + 1)
        return false;
    *own = 0;
    return make_group(l, above, system);
}

void memory_limit_open_in(struct memory_limit *l, uint64_t bytes,
                          const struct memory_limit_system *system)
{
    *l = (struct memory_limit){.bytes = bytes};
    if (bytes > 0 && !find_group(l, system))
        l->group[0] = 0;
}

void memory_limit_open(struct memory_limit *l, uint64_t bytes)
{
    static const struct memory_limit_system linux_system = {"/proc/self/cgroup", "/sys/fs/cgroup",
                                                            mkdir};

    memory_limit_open_in(l, bytes, &linux_system);
}

void memory_limit_enter(const struct memory_limit *l)
{
    struct rlimit data = {l->bytes, l->bytes};

    if (l->bytes == 0 || (l->group[0] && put_text(l->group, "cgroup.procs", "0")))
        return;
    setrlimit(RLIMIT_DATA, &data);
}

/* ---- the end ---- */

static const char *mib(uint64_t bytes, char text[24])
{
    snprintf(text, 24, "%.1fM", (double)bytes / (1 << 20));
    return text;
}

/* The most that one of our children had in memory, in all. */
static uint64_t peak_of_children(void)
{
    struct rusage use = {0};

    getrusage(RUSAGE_CHILDREN, &use);
    return (uint64_t)use.ru_maxrss << 10;
}

int memory_limit_close(struct memory_limit *l, int status, struct err *err)
{
    char peak[24], limit[24];

    if (l->bytes == 0)
        return 0;
    mib(l->bytes, limit);
    if (l->group[0]) {
        int64_t kills =
            get_number(l->group, l->unified ? "memory.events" : "memory.oom_control", "oom_kill");
        int64_t most =
            get_number(l->group, l->unified ? "memory.peak" : "memory.max_usage_in_bytes", "");
        rmdir(l->group);
        if (kills > 0)
            return err_set(err, "out of memory: it may have %s, and its peak was %s", limit,
                           mib(most < 0 ? peak_of_children() : (uint64_t)most, peak));
    } else if (status != 0) {
        dprintf(STDERR_FILENO,
                "dolly: perhaps it ran out of memory: it may have %s, and its peak was %s\n", limit,
                mib(peak_of_children(), peak));
    }
    return 0;
}
