/* share.h - what rescues of several late tasks of one phase are worth.
 *
 * The phase ends with the last of its late tasks. To rescue that one alone brings the phase's end
 * forward to that of the next, to rescue both to that of the third, and so on: each late task has a
 * step, which is nothing if another ends at the same time. Tasks whose rescues pay together have
 * one value, the sum of their steps over the slot-seconds that their copies take. */
#pragma once

#include <stdint.h>

#include "base/vec.h"

struct share_late {
    double left_s;  /* the task has this long to go */
    double takes_s; /* slot-seconds of a copy, above 0 */
    double value;   /* worked out: seconds by which the phase ends sooner, per slot-second */
    uint32_t item;  /* the caller's */
};

/* Tasks that follow each other in order of their ends and have one value. */
struct share_group {
    double step_s, takes_s;
    uint32_t count;
};

/* Zeroed at the start; free with share_fini. */
struct share {
    VEC(struct share_late) late; /* the caller fills it */
    VEC(struct share_group) groups;
};

void share_fini(struct share *s);

/* Sorts the late tasks by their ends, the last first, and fills in their values, which fall in this
 * order: no first few of the tasks have a greater mean value than the first group, none of the rest
 * a greater one than the next. The other tasks of the phase end in `deadline_s`; none of these ends
 * before. */
void share_work_out(struct share *s, double deadline_s);
