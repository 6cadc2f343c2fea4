/* fleet.h - ways of starting agents (src/remote/agent): on this machine, by Slurm, by ssh.
 *
 * A way only has to make this program run on some nodes as
 *
 *     PROGRAM agent --connect HOST:PORT --connect-file FILE --name NAME [--scratch DIR]
 *         (--key-fd 0 | --key-file FILE)
 *
 * Everything else is between the agent, which connects, and the coordinator, which listens: the
 * agent's identity, the size of its node, its attempts, its loss. An agent that is no longer needed
 * receives PACKET_LEAVE and exits by itself, with status 0. It exits as well on a SIGTERM (after
 * ending its attempts), and when no coordinator has answered for --linger
 * (src/remote/agent/agent.h).
 *
 * A coordinator that is killed may be followed by another one, which resumes the run. So agents
 * outlive the coordinator where that is possible (`stays`), keep the key, and find the next one by
 * the file.
 *
 * The key is 256 random bits, new for each run, as 64 hexadecimal digits and a newline. An agent
 * reads it to the end of its standard input (--key-fd 0) or from a file that only its owner can
 * read (--key-file). It is never in arguments, the environment, a log or the journal.
 *
 * NAME is the fleet's name of the agent: one word of letters, digits, '.', '_' and '-', at most 63
 * of them. An agent that is started anew may have the name of one that has left; of two agents with
 * one name at a time the second is refused. An agent without --name is named after its host. A way
 * that starts one agent per node by a single command (srun) may write %h for the name of the host:
 * `--name s1.%h`.
 *
 * All of it happens inside the owner's calls: a fleet uses the owner's epoll descriptor and has no
 * thread. Its processes are watched by pidfd, not by SIGCHLD, which other code may use. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

enum {
    FLEET_AGENTS_MAX = 4096,
    FLEET_NAME_MAX = 63,
    FLEET_KEY_TEXT = 65,    /* 64 digits and a newline */
    FLEET_STATUS_NEVER = 2, /* exit status of an agent that would fail again */
};

/* Printed by an agent on its stderr, after its name, when it cannot connect for some time; followed
 * by the address and the reason. It continues to try. */
#define FLEET_UNREACHABLE "cannot reach "

/* Note to the user meanwhile. */
#define FLEET_WAITS "waiting up to 10 s for agents of the run that was cut short"

struct fleet_options {
    /* Options of the user. All borrowed for good. */
    const char *spec;  /* the part after "WAY:" in --on */
    const char *extra; /* --slurm "SBATCH OPTIONS"; NULL: none */
    int64_t grow_us;   /* --grow: tasks that have waited this long justify more agents */
    int64_t idle_us;   /* --idle: agents that had nothing to do for this long are given back */
    int64_t drain_us;  /* --drain: how long before their end nodes get nothing new */

    /* Settings that agents need. */
    const char *host;     /* name of this host for other machines; a way may know a better one */
    const char *local;    /* an address it listens on, for agents on this machine */
    uint16_t port;        /* where the coordinator listens */
    const char *at_file;  /* a file in the folder of the run with both, for agents */
    const char *key;      /* FLEET_KEY_TEXT bytes, no NUL */
    const char *key_file; /* the same in a file in the folder of the run, mode 0600 */
    /* The same, sealed by MUNGE for this user alone, as text and in a file: for Slurm, which sends
     * it to nodes in clear. NULL: no MUNGE. */
    const char *sealed, *sealed_file;
    const char *program; /* absolute path of this program */
    const char *scratch; /* --scratch; NULL: the agent chooses ($SLURM_TMPDIR, $TMPDIR, /tmp) */
    const char *linger;  /* --linger, as text; NULL: the default */
    const char *munge;   /* --munge: the socket of munged, or "default"; NULL: not used */
    const char *dir;     /* folder of the run, absolute: for scripts and logs of the way */
    bool again;          /* an earlier coordinator of this run may have left agents, which linger */
    bool stays;          /* agents stay if the coordinator is killed: the run may be resumed */

