/* fleet_process.c - the processes by which a fleet has its agents started. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/os/clock.h"
#include "exec/process/spawn.h"
#include "exec/process/sys.h"
#include "remote/fleet/fleet.h"

/* In the child: default signals, our descriptors and no others. */
__attribute__((noreturn)) static void process_become(char *const *argv, pid_t parent, int in,
                                                     int out, int err, bool stays)
{
    sigset_t none;
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    prctl(PR_SET_PDEATHSIG, stays ? 0 : SIGTERM, 0, 0, 0);
    setsid();
    for (int sig = 1; sig < NSIG; sig++)
        signal(sig, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    /* Copies first: a source may be where another one goes. */
    int fds[3] = {in, out >= 0 ? out : null, err >= 0 ? err : null};
    for (int i = 0; i < 3; i++)
        fds[i] = fcntl(fds[i], F_DUPFD, 3);
    for (int i = 0; i < 3; i++)
        if (fds[i] < 0 || dup2(fds[i], i) < 0)
            _exit(126);
    close_range(3, ~0u, 0);
    if (!stays && getppid() != parent) /* it died before that took effect */
        _exit(126);
    spawn_release_core();
    execvp(argv[0], argv);
    int error = errno;
    dprintf(2, "%s: %s\n", argv[0], strerror(error));
    _exit(error == ENOENT ? 127 : 126);
}

int fleet_process_start(struct fleet_process *p, char *const *argv, const char *in, uint32_t bytes,
                        int out_fd, int err_fd, bool stays)
{
    pid_t self = getpid();
    sigset_t all, before;
    int fds[2];

    *p = (struct fleet_process){.pid_fd = -1};
    if (bytes > 4096) {
        errno = EMSGSIZE;
        return -1;
    }
    if (sys_pipe(fds, O_CLOEXEC) < 0)
        return -1;
    if (bytes && write(fds[1], in, bytes) != (ssize_t)bytes) { /* a pipe has room for so much */
        sys_close(&fds[0]);
        sys_close(&fds[1]);
        return -1;
    }
    fflush(NULL); /* or the child could write it a second time */
    /* Until the child has default signals, one that is sent to it waits: a handler of ours would
     * swallow it. */
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    p->pid = sys_fork();
    if (p->pid == 0)
        process_become(argv, self, fds[0], out_fd, err_fd, stays);
    sigprocmask(SIG_SETMASK, &before, NULL);
    sys_close(&fds[0]);
    sys_close(&fds[1]);
    if (p->pid < 0) {
        p->pid = 0;
        return -1;
    }
    p->pid_fd = sys_pidfd_open(p->pid);
    if (p->pid_fd >= 0)
        return 0;
    int saved = errno;
    fleet_process_end(p, 0);
    errno = saved;
    return -1;
}

bool fleet_process_ended(struct fleet_process *p, int *status)
{
    if (p->pid == 0)
        return false;
    pid_t pid = waitpid(p->pid, status, WNOHANG);
    if (pid == 0)
        return false;
    if (pid < 0)
        *status = 255 << 8;
    p->pid = 0;
    sys_close(&p->pid_fd);
    return true;
}

void fleet_process_tell(int status, char *text, size_t size)
{
    if (WIFSIGNALED(status))
        snprintf(text, size, "was killed by signal %d", WTERMSIG(status));
    else
        snprintf(text, size, "exited with status %d", WEXITSTATUS(status));
}

bool fleet_process_wait(struct fleet_process *p, int64_t until_us, int *status)
{
    while (!fleet_process_ended(p, status)) {
        struct pollfd at = {.fd = p->pid_fd, .events = POLLIN};
        int timeout_ms = clock_timeout_ms(clock_now_us(), until_us);
        if (timeout_ms == 0 || p->pid_fd < 0)
            return false;
        poll(&at, 1, timeout_ms);
    }
    return true;
}

void fleet_process_end(struct fleet_process *p, int64_t grace_us)
{
    int64_t now_us = clock_now_us();
    int status;

    if (p->pid == 0 || fleet_process_wait(p, now_us + grace_us / 2, &status))
        return;
    kill(p->pid, SIGTERM);
    if (fleet_process_wait(p, now_us + grace_us, &status))
        return;
    kill(p->pid, SIGKILL);
    while (sys_wait4(p->pid, &status, 0, NULL) < 0 && errno == EINTR)
        ;
    p->pid = 0;
    sys_close(&p->pid_fd);
}
