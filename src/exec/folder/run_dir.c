/* The files of a run.
 *
 * The folder belongs to one run: it starts empty, and its lock is inherited by every process of the
 * run, so that a later dolly sees from a lock that is still held that processes are left. Paths are
 * made from numbers and from phase names that the readers of workloads have found harmless. What
 * cannot be removed stays: it is not read again, and an error would be of no use. */
#include "exec/folder/run_dir.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/os/sync.h"
#include "base/os/tree.h"
#include "exec/folder/run_lock.h"
#include "exec/folder/xxh3.h"
#include "exec/process/sys.h"

/* Names inside DIR take less than this: two numbers, a phase name of up to 128 bytes, separators.
 */
enum {
    RUN_DIR_INSIDE_MAX = 256,
    RUN_DIR_CHUNK = 256 * 1024,
    RUN_DIR_FULL_BYTES = 16 * 1024,
    RUN_DIR_LOW_BYTES = 64 * 1024 * 1024
};

/* ---- the folder of a run ---- */

/* Those whose locks are certainly ours to see. */
static bool run_dir_is_local(const char *path)
{
    static const unsigned long local[] = {0xef53 /* ext */, 0x58465342 /* xfs */,
                                          0x9123683e /* btrfs */, 0x01021994 /* tmpfs */,
                                          0x794c7630 /* overlay */};
    struct statfs fs;

    if (statfs(path, &fs) < 0)
        return false;
    for (size_t i = 0; i < sizeof local / sizeof *local; i++)
        if ((unsigned long)fs.f_type == local[i])
            return true;
    return false;
}

