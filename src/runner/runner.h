/* runner.h - the attempts in somebody's care: launching, watching, ending and burying them.
 *
 * Runs inside the guardian, a process of its own, or, where somebody watches over it (guard.h), in
 * the coordinator itself. What there is to tell is told as packets (runner/packet.h), to a
 * function. The caller's process is a subreaper and has no other children. */
#ifndef RUNNER_RUNNER_H
#define RUNNER_RUNNER_H

#include "runner/descendants.h"
#include "runner/idle_cores.h"
#include "runner/lineage.h"
#include "runner/process.h"
#include "runner/reaper.h"
#include "runner/start.h"

enum { RUNNER_REPORT_US = 250000 }; /* between two progress reports on one attempt */

/* What else has to be done in the process whose children the attempts are. Each may be NULL. The
 * descriptors stay open for their functions; 0: none. */
struct runner_hooks {
    void *ctx;
    /* An attempt with this private folder has ended by itself, and nothing of it is left. */
    void (*ended)(void *ctx, int fd, const char *dir, const struct packet_end *end);
    int ended_fd;
    /* The coordinator has gone; must be quick. Then every attempt is ended, and `left` is called.
     */
    void (*orphaned)(void *ctx, const int fds[2]);
    int orphaned_fds[2];
    void (*left)(void *ctx);
};

struct runner_options {
    int epoll_fd;                     /* the caller's, borrowed */
    uint64_t source;                  /* events with this data, or more, are the crew's */
    const char *shell, *workdir;      /* borrowed; without workdir commands run where we do */
    struct rlimit files;              /* of attempts */
    int null_fd;                      /* what attempts without a stdin get */
    const struct runner_hooks *hooks; /* borrowed; of these, `ended` is called here */
    void (*hear)(void *ctx, const struct packet *m); /* starts can wait for other news */
    void (*fatal)(void *ctx, const char *what);      /* there is no going on; errno says why */
    void *ctx;
};

struct runner {
    struct runner_options options;
    int signal_fd;
    bool bury; /* somebody died or was told to */
    struct lineage kin;
    struct descendants tree;
    struct processes wards;
    struct reaper reaper;
    struct starter launcher;
    struct idle_cores spare;
    VEC(uint32_t) begun; /* wards whose start was not told yet */
    int64_t say_us;      /* when what waits to be said is said; INT64_MAX: nothing waits */
    int64_t tick_us;     /* next round of reports; INT64_MAX: nobody can have progressed */
    int64_t grace_us;    /* next end of a grace; INT64_MAX: none */
    int64_t drag_us;     /* next stop or go of somebody to be slowed; INT64_MAX: none */
};

/* Blocks SIGCHLD and waits for it. 0, or -1 with errno. */
int runner_init(struct runner *c, const struct runner_options *options);
void runner_fini(struct runner *c);

/* Packets of the coordinator: launch, kill. */
void runner_order(struct runner *c, const struct packet *m);

/* An event of epoll that is the crew's. */
void runner_event(struct runner *c, uint64_t source);

/* After the events of a turn: does what they and the time ask for. Returns when to come back,
 * INT64_MAX: when there is an event. */
int64_t runner_turn(struct runner *c);

#endif
