/* Watching over a process that starts others.
 *
 * A process that dies by SIGKILL hands its children to a subreaper above it. So the process that
 * cleans up after the coordinator has to be its ancestor; and as the user's shell only knows the
 * first process, that one is the ancestor and the work is done in a child.
 *
 * The child may be anywhere when its parent dies, for example in a write to a pipe that is full. So
 * the kernel sends it a signal, and the handler does the one thing that is both allowed there and
 * needs nothing of the old process: it executes our program anew. Its children and its being a
 * subreaper stay, its locks and half-made changes do not.
 *
 * The child has a session of its own: signals of the terminal come to the parent, which forwards
 * them, so that each is counted once. A SIGTSTP does not stop a process in such a session: the
 * child holds its work until the SIGCONT that follows, and still hears that its parent died. */
#include "exec/process/supervisor.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "base/os/die_with.h"
#include "exec/process/descendants.h"
#include "exec/process/spawn.h"
#include "exec/process/sys.h"

extern char **environ;

static char *const *supervisor_arguments; /* a signal handler can only reach what is global */

static bool supervisor_asked;
static const volatile int64_t *supervisor_until_us; /* NULL: for ever */

void supervisor_hold(const volatile int64_t *until_us)
{
    supervisor_until_us = until_us;
}

static bool supervisor_is_over(void)
{
    return supervisor_until_us && *supervisor_until_us != 0 &&
           clock_boot_us() >= *supervisor_until_us;
}

/* The next signal; 0 if it is time to look whether the child's is over. */
static int supervisor_signal(const sigset_t *mask)
{
    static const struct timespec look = {.tv_nsec = SUPERVISOR_LOOK_US * 1000l};

    if (!supervisor_until_us)
        return sigwaitinfo(mask, NULL);
    int sig = sigtimedwait(mask, NULL, &look);
    return sig < 0 && errno == EAGAIN ? 0 : sig;
}

bool supervisor_was_asked(void)
{
    return supervisor_asked;
}

static void supervisor_orphaned(int sig)
{
    (void)sig;
    execve("/proc/self/exe", supervisor_arguments, environ);
    _exit(1);
}

/* In the child. The caller may have held back the signals that the supervisor hands on. */
static void supervisor_follow(pid_t parent, char *const *leave, const sigset_t *old,
                              const sigset_t *handed_on)
{
    struct sigaction action = {.sa_handler = supervisor_orphaned};

    supervisor_arguments = leave;
    sigfillset(&action.sa_mask);
    sigaction(SIGRTMIN, &action, NULL);
    die_with(parent, SIGRTMIN);
    setsid();
    sigprocmask(SIG_SETMASK, old, NULL);
    sigprocmask(SIG_UNBLOCK, handed_on, NULL);
}

static int supervisor_watch(pid_t child, const sigset_t *mask)
{
    int status = 0;

    for (;;) {
        int sig = supervisor_signal(mask);
        if (supervisor_is_over())
            kill(child, SIGKILL);
        if (sig == SIGCHLD) {
            if (waitpid(child, &status, WNOHANG) == child)
                return status;
        } else if (sig == SIGTSTP) {
            /* The child is asked to stand still, not stopped: it has to hear of our death. */
            kill(child, SIGTSTP);
            kill(getpid(), SIGSTOP);
            kill(child, SIGCONT);
        } else if (sig > 0) {
            supervisor_asked = true;
            kill(child, sig);
        }
    }
}

int supervisor_enter(char *const *leave, int *status, struct err *err)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGTSTP};
    struct sigaction now;
    struct descendants left;
    sigset_t mask, old;
    pid_t self = getpid();

    if (descendants_init(&left) < 0)
        return err_system(err, "cannot prepare for orphans: %s", strerror(errno));
    descendants_spare(&left);
    sigemptyset(&mask);
    sigaddset(&mask, SIGCHLD);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(&mask, signals[i]);
    /* An ignored SIGCHLD would not be delivered. */
    sigaction(SIGCHLD, &(struct sigaction){.sa_handler = SIG_DFL, .sa_flags = SA_NOCLDSTOP}, NULL);
    sigprocmask(SIG_BLOCK, &mask, &old);
    fflush(NULL); /* or the child could write it a second time */
    pid_t child = sys_fork();
    if (child <= 0)
        descendants_fini(&left);
    if (child == 0) {
        supervisor_follow(self, leave, &old, &mask);
        return 0;
    }
    if (child < 0) {
        sigprocmask(SIG_SETMASK, &old, NULL);
        return err_system(err, "cannot start another process: %s", strerror(errno));
    }
    *status = supervisor_watch(child, &mask);
    descendants_end_all(&left);
    descendants_fini(&left);
    return 1;
}

int supervisor_leave(const char *lock, struct err *err)
{
    struct stat held, there;
    struct descendants left;

    bool ours = fstat(SPAWN_LOCK_FD, &held) == 0;
    /* A run that was about to end may have removed its folder. */
    bool gone = ours && held.st_nlink == 0 && lstat(lock, &there) < 0 && errno == ENOENT;
    if (!gone && (!ours || lstat(lock, &there) < 0 || held.st_ino != there.st_ino ||
                  held.st_dev != there.st_dev))
        return err_set(err, "%s: not the lock of a run that this process belongs to", lock);
    if (descendants_init(&left) < 0)
        return err_system(err, "cannot find the processes left: %s", strerror(errno));
    descendants_end_all(&left);
    descendants_fini(&left);
    return 0;
}
