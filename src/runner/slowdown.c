#include "runner/slowdown.h"

#include "runner/sys.h"

/* An attempt runs for a slice and is then stopped until it has been given its share of the time
 * that has passed. What it really got is measured, so late wake-ups do not add up. */
enum { DRAG_SLICE_US = 25000, DRAG_MILLI = 1000 };

/* When the ward has to be looked at next. */
static int64_t drag_one(struct process *ward, int64_t now_us)
{
    int64_t ran_us = ward->ran_us + (ward->stopped ? 0 : now_us - ward->since_us);
    int64_t due_us = ward->started_us + ran_us * ward->slow_milli / DRAG_MILLI;

    if (ward->stopped && now_us >= due_us) {
        kill(-ward->pid, SIGCONT);
        ward->stopped = false;
        ward->since_us = now_us;
    } else if (!ward->stopped && now_us - ward->since_us >= DRAG_SLICE_US) {
        kill(-ward->pid, SIGSTOP);
        ward->stopped = true;
        ward->ran_us = ran_us;
    }
    return ward->stopped ? due_us : ward->since_us + DRAG_SLICE_US;
}

int64_t slowdown_all(struct processes *w, int64_t now_us)
{
    int64_t next_us = INT64_MAX;

    for (uint32_t i = 0; i < w->at.count; i++) {
        struct process *ward = &w->at.at[i];
        if (ward->state != WARD_RUNNING || ward->slow_milli <= DRAG_MILLI || ward->killed)
            continue;
        int64_t at_us = drag_one(ward, now_us);
        next_us = at_us < next_us ? at_us : next_us;
    }
    return next_us;
}
