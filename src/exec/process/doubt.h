/* doubt.h - ends of attempts that may have come from outside.
 *
 * A batch system that ends a job, or a machine that shuts down, sends a signal to all processes,
 * one after the other: perhaps to commands before the runner that has started them. A pipe whose
 * producer was ended so exits with 0 and half an output; a command that was ended so has not
 * failed. The runner sees these ends before it receives its own signal.
 *
 * So an end is in doubt at first: the attempt runs no more (on_ended of runner_link.h), but its end
 * is reported when its runner has lived on for DOUBT_US without a signal. If the runner dies first,
 * the attempt is lost with it. Signals of one kill follow each other within a few milliseconds; the
 * rest is a margin for busy machines. */
#pragma once

#include <stdbool.h>

#include "base/vec.h"
#include "exec/process/runner_link.h"

enum {
    DOUBT_US = 300000,      /* from when an end was seen until it counts */
    DOUBT_TELL_US = 100000, /* shortest time between two reports of an agent about them */
};

/* Returns true if this process may be ended together with its attempts: it is part of a Slurm job.
 */
bool doubt_is_due(void);

/* Ends in doubt, oldest first. Zero-initialise; free with vec_free(&l->at). */
struct doubt_end {
    struct packet end; /* exited: it has no strings */
    int64_t since;     /* a time or a number; it never decreases */
};

struct doubt_list {
    VEC(struct doubt_end) at;
};

void doubt_list_add(struct doubt_list *l, const struct packet *end, int64_t since);
/* Takes the oldest if it is not younger than `until`. Returns false if there is none. */
bool doubt_list_take(struct doubt_list *l, int64_t until, struct packet *end);
/* Takes the end of this attempt, as one that was killed. Returns false if it is not in the list. */
bool doubt_list_kill(struct doubt_list *l, uint32_t handle, struct packet *killed);
/* Returns `since` of the oldest; INT64_MAX: there is none. */
int64_t doubt_list_next(const struct doubt_list *l);

/* Opens a runner on this machine (runner_link_open) whose ends are in doubt. Returns NULL with *err
 * on failure. */
struct runner_link *doubt_link_open(const struct runner_options *options, bool supervised,
                                    struct err *err);
