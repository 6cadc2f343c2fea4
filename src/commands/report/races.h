/* races.h - hindsight on the attempts of a run: those that straggled, and where tasks that a clone
 * or backup won would have ended without it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "commands/explain/explain.h"

enum { RACES_MAX = 1 << 20 }; /* kept of each; the rest is dropped */

/* A task that a clone or backup won. */
struct race {
    struct attempt_ref at; /* the winner */
    bool rescued;          /* the attempt that it beat straggled */
    uint8_t alone;         /* enum story_alone */
    /* Its end without the winner: the best guess, and its range; ALONE_AT_LEAST: no earlier. */
    int64_t about_us, low_us, high_us;
};

/* Zero-initialise; free with races_fini. */
struct races {
    VEC(struct race) won;
    VEC(struct attempt_ref) stragglers;
};

void races_fini(struct races *r);

/* Takes the attempts of a job that is over: x->job. */
void races_job(struct races *r, const struct explain *x);

/* Sorts by job, phase, task and attempt. Call it before the next two, once all jobs are there. */
void races_sort(struct races *r);

/* Returns the race that this attempt has won, or NULL. */
const struct race *races_find(const struct races *r, struct attempt_ref at);

/* Returns true if the attempt is known to have straggled. */
bool races_straggled(const struct races *r, struct attempt_ref at);
