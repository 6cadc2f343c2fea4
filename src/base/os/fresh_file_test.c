#include "base/os/fresh_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/test.h"

static char dir[] = "/tmp/dolly-fresh-XXXXXX";

static const char *at(const char *name)
{
    static char paths[2][128];
    static int turn;

    turn = !turn;
    snprintf(paths[turn], sizeof paths[turn], "%s/%s", dir, name);
    return paths[turn];
}

static bool holds(const char *name, const char *want)
{
    char text[64] = "";
    int fd = open(at(name), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;

    if (fd >= 0)
        close(fd);
    return n >= 0 && strcmp(text, want) == 0;
}

static int entries(void)
{
    DIR *d = opendir(dir);
    int n = 0;

    while (d && readdir(d))
        n++;
    if (d)
        closedir(d);
    return n - 2;
}

static bool is(const char *name, mode_t type)
{
    struct stat st;

    return lstat(at(name), &st) == 0 && (st.st_mode & S_IFMT) == type;
}

TEST(fresh_file_takes_its_name_when_it_is_whole)
{
    struct fresh_file f;
    struct stat st;

    strcpy(dir, "/tmp/dolly-fresh-XXXXXX");
    expect(mkdtemp(dir));
    expect(fresh_file_write(at("a"), 0640, "old", 3) == 0 && holds("a", "old"));
    expect(stat(at("a"), &st) == 0 && (st.st_mode & 0777) == 0640);
    expect(fresh_file_open(&f, at("a"), 0600) == 0);
    expect(write(f.fd, "new", 3) == 3 && holds("a", "old") && entries() == 2);
    expect(fresh_file_close(&f, true) == 0 && holds("a", "new") && entries() == 1);
    expect(fresh_file_open(&f, at("a"), 0600) == 0 && write(f.fd, "x", 1) == 1);
    errno = EBADMSG;
    expect(fresh_file_close(&f, false) < 0 && errno == EBADMSG); /* why it is not whole */
    expect(holds("a", "new") && entries() == 1);
    expect(fresh_file_open(&f, at("no/a"), 0600) < 0 && errno == ENOENT);
    expect(fresh_file_write(dir, 0600, "x", 1) < 0 && errno == EISDIR);
    expect(entries() == 1);
    int here = open(".", O_PATH | O_CLOEXEC);
    for (int i = 0; i < 2; i++) { /* a process that dies now leaves a file */
        expect(fresh_file_open(&f, at("a"), 0600) == 0 && entries() == 2);
        expect(i == 0 || chdir(dir) == 0);
        fresh_file_sweep(i == 0 ? at("a") : "a");
        expect(entries() == 1 && fresh_file_close(&f, true) < 0 && holds("a", "new"));
    }
    expect(fchdir(here) == 0);
    close(here);
    fresh_file_sweep(at("no/a"));
    unlink(at("a"));
    rmdir(dir);
}

TEST(fresh_file_replaces_no_pipe_and_follows_no_link_of_others)
{
    char text[8] = "";

    strcpy(dir, "/tmp/dolly-fresh-XXXXXX");
    expect(mkdtemp(dir) && chmod(dir, 0755) == 0);
    expect(mkfifo(at("fifo"), 0600) == 0);
    int fd = open(at("fifo"), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    expect(fresh_file_write(at("fifo"), 0600, "page", 4) == 0 && is("fifo", S_IFIFO));
    expect(read(fd, text, sizeof text) == 4 && memcmp(text, "page", 4) == 0);
    close(fd);
    expect(entries() == 1);
    /* Our own link, as /dev/stdout is root's. */
    expect(symlink("fifo", at("own")) == 0);
    fd = open(at("fifo"), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    expect(fresh_file_write(at("own"), 0600, "link", 4) == 0 && is("own", S_IFLNK));
    expect(read(fd, text, sizeof text) == 4 && memcmp(text, "link", 4) == 0);
    close(fd);
    /* One that leads nowhere makes no file there. */
    expect(symlink("nowhere", at("dangling")) == 0);
    expect(fresh_file_write(at("dangling"), 0600, "d", 1) == 0 && holds("dangling", "d"));
    expect(access(at("nowhere"), F_OK) < 0);
    if (geteuid() == 0) {
        expect(fresh_file_write(at("victim"), 0600, "precious", 8) == 0);
        expect(symlink("victim", at("trap")) == 0 && lchown(at("trap"), 12345, (gid_t)-1) == 0);
        expect(fresh_file_write(at("trap"), 0600, "page", 4) == 0);
        expect(holds("victim", "precious") && holds("trap", "page"));
        unlink(at("victim"));
        unlink(at("trap"));
    }
    unlink(at("fifo"));
    unlink(at("own"));
    unlink(at("dangling"));
    expect(rmdir(dir) == 0);
}

TEST(fresh_file_replaces_no_device)
{
    strcpy(dir, "/tmp/dolly-fresh-XXXXXX");
    expect(mkdtemp(dir));
    if (mknod(at("null"), S_IFCHR | 0600, 1 << 8 | 3) == 0)
        expect(fresh_file_write(at("null"), 0600, "page", 4) == 0 && is("null", S_IFCHR));
    else
        test_skip("only the root of the machine can make a device");
    unlink(at("null"));
    expect(rmdir(dir) == 0);
}
