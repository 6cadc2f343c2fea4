/* Starting a process quickly.
 *
 * vfork lends our memory to the child until it executes its program: no page table is copied, so
 * the cost does not grow with us, and the child can tell us in a variable why it failed; there is
 * no pipe to read for that. posix_spawn does the same inside, but cannot set the parent-death
 * signal, on which "nothing outlives a killed guardian" rests. The price is discipline: between
 * vfork and exec the child calls nothing but the kernel and writes nothing but that variable. */
#include "exec/spawn.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>

#include "exec/sys.h"

static void spawn_shrug(int sig)
{
    (void)sig;
}

/* We take no notice of signals that are meant for the coordinator (a terminal sends them to
 * everybody) or raised by a broken pipe. They are caught and not ignored, because what is ignored
 * stays so in a program that is executed, and each attempt would have to undo it. */
static int spawn_signals(void)
{
    static const int unwanted[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
    struct sigaction plain = {.sa_handler = SIG_DFL};
    struct sigaction shrug = {.sa_handler = spawn_shrug, .sa_flags = SA_RESTART};

    /* Whatever we inherited, attempts start with defaults. */
    for (int sig = 1; sig < NSIG; sig++)
        sigaction(sig, &plain, NULL); /* refused for KILL, STOP and libc's own */
    for (size_t i = 0; i < sizeof unwanted / sizeof *unwanted; i++)
        if (sigaction(unwanted[i], &shrug, NULL) < 0)
            return -1;
    return 0;
}

int spawn_prepare(int lock_fd, struct rlimit *files)
{
    struct rlimit more;

    if (spawn_signals() < 0)
        return -1;
    if (lock_fd != SPAWN_LOCK_FD && dup3(lock_fd, SPAWN_LOCK_FD, O_CLOEXEC) < 0)
        return -1;
    int null = sys_open("/dev/null", O_RDONLY | O_CLOEXEC, 0);
    /* Also what attempts without a stdin get, so it must survive their exec. */
    if (null < 0 || sys_dup2(null, SPAWN_NULL_FD) < 0 || fcntl(SPAWN_NULL_FD, F_SETFD, 0) < 0)
        return -1;
    if (null != SPAWN_NULL_FD)
        sys_close(&null);
    null = sys_open("/dev/null", O_RDWR | O_CLOEXEC, 0);
    if (null < 0 || sys_dup2(null, 1) < 0)
        return -1;
    if (null != SPAWN_PROGRESS_FD) {
        if (dup3(null, SPAWN_PROGRESS_FD, O_CLOEXEC) < 0)
            return -1;
        sys_close(&null);
    }

    /* Each attempt takes two descriptors of ours, so we want all that we may have. */
    if (getrlimit(RLIMIT_NOFILE, files) < 0)
        return -1;
    more = *files;
    more.rlim_cur = more.rlim_max;
    setrlimit(RLIMIT_NOFILE, &more);
    return 0;
}

/* In the child. Returns, with errno set, only when something failed. */
static void spawn_become(const struct spawn_request *r, pid_t parent)
{
    sigset_t none;

    if (setpgid(0, 0) < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
        return;
    if (getppid() != parent) /* it died before we asked to be told */
        _exit(127);
    if (sys_dup2(r->in, 0) < 0 || sys_dup2(r->out, 1) < 0 || sys_dup2(r->err, 2) < 0 ||
        sys_dup2(r->progress, SPAWN_PROGRESS_FD) < 0 || fcntl(SPAWN_LOCK_FD, F_SETFD, 0) < 0)
        return;
    if (r->files.rlim_cur != r->files.rlim_max && setrlimit(RLIMIT_NOFILE, &r->files) < 0)
        return;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(r->program, r->argv, r->env);
}

pid_t spawn_program(const struct spawn_request *request)
{
    volatile int error = 0; /* the child's errno, written into our memory */
    pid_t self = getpid();

    pid_t pid = sys_vfork();
    if (pid == 0) {
        spawn_become(request, self);
        error = errno;
        _exit(127);
    }
    if (pid > 0 && error) {
        while (wait4(pid, NULL, 0, NULL) < 0 && errno == EINTR)
            ;
        errno = error;
        return -1;
    }
    return pid;
}
