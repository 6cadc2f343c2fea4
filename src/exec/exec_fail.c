#include "exec/exec_fail.h"

#include <errno.h>
#include <stdarg.h>

#include "exec/exec_state.h"

void exec_fail_run(struct exec *x, const char *format, ...)
{
    va_list args;

    if (x->is_aborted)
        return;
    x->is_aborted = true;
    x->aborted.kind = ERR_SYSTEM;
    va_start(args, format);
    vsnprintf(x->aborted.text, sizeof x->aborted.text, format, args);
    va_end(args);
}

uint8_t exec_fail_cause(int error)
{
    return error == ENOSPC || error == EDQUOT ? CAUSE_DISK_FULL : CAUSE_SYSTEM;
}

void exec_fail_decision(struct exec *x, const struct decision *d, uint8_t cause)
{
    struct event *e = exec_emit(x, EV_REFUSED, d->at, d->node);

    e->cause = cause;
    e->u.refused.decision = d->id;
    e->u.refused.decision_type = d->type;
}