void run_dir_sweep(const char *in, const char *beginning)
{
    enum { LOOKS = 10000 }; /* at entries: a folder for all may have very many */
    DIR *d = run_dir_is_local(in) ? opendir(in) : NULL;
    struct stat st;
    int looks = LOOKS;

    for (struct dirent *e; d && looks > 0 && (e = readdir(d)); looks--) {
        if (strncmp(e->d_name, beginning, strlen(beginning)) != 0)
            continue;
        struct path path = path_of("%s/%s", in, e->d_name);
        if (lstat(path.text, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid() &&
            run_lock_is_stale(path.text))
            tree_remove(path.text);
    }
    if (d)
        closedir(d);
}

bool run_dir_holds_only(const char *dir, const char *const *names)
{
    DIR *d = opendir(dir);
    bool only = d != NULL;

    for (struct dirent *e; only && (e = readdir(d));) {
        const char *const *name = names;
        while (*name && strcmp(e->d_name, *name) != 0)
            name++;
        only = *name || strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0;
    }
    if (d)
        closedir(d);
    return only;
}

static int run_dir_make(const char *dir, struct err *err)
{
    static const char *const none[] = {NULL};
    struct stat st;

    if (sys_mkdir(dir, 0700) == 0)
        return 0;
    if (errno == ENOSPC || errno == EDQUOT || errno == EIO)
        return err_system(err, "%s: cannot make the folder: %s", dir, strerror(errno));
    if (errno != EEXIST)
        return err_set(err, "%s: cannot make the folder: %s", dir, strerror(errno));
    if (stat(dir, &st) < 0 || !S_ISDIR(st.st_mode))
        return err_set(err, "%s: expected a folder, which may be absent or empty", dir);
    if (!run_dir_holds_only(dir, none))
        return err_set(err, "%s: the folder is not empty; expected a new one for each run", dir);
    if (chmod(dir, 0700) < 0)
        return err_set(err, "%s: cannot be made private: %s", dir, strerror(errno));
    return 0;
}

int run_dir_create(const char *dir, struct err *err)
{
    if (run_dir_make(dir, err) < 0)
        return -1;
    (void)sync_name(dir); /* else all that is synced in it may be lost with its name */
    return 0;
}

static int run_dir_fill(const char *dir, int *lock_fd, struct err *err)
{
    if (*lock_fd < 0)
        *lock_fd = run_lock_new(dir, err);
    if (*lock_fd < 0)
        return -1;
    for (int i = 0; i < 2; i++) {
        struct path path = path_of("%s/%s", dir, i ? "out" : "attempts");
        if (sys_mkdir(path.text, 0700) < 0 && errno != EEXIST) {
            err_system(err, "%s: cannot make the folder: %s", path.text, strerror(errno));
            sys_close(lock_fd);
            return -1;
        }
    }
    return 0;
}

char *run_dir_open(const char *dir, int *lock_fd, struct err *err)
{
    char absolute[PATH_MAX];

    if (!realpath(dir, absolute)) {
        err_set(err, "%s: %s", dir, strerror(errno));
        return NULL;
    }
    if (strlen(absolute) + RUN_DIR_INSIDE_MAX >= PATH_MAX) {
        err_set(err, "%.100s...: the path of the folder is too long", dir);
        return NULL;
    }
    return run_dir_fill(absolute, lock_fd, err) < 0 ? NULL : mem_strdup(absolute);
}

/* ---- paths ---- */

struct path run_dir_attempt(const char *dir, struct attempt_ref at)
{
    return path_of("%s/attempts/%u.%u.%u.%u", dir, at.job.v, at.phase, at.task, at.attempt);
}

struct path run_dir_job(const char *dir, struct job_id job)
{
    return path_of("%s/out/%u", dir, job.v);
}

struct path run_dir_phase(const char *dir, const struct job_spec *job, uint16_t phase)
{
    const char *name = job->phases[phase].name;

    /* Readers of workloads let only harmless names through; see docs/reference/workload-file.md. */
    return name ? path_of("%s/out/%u/%s", dir, job->id.v, name)
                : path_of("%s/out/%u/%u", dir, job->id.v, phase);
}

struct path run_dir_output(const char *dir, const struct job_spec *job, struct attempt_ref at)
{
    return path_of("%s/%u", run_dir_phase(dir, job, at.phase).text, at.task);
}

/* ---- files ---- */

int64_t run_dir_room_of(const struct statvfs *fs)
{
    bool root = geteuid() == 0; /* some blocks are kept for root */

    if (fs->f_files > 0 && (root ? fs->f_ffree : fs->f_favail) == 0)
        return 0;
    uint64_t free_bytes = (uint64_t)(root ? fs->f_bfree : fs->f_bavail) * fs->f_frsize;
    return free_bytes < INT64_MAX ? (int64_t)free_bytes : INT64_MAX;
}

int64_t run_dir_free_bytes(const char *dir)
{
    struct statvfs fs;

    return statvfs(dir, &fs) < 0 ? INT64_MAX : run_dir_room_of(&fs);
}

bool run_dir_is_full(int64_t free_bytes)
{
    return free_bytes < RUN_DIR_FULL_BYTES;
}

bool run_dir_is_low(const char *dir)
{
    struct statvfs fs;

    if (statvfs(dir, &fs) < 0)
        return false;
    uint64_t all = (uint64_t)fs.f_blocks * fs.f_frsize, low = all / 100;
    return (uint64_t)run_dir_room_of(&fs) < (low < RUN_DIR_LOW_BYTES ? low : RUN_DIR_LOW_BYTES);
}

uint64_t run_dir_checksum_of_nothing(void)
{
    return XXH3_64bits("", 0);
}

int run_dir_checksum_of(int fd, int64_t *bytes, uint64_t *checksum)
{
    XXH3_state_t *state = XXH3_createState();
    char *chunk = mem_zalloc(RUN_DIR_CHUNK, 1);
    ssize_t n;

    check(state);
    XXH3_64bits_reset(state);
    *bytes = 0;
    while ((n = sys_read(fd, chunk, RUN_DIR_CHUNK)) > 0) {
        XXH3_64bits_update(state, chunk, (size_t)n);
        *bytes += n;
    }
    int saved = errno;
    *checksum = XXH3_64bits_digest(state);
    XXH3_freeState(state);
    mem_free(chunk);
    errno = saved;
    return n < 0 ? -1 : 0;
}

int run_dir_checksum(const char *path, int64_t *bytes, uint64_t *checksum)
{
    struct stat st;

    *bytes = 0;
    *checksum = run_dir_checksum_of_nothing();
    if (sys_lstat(path, &st) < 0)
        return -1;
    if (S_ISREG(st.st_mode) && st.st_size == 0) /* many commands print nothing */
        return 0;
    int fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0);
    if (fd < 0)
        return -1;
    int result = run_dir_checksum_of(fd, bytes, checksum);
    sys_close(&fd);
    return result;
}
