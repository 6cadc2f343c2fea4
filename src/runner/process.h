/* process.h - what the guardian knows of each attempt in its care, and of orphans.
 *
 * A ward runs until its main process is dead, then it is ending until nothing that descends from it
 * is alive; only then is its end told and its place free for another. */
#ifndef RUNNER_PROCESS_H
#define RUNNER_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/lookup.h"
#include "base/vec.h"
#include "runner/packet.h"
#include "runner/progress.h"

enum process_state { WARD_FREE, WARD_RUNNING, WARD_ENDING };

struct process {
    enum process_state state;
    uint32_t handle;
    pid_t pid;       /* main process and process group */
    uint64_t order;  /* counts launches */
    int stdin_fd;    /* the same open file as the attempt's; -1: /dev/null */
    int progress_fd; /* our end of its pipe; the pipe outlives the ward and is had by the next */
    int pipe_fd;     /* the other end */
    uint64_t pipe;   /* inode of that pipe */
    struct flight *flight; /* of its start (launch.h); had by the next as well */
    int64_t started_us;
    int64_t kill_at_us; /* end of a period of grace; INT64_MAX: none */
    bool warned;        /* has been sent a TERM */
    bool killed;        /* was told to die while it lived */
    bool doomed;        /* ... and the time of grace is over */
    bool extra;         /* it is a clone */
    bool held;          /* scratch of a sweep: somebody of its kin is still there */
    struct packet_end end;
    struct progress_reader progress;
    int64_t cpu_us;      /* used when that was last looked at (spare.h) */
    int64_t stdin_bytes; /* size of its stdin file */
    uint32_t slow_milli; /* chaos: so many times slower, in thousandths; up to 1000: not at all */
    bool stopped;        /* ... by us, just now */
    int64_t ran_us, since_us; /* how long it has run; when it went on last */
    int64_t told_done, told_total;
};

/* A child of ours that nobody launched: its parent died. */
struct orphan {
    pid_t pid;
    uint32_t owner;  /* handle, or LOOKUP_NONE: not known */
    uint32_t tries;  /* looks in vain */
    uint64_t before; /* launched before it was first seen: wards with a smaller order may own it */
};

struct processes {
    VEC(struct process) at; /* indices are stable; free ones are reused */
    VEC(uint32_t) free;
    struct lookup by_handle, by_pid;
    VEC(struct orphan) orphans;
    uint64_t launches;
};

void processes_fini(struct processes *w); /* closes all descriptors */

/* A new ward in state running, all else zero or -1 but for a pipe that was used before; register
 * its process with processes_enter. Pointers to wards are valid until the next processes_add. */
struct process *processes_add(struct processes *w, uint32_t handle);
void processes_enter(struct processes *w, struct process *ward, pid_t pid);

/* Closes its stdin and frees its place; its pipe must have been read to the end. */
void processes_remove(struct processes *w, struct process *ward);

/* NULL when there is none. */
struct process *processes_by_handle(struct processes *w, uint32_t handle);
struct process *processes_by_pid(struct processes *w, pid_t pid);
struct orphan *processes_orphan(struct processes *w, pid_t pid);

uint32_t processes_index(const struct processes *w, const struct process *ward);

#endif