    int epoll_fd;       /* the owner's, borrowed */
    uint64_t epoll_tag; /* data of the fleet's epoll events begin here; 32 bits of them */
    void *ctx;
    /* An agent's process has ended, or will never run; `why` is one line. A name ending in '*'
     * means all agents whose names begin so; the user need not read it unless no agent is left. The
     * coordinator handles the loss itself: this is for messages, and so that waiters are released.
     * Not called for agents that left because they were told to. */
    void (*on_ended)(void *ctx, const char *name, const char *why);
    /* The agent of this name runs, but cannot connect, for this reason, in one line. */
    void (*on_mute)(void *ctx, const char *name, const char *why);
    /* The agents of this name (or prefix) end in left_us: they get nothing new. */
    void (*on_drain)(void *ctx, const char *name, int64_t left_us);
    /* Prints one line for the user: the controller is busy, a block waits in the queue, ... */
    void (*on_note)(void *ctx, const char *text);
};

/* An agent, and whether it has work. */
struct fleet_agent {
    const char *name;
    bool busy; /* attempts run there, are on their way, or ended and do not count yet: if its node
                * is given back now, they are lost */
};

struct fleet_need {
    const struct fleet_agent *agents; /* the connected ones; valid during the call */
    uint32_t connected;               /* number of these */
    int64_t waiting_us;               /* how long tasks have waited for room; 0: none waits */
};

struct fleet {
    uint32_t min, max; /* how many agents there should be, and may be, those included that are about
                          to leave; the coordinator makes room */
    /* Handles an event of epoll, with its data minus options.epoll_tag. */
    void (*event)(struct fleet *f, uint32_t tag);
    /* Starts agents if they are needed. Call after events and before sleeping, at least once a
     * second. Returns when to call it again at the latest (base/os/clock.h). */
    int64_t (*turn)(struct fleet *f, const struct fleet_need *need);
    /* Returns true if an agent that was started may still connect. */
    bool (*hopes)(const struct fleet *f);
    /* Ends every agent that it has started and that has not left, waits for its own processes, and
     * frees. Agents were told to leave before, and most have. */
    void (*close)(struct fleet *f);
    bool last; /* its nodes will be gone soon, and nothing replaces them */
};

/* A way of starting agents. */
struct fleet_way {
    const char *name, *value, *help; /* --on NAME:VALUE, and one line */
    bool loopback;                   /* its agents are on this machine: others may not connect */
    bool asks;  /* it asks for nodes and gives them back: --slurm, --grow, --idle, --drain */
    bool munge; /* its nodes share MUNGE: agents prove their user (remote/wire/identity.h) */
    /* Parses the spec; starts nothing before the first turn. Returns NULL with *err on failure. */
    struct fleet *(*open)(const struct fleet_options *options, struct err *err);
};

/* Parses "4" or "2-10", from 1 to FLEET_AGENTS_MAX. Returns 0, or -1 with *err. */
int fleet_parse_count(const char *text, uint32_t *min, uint32_t *max, struct err *err);

/* ---- for ways: a process of the fleet (fleet_process.c) ---- */

struct fleet_process {
    pid_t pid;  /* 0: none, or reaped */
    int pid_fd; /* readable when it has ended; the caller makes epoll watch it */
};

/* Starts argv, whose program is looked up in PATH, with `in` on its standard input (at most 4096
 * bytes) and these descriptors as stdout and stderr (-1: /dev/null). It has a session of its own.
 * When this process dies, it `stays` or gets a SIGTERM. Returns 0, or -1 with errno; then nothing
 * runs. */
int fleet_process_start(struct fleet_process *p, char *const *argv, const char *in, uint32_t bytes,
                        int out_fd, int err_fd, bool stays);

/* Returns true with its wait status once it has ended and was reaped. Does not block. If other code
 * has reaped it, the status is that of exit(255). */
bool fleet_process_ended(struct fleet_process *p, int *status);

/* As fleet_process_ended, but waits until this time (base/os/clock.h). */
bool fleet_process_wait(struct fleet_process *p, int64_t until_us, int *status);

/* Writes "exited with status 1" and the like. */
void fleet_process_tell(int status, char *text, size_t size);

/* Waits for the process; sends a SIGTERM after half of the grace, and a SIGKILL after all of it. */
void fleet_process_end(struct fleet_process *p, int64_t grace_us);
