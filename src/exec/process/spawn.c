/* Starting a process quickly.
 *
 * The new process borrows our memory until it executes its program: no page table is copied, so the
 * cost does not grow with us, and it can tell us in a variable why it failed; there is no pipe to
 * read for that. posix_spawn and vfork do the same, but hold the caller up until the program is
 * loaded, a quarter of what a small task takes, while others end and wait to be reaped. So it gets
 * a stack of its own, and we go on. The kernel clears a variable of ours when our memory is given
 * back (CLONE_CHILD_CLEARTID), be it by exec or by death, so we need not wait for it.
 *
 * The price is discipline: until then the process calls nothing but the kernel, not even by way of
 * the C library, whose errno would be ours (raw_syscall); it writes nothing but why it failed; and
 * what it reads stays in place. Where the calls cannot be made like that, or the kernel does not
 * want to, vfork does the same and we do wait.
 *
 * A program that we have in ourselves needs no exec, which for one of ours is two thirds of what
 * its process costs: loading, linking, finding out what the processor can do. Then the process is
 * an ordinary copy of ours, and nothing is shared; so it does pay for our size.
 *
 * Threads that wait in our place were rejected: each start would wake two of them, a process that
 * asks to die with its parent dies with the thread that started it, and the kernel lists children
 * by thread. */
#include "exec/process/spawn.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "base/mem.h"
#include "exec/process/sys.h"

extern char **environ;

enum {
    SPAWN_STACK_BYTES = 16384,
    SPAWN_SIGSET_BYTES = 8, /* of the kernel */
};

/* A system call without the C library, which keeps errno and more in the memory that the new
 * process shares with us. An answer below zero is the negative errno. */
#if defined(__x86_64__) && !defined(__ILP32__)

#define RAW_SYSCALLS 1
static inline long raw_syscall(long number, long a, long b, long c, long d)
{
    register long r10 __asm__("r10") = d;

    __asm__ volatile("syscall"
                     : "+a"(number)
                     : "D"(a), "S"(b), "d"(c), "r"(r10)
                     : "rcx", "r11", "memory");
    return number;
}

#elif defined(__aarch64__)

#define RAW_SYSCALLS 1
static inline long raw_syscall(long number, long a, long b, long c, long d)
{
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;

    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
    return x0;
}

#else /* with vfork: we sleep while the new process may change errno */

#define RAW_SYSCALLS 0
static inline long raw_syscall(long number, long a, long b, long c, long d)
{
    long answer = syscall(number, a, b, c, d);
    return answer < 0 ? -errno : answer;
}

#endif

/* We ignore signals that are meant for the coordinator (a terminal sends them to the whole session)
 * or raised by a broken pipe. They are blocked and not ignored, because what is ignored
 * stays so in a program that is executed; and not caught, because a process on its way to its
 * program has to die of one when it stops blocking them: a handler that was installed before would
 * swallow it. */
static int spawn_signals(void)
{
    static const int unwanted[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
    struct sigaction plain = {.sa_handler = SIG_DFL}, now;
    sigset_t mask;

    /* Whatever we inherited, attempts start with defaults; caught signals do so anyway. */
    for (int sig = 1; sig < NSIG; sig++)
        if (sigaction(sig, NULL, &now) == 0 && now.sa_handler == SIG_IGN)
            sigaction(sig, &plain, NULL);
    sigemptyset(&mask);
    for (size_t i = 0; i < sizeof unwanted / sizeof *unwanted; i++) {
        sigaddset(&mask, unwanted[i]);
        sigaction(unwanted[i], &plain, NULL);
    }
    return sigprocmask(SIG_BLOCK, &mask, NULL);
}

int spawn_raise_limit(struct err *err)
{
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) < 0 || files.rlim_cur >= SPAWN_FDS_LEAST)
        return 0;
    unsigned long long now = files.rlim_cur;
    files.rlim_cur = files.rlim_max < SPAWN_FDS_USUAL ? files.rlim_max : SPAWN_FDS_USUAL;
    if (files.rlim_cur >= SPAWN_FDS_LEAST && setrlimit(RLIMIT_NOFILE, &files) == 0)
        return 0;
    return err_set(err, "ulimit -n is %llu, and at least %d open files are needed", now,
                   SPAWN_FDS_LEAST);
}

