#include "jobs/task/memory_limit.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/test.h"

/* A tree of folders that stands for control groups; what the kernel would put into a new group is
 * put there by `make`. */
static char root[64];
static const char *limits_below; /* only groups right below this one can be limited */
static const char *const *files; /* of such a group */

static void put(const char *folder, const char *name, const char *text)
{
    char path[300];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    expect(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
}

static bool holds(const char *folder, const char *name, const char *text)
{
    char path[PATH_MAX + 300], found[64] = "";

    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool same = fd >= 0 && read(fd, found, sizeof found - 1) >= 0 && strcmp(found, text) == 0;
    if (fd >= 0)
        close(fd);
    return same;
}

static int make(const char *path, mode_t mode)
{
    char above[PATH_MAX];

    if (mkdir(path, mode) < 0)
        return -1;
    snprintf(above, sizeof above, "%s%s", root, limits_below);
    size_t length = strlen(above);
    if (strncmp(path, above, length) == 0 && path[length] == '/' && !strchr(path + length + 1, '/'))
        for (const char *const *name = files; *name; name++)
            put(path, *name, "");
    return 0;
}

static struct memory_limit open_tree(const char *groups, const char *below,
                                     const char *const *names)
{
    static char ours[100];
    struct memory_limit_system system = {ours, root, make};
    struct memory_limit limit;
    char path[200];

    strcpy(root, "/tmp/dolly-groups.XXXXXX");
    expect(mkdtemp(root) != NULL);
    limits_below = below;
    files = names;
    for (const char *folder = "/memory\0/memory/m\0/a\0/a/b\0"; *folder;
         folder += strlen(folder) + 1) {
        snprintf(path, sizeof path, "%s%s", root, folder);
        expect(mkdir(path, 0700) == 0);
    }
    put(root, "cgroup.controllers", "cpu memory");
    put(root, "ours", groups);
    snprintf(ours, sizeof ours, "%s/ours", root);
    memory_limit_open_in(&limit, 1 << 20, &system);
    return limit;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    return remove(path);
}

static void remove_tree(void)
{
    expect(nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS) == 0);
}

static const char *const version_2[] = {"memory.max",  "memory.swap.max", "memory.events",
                                        "memory.peak", "cgroup.procs",    NULL};
static const char *const version_1[] = {"memory.limit_in_bytes", "memory.memsw.limit_in_bytes",
                                        "memory.oom_control", "memory.max_usage_in_bytes", NULL};

/* Whether the group lies in this folder of the tree. */
static bool lies_in(const struct memory_limit *l, const char *folder)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s%s/dolly-task.%d", root, folder, (int)getpid());
    return strcmp(l->group, path) == 0;
}

TEST(memory_limit_of_version_2_lies_beside_our_group)
{
    struct memory_limit l = open_tree("0::/a/b\n", "/a", version_2);
    struct err err;

    expect(l.unified && lies_in(&l, "/a"));
    expect(holds(l.group, "memory.max", "1048576") && holds(l.group, "memory.swap.max", "0"));
    put(l.group, "memory.events", "low 0\noom 2\noom_kill 1\n");
    put(l.group, "memory.peak", "1572864\n");
    expect(memory_limit_close(&l, 9, &err) == -1);
    expect(strcmp(err.text, "out of memory: it may have 1.0M, and its peak was 1.5M") == 0);
    remove_tree();
}

TEST(memory_limit_of_version_2_lies_below_our_group_if_it_can)
{
    struct memory_limit l = open_tree("0::/a/b\n", "/a/b", version_2);
    struct err err;

    expect(l.unified && lies_in(&l, "/a/b"));
    put(l.group, "memory.events", "oom_kill 0\n");
    expect(memory_limit_close(&l, 9, &err) == 0); /* it died of something else */
    remove_tree();
}

TEST(memory_limit_of_version_1_where_both_are_mounted)
{
    struct memory_limit l =
        open_tree("4:memory:/m\n3:cpu,cpuacct:/a\n0::/a/b\n", "/memory/m", version_1);
    struct err err;

    expect(!l.unified && lies_in(&l, "/memory/m"));
    expect(holds(l.group, "memory.limit_in_bytes", "1048576"));
    put(l.group, "memory.oom_control", "under_oom 0\noom_kill 3\n");
    put(l.group, "memory.max_usage_in_bytes", "1048576\n");
    expect(memory_limit_close(&l, 9, &err) == -1 && strstr(err.text, "its peak was 1.0M"));
    remove_tree();
}

TEST(memory_limit_does_without_groups_where_there_is_none_to_be_had)
{
    static const char *const ours[] = {"0::/a/b\n", "0::/\n", "nonsense\n", "", "0::/not/there\n"};

    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
        struct memory_limit l = open_tree(ours[i], "/nowhere", version_2);
        expect(l.group[0] == 0 && l.bytes == 1 << 20);
        char path[200];
        snprintf(path, sizeof path, "%s/a/dolly-task.%d", root, (int)getpid());
        expect(access(path, F_OK) < 0); /* nothing is left */
        remove_tree();
    }
}

TEST(memory_limit_of_nothing_is_none)
{
    struct memory_limit limit;
    struct err err;

    memset(&limit, 1, sizeof limit);
    memory_limit_open(&limit, 0);
    expect(limit.bytes == 0 && !limit.group[0]);
    memory_limit_enter(&limit); /* does nothing */
    expect(memory_limit_close(&limit, 1, &err) == 0);
}
