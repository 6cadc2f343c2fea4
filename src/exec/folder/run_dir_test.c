#include "exec/folder/run_dir.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/os/tree.h"
#include "exec/process/sys.h"
#include "tests/unit/deny.h"
#include "tests/unit/limits.h"
#include "tests/unit/test.h"

/* Returns true if the folder is not made, for this reason. */
static bool refuses(const char *dir, enum err_kind kind, const char *why)
{
    char want[TEST_FOLDER + 100];
    struct err err;

    snprintf(want, sizeof want, "%s: %s", dir, why);
    return run_dir_create(dir, &err) == -1 && err.kind == kind && strcmp(err.text, want) == 0;
}

TEST(run_dir_create_says_why_it_cannot)
{
    static const int full[] = {ENOSPC, EDQUOT, EIO};
    char dir[TEST_FOLDER], path[TEST_FOLDER + 8], inside[TEST_FOLDER + 16], why[80];
    struct err err;
    struct stat st;

    test_folder(dir);
    snprintf(path, sizeof path, "%s/run", dir);
    snprintf(inside, sizeof inside, "%s/run", path);
    for (size_t i = 0; i < sizeof full / sizeof *full; i++) {
        int64_t count = 0;
        struct sys_plan plan = {SYS_PLAN_FAIL, SYS_COORDINATOR, 1, full[i], &count, "mkdir"};
        snprintf(why, sizeof why, "cannot make the folder: %s", strerror(full[i]));
        sys_plan_set(&plan);
        expect(refuses(path, ERR_SYSTEM, why));
        sys_plan_set(NULL);
        expect(lstat(path, &st) < 0);
    }
    expect(refuses(inside, ERR_INPUT, "cannot make the folder: No such file or directory"));
    expect(symlink("nowhere", path) == 0);
    expect(refuses(path, ERR_INPUT, "expected a folder, which may be absent or empty"));
    expect(unlink(path) == 0 && mknod(path, S_IFREG | 0600, 0) == 0);
    expect(refuses(path, ERR_INPUT, "expected a folder, which may be absent or empty"));
    expect(refuses(inside, ERR_INPUT, "cannot make the folder: Not a directory"));
    expect(unlink(path) == 0 && mkdir(path, 0755) == 0 && mkdir(inside, 0755) == 0);
    expect(refuses(path, ERR_INPUT, "the folder is not empty; expected a new one for each run"));
    expect(stat(path, &st) == 0 && (st.st_mode & 0777) == 0755);
    expect(rmdir(inside) == 0 && run_dir_create(path, &err) == 0);
    expect(stat(path, &st) == 0 && (st.st_mode & 0777) == 0700);
    tree_remove(dir);
}

static char private_dir[TEST_FOLDER];

static bool cannot_be_made_private(void)
{
#ifdef SYS_chmod
    deny_call(SYS_chmod, EPERM);
#else
    deny_call(SYS_fchmodat, EPERM);
#endif
    return refuses(private_dir, ERR_INPUT, "cannot be made private: Operation not permitted");
}

TEST(run_dir_create_wants_a_folder_that_can_be_private)
{
    test_folder(private_dir);
    deny_test(cannot_be_made_private);
    tree_remove(private_dir);
}

/* Nothing stays open. */
TEST(run_dir_open_says_which_folder_cannot_be_made)
{
    char dir[TEST_FOLDER], want[TEST_FOLDER + 80];
    struct err err;

    test_folder(dir);
    for (int at = 1; at <= 2; at++) {
        int64_t count = 0;
        int lock_fd = -1, before = limits_open();
        struct sys_plan plan = {SYS_PLAN_FAIL, SYS_COORDINATOR, at, ENOSPC, &count, "mkdir"};
        sys_plan_set(&plan);
        expect(!run_dir_open(dir, &lock_fd, &err) && err.kind == ERR_SYSTEM && lock_fd == -1);
        sys_plan_set(NULL);
        snprintf(want, sizeof want, "%s/%s: cannot make the folder: No space left on device", dir,
                 at == 1 ? "attempts" : "out");
        expect(strcmp(err.text, want) == 0 && limits_open() == before);
    }
    int lock_fd = -1;
    expect(!run_dir_open("/nonexistent", &lock_fd, &err) && err.kind == ERR_INPUT && lock_fd == -1);
    expect(strcmp(err.text, "/nonexistent: No such file or directory") == 0);
    char *opened = run_dir_open(dir, &lock_fd, &err);
    expect(opened && lock_fd >= 0);
    mem_free(opened);
    close(lock_fd);
    tree_remove(dir);
}

/* Names in it have less than 256 bytes, and have to fit, too. */
TEST(run_dir_open_refuses_a_path_that_is_too_long)
{
    enum { LONGEST = PATH_MAX - 256 - 1, STEP = 200 };
    char dir[TEST_FOLDER], path[PATH_MAX], want[160];
    struct err err;

    test_folder(dir);
    memset(path, 'x', sizeof path);
    memcpy(path, dir, strlen(dir));
    for (size_t n = strlen(dir); n < LONGEST - STEP; n += STEP) {
        path[n] = 0;
        expect(mkdir(path, 0700) == 0 || n == strlen(dir));
        path[n] = '/';
    }
    snprintf(want, sizeof want, "%.100s...: the path of the folder is too long", path);
    for (size_t n = LONGEST + 1; n >= LONGEST; n--) {
        int lock_fd = -1;
        path[n] = 0;
        expect(mkdir(path, 0700) == 0);
        char *opened = run_dir_open(path, &lock_fd, &err);
        if (n == LONGEST)
            expect(opened && strcmp(opened, path) == 0 && lock_fd >= 0);
        else
            expect(!opened && lock_fd == -1 && rmdir(path) == 0 && strcmp(err.text, want) == 0);
        mem_free(opened);
        sys_close(&lock_fd);
    }
    tree_remove(dir);
}

/* An output that cannot be read to its end has no checksum. */
TEST(run_dir_checksum_is_of_all_that_is_there)
{
    char dir[TEST_FOLDER], path[TEST_FOLDER + 8];
    int64_t bytes, count = 0;
    uint64_t empty, one, sum;
    struct sys_plan plan = {.mode = SYS_PLAN_FAIL, .error = EIO, .count = &count, .call = "read"};

    test_folder(dir);
    snprintf(path, sizeof path, "%s/a", dir);
    expect(run_dir_checksum(path, &bytes, &empty) < 0 && errno == ENOENT);
    fclose(fopen(path, "w"));
    expect(run_dir_checksum(path, &bytes, &empty) == 0 && bytes == 0);
    FILE *f = fopen(path, "w");
    expect(f && fputs("text", f) >= 0 && fclose(f) == 0);
    expect(run_dir_checksum(path, &bytes, &one) == 0 && bytes == 4 && one != empty);
    for (plan.at = 1; plan.at <= 2; plan.at++) { /* at once, and after the text */
        count = 0;
        sys_plan_set(&plan);
        expect(run_dir_checksum(path, &bytes, &sum) < 0 && errno == EIO);
        sys_plan_set(NULL);
    }
    expect(run_dir_checksum(dir, &bytes, &sum) < 0 && errno == EISDIR);
    tree_remove(dir);
}
