/* fleet.h - ways of starting agents (src/remote/agent): on this machine, by Slurm, by ssh.
 *
 * A way only has to bring about that this program runs on some nodes as
 *
 *     PROGRAM agent --connect HOST:PORT --connect-file FILE --name NAME [--scratch DIR]
 *         (--key-fd 0 | --key-file FILE)
 *
 * Everything else is between the agent, which connects to us, and the coordinator, which listens:
 * who the agent is, what its node has, what it runs, when it is lost. An agent that is not wanted
 * any more is told so through its connection and leaves by itself, with status 0. It leaves as well
 * when it gets a SIGTERM (then it ends what it runs first), and when nobody has answered it for
 * --linger (src/remote/agent/agent.h).
 *
 * A coordinator that is killed may be followed by another one, of a run that is resumed. So agents
 * outlive us where that may be (`stays`), keep the key, and find the next one by the file.
 *
 * The key is 256 random bits, new for each run, as 64 hexadecimal digits and a newline. An agent
 * reads it to the end of its standard input (--key-fd 0) or from a file that only its owner can
 * read (--key-file). It never stands in arguments, the environment, a log or the journal.
 *
 * NAME is what the fleet calls the agent: one word of letters, digits, '.', '_' and '-', at most 63
 * of them. An agent that is started anew may have the name of one that has left; of two agents of
 * one name at a time the second is refused. An agent without --name is called after its host. A way
 * that starts one agent per node by a single command (srun) may write %h for the name of the host:
 * `--name s1.%h`.
 *
 * All of it happens inside the owner's calls: a fleet uses the owner's epoll descriptor and has no
 * thread. Its processes are watched by pidfd, not by SIGCHLD, which may be somebody else's. */
#ifndef REMOTE_FLEET_FLEET_H
#define REMOTE_FLEET_FLEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

enum {
    FLEET_AGENTS_MAX = 4096,
    FLEET_NAME_MAX = 63,
    FLEET_KEY_TEXT = 65,    /* 64 digits and a newline */
    FLEET_STATUS_NEVER = 2, /* of an agent that would fail again */
};

/* What an agent says on its stderr, behind its name, when it cannot connect for a while; then where
 * to, and why. It goes on trying. */
#define FLEET_UNREACHABLE "cannot reach "

/* What the user reads meanwhile. */
#define FLEET_WAITS "waiting up to 10 s for agents of the run that was cut short"

struct fleet_options {
    /* What the user has asked for. All borrowed for good. */
    const char *spec;  /* what stands behind "WAY:" in --on */
    const char *extra; /* --slurm "SBATCH OPTIONS"; NULL: none */
    int64_t grow_us;   /* --grow: tasks that have waited so long deserve more agents */
    int64_t idle_us;   /* --idle: agents that had nothing to do for so long are given back */
    int64_t drain_us;  /* --drain: how long before their end nodes get nothing new */

    /* What agents need. */
    const char *host;     /* our name, as other machines may know it; a way may know a better one */
    const char *local;    /* an address of ours at which we listen, for what is on this machine */
    uint16_t port;        /* where the coordinator listens, */
    const char *at_file;  /* a file in the folder of the run that says both, for agents */
    const char *key;      /* FLEET_KEY_TEXT bytes, no NUL */
    const char *key_file; /* the same in a file in the folder of the run, mode 0600 */
    /* The same, sealed for our user alone by MUNGE, as text and in a file: what goes through Slurm,
     * which sends it to nodes in clear. NULL: there is no MUNGE. */
    const char *sealed, *sealed_file;
    const char *program; /* absolute path of this program */
    const char *scratch; /* --scratch; NULL: the agent finds one ($SLURM_TMPDIR, $TMPDIR, /tmp) */
    const char *linger;  /* --linger, as text; NULL: the default */
    const char *munge;   /* --munge: the socket of munged, or "default"; NULL: it is not used */
    const char *dir;     /* of the run, absolute: for scripts and logs of the way */
    bool again;          /* an earlier coordinator of this run may have left agents, who linger */
    bool stays;          /* when we are killed, agents stay: the run may be resumed */

