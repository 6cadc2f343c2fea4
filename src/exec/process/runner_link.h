/* runner_link.h - a runner of attempts as its owner sees it, wherever the runner is.
 *
 * A runner starts, watches, slows down, ends and reaps the attempts of a group of nodes. Its owner
 * gives orders and receives reports, both as packets (exec/process/packet.h), through the functions
 * of this struct, and knows nothing else about it. There are three kinds:
 *
 *     in this process      attempts are our own children (runner.h)
 *     behind a guardian    attempts are children of a process of their own (guardian.h), which
 *                          ends them when we die; packets go through a socket
 *     on another machine   an agent's: packets go through the network (remote/coordinator)
 *
 * All of it happens inside the owner's calls: a runner uses the owner's epoll descriptor and has no
 * thread. An owner opens at most one runner on its own machine, since it takes charge of all
 * children of the process, or a runner for each agent. */
#ifndef EXEC_PROCESS_RUNNER_LINK_H
#define EXEC_PROCESS_RUNNER_LINK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "exec/process/packet.h"

/* What has to be done in the process whose children the attempts are, which may not be ours. Each
 * may be NULL. The descriptors are kept open for their functions; 0: none. */
struct runner_hooks {
    void *ctx;
    /* An attempt with this private folder has ended by itself, and nothing of it is left. */
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

/* Whether a runner can be reached. */
enum runner_presence {
    RUNNER_HERE,
    RUNNER_LEAVING, /* its time is nearly over: it gets nothing more */
    RUNNER_SILENT,  /* it was not heard for a while: better give it nothing more */
    RUNNER_AWAY,    /* it has left, or has not come yet */
};

struct runner_options {
    int epoll_fd;    /* the owner's, borrowed */
    uint64_t source; /* data of the runner's epoll events: from here on, 32 bits of them */
    void *ctx;
    /* A report; its strings are valid during the call. May come from within any call below. */
    void (*on_packet)(void *ctx, const struct packet *p);
    /* The attempt runs no more, but may have been ended from outside: its report of exited follows
     * when that is known not to be so (exec/process/doubt.h). A kill is answered at once. Runners
     * that doubt nothing never call it. */
    void (*on_ended)(void *ctx, const struct packet *exited);
    /* The runner cannot go on, in one line, and nothing of what it ran is alive. It is only good
     * for `close` then. */
    void (*on_lost)(void *ctx, const char *why);
    /* The runner is now in this state, with one line that says why. What it had when it left
     * it reports nothing about any more, also when it comes back; from `over_us` on (of clock.h)
     * nothing of that can be alive; when it comes back, that may be earlier than was said when it
     * left (INT64_MAX: it is not). Runners on this machine never call it. */
    void (*on_presence)(void *ctx, enum runner_presence presence, int64_t over_us, const char *why);
    /* So many bytes can still be written where the attempts of the runner write. Runners whose
     * attempts write to the owner's disk never call it. May be NULL. */
    void (*on_room)(void *ctx, int64_t bytes);

    int lock_fd;         /* inherited by every attempt: while it is held, a process is left */
    const char *shell;   /* borrowed; NULL: /bin/sh */
    const char *workdir; /* borrowed; where attempts run; NULL: where we do */
    int nice;            /* added to our niceness, for attempts and for the process that has them */
    pid_t spare;         /* a child of ours that belongs to no attempt; 0: none */
    struct runner_hooks hooks;
};

struct runner_link {
    /* Launch or kill. 0, or -1 with errno EMSGSIZE: the packet is too long. A runner that cannot
     * be reached any more reports itself lost. */
    int (*order)(struct runner_link *r, const struct packet *p);
    /* An event of epoll, with its data less options.source. */
    void (*event)(struct runner_link *r, uint32_t source);
    /* To be called after events and before the owner sleeps. Returns when to call it again at the
     * latest, of clock.h; INT64_MAX: after the next event. */
    int64_t (*turn)(struct runner_link *r);
    /* Ends every attempt with all its descendants, waits for that, and frees. */
    void (*close)(struct runner_link *r);
    /* What the runner has reported cannot be: the link ends this conversation, says that the runner
     * is away, and may bring another one later. Called from within on_packet. NULL: no other one
     * would come, so that the owner takes it for lost. */
    void (*refuse)(struct runner_link *r, const char *why);
};

/* Opens a runner in this process if another process, its supervisor (supervisor.h), cleans up when
 * we are killed; else behind a guardian. NULL with *err. */
struct runner_link *runner_link_open(const struct runner_options *options, bool supervised,
                                     struct err *err);

#endif
