/* exec_state.h - the inside of body 2, shared by the files exec*.c only.
 *
 * Each part of struct exec belongs to the file of its name, whose header defines it. The files call
 * only downwards, and this is the order to read them in, from the ground:
 *   exec_fail exec_hold exec_runner             failures, holding a run, orders to runners
 *   exec_full exec_node                         disks, nodes
 *   exec_output exec_copy                       outputs, and those that are lost or kept twice
 *   exec_job exec_feed exec_reads exec_queue    jobs, what attempts read, launches that wait
 *   exec_attempt                                from reports to events
 *   exec_launch exec_commit exec_presence       starting, committing, runners that come and go
 *   exec_packets exec_control exec_recall       reports judged; the clock; a run that was cut short
 *   exec_wait exec                              the wait, and the body itself */
#pragma once

#include <signal.h>

#include "base/os/clock.h"
#include "base/text.h"
#include "exec/attempt_table.h"
#include "exec/exec.h"
#include "exec/exec_commit.h"
#include "exec/exec_control.h"
#include "exec/exec_copy.h"
#include "exec/exec_feed.h"
#include "exec/exec_full.h"
#include "exec/exec_job.h"
#include "exec/exec_launch.h"
#include "exec/exec_node.h"
#include "exec/exec_presence.h"
#include "exec/exec_queue.h"
#include "exec/exec_reads.h"
#include "exec/exec_runner.h"
#include "exec/exec_wait.h"
#include "exec/folder/attempt_dir.h"
#include "exec/folder/turn_times.h"
#include "exec/process/sys.h"
#include "exec/timers.h"

struct exec {
    struct exec_options options;
    char *dir; /* absolute */
    int lock_fd, epoll_fd, signal_fd;
    sigset_t old_mask;
    int64_t start_us;   /* of the monotonic clock; times of events count from here */
    struct err aborted; /* why the run cannot go on, if is_aborted */
    bool is_aborted;
    int interrupted; /* signals received to end the run */

    struct attempt_table attempts;
    struct attempt_dirs dirs;
    struct timers timers;
    /* The next batch. Starts are kept apart, with their time in late_us: in one batch with the end
     * of the same attempt they would make it last no time. */
    struct exec_events pending;

    struct exec_runners runners;
    struct exec_nodes nodes;
    struct exec_full full;
    struct exec_copies copies;
    struct exec_jobs jobs;
    struct exec_feed feed;
    struct exec_reads reads;
    struct exec_queue queue;
    struct exec_launch launch;
    struct exec_commits commits;
    struct exec_presence presence;
    struct exec_control control;
    struct exec_wait wait;
    struct turn_times turns;
    /* exec_recall.c: the run had begun; attempts needed cores. */
    bool nodes_seen, cores_seen;
};

static inline struct attempt_row *exec_row(const struct exec *x, uint32_t handle)
{
    return &x->attempts.at.at[handle];
}

/* Returns the job if it still has its description, else NULL. */
static inline struct exec_job *exec_job_find(struct exec *x, struct job_id id)
{
    return id.v < x->jobs.count && x->jobs.at[id.v].work ? &x->jobs.at[id.v] : NULL;
}

/* Returns the runner of a node. */
static inline struct exec_runner *exec_runner_of(struct exec *x, struct node_id node)
{
    return &x->runners.at[x->runners.of[node.v]];
}

/* Returns the time of the run. */
static inline int64_t exec_now_us(const struct exec *x)
{
    return clock_now_us() - x->start_us;
}

/* Adds an event to the next batch and returns it; valid until the next call. */
static inline struct event *exec_emit(struct exec *x, uint8_t type, struct attempt_ref at,
                                      struct node_id node)
{
    vec_push(&x->pending, ((struct event){.type = type, .at = at, .node = node}));
    return &x->pending.at[x->pending.count - 1];
}

/* Has the coordinator see to this at that time, if not before. */
static inline void exec_due(struct exec *x, enum exec_due which, int64_t at_us)
{
    if (at_us < x->wait.due_us[which])
        x->wait.due_us[which] = at_us;
}

/* What epoll wakes the coordinator for. */
enum exec_tag { EXEC_TAG_SIGNAL, EXEC_TAG_FEED, EXEC_TAG_GROUPS };
#define EXEC_TAG_RUNNERS (1ULL << 32) /* times 1 for the first runner, 2 for the second, ... */

/* Has epoll watch the file, or (EPOLL_CTL_DEL) watch it no longer. Returns 0, or -1 with errno. */
static inline int exec_watch(struct exec *x, int op, int fd, uint64_t source)
{
    struct epoll_event e = {.events = EPOLLIN, .data.u64 = source};
    return sys_epoll_ctl(x->epoll_fd, op, fd, &e);
}
