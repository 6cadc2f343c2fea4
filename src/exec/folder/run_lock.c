/* run_lock.c - the lock of a run, and ending the processes that still hold it.
 *
 * A coordinator that is killed leaves a guardian, which ends every attempt and leaves; that takes
 * milliseconds, so first we wait. What is left after that has lost its guardian, too: it is found
 * by the lock that every process of a run inherits, and killed. A process id alone never decides,
 * because ids are used again: the process must have the lock open. */
#include "exec/folder/run_lock.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "base/os/path.h"
#include "exec/process/lineage.h"
#include "exec/process/sys.h"

enum {
    RUN_LOCK_STEP_US = 5000,
    RUN_LOCK_LOOKS = 600,           /* steps: for those that only look, and are stopped meanwhile */
    RUN_LOCK_PATIENCE_US = 3000000, /* for the guardian */
    RUN_LOCK_UNSIGNED_S = 60,       /* a lock without a name may be that of a run that begins */
    RUN_LOCK_GIVE_UP_US = 15000000, /* for those that were killed */
};

static int run_lock_open(const char *path, struct err *err)
{
    int fd = sys_open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

    if (fd < 0)
        err_system(err, "%s: %s", path, strerror(errno));
    return fd;
}

static void run_lock_step(void)
{
    nanosleep(&(struct timespec){.tv_nsec = RUN_LOCK_STEP_US * 1000L}, NULL);
}

/* 0, or -1 with errno: EWOULDBLOCK if a process of a run holds it. Processes that look at a lock
 * share it for a moment, and so can we: then it is free, and will be ours as soon as they are done.
 */
static int run_lock_take(int fd)
{
    for (int i = 0; sys_flock(fd, LOCK_EX | LOCK_NB) < 0; i++) {
        if (errno != EWOULDBLOCK || i == RUN_LOCK_LOOKS || sys_flock(fd, LOCK_SH | LOCK_NB) < 0)
            return -1;
        sys_flock(fd, LOCK_UN);
        run_lock_step();
    }
    return 0;
}

/* Names us in the lock that we hold. */
static void run_lock_sign(int fd)
{
    char name[128], host[64] = "";

    gethostname(host, sizeof host - 1);
    int length = snprintf(name, sizeof name, "%d %s\n", (int)getpid(), host);
    if (ftruncate(fd, 0) == 0)
        (void)!pwrite(fd, name, (size_t)length, 0); /* the name is for messages only */
}

int run_lock_new(const char *dir, struct err *err)
{
    struct path path = path_of("%s/lock", dir);
    int fd = run_lock_open(path.text, err);

    if (fd < 0)
        return -1;
    if (run_lock_take(fd) < 0) {
        int error = errno;
        sys_close(&fd);
        if (error == EWOULDBLOCK)
            return err_set(err, "%s: another run, or a process left by one, uses this folder", dir);
        return err_system(err, "%s: %s", path.text, strerror(error));
    }
    run_lock_sign(fd);
    return fd;
}

bool run_lock_is_stale(const char *dir)
{
    struct stat st;
    int fd = open(path_of("%s/lock", dir).text, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    bool signed_by_one = fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0;
    bool stale = false;

    if (signed_by_one)
        stale = flock(fd, LOCK_SH | LOCK_NB) == 0;
    else if (fd >= 0 || errno == ENOENT)
        stale = lstat(dir, &st) == 0 && S_ISDIR(st.st_mode) &&
                time(NULL) - st.st_mtime > RUN_LOCK_UNSIGNED_S;
    sys_close(&fd);
    return stale;
}

/* ---- who holds it ---- */

static void kill_holders(const char *lock)
{
    DIR *d = opendir("/proc");

    for (struct dirent *e; d && (e = readdir(d));) {
        int pid = atoi(e->d_name);
        if (pid > 1 && pid != (int)getpid() && lineage_holds(pid, lock))
            kill(pid, SIGKILL);
    }
    if (d)
        closedir(d);
}

/* Refuses when the coordinator that signed the lock lives, here or on another machine. */
static int check_signature(int fd, const char *dir, const char *lock, struct err *err)
{
    char name[128] = "", here[64] = "", pid[16] = "", host[64] = "";

    if (pread(fd, name, sizeof name - 1, 0) <= 0 || sscanf(name, "%15s %63s", pid, host) < 1)
        return 0;
    gethostname(here, sizeof here - 1);
    if (*host && strcmp(host, here) != 0)
        return err_set(err, "%s: the run is held by process %s on %s", dir, pid, host);
    if (lineage_holds(atoi(pid), lock))
        return err_set(err, "%s: the run is still active: process %s holds it", dir, pid);
    return 0;
}

/* After a failed try to take the lock: waits a moment, and kills those that hold it if that has
 * lasted for too long. 0, or -1 with *err: no use to try again. */
static int run_lock_wait(int fd, const char *dir, const char *path, int64_t waited_us,
                         struct err *err)
{
    if (errno != EWOULDBLOCK && errno != EINTR)
        return err_system(err, "%s: %s", path, strerror(errno));
    if (check_signature(fd, dir, path, err) < 0)
        return -1;
    if (waited_us > RUN_LOCK_GIVE_UP_US)
        return err_system(err,
                          "%s: cannot end the processes of the run; see which process holds "
                          "%s (fuser)",
                          dir, path);
    if (waited_us > RUN_LOCK_PATIENCE_US)
        kill_holders(path);
    run_lock_step();
    return 0;
}

int run_lock_left(const char *dir, struct err *err)
{
    struct path path = path_of("%s/lock", dir);
    int64_t begun_us = clock_now_us();
    int fd = run_lock_open(path.text, err);

    while (fd >= 0 && run_lock_take(fd) < 0)
        if (run_lock_wait(fd, dir, path.text, clock_now_us() - begun_us, err) < 0)
            sys_close(&fd);
    if (fd >= 0)
        run_lock_sign(fd);
    return fd;
}
