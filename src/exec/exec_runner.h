/* exec_runner.h - the runners of a run, one for each group of nodes. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "exec/process/runner_link.h"

struct exec;

struct exec_runner {
    struct exec *exec;
    struct runner_link *link;
    int64_t next_us;     /* when it needs its next turn ... */
    bool stirred;        /* ... unless something has happened to it since the last */
    bool lost;           /* it cannot go on, and none replaces it */
    uint8_t presence;    /* enum runner_presence */
    int64_t away_us;     /* since when it is, or was last, away */
    int32_t spare, each; /* cores, as it last reported them */
    /* exec_full.c: when its own disk was last full, until when the brain avoids it for that, and
     * when an extra attempt there has ended last; -1: never. */
    int64_t full_us, full_until_us, extra_us;
    /* exec_queue.c */
    uint32_t queued;       /* its launches in the queue; */
    uint32_t starved;      /* those that found no room, which come first; */
    uint32_t starved_go;   /* number of these that may be tried again now */
    uint32_t starved_vain; /* tries since anything has run there */
    int64_t starved_us;    /* when the next is tried in any case */
};

/* In the guardian: an end that is in doubt still. */
struct exec_unnoted {
    char *dir; /* of the attempt; owned */
    struct packet_end end;
    int fd;        /* of the notes */
    int64_t at_us; /* of clock.h */
};

struct exec_runners {
    struct exec_runner *at;
    uint32_t count;
    uint32_t *of; /* by node: index of its runner */
    uint32_t lost;
    /* A signal that ends the coordinator may end attempts first (exec/process/doubt.h). */
    bool doubts;
    VEC(struct exec_unnoted) unnoted; /* oldest first */
};

/* Opens the runners. `on` has their callbacks, whose ctx is the struct exec_runner. Returns 0, or
 * -1 with *err; either way they end with exec_runner_close. */
int exec_runner_open(struct exec *x, const struct runner_options *on, struct err *err);

/* Ends the runners and every process that is left. */
void exec_runner_close(struct exec *x);

/* Sends a packet to the runner of the attempt's node, unless that is away. Returns 0, or -1 if the
 * packet is too long. */
int exec_runner_send(struct exec *x, const struct packet *p);

/* Handles an event of epoll, of the groups or with data from EXEC_TAG_RUNNERS on. */
void exec_runner_event(struct exec *x, uint64_t data);

/* Gives runners their turn, after events and before sleeping. Returns until when the coordinator
 * may sleep; 0 if there are new events. */
int64_t exec_runner_turn(struct exec *x, int64_t until_us);
