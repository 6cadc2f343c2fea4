/* runner.h - runs attempts as children of the calling process: starts, watches, slows down, ends
 * and reaps them.
 *
 * It is in a guardian, or in the coordinator itself if that has a supervisor; both use it as
 * described in runner_link.h. The process becomes a subreaper and has no other children. */
#pragma once

#include "exec/process/descendants.h"
#include "exec/process/idle_cores.h"
#include "exec/process/lineage.h"
#include "exec/process/process.h"
#include "exec/process/reaper.h"
#include "exec/process/runner_link.h"
#include "exec/process/start.h"

enum { RUNNER_REPORT_US = 250000 }; /* between two progress reports on one attempt */

struct runner {
    struct runner_options options;
    int signal_fd, null_fd;
    bool reap; /* a process has died or was killed */
    struct lineage lineage;
    struct descendants descendants;
    struct process_table processes;
    struct reaper reaper;
    struct starter starter;
    struct idle_cores idle_cores;
    VEC(uint32_t) begun; /* indices of processes whose start was not reported yet */
    int64_t starts_us;   /* when these are reported; INT64_MAX: none waits */
    int64_t tick_us;     /* next round of reports; INT64_MAX: none can have progressed */
    int64_t grace_us;    /* next end of a period of grace; INT64_MAX: none */
    int64_t slowdown_us; /* next stop or continuation of a slowed attempt; INT64_MAX: none */
    int64_t held_us;     /* since when attempts are stopped; 0: they are not */
    bool had_lock;       /* SPAWN_LOCK_FD was the lock before, and is kept */
};

/* Prepares this process (spawn.h), blocks SIGCHLD and waits for it. Returns 0, or -1 with errno;
 * call runner_fini in both cases. */
int runner_init(struct runner *r, const struct runner_options *options);
void runner_fini(struct runner *r);

/* Handles a launch, kill or hold, or a packet for an attempt with a control socket; ignores others.
 */
void runner_order(struct runner *r, const struct packet *m);

/* Handles an event of epoll, with its data minus options.epoll_tag. */
void runner_event(struct runner *r, uint64_t tag);

/* Handles everything that is due. Call after events and before sleeping. Returns when to call it
 * again, INT64_MAX: after the next event. */
int64_t runner_turn(struct runner *r);
