/* agent_deadline.c - see agent_deadline.h.
 *
 * A process cannot wait for others' descendants, so they are looked for in /proc, all processes at
 * a time: what descends from the supervisor does so as long as that one is not dead, since it, and
 * the caller, become the parents of all orphans. Those that are dead stay until their parent, which
 * is stopped, can wait for them, and do not count. */
#include "remote/agent/agent_deadline.h"

#include <ctype.h>
#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "base/vec.h"
#include "exec/process/supervisor.h"
#include "exec/process/sys.h"

enum { DEADLINE_LOOK_US = SUPERVISOR_LOOK_US / 2, DEADLINE_AGAIN_US = 2000 };

struct agent_deadline_process {
    pid_t pid, parent;
    bool dead, below; /* it descends from the supervisor */
};

struct agent_deadline {
    pid_t self, caller, top; /* top: the supervisor */
    VEC(struct agent_deadline_process) all;
};

/* "PID (NAME) STATE PARENT ...", and the name may contain anything. */
static void deadline_read(struct agent_deadline *d, const char *pid)
{
    char path[64], text[512];

    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = 0;
    const char *end = strrchr(text, ')');
    if (!end || strlen(end) <= 4)
        return;
    vec_push(&d->all, ((struct agent_deadline_process){(pid_t)strtol(pid, NULL, 10),
                                                       (pid_t)strtol(end + 4, NULL, 10),
                                                       end[2] == 'Z' || end[2] == 'X', false}));
}

static bool deadline_is_below(const struct agent_deadline *d, pid_t pid)
{
    if (pid == d->top)
        return true;
    for (uint32_t i = 0; i < d->all.count; i++)
        if (d->all.at[i].pid == pid)
            return d->all.at[i].below;
    return false;
}

static void deadline_list(struct agent_deadline *d)
{
    DIR *proc = opendir("/proc");
    bool more = true;

    vec_clear(&d->all);
    for (struct dirent *e; proc && (e = readdir(proc));)
        if (isdigit((unsigned char)e->d_name[0]))
            deadline_read(d, e->d_name);
    if (proc)
        closedir(proc);
    while (more) { /* children may be listed before their parents */
        more = false;
        for (uint32_t i = 0; i < d->all.count; i++) {
            struct agent_deadline_process *p = &d->all.at[i];
            if (!p->below && deadline_is_below(d, p->parent))
                p->below = more = true;
        }
    }
}

/* Until none is left that could start another. */
static void deadline_end(struct agent_deadline *d)
{
    bool left = true;

    while (left) {
        left = false;
        deadline_list(d);
        for (uint32_t i = 0; i < d->all.count; i++) {
            const struct agent_deadline_process *p = &d->all.at[i];
            if (!p->below || p->dead || p->pid == d->self || p->pid == d->caller)
                continue;
            left = true;
            kill(p->pid, SIGKILL);
        }
        if (left)
            usleep(DEADLINE_AGAIN_US);
    }
    kill(d->caller, SIGKILL);
}

static bool deadline_is_over(const volatile int64_t *until_us)
{
    struct timespec now;

    clock_gettime(CLOCK_BOOTTIME, &now);
    return *until_us > 0 && (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000 >= *until_us;
}

__attribute__((noreturn)) static void deadline_main(struct agent_deadline *d,
                                                    const volatile int64_t *until_us)
{
    sigset_t all;

    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    setsid();
    prctl(PR_SET_NAME, "dolly-deadline", 0, 0, 0);
    close_range(0, ~0u, 0);
    while (getppid() == d->caller || getppid() == d->top) {
        if (deadline_is_over(until_us)) {
            deadline_end(d);
            break;
        }
        usleep(DEADLINE_LOOK_US);
    }
    _exit(0);
}

pid_t agent_deadline_start(const volatile int64_t *until_us)
{
    struct agent_deadline d = {.caller = getpid(), .top = getppid()};
    pid_t pid = sys_fork();

    if (pid == 0) {
        d.self = getpid();
        deadline_main(&d, until_us);
    }
    return pid;
}
