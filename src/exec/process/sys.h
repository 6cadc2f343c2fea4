/* sys.h - the system calls of exec and runner, so that tests can fail any of them.
 *
 * Everything there that can fail for reasons outside the program is called through here. A test
 * makes a plan ("the 17th call of the guardian fails with ENOSPC", "the coordinator is killed at
 * its 40th"); without a plan a wrapper costs one test of a variable. */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum sys_role { SYS_COORDINATOR, SYS_GUARDIAN };
enum sys_mode { SYS_PLAN_NONE, SYS_PLAN_FAIL, SYS_PLAN_CRASH };

struct sys_plan {
    enum sys_mode mode;
    enum sys_role role; /* the process whose calls are counted */
    int64_t at;         /* the call that fails, counted from 1; 0: none, only count */
    int error;          /* errno of the failing call */
    int64_t *count;     /* calls so far; memory of the test, shared with the guardian */
    const char *call;   /* only calls of this name count ("fsync"); NULL: all */
};

/* Sets the plan for this process and for a guardian forked later; NULL ends it. For tests. */
void sys_plan_set(const struct sys_plan *plan);

/* Sets which process this is from now on (a coordinator at first). */
void sys_role_set(enum sys_role role);

/* Returns the errno that the call about to be made has to fail with, or 0. May not return at all.
 */
int sys_planned(const char *call);

/* Set while there is a plan. */
extern bool sys_is_planned;

/* Returns true if the call has to fail, with errno set. */
bool sys_fault(const char *call);

/* Reads the beginning of a small file as text, which ends with a NUL in any case. `flags` are those
 * of open in addition to O_RDONLY and O_CLOEXEC. Returns the number of bytes, or -1 with errno. */
ssize_t sys_read_text(const char *path, int flags, char *text, size_t size);

/* Closes the descriptor and sets it to -1; -1 is fine. Keeps errno. Never fails: a descriptor is
 * gone after close in any case. */
static inline void sys_close(int *fd)
{
    int saved = errno;

    if (*fd >= 0)
        close(*fd);
    *fd = -1;
    errno = saved;
}

#define SYS_CALL(type, name, parameters, call)                                                     \
    static inline type sys_##name parameters                                                       \
    {                                                                                              \
        return sys_is_planned && sys_fault(#name) ? -1 : call;                                     \
    }

SYS_CALL(int, open, (const char *path, int flags, mode_t mode), open(path, flags, mode))
SYS_CALL(ssize_t, read, (int fd, void *at, size_t n), read(fd, at, n))
SYS_CALL(ssize_t, pread, (int fd, void *at, size_t n, off_t from), pread(fd, at, n, from))
SYS_CALL(off_t, lseek, (int fd, off_t to, int whence), lseek(fd, to, whence))
SYS_CALL(int, fstat, (int fd, struct stat *st), fstat(fd, st))
SYS_CALL(int, lstat, (const char *path, struct stat *st), lstat(path, st))
SYS_CALL(int, fsync, (int fd), fsync(fd))
SYS_CALL(int, fdatasync, (int fd), fdatasync(fd))
SYS_CALL(int, flock, (int fd, int how), flock(fd, how))
SYS_CALL(int, mknod, (const char *path, mode_t mode), mknod(path, mode, 0))
SYS_CALL(int, mkdir, (const char *path, mode_t mode), mkdir(path, mode))
SYS_CALL(int, rmdir, (const char *path), rmdir(path))
SYS_CALL(int, unlink, (const char *path), unlink(path))
SYS_CALL(int, rename, (const char *from, const char *to), rename(from, to))
SYS_CALL(int, pipe, (int fds[2], int flags), pipe2(fds, flags))
SYS_CALL(int, socketpair, (int type, int fds[2]), socketpair(AF_UNIX, type, 0, fds))
SYS_CALL(int, sendmmsg, (int fd, struct mmsghdr *at, unsigned n, int flags),
         sendmmsg(fd, at, n, flags))
SYS_CALL(int, recvmmsg, (int fd, struct mmsghdr *at, unsigned n, int flags),
         recvmmsg(fd, at, n, flags, NULL))
SYS_CALL(ssize_t, send, (int fd, const void *at, size_t n, int flags), send(fd, at, n, flags))
SYS_CALL(ssize_t, recv, (int fd, void *at, size_t n, int flags), recv(fd, at, n, flags))
SYS_CALL(int, epoll_create, (void), epoll_create1(EPOLL_CLOEXEC))
SYS_CALL(int, epoll_ctl, (int ep, int op, int fd, struct epoll_event *e), epoll_ctl(ep, op, fd, e))
SYS_CALL(int, epoll_wait, (int ep, struct epoll_event *at, int max, int timeout_ms),
         epoll_wait(ep, at, max, timeout_ms))
SYS_CALL(int, signalfd, (const sigset_t *mask), signalfd(-1, mask, SFD_CLOEXEC | SFD_NONBLOCK))
SYS_CALL(pid_t, fork, (void), fork())
SYS_CALL(int, pidfd_open, (pid_t pid), pidfd_open(pid, 0))
SYS_CALL(int, kill, (pid_t pid, int sig), kill(pid, sig))
SYS_CALL(pid_t, wait4, (pid_t pid, int *status, int options, struct rusage *use),
         wait4(pid, status, options, use))
SYS_CALL(int, waitid, (idtype_t type, id_t id, siginfo_t *info, int options),
         waitid(type, id, info, options))
SYS_CALL(int, dup2, (int from, int to), dup2(from, to))

#undef SYS_CALL
