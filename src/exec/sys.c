#include "exec/sys.h"

#include <errno.h>

/* The only mutable globals of the executor: they are switches of tests. */
static struct sys_plan sys_plan;
static enum sys_role sys_role;

void sys_plan_set(const struct sys_plan *plan)
{
    sys_plan = plan ? *plan : (struct sys_plan){0};
}

void sys_role_set(enum sys_role role)
{
    sys_role = role;
}

bool sys_fault(void)
{
    if (sys_plan.mode == SYS_PLAN_NONE || sys_plan.role != sys_role)
        return false;
    if (++*sys_plan.count != sys_plan.at)
        return false;
    if (sys_plan.mode == SYS_PLAN_CRASH)
        raise(SIGKILL);
    errno = sys_plan.error;
    return true;
}

void sys_close(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}
