#include "exec/process/sys.h"

#include <errno.h>
#include <string.h>

/* The only mutable globals of the executor: they are switches of tests. */
bool sys_is_planned;
static struct sys_plan sys_plan;
static enum sys_role sys_role;

void sys_plan_set(const struct sys_plan *plan)
{
    sys_plan = plan ? *plan : (struct sys_plan){0};
    sys_is_planned = sys_plan.mode != SYS_PLAN_NONE;
}

void sys_role_set(enum sys_role role)
{
    sys_role = role;
}

int sys_planned(const char *call)
{
    if (sys_plan.mode == SYS_PLAN_NONE || sys_plan.role != sys_role ||
        (sys_plan.call && strcmp(sys_plan.call, call) != 0))
        return 0;
    /* Processes that share the count call at the same time. */
    if (__atomic_add_fetch(sys_plan.count, 1, __ATOMIC_RELAXED) != sys_plan.at)
        return 0;
    if (sys_plan.mode == SYS_PLAN_CRASH)
        raise(SIGKILL);
    return sys_plan.error;
}

bool sys_fault(const char *call)
{
    int error = sys_planned(call);

    if (error)
        errno = error;
    return error != 0;
}

ssize_t sys_read_text(const char *path, int flags, char *text, size_t size)
{
    int fd = sys_open(path, O_RDONLY | O_CLOEXEC | flags, 0);
    ssize_t n = fd >= 0 ? sys_read(fd, text, size - 1) : -1;

    sys_close(&fd);
    text[n > 0 ? n : 0] = 0;
    return n;
}
