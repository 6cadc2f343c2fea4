/* exec.h - body 2: real processes on this machine, in virtual nodes.
 *
 * Manages jobs, commits, the folder of a run and its resumption; runners start, watch and end
 * processes (exec/process/runner_link.h). docs/inside/executor.md has the details. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/os/path.h"
#include "core/engine/body.h"
#include "inputs/cluster/cluster.h"
#include "inputs/workload/workload.h"
#include "record/journal/journal.h"
#include "record/journal/journal_reader.h"

struct exec;
struct chaos;
struct runner_link;
struct runner_options;

/* The command of an attempt, if a hook decides it and not the workload. Borrowed until the next
 * call. */
struct exec_dress {
    const char *command;
    const char *stdin_path; /* "": /dev/null */
    const char *env;        /* NAME=VALUE strings, each with its NUL, one after the other */
    uint32_t env_bytes;
    bool again; /* in: the attempt was dressed before, and there was no room to start it */
};

/* Callbacks that a caller may add to a run. Each may be NULL. */
struct exec_hooks {
    void *ctx;
    /* Fills in *dress for an attempt that is about to be launched. */
    void (*dress)(void *ctx, struct attempt_ref at, struct node_id node, struct exec_dress *dress);
    /* Changes the names of the attempt's task and of the number of tasks in its environment, if
     * they differ from the brain's. */
    void (*name)(void *ctx, struct attempt_ref *at, uint32_t *tasks);
    /* Called when feed_fd is readable; the workload may have more jobs then than before. Returns 1,
     * 0 at the end, -1 with *err. */
    int (*feed)(void *ctx, struct err *err);
    int feed_fd;
    /* Called about every tick_us during the run, with the time of the run. May call exec_cancel,
     * exec_pause and exec_limit. */
    void (*tick)(void *ctx, int64_t now_us);
    int64_t tick_us;
    /* With `data`: gets the status that an attempt reports; any bytes. */
    void (*status)(void *ctx, struct attempt_ref at, const char *text);
    /* Called before commits are announced: what the caller keeps of their attempts has to be on the
     * disk when this returns. 0, or -1 with *err: the run ends, and nothing is committed. */
    int (*announced)(void *ctx, struct err *err);
    /* With `again`: called when the output of an ended attempt, committed or not, is missing or
     * damaged. Returns true if its task runs again; NULL: it does. If not, and it was not
     * committed, the caller stops the run. */
    bool (*spoilt)(void *ctx, struct attempt_ref at);
    /* Prints one line for the user, about the run as a whole. */
    void (*warn)(void *ctx, const char *text);
    /* Called when the coordinator has died without ending the run, in another process, which keeps
     * `keep_fds` open for it; 0: none. Must be quick. Not if supervised. */
    void (*orphaned)(void *ctx, const int keep_fds[2]);
    int keep_fds[2];
    /* With `data`: does the work of an attempt's command in its process, which is a copy of this
     * one from before the run began (`own` of exec/process/spawn.h). Not if supervised. */
    int (*own)(void *ctx, char *const *argv);
};

/* Nodes in groups, each with a runner of its own that joins when it can. */
struct exec_groups {
    void *ctx;
    uint32_t count;     /* number of groups */
    const uint32_t *of; /* borrowed; by node: its group */
    int64_t lease_us;   /* how long attempts may be alive after their coordinator has died */
    /* Opens the link to the runner of a group, which is away until the link reports otherwise
     * (options->on_presence); from then on nodes of the group have the capacities in `cluster` at
     * that time. If the link is lost, the group is gone for good. Returns NULL with *err on
     * failure. */
    struct runner_link *(*open)(void *ctx, uint32_t group, const struct runner_options *options,
                                struct err *err);
    /* Called for all of them together: when fd can be read (-1: none), and each time
     * before the body sleeps, before the turns of links. `turn` returns when it wants to be called
     * next (of clock.h). Each may be NULL. */
    int fd;
    void (*event)(void *ctx);
    int64_t (*turn)(void *ctx);
};

