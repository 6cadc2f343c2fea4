#include "base/os/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/test.h"

static void make_file(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    expect(fd >= 0);
    close(fd);
}

TEST(tree_remove_takes_all_below_and_follows_no_link)
{
    char dir[] = "/tmp/dolly-tree-XXXXXX", path[128], kept[128], below[128];

    expect(mkdtemp(dir) != NULL);
    snprintf(kept, sizeof kept, "%s/kept", dir);
    expect(mkdir(kept, 0700) == 0);
    snprintf(path, sizeof path, "%s/kept/file", dir);
    make_file(path);
    snprintf(path, sizeof path, "%s/tree", dir);
    snprintf(below, sizeof below, "%s/tree/a", dir);
    expect(mkdir(path, 0700) == 0 && mkdir(below, 0700) == 0);
    snprintf(below, sizeof below, "%s/tree/a/file", dir);
    make_file(below);
    snprintf(below, sizeof below, "%s/tree/link", dir);
    expect(symlink(kept, below) == 0);
    expect(tree_remove(path) == 0 && access(path, F_OK) < 0);
    snprintf(below, sizeof below, "%s/kept/file", dir);
    expect(access(below, F_OK) == 0);
    expect(tree_remove(path) == 0); /* it is not there */
    expect(tree_remove(dir) == 0 && access(dir, F_OK) < 0);
}

TEST(tree_remove_says_that_something_stays)
{
    /* Nothing below /proc can be removed, not even by root. */
    expect(tree_remove("/proc/self/fd") < 0 && errno != ENOENT);
}

TEST(tree_make_above_makes_the_folders_above_a_path)
{
    char dir[TEST_FOLDER], path[128];

    test_folder(dir);
    snprintf(path, sizeof path, "%s/a/b//c/", dir);
    tree_make_above(path, 0700);
    expect(access(path, F_OK) < 0 && errno == ENOENT);
    snprintf(path, sizeof path, "%s/a/b", dir);
    expect(access(path, F_OK) == 0);
    tree_make_above(path, 0700); /* they are there */
    tree_make_above("file", 0700);
    tree_make_above("", 0700);
    expect(tree_remove(dir) == 0);
}