/* Each attempt takes two descriptors of ours, so we want all that we may have. */
static int spawn_limits(struct rlimit *files)
{
    struct rlimit more;

    if (getrlimit(RLIMIT_NOFILE, files) < 0)
        return -1;
    more = *files;
    more.rlim_cur = more.rlim_max;
    setrlimit(RLIMIT_NOFILE, &more);
    return 0;
}

/* Marks all but the standard files. */
static int spawn_close_on_exec(void)
{
    struct rlimit most;

    if (close_range(3, ~0u, CLOSE_RANGE_CLOEXEC) == 0)
        return 0;
    if (getrlimit(RLIMIT_NOFILE, &most) < 0)
        return -1;
    for (int fd = 3; fd < (int)most.rlim_cur && fd < 65536; fd++)
        fcntl(fd, F_SETFD, FD_CLOEXEC);
    return 0;
}

int spawn_prepare(int lock_fd, struct rlimit *files, int *null_fd)
{
    if (spawn_signals() < 0 || spawn_close_on_exec() < 0)
        return -1;
    int null = sys_open("/dev/null", O_RDONLY | O_CLOEXEC, 0);
    if (null < 0)
        return -1;
    /* Above those of attempts; and SPAWN_PROGRESS_FD must be taken, or a file of an attempt could
     * get that number. */
    *null_fd = fcntl(null, F_DUPFD_CLOEXEC, SPAWN_LOCK_FD + 1);
    if (null != SPAWN_PROGRESS_FD)
        sys_close(&null);
    if (*null_fd < 0 || sys_dup2(lock_fd, SPAWN_LOCK_FD) < 0)
        return -1;
    return spawn_limits(files);
}

/* A handler of a deadly signal may be there to report it. */
void spawn_find_caught(sigset_t *caught)
{
    struct sigaction now;

    sigemptyset(caught);
    for (int sig = 1; sig < NSIG; sig++)
        if (sig != SIGSEGV && sig != SIGBUS && sig != SIGFPE && sig != SIGILL && sig != SIGABRT &&
            sigaction(sig, NULL, &now) == 0 && now.sa_handler != SIG_DFL)
            sigaddset(caught, sig);
}

/* ---- core files ---- */

static struct rlimit core_before; /* inherited by copies of this process, as the limit is */
static bool core_held;

void spawn_hold_core(void)
{
    struct rlimit now;

    if (getrlimit(RLIMIT_CORE, &now) < 0 || now.rlim_cur <= 1) /* held, or there are no cores */
        return;
    core_before = now;
    core_held = setrlimit(RLIMIT_CORE, &(struct rlimit){1, now.rlim_max}) == 0;
}

void spawn_release_core(void)
{
    if (core_held)
        setrlimit(RLIMIT_CORE, &core_before);
}

/* ---- in the new process ---- */

/* No more than the kernel is called from here on; 0 or an errno. */
static int spawn_dup(int from, int to)
{
    int error = sys_planned("dup");

    if (error || (from == to && to < 3)) /* the standard files stay */
        return error;
    long answer = from == to ? raw_syscall(SYS_fcntl, to, F_SETFD, 0, 0)
                             : raw_syscall(SYS_dup3, from, to, 0, 0);
    return answer < 0 ? (int)-answer : 0;
}

static int spawn_exec(const char *program, char *const *argv, char *const *env)
{
    return (int)-raw_syscall(SYS_execve, (long)(uintptr_t)program, (long)(uintptr_t)argv,
                             (long)(uintptr_t)env, 0);
}

/* Makes the process what an attempt is before its program begins; 0 or an errno. */
static int spawn_enter(const struct spawn *s)
{
    static const uint64_t none = 0;
    long answer;
    int error;

    if ((answer = raw_syscall(SYS_setpgid, 0, 0, 0, 0)) < 0 ||
        (answer = raw_syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0)) < 0)
        return (int)-answer;
    if (raw_syscall(SYS_getppid, 0, 0, 0, 0) != s->parent) /* it died before that took effect */
        return ECHILD;
    if (s->workdir && (answer = raw_syscall(SYS_chdir, (long)(uintptr_t)s->workdir, 0, 0, 0)) < 0)
        return (int)-answer;
    if ((error = spawn_dup(s->in, 0)) || (error = spawn_dup(s->out, 1)) ||
        (error = spawn_dup(s->err, 2)) || (error = spawn_dup(s->progress, SPAWN_PROGRESS_FD)) ||
        (s->control > 0 && (error = spawn_dup(s->control, SPAWN_CONTROL_FD))))
        return error;
    if (s->files.rlim_cur != s->files.rlim_max &&
        (answer = raw_syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, (long)(uintptr_t)&s->files, 0)) < 0)
        return (int)-answer;
    if (s->nicer) /* the kernel counts from 20 down */
        raw_syscall(SYS_setpriority, PRIO_PROCESS, 0,
                    20 - raw_syscall(SYS_getpriority, PRIO_PROCESS, 0, 0, 0) + s->nicer, 0);
    raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (long)(uintptr_t)&none, 0, SPAWN_SIGSET_BYTES);
    return 0;
}

