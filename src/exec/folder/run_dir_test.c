#include "exec/folder/run_dir.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/os/path.h"
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
    enum { LONGEST = PATH_MAX - 256 - 1, STEP = 100 }; /* the last name has up to two steps */
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

/* Root may use blocks and nodes that are kept from others. */
static bool room_is_ours(void)
{
    bool root = geteuid() == 0;
    struct statvfs none = {.f_files = 9,
                           .f_ffree = root ? 0 : 5,
                           .f_favail = root ? 5 : 0,
                           .f_bfree = 9,
                           .f_bavail = 9,
                           .f_frsize = 512};
    struct statvfs some = {.f_files = 9,
                           .f_ffree = root ? 1 : 0,
                           .f_favail = root ? 0 : 1,
                           .f_bfree = root ? 9 : 7,
                           .f_bavail = root ? 7 : 9,
                           .f_frsize = 512};
    struct statvfs unknown = {.f_bfree = 3, .f_bavail = 3, .f_frsize = 512}; /* number of nodes */
    struct statvfs endless = {.f_bfree = (fsblkcnt_t)-1, .f_bavail = (fsblkcnt_t)-1, .f_frsize = 1};

    return run_dir_room_of(&none) == 0 && run_dir_room_of(&some) == 9 * 512 &&
           run_dir_room_of(&unknown) == 3 * 512 &&
           (sizeof(fsblkcnt_t) < 8 || run_dir_room_of(&endless) == INT64_MAX);
}

static bool room_is_that_of_another_user(void)
{
    return setresuid(65534, 65534, 65534) < 0 || room_is_ours();
}

TEST(run_dir_room_is_what_this_user_may_fill)
{
    expect(room_is_ours());
    deny_test(room_is_that_of_another_user);
    expect(run_dir_is_full(16383) && !run_dir_is_full(16384));
    expect(run_dir_free_bytes("/nonexistent") == INT64_MAX && !run_dir_is_low("/nonexistent"));
}

TEST(run_dir_holds_only_what_is_named)
{
    static const char *const none[] = {NULL}, *const names[] = {"a", "b", NULL};
    char dir[TEST_FOLDER], path[TEST_FOLDER + 8];

    test_folder(dir);
    expect(!run_dir_holds_only("/nonexistent", names));
    expect(run_dir_holds_only(dir, none) && run_dir_holds_only(dir, names));
    snprintf(path, sizeof path, "%s/b", dir);
    expect(mkdir(path, 0700) == 0);
    expect(!run_dir_holds_only(dir, none) && run_dir_holds_only(dir, names));
    snprintf(path, sizeof path, "%s/c", dir);
    expect(mkdir(path, 0700) == 0 && !run_dir_holds_only(dir, names));
    tree_remove(dir);
}

/* A folder with a lock of this text (NULL: without a lock) that was changed an hour ago. */
static void make_run(const char *dir, const char *name, const char *text, bool old)
{
    struct timespec times[2] = {{.tv_sec = time(NULL) - 3600}, {.tv_sec = time(NULL) - 3600}};
    struct path path = path_of("%s/%s", dir, name), lock = path_of("%s/%s/lock", dir, name);

    expect(mkdir(path.text, 0700) == 0);
    FILE *f = text ? fopen(lock.text, "w") : NULL;
    expect(!text || (f && fputs(text, f) >= 0 && fclose(f) == 0));
    expect(!old || utimensat(AT_FDCWD, path.text, times, 0) == 0);
}

TEST(run_dir_sweep_removes_runs_that_are_over)
{
    static const struct {
        const char *name, *lock;
        bool old, gone;
    } rows[] = {
        {"run-over", "12 host\n", false, true},
        {"run-held", "12 host\n", true, false},
        {"other-over", "12 host\n", true, false},
        {"run-begins", "", false, false},
        {"run-began", "", true, true},
        {"run-new", NULL, false, false},
        {"run-left", NULL, true, true},
    };
    char dir[TEST_FOLDER];
    struct statfs fs;

    test_folder(dir);
    expect(statfs(dir, &fs) == 0);
    if (fs.f_type != 0xef53 && fs.f_type != 0x01021994 && fs.f_type != 0x794c7630) {
        test_skip("on this file system others may hold locks that are not seen here");
        return;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        make_run(dir, rows[i].name, rows[i].lock, rows[i].old);
    struct path link = path_of("%s/run-link", dir), file = path_of("%s/run-file", dir);
    expect(symlink("other-over", link.text) == 0 && mknod(file.text, S_IFREG | 0600, 0) == 0);
    make_run(dir, "run-others", "12 host\n", true);
    bool others = chown(path_of("%s/run-others", dir).text, 12345, (gid_t)-1) == 0; /* as root */
    int held = open(path_of("%s/run-held/lock", dir).text, O_RDWR | O_CLOEXEC);
    expect(held >= 0 && flock(held, LOCK_EX) == 0);
    run_dir_sweep(dir, "run-");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect((access(path_of("%s/%s", dir, rows[i].name).text, F_OK) < 0) == rows[i].gone);
    expect(access(link.text, F_OK) == 0 && access(file.text, F_OK) == 0);
    expect((access(path_of("%s/run-others", dir).text, F_OK) == 0) == others);
    close(held);
    tree_remove(dir);
}
