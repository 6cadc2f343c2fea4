/* slack.h - how late a phase may end without moving the end of its job.
 *
 * A job waits for the longest of its chains of phases. Seconds that a copy takes off a phase of
 * another chain bring nothing before that chain is the longest. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/brain/world.h"
#include "core/estimate/healthy.h"
#include "core/shepherd/flock.h"

/* A phase of the job, in seconds from now on. */
struct slack_phase {
    double end_s;   /* when it ends, if that is known: 0 if it is done; negative: unknown */
    double takes_s; /* from the end of the phases above to its own; 0: unknown */
};

/* Returns true if another phase of the job runs. If none does, all that is left follows this one.
 */
bool slack_has_siblings(const struct phase *p);

/* Returns when the phase must end, for the job to end no later than it can: the end of the longest
 * chain less what follows the phase. `all` has an entry for each phase of the job, and phases whose
 * time is unknown are taken to need none. */
double slack_latest_s(const struct job *j, const struct slack_phase *all, uint16_t phase);

/* Returns the same of a phase that can end in `own_s`, and no less than that. Phases of the job
 * that run end as the last look at them said, the others take as long as experts expect of a
 * wave. */
double slack_must_end_s(struct flock *flock, const struct healthy *healthy, const struct world *w,
                        const struct phase *p, double own_s);