    int epoll_fd;    /* the owner's, borrowed */
    uint64_t source; /* data of the fleet's epoll events: from here on, 32 bits of them */
    void *ctx;
    /* An agent's process has ended, or will never run; `why` is one line. With a name ending in '*'
     * all agents whose names begin so; the user need not hear of that unless it was the last hope.
     * The coordinator sees to the loss itself: this is for the user, and so that nobody waits for
     * an agent that cannot come. Not called for agents that left because they were told to. */
    void (*on_ended)(void *ctx, const char *name, const char *why);
    /* The agent of this name runs, but cannot connect to us, for this reason, in one line. */
    void (*on_mute)(void *ctx, const char *name, const char *why);
    /* The agents of this name (or beginning) will be gone in so long: they get nothing new. */
    void (*on_drain)(void *ctx, const char *name, int64_t left_us);
    /* One line for the user: the controller is busy, a block waits in the queue, ... */
    void (*on_note)(void *ctx, const char *text);
};

/* How many agents there are for the work that there is. */
struct fleet_agent {
    const char *name;
    bool busy; /* attempts run there, are on their way, or ended and do not count yet: if its node
                * is given back now, they are lost */
};

struct fleet_need {
    const struct fleet_agent *agents; /* that are connected now; valid during the call */
    uint32_t connected;               /* how many these are */
    uint32_t idle;                    /* ... of which so many run nothing */
    int64_t waiting_us;               /* how long tasks have waited for room; 0: none waits */
};

struct fleet {
    uint32_t min, max; /* how many agents there should be, and may be, those included that are about
                          to leave; the coordinator makes room */
    /* An event of epoll, with its data less options.source. */
    void (*event)(struct fleet *f, uint32_t source);
    /* To be called after events and before the owner sleeps, at least each second: starts agents
     * when there is need. Returns when to call it again at the latest, of base/os/clock.h. */
    int64_t (*turn)(struct fleet *f, const struct fleet_need *need);
    /* Whether an agent may still come without anybody doing anything. */
    bool (*hopes)(const struct fleet *f);
    /* Ends every agent that it has started and that has not left, waits for its own processes, and
     * frees. Agents were told to leave before, and mostly have. */
    void (*close)(struct fleet *f);
    bool last; /* its nodes will be gone soon, and nothing takes their place */
};

/* A way of starting agents. */
struct fleet_way {
    const char *name, *value, *help; /* --on NAME:VALUE, and one line */
    bool loopback;                   /* its agents are on this machine: nobody else may connect */
    bool asks;  /* it asks for nodes and gives them back: --slurm, --grow, --idle, --drain */
    bool munge; /* its nodes share MUNGE: agents prove their user (remote/wire/identity.h) */
    /* Reads the spec; starts nothing before the first turn. NULL with *err. */
    struct fleet *(*open)(const struct fleet_options *options, struct err *err);
};

/* Reads "4" or "2-10", from 1 to FLEET_AGENTS_MAX. 0, or -1 with *err. */
int fleet_parse_count(const char *text, uint32_t *min, uint32_t *max, struct err *err);

/* ---- for ways: a process of the fleet (fleet_process.c) ---- */

struct fleet_process {
    pid_t pid;  /* 0: none, or reaped */
    int pid_fd; /* readable when it has ended; the caller has epoll watch it */
};

/* Starts argv, which is looked for in PATH, with `in` on its standard input (4096 bytes at most)
 * and these descriptors as stdout and stderr (-1: /dev/null). It has a session of its own. When we
 * die, it `stays` or gets a SIGTERM. 0, or -1 with errno; then nothing runs. */
int fleet_process_start(struct fleet_process *p, char *const *argv, const char *in, uint32_t bytes,
                        int out_fd, int err_fd, bool stays);

/* True with its wait status once it has ended: it is reaped. Does not block. If somebody else has
 * reaped it, the status is that of exit(255). */
bool fleet_process_ended(struct fleet_process *p, int *status);

/* The same, but waits for it until then (base/os/clock.h). */
bool fleet_process_wait(struct fleet_process *p, int64_t until_us, int *status);

/* "exited with status 1" and the like. */
void fleet_process_tell(int status, char *text, size_t room);

/* Waits for it; sends a SIGTERM after half of the grace, and a SIGKILL after all of it. */
void fleet_process_end(struct fleet_process *p, int64_t grace_us);

#endif
