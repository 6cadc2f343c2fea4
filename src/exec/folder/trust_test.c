#include "exec/folder/trust.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/tree.h"
#include "tests/unit/limits.h"
#include "tests/unit/test.h"

static bool says(const char *dir, const char *what)
{
    struct err err;

    return what ? trust_folder(dir, "promise", &err) < 0 && strstr(err.text, what) != NULL
                : trust_folder(dir, "promise", &err) == 0;
}

TEST(trust_folder_wants_it_to_be_ours_alone)
{
    char dir[] = "/tmp/dolly-trust-XXXXXX", file[64], link[64];

    expect(mkdtemp(dir));
    snprintf(file, sizeof file, "%s/run", dir);
    snprintf(link, sizeof link, "%s/link", dir);
    close(open(file, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    expect(says(dir, NULL));
    expect(says(file, "/run: Not a directory"));
    struct rlimit before = limits_descriptors(0); /* what cannot be looked at is not trusted */
    bool refused = says(dir, ": Too many open files");
    setrlimit(RLIMIT_NOFILE, &before);
    expect(refused);
    expect(chmod(file, 0664) == 0);
    expect(says(dir, NULL)); /* nobody can get at it */
    expect(chmod(dir, 0755) == 0);
    expect(says(dir, "/run: other users may write"));
    expect(chmod(file, 0644) == 0);
    expect(says(dir, NULL));
    expect(chmod(dir, 0775) == 0);
    expect(says(dir, ": other users may write"));
    expect(chmod(dir, 0755) == 0);
    expect(symlink("/etc/passwd", link) == 0);
    expect(says(dir, "/link: is a symbolic link, and dolly follows none in a run folder"));
    expect(unlink(link) == 0);
    snprintf(link, sizeof link, "%s/promise", dir);
    expect(symlink("/etc/passwd", link) == 0);
    expect(says(dir, NULL)); /* the one link that there may be */
    if (geteuid() == 0) {    /* others cannot give files away */
        uid_t owner = 0;
        expect(!trust_is_foreign(file, &owner));
        expect(chown(file, 12345, (gid_t)-1) == 0);
        expect(says(dir, "/run: belongs to user 12345"));
        expect(trust_is_foreign(file, &owner) && owner == 12345);
        expect(chown(file, 0, (gid_t)-1) == 0 && lchown(link, 12345, (gid_t)-1) == 0);
        expect(says(dir, "/promise: belongs to user 12345"));
        expect(unlink(link) == 0 && chown(dir, 12345, (gid_t)-1) == 0);
        expect(says(dir, ": belongs to user 12345"));
    }
    tree_remove(dir);
}
