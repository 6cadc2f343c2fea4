#include "exec/process/slowdown.h"

#include "exec/process/sys.h"

/* An attempt runs for a slice and is then stopped until it has been given its share of the time
 * that has passed. What it really got is measured, so late wake-ups do not add up. */
enum { SLOWDOWN_SLICE_US = 25000, SLOWDOWN_MILLI = 1000 };

/* When the process has to be looked at next. */
static int64_t slowdown_one(struct process *p, int64_t now_us)
{
    int64_t ran_us = p->ran_us + (p->stopped ? 0 : now_us - p->since_us);
    int64_t due_us = p->started_us + ran_us * p->slow_milli / SLOWDOWN_MILLI;

    if (p->stopped && now_us >= due_us) {
        kill(-p->pid, SIGCONT);
        p->stopped = false;
        p->since_us = now_us;
    } else if (!p->stopped && now_us - p->since_us >= SLOWDOWN_SLICE_US) {
        p->stopped = kill(-p->pid, SIGSTOP) == 0;
        if (p->stopped)
            p->ran_us = ran_us;
        else /* it has no group yet, so it has not begun */
            p->since_us = now_us;
    }
    return p->stopped ? due_us : p->since_us + SLOWDOWN_SLICE_US;
}

int64_t slowdown_all(struct process_table *table, int64_t now_us)
{
    int64_t next_us = INT64_MAX;

    for (uint32_t i = 0; i < table->at.count; i++) {
        struct process *p = &table->at.at[i];
        if (p->state != PROCESS_RUNNING || p->slow_milli <= SLOWDOWN_MILLI || p->killed)
            continue;
        int64_t at_us = slowdown_one(p, now_us);
        next_us = at_us < next_us ? at_us : next_us;
    }
    return next_us;
}
