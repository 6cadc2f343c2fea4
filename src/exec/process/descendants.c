/* Listing and ending descendants.
 *
 * The kernel offers /proc/PID/task/TID/children, one read for the whole list. Its documentation
 * warns that the list may be incomplete when a child goes away during the read; our children only
 * go away when we wait for them, and we have one thread, so for our own list the warning does not
 * apply. Kernels built without it get the slow way: the parent of every process in /proc.
 *
 * Ending all of them needs no walk down the tree: a process that dies hands its children to us, so
 * "kill all children, wait, look again" reaches every depth, and a process that forks faster than
 * we look is itself killed each time. Killing by process group alone was rejected: one setsid
 * escapes it. Freezing a cgroup would be shorter, but is not allowed everywhere. */
#include "exec/process/descendants.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/check.h"
#include "base/os/path.h"
#include "exec/process/sys.h"

int descendants_init(struct descendants *t)
{
    *t = (struct descendants){.list_fd = -1, .self = getpid()};
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
        return -1;
    struct path list = path_of("/proc/self/task/%d/children", (int)t->self);
    t->list_fd = sys_open(list.text, O_RDONLY | O_CLOEXEC, 0);
    return 0;
}

void descendants_fini(struct descendants *t)
{
    sys_close(&t->list_fd);
    vec_free(&t->pids);
    vec_free(&t->spared);
}

/* Adds the numbers in the text; a number cut off at its end is kept for the next piece. */
static void descendants_take(struct descendants *t, const char *text, size_t length, pid_t *partial)
{
    for (size_t i = 0; i < length; i++) {
        if (isdigit((unsigned char)text[i])) {
            *partial = *partial * 10 + (text[i] - '0');
        } else if (*partial) {
            vec_push(&t->pids, *partial);
            *partial = 0;
        }
    }
}

/* Far below the page that the kernel fills at a time. */
enum { DESCENDANTS_SURE = 1024 };

static int descendants_list_fast(struct descendants *t)
{
    char text[4096];
    pid_t partial = 0;
    off_t from = 0;
    ssize_t n;

    /* The kernel stops early only where the next number does not fit. */
    do {
        n = sys_pread(t->list_fd, text, sizeof text, from);
        descendants_take(t, text, n > 0 ? (size_t)n : 0, &partial);
        from += n;
    } while (n > DESCENDANTS_SURE);
    descendants_take(t, " ", 1, &partial);
    return n < 0 ? -1 : 0;
}

pid_t descendants_parent(pid_t pid)
{
    char text[512];

    sys_read_text(path_of("/proc/%d/stat", (int)pid).text, 0, text, sizeof text);
    /* "PID (NAME) STATE PARENT ...", and the name may contain anything. */
    const char *close = strrchr(text, ')');
    return close && strlen(close) > 4 ? (pid_t)strtol(close + 4, NULL, 10) : 0;
}

static int descendants_list_slow(struct descendants *t)
{
    DIR *proc = opendir("/proc");

    if (!proc)
        return -1;
    for (struct dirent *e; (e = readdir(proc));) {
        pid_t pid = (pid_t)strtol(e->d_name, NULL, 10); /* 0: it is no process */
        if (pid > 0 && descendants_parent(pid) == t->self)
            vec_push(&t->pids, pid);
    }
    closedir(proc);
    return 0;
}

int descendants_list(struct descendants *t)
{
    check(t->self > 1);
    vec_clear(&t->pids);
    return t->list_fd >= 0 ? descendants_list_fast(t) : descendants_list_slow(t);
}

void descendants_spare(struct descendants *t)
{
    if (descendants_list(t) == 0)
        for (uint32_t i = 0; i < t->pids.count; i++)
            vec_push(&t->spared, t->pids.at[i]);
}

static bool is_spared(const struct descendants *t, pid_t pid)
{
    for (uint32_t i = 0; i < t->spared.count; i++)
        if (t->spared.at[i] == pid)
            return true;
    return false;
}

/* The same without those that are spared. */
static int descendants_list_ours(struct descendants *t)
{
    int result = descendants_list(t);
    uint32_t kept = 0;

    for (uint32_t i = 0; i < t->pids.count; i++)
        if (!is_spared(t, t->pids.at[i]))
            t->pids.at[kept++] = t->pids.at[i];
    t->pids.count = kept;
    return result;
}

void descendants_end_all(struct descendants *t)
{
    for (;;) {
        bool sure = descendants_list_ours(t) == 0; /* that every child is about to die */
        if (sure && t->pids.count == 0 && t->spared.count > 0)
            return;
        for (uint32_t i = 0; i < t->pids.count; i++) {
            check(t->pids.at[i] > 1); /* a mistake here would end far more than ours */
            /* The group first: it is one call for all of a pipeline. */
            sys_kill(-t->pids.at[i], SIGKILL);
            if (sys_kill(t->pids.at[i], SIGKILL) < 0)
                sure = false;
        }
        if (t->pids.count == 0)
            sure = false;
        pid_t pid = sys_wait4(-1, NULL, sure ? 0 : WNOHANG, NULL);
        if (pid < 0 && errno == ECHILD)
            return;
        if (!sure && pid <= 0)
            usleep(1000);
        while (pid > 0)
            pid = sys_wait4(-1, NULL, WNOHANG, NULL);
    }
}