/* Returns, with the reason, only when something failed. */
static int spawn_become(const struct spawn *s)
{
    if (core_held)
        raw_syscall(SYS_prlimit64, 0, RLIMIT_CORE, (long)(uintptr_t)&core_before, 0);
    int error = s->program ? spawn_exec(s->program, s->argv, s->env) : ENOENT;
    if (s->second && (error == ENOENT || error == EACCES || error == ENOEXEC || error == ENOTDIR))
        error = spawn_exec(s->second, s->second_argv, s->env);
    return error;
}

static int spawn_child(void *arg)
{
    struct spawn *s = arg;

    s->error = spawn_enter(s);
    if (s->error == 0)
        s->error = spawn_become(s);
    raw_syscall(SYS_exit_group, 127, 0, 0, 0);
    return 127;
}

/* ---- in a copy of ours ---- */

/* What an exec would reset. */
static void spawn_uncatch(const sigset_t *caught)
{
    struct sigaction plain = {.sa_handler = SIG_DFL};

    for (int sig = 1; sig < NSIG; sig++)
        if (sigismember(caught, sig) == 1)
            sigaction(sig, &plain, NULL);
}

/* The parent does not wait for an answer: the attempt has begun, and fails. */
__attribute__((noreturn)) static void spawn_give_up(int fd, int error)
{
    dprintf(fd, "dolly: cannot start the attempt: %s\n", strerror(error));
    _exit(1);
}

/* It may do as it likes, but has to give up what an exec would have taken from it. */
__attribute__((noreturn)) static void spawn_copy(const struct spawn *s)
{
    spawn_uncatch(&s->caught); /* while they are blocked */
    int error = spawn_enter(s);
    if (error != 0)
        spawn_give_up(s->err, error);
    close_range(SPAWN_PROGRESS_FD + 1, SPAWN_CONTROL_FD - (s->control > 0), 0);
    close_range(SPAWN_LOCK_FD + 1, ~0u, 0);
    sys_plan_set(NULL);
    prctl(PR_SET_NAME, "dolly-task", 0, 0, 0);
    environ = (char **)(uintptr_t)s->env;
    int status = s->own(s->own_ctx, s->argv);
    fflush(NULL);
    if (status < 0)
        spawn_give_up(STDERR_FILENO, spawn_become(s));
    _exit(status);
}

/* ---- in ours ---- */

static pid_t spawn_clone(struct spawn *s)
{
    enum { FLAGS = CLONE_VM | CLONE_CHILD_CLEARTID | SIGCHLD };

    if (sys_fault("clone"))
        return -1;
    if (!s->stack)
        s->stack = mem_zalloc(SPAWN_STACK_BYTES, 1);
    atomic_store(&s->unsettled, 1);
    return clone(spawn_child, s->stack + SPAWN_STACK_BYTES, FLAGS, s, NULL, NULL, &s->unsettled);
}

static pid_t spawn_vfork(struct spawn *s)
{
    if (sys_fault("vfork"))
        return -1;
    atomic_store(&s->unsettled, 0); /* by the time we return */
    pid_t pid = vfork();
    if (pid == 0)
        _exit(spawn_child(s));
    return pid;
}

static pid_t spawn_fork(struct spawn *s)
{
    atomic_store(&s->unsettled, 0); /* it has a copy of all that it reads */
    pid_t pid = sys_fork();
    if (pid == 0)
        spawn_copy(s);
    return pid;
}

pid_t spawn_begin(struct spawn *s)
{
    s->error = 0;
    s->parent = getpid();
    if (s->own)
        return spawn_fork(s);
    if (RAW_SYSCALLS) {
        pid_t pid = spawn_clone(s);
        if (pid >= 0 || errno != EINVAL)
            return pid;
    }
    return spawn_vfork(s);
}
