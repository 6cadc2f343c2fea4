/* estimate_watch.h - measures the accuracy of Mantri's estimates: t_rem at every report and t_new
 * of every copy it asked for, against the actual times. The run may have any policy that gets
 * reports. */
#pragma once

#include <stdint.h>

#include "record/stats/follow.h"

struct estimate_watch;

/* Subscribes. `delta_us` is Mantri's: after a longer silence a task is taken to make no progress.
 */
struct estimate_watch *estimate_watch_create(struct follow *f, int64_t delta_us);
void estimate_watch_destroy(struct estimate_watch *w); /* NULL is fine */

/* Errors as shares of the actual completion time of the attempt, for attempts that finished; NaN if
 * there is none. A copy that was killed before its end is not counted. */
struct estimate_errors {
    double reports, trem_p50, trem_p90, trem_mean;
    double copies, tnew_p50, tnew_p90, tnew_mean;
};
struct estimate_errors estimate_watch_errors(struct estimate_watch *w);
