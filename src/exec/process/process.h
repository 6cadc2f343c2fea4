/* process.h - the table of a runner's attempts, and of orphans.
 *
 * An attempt is running until its main process is dead, then ending until no descendant is alive;
 * only then is its end reported and its entry free for another attempt. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/lookup.h"
#include "base/vec.h"
#include "exec/process/packet_socket.h"
#include "exec/process/progress.h"

enum process_state { PROCESS_FREE, PROCESS_RUNNING, PROCESS_ENDING };

struct process {
    enum process_state state;
    uint32_t handle;
    pid_t pid;       /* main process and process group */
    uint64_t order;  /* number of its launch */
    int stdin_fd;    /* the same open file as the attempt's; -1: /dev/null */
    int progress_fd; /* this end of its progress pipe, which the next attempt here gets */
    int pipe_fd;     /* the other end */
    uint64_t pipe;   /* inode of that pipe */
    /* This end of its control socket; closed if it has none, NULL if no attempt has had one here.
     */
    struct packet_socket *control;
    struct flight *flight; /* of its start (start.h); the next attempt here gets it, too */
    int64_t started_us;
    int64_t kill_at_us; /* end of a period of grace; INT64_MAX: none */
    bool warned;        /* was sent a TERM */
    bool killed;        /* was ordered to be killed while it was alive */
    bool doomed;        /* ... and the period of grace is over */
    bool extra;         /* a clone */
    bool held;          /* used by a sweep: a descendant is still alive */
    bool told;          /* it has reported its output */
    struct packet_end end;
    struct progress_reader progress;
    int64_t cpu_us;           /* used at the last look (idle_cores.h) ... */
    int64_t moved_bytes;      /* ... and moved at the last look at disks */
    int64_t stdin_bytes;      /* size of its stdin file */
    uint32_t slow_milli;      /* slowdown in thousandths; up to 1000: none */
    bool stopped;             /* ... by the runner, at the moment */
    int64_t ran_us, since_us; /* how long it has run; when it was last continued */
    int64_t reported_done, reported_total;
};

/* A child that the runner did not launch: its parent died. */
struct orphan {
    pid_t pid;
    uint32_t owner;  /* handle, or LOOKUP_NONE: not known */
    uint32_t tries;  /* number of inconclusive looks */
    uint64_t before; /* attempts with a smaller `order` may own it: launched before it was seen */
};

struct process_table {
    VEC(struct process) at; /* indices are stable; free entries are reused */
    VEC(uint32_t) free;
    struct lookup by_handle, by_pid;
    VEC(struct orphan) orphans;
    uint64_t launches;
};

void process_table_fini(struct process_table *table); /* closes all descriptors */

/* Adds an entry in state running, all else zero or -1 except a pipe that was used before; register
 * its process with process_enter. Pointers to entries are valid until the next process_add. */
struct process *process_add(struct process_table *table, uint32_t handle);
void process_enter(struct process_table *table, struct process *p, pid_t pid);

/* Closes its stdin and control socket and frees the entry; its pipe must have been read to the end.
 */
void process_remove(struct process_table *table, struct process *p);

/* Returns the entry with this handle, or NULL; the next two find it by process id, and an orphan.
 */
struct process *process_by_handle(struct process_table *table, uint32_t handle);
struct process *process_by_pid(struct process_table *table, pid_t pid);
struct orphan *process_orphan(struct process_table *table, pid_t pid);

uint32_t process_index(const struct process_table *table, const struct process *p);
