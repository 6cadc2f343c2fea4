/* doubt.h - ends of attempts that may have come from outside.
 *
 * Whoever ends a job of a batch system, or a machine, sends a signal to all its processes, one
 * after the other: commands before the runner that has started them, as it happens. A pipe whose
 * producer was ended so exits with 0 and half an output; a command that was ended so has not
 * failed. The runner sees these ends before it hears of its own.
 *
 * So an end is in doubt at first: the attempt runs no more (on_ended of runner_link.h), but how it
 * ended is reported when its runner has lived on for DOUBT_US and was not signalled meanwhile. If
 * the runner goes first, the attempt went with it. Signals of one kill follow each other within a
 * few milliseconds; the rest is for machines that are busy. */
#ifndef EXEC_PROCESS_DOUBT_H
#define EXEC_PROCESS_DOUBT_H

#include <stdbool.h>

#include "base/vec.h"
#include "exec/process/runner_link.h"

enum {
    DOUBT_US = 300000,      /* from when an end was seen until it counts */
    DOUBT_TELL_US = 100000, /* an agent says which do no more often than this */
};

/* Whether we may be ended together with what we run: we are part of a Slurm job. */
bool doubt_is_due(void);

/* Ends in doubt, oldest first. Zero-initialise. */
struct doubt_end {
    struct packet end; /* exited: it has no strings */
    int64_t since;     /* a time or a number; it never falls */
};

struct doubt_list {
    VEC(struct doubt_end) at;
};

void doubt_list_fini(struct doubt_list *l);
void doubt_list_add(struct doubt_list *l, const struct packet *end, int64_t since);
/* Takes the oldest if it is not younger than `until`. False: there is none. */
bool doubt_list_take(struct doubt_list *l, int64_t until, struct packet *end);
/* Takes the one of this attempt, as one that was killed. False: it is not there. */
bool doubt_list_kill(struct doubt_list *l, uint32_t handle, struct packet *killed);
/* The oldest one's `since`; INT64_MAX: there is none. */
int64_t doubt_list_next(const struct doubt_list *l);

/* A runner on this machine (runner_link_open) whose ends are in doubt. NULL with *err. */
struct runner_link *doubt_link_open(const struct runner_options *options, bool supervised,
                                    struct err *err);

#endif
