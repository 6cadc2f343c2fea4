/* runner_link.h - a runner of attempts as its owner sees it, wherever the runner is.
 *
 * A runner starts, watches, slows down, ends and reaps the attempts of a group of nodes. Its owner
 * gives orders and receives reports, both as packets (exec/process/packet.h), through the functions
 * of this struct, and knows nothing else about it. There are three kinds:
 *
 *     in this process      attempts are our own children (runner.h)
 *     behind a guardian    attempts are children of a process of their own (guardian.h), which
 *                          ends them when this one dies; packets go through a socket
 *     on another machine   an agent's: packets go through the network (remote/coordinator)
 *
 * All of it happens inside the owner's calls: a runner uses the owner's epoll descriptor and has no
 * thread. An owner opens at most one runner on its own machine, since it takes charge of all
 * children of the process, or a runner for each agent. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "exec/process/packet.h"

/* Called in the process whose children the attempts are, which may be another one. Each may be
 * NULL. The descriptors are kept open for their functions; 0: none. */
struct runner_hooks {
    void *ctx;
    /* The attempt of the launch with this `dir` has ended by itself, and no process of it is left.
     */
    void (*ended)(void *ctx, int fd, const char *dir, const struct packet_end *end);
    int ended_fd;
    /* The owner has gone; must be quick. Then every attempt is ended, and `left` is called. */
    void (*orphaned)(void *ctx, const int fds[2]);
    int orphaned_fds[2];
    void (*left)(void *ctx);
    /* What attempts with a control socket run, in a copy of the process, instead of an exec of
     * their command, whose words these are (`own` of spawn.h). */
    int (*own)(void *ctx, char *const *argv);
};

/* The reachability of a runner. */
enum runner_presence {
    RUNNER_HERE,
    RUNNER_LEAVING, /* its time is nearly over: send it nothing more */
    RUNNER_SILENT,  /* it has not answered for some time: better send it nothing more */
    RUNNER_AWAY,    /* it has left, or has not joined yet */
};

struct runner_options {
    int epoll_fd;       /* the owner's, borrowed */
    uint64_t epoll_tag; /* data of the runner's epoll events begin here; 32 bits of them */
    void *ctx;
    /* Receives a report; its strings are valid during the call. May be called from within any call
     * below. */
    void (*on_packet)(void *ctx, const struct packet *p);
    /* The attempt runs no more, but may have been ended from outside: its report (exited) follows
     * when that is excluded (exec/process/doubt.h). A kill is answered at once. Not called by
     * runners without doubt. */
    void (*on_ended)(void *ctx, const struct packet *exited);
    /* The runner cannot go on, for this reason, in one line, and none of its attempts is alive.
     * Only `close` may be called then. */
    void (*on_lost)(void *ctx, const char *why);
    /* The runner is now in this state, with the reason in one line. It reports nothing more about
     * attempts it had when it left, even when it returns; from `over_us` on (clock.h) none of them
     * can be alive; when it returns, that may be earlier than reported when it left (INT64_MAX: it
     * is not). Not called by runners on this machine. */
    void (*on_presence)(void *ctx, enum runner_presence presence, int64_t over_us, const char *why);
    /* Reports how many bytes can still be written where the attempts of the runner write. Not
     * called by runners whose attempts write to the owner's disk. May be NULL. */
    void (*on_free_bytes)(void *ctx, int64_t bytes);

    int lock_fd;         /* inherited by every attempt: while it is held, a process is left */
    const char *shell;   /* borrowed; NULL: /bin/sh */
    const char *workdir; /* borrowed; folder of attempts; NULL: the current one */
    int nice;            /* added to the niceness of attempts and of the process that has them */
    struct runner_hooks hooks;
};

struct runner_link {
    /* Sends a launch or kill. Returns 0, or -1 with errno EMSGSIZE if the packet is too long. A
     * runner that cannot be reached any more reports itself lost. */
    int (*order)(struct runner_link *r, const struct packet *p);
    /* Handles an event of epoll, with its data minus options.epoll_tag. */
    void (*event)(struct runner_link *r, uint32_t tag);
    /* Handles everything that is due. Call after events and before sleeping. Returns when to call
     * it again at the latest (clock.h); INT64_MAX: after the next event. */
    int64_t (*turn)(struct runner_link *r);
    /* Ends every attempt with all its descendants, waits for that, and frees. */
    void (*close)(struct runner_link *r);
    /* Rejects a report of the runner: the link closes this connection, reports that the runner is
     * away, and may connect to another one later. Called from within on_packet. NULL: no other one
     * would join, so that the owner takes it for lost. */
    void (*refuse)(struct runner_link *r, const char *why);
};

/* Opens a runner in this process if another process, its supervisor (supervisor.h), cleans up when
 * this one is killed; else behind a guardian. Returns NULL with *err on failure. */
struct runner_link *runner_link_open(const struct runner_options *options, bool supervised,
                                     struct err *err);