struct exec_options {
    const struct cluster
        *cluster;              /* its nodes are the virtual nodes; luck and faults are not used */
    struct workload *workload; /* borrowed; every task needs a command */
    const char *dir;           /* of this run: private folders of attempts, committed outputs */
    struct journal *journal;   /* borrowed; commit intents go there. NULL with `again` */
    int64_t grace_us;          /* between TERM and KILL when the run is interrupted */
    const char *shell;         /* runs the commands; NULL: /bin/sh */
    /* The rest may be zero. */
    const struct exec_groups *groups; /* borrowed; NULL: all nodes are on this machine */
    const struct exec_hooks *hooks;   /* borrowed */
    const struct chaos *chaos;        /* borrowed; trouble on purpose */
    int64_t delay_us;                 /* between two launches */
    bool scratch;     /* this run is never resumed: nothing is synced to the disk, and the folder is
                         removed at the end, whatever it is */
    bool keep_failed; /* private folders of failed attempts stay, but for tmp/; the caller clears */
    const char *workdir; /* where commands run; NULL: where dolly runs */
    int nice;            /* added to the niceness of dolly */
    bool timed;          /* exec_limit will be used */
    bool lost_fails;     /* attempts that are lost with their runner have failed (killed) */
    bool again;          /* the folder holds a run that was cut short, see exec_recall_tap */
    bool supervised; /* a supervisor cleans up if this process dies (exec/process/supervisor.h) */
    int lock_fd;     /* of the folder (run_lock.h), held until its journal is closed,
                        which is after the body; 0: the body holds it for its own life */
    bool data;       /* attempts are told what to read (`dolly task`) as it gets ready, and
                        their outputs for others are lost with their node */
    const char *copier;    /* with `data`: a command that copies its stdin, an output, and says what
                              it has copied; gets one more word, `run` if the output has partitions,
                              else `lines`. NULL: outputs are not copied */
    bool apart;            /* with `data` and `groups`: outputs for other attempts are kept by
                              their runners; the body gets the length, and an index if there is one,
                              as a file with a hole */
    uint32_t failures_max; /* a task with this many failures is given up; if the last of them is a
                              full disk, the run stops instead, to be resumed. 0: it does not */
};

/* Opens the runners and starts the clock. Returns NULL with *err on failure. Pass the result as the
 * body of exec_body. The calling process must have one thread and no other children: until
 * exec_destroy it catches SIGINT, SIGTERM and SIGHUP (unless ignored), and it becomes the parent of
 * all orphans, which it ends. */
struct exec *exec_create(const struct exec_options *options, struct err *err);

/* ---- a run that was cut short ---- */

/* Returns the tap for the turns of the journal of a run with `again`. Call before the first wait:
 * journal_play passes the turns to this tap and the intents to exec_recall_intent (ctx: the exec),
 * and exec_recall_end makes the folder agree with them. */
struct tap exec_recall_tap(struct exec *x);
void exec_recall_intent(void *ctx, const struct record *record);

/* Redoes the announced commits, removes other outputs and private folders, and emits that every
 * node went down with its attempts and is back. The clock continues at last_us. Writes to `journal`
 * from now on. Returns 0, or -1 with *err. */
int exec_recall_end(struct exec *x, struct journal *journal, int64_t last_us, struct err *err);

/* Ends every process that is left, closes the runners, frees. NULL is fine. */
void exec_destroy(struct exec *x);

/* Returns true if a signal has come. A run that is complete all the same has succeeded. */
bool exec_interrupted(const struct exec *x);

/* Returns one line about the first job that failed: the task, the reason, the path of its stderr.
 * NULL: none failed. */
const char *exec_failure(const struct exec *x);

/* Cancels the job: its attempts are killed, and it fails. */
void exec_cancel(struct exec *x, struct job_id job);

/* Ends the feed: feed_fd gives no more jobs. */
void exec_feed_end(struct exec *x);

/* Stops reading feed_fd, or (false) reads it again. */
void exec_feed_hold(struct exec *x, bool hold);

/* Launches no attempt from now on, not even those already decided on; or (false) launches again.
 * Running ones continue. */
void exec_pause(struct exec *x, bool pause);

/* Ends attempts that have run longer, which then count as failed (cause timeout). 0: no limit. */
void exec_limit(struct exec *x, int64_t limit_us);

/* Returns the path of a file in the private folder of an attempt that was launched, or with NULL of
 * the folder. */
struct path exec_output_file(const struct exec *x, struct attempt_ref at, const char *name);

/* Removes the private folder of a failed attempt, if those are kept (keep_failed). */
void exec_output_clear(struct exec *x, struct attempt_ref at);

/* Checks whether the disk is full. Call before anything is removed from the disk of the run:
 * attempts that run while the disk is full are not believed, and afterwards it may no longer be
 * seen. */
void exec_full_look(struct exec *x);

/* Returns the time now, by the clock that events are dated with. */
int64_t exec_clock_us(const struct exec *x);

extern const struct body_ops exec_body;
