/* exec_state.h - the inside of body 2, shared by the files exec*.c only. */
#ifndef EXEC_EXEC_STATE_H
#define EXEC_EXEC_STATE_H

#include <signal.h>

#include "base/os/clock.h"
#include "base/text.h"
#include "exec/attempt_table.h"
#include "exec/exec.h"
#include "exec/folder/attempt_dir.h"
#include "exec/process/runner_link.h"
#include "exec/process/sys.h"
#include "exec/timers.h"

struct exec_job {
    struct workload_job *source; /* owned; NULL once the job is over and its last attempt ended */
    uint32_t newest;             /* newest attempt, head of a list in the attempt table */
    uint32_t live;
    bool over;
    int64_t *phase_bytes; /* committed so far, per phase */
    /* The last failure of an attempt or commit, in case the job fails of it. */
    struct attempt_ref failed_at;
    uint8_t failed_cause;
    int32_t failed_detail;
    bool failed_full;    /* the disk was full then */
    const char *changed; /* a phase whose outputs came out different when they were made again */
};

/* An attempt and a time that matters to it. */
struct exec_clocked {
    uint32_t handle;
    int64_t at_us;
};

/* A read of an attempt: `reads` are those of attempts that have not started yet, and may have to be
 * told again; `again` are those that failed and were told again, of which the brain knows nothing.
 */
struct exec_read {
    uint32_t handle;
    struct attempt_ref source;
    int64_t took_us; /* until it failed */
};

struct exec_reads {
    struct exec_read *at;
    uint32_t count, cap;
};

enum exec_copy_state {
    COPY_ASKED, /* its process was ordered */
    COPY_RUNS,
    COPY_THERE,
    COPY_GONE,
};

/* exec_copy.c: an output that is kept a second time, on another node. */
struct exec_copy {
    uint32_t output; /* handle of the attempt whose output it is */
    struct node_id node;
    uint8_t state; /* enum exec_copy_state */
    bool unwanted; /* its process is being ended, and the brain knows */
    bool spoilt;   /* the process has found no output there, or a damaged one */
    bool told;     /* it has said what it has printed: */
    int64_t bytes;
    uint64_t checksum;
    uint32_t next; /* of the same output */
};

/* exec_runner.c, in the guardian: an end that is in doubt still. */
struct exec_unnoted {
    char *dir; /* of the attempt; owned */
    struct packet_end end;
    int fd;        /* of the notes */
    int64_t at_us; /* of clock.h */
};

/* What chaos does to a node. */
struct exec_node {
    int64_t next_us;  /* when it fails or returns */
    uint32_t changes; /* how often it has; odd: it is down */
};

struct exec_events {
    struct event *at;
    uint32_t count, cap;
};

struct exec_runner {
    struct exec *exec;
    struct runner_link *link;
    int64_t next_us;     /* when it wants its next turn ... */
    bool stirred;        /* ... unless something has happened to it since the last */
    bool lost;           /* it cannot go on, and none comes in its place */
    uint8_t presence;    /* enum runner_presence */
    int64_t away_us;     /* since when it is, or was last, away */
    int32_t spare, each; /* cores, as it last reported them */
    /* exec_full.c: when its own disk was last full, until when the brain avoids it for that, and
     * when an extra attempt there has ended last; -1: never. */
    int64_t full_us, full_until_us, extra_us;
    /* exec_queue.c */
    uint32_t queued;       /* its launches in the queue; */
    uint32_t starved;      /* those that found no room, which come first; */
    uint32_t starved_go;   /* how many of these may be tried again now */
    uint32_t starved_vain; /* tries since anything has run there */
    int64_t starved_us;    /* when the next is tried in any case */
};

struct exec {
    struct exec_options options;
    char *dir; /* absolute */
    int lock_fd, epoll_fd, signal_fd;
    sigset_t old_mask;
    int64_t start_us; /* of the monotonic clock; times of events count from here */

    VEC(struct exec_unnoted) unnoted; /* oldest first */
    struct exec_runner *runners;      /* exec_runner.c: one for each group of nodes */
    uint32_t runner_count;
    uint32_t *runner_of; /* by node: index of its runner */
    uint32_t runners_lost;
    VEC(struct exec_clocked) owed; /* exec_presence.c: lost, but we must not say so yet */
    struct err aborted;            /* why the run cannot go on, if is_aborted */
    bool is_aborted;
    int interrupted; /* signals received to end the run */

    VEC(struct exec_job) jobs; /* by id */
    uint32_t jobs_open;
    struct workload_job *next_job; /* read ahead */
    bool feeding;                  /* more may come (hooks.feed), */
    bool feed_held;                /* but is left where it is */
    char *failure;

    bool nodes_told; /* the brain knows of our nodes */

    struct attempt_table attempts;
    struct timers timers;
    uint32_t idle_turns;
    int64_t polled_us;              /* when epoll was last asked */
    int64_t full_us;                /* exec_full.c: when the disk was last seen full; -1: never */
    int64_t look_us;                /* when we look again */
    int64_t extra_us;               /* when an extra attempt has ended last, anywhere; -1: never */
    uint32_t withheld;              /* answers not given to the brain because the disk was full */
    uint64_t made;                  /* the phase whose folders were made last, + 1; 0: none */
    VEC(uint32_t) commits;          /* handles to commit at the end of a perform */
    VEC(char) env;                  /* scratch of a launch */
    struct exec_reads reads, again; /* exec_reads.c */
    VEC(struct exec_copy) copies;
    uint32_t copies_live; /* of their processes */
    struct attempt_dirs dirs;

    /* exec_control.c */
    VEC(uint32_t) queue; /* exec_queue.c: handles of launches that wait, in order */
    int64_t launch_us;   /* when the next launch may be sent */
    bool starved_warned; /* the user knows that there is no room */
    int64_t tick_us;     /* when the next call of the hook is due */
    bool paused;
    int64_t limit_us;                       /* of running time; 0: none */
    VEC(struct exec_clocked) timed, doomed; /* started, in order; to be killed by chaos */
    uint32_t timed_from;                    /* the first that may be running */
    struct exec_node *nodes;                /* with chaos: one per node */
    uint32_t nodes_down;
    /* The next batch, and the one handed out. Starts are kept apart: in one batch with the end of
     * the same attempt they would make it last no time. */
    struct exec_events pending, batch; /* in pending, starts have their time in late_us */
    int64_t batch_us;                  /* time of the batch handed out */

    /* exec_recall.c */
    bool nodes_seen; /* the run had begun */
    bool cores_seen; /* attempts needed cores */
};

static inline struct attempt_row *exec_row(const struct exec *x, uint32_t handle)
{
    return &x->attempts.at.at[handle];
}

/* Returns the job if it still has its description, else NULL. */
static inline struct exec_job *exec_job_find(struct exec *x, struct job_id id)
{
    return id.v < x->jobs.count && x->jobs.at[id.v].source ? &x->jobs.at[id.v] : NULL;
}

/* Returns the runner of a node. */
static inline struct exec_runner *exec_runner_of(struct exec *x, struct node_id node)
{
    return &x->runners[x->runner_of[node.v]];
}

/* Returns the time of the run. */
static inline int64_t exec_now_us(const struct exec *x)
{
    return clock_now_us() - x->start_us;
}

/* What epoll wakes the coordinator for. */
enum exec_source { EXEC_SOURCE_SIGNAL, EXEC_SOURCE_FEED, EXEC_SOURCE_GROUPS };
#define EXEC_SOURCE_RUNNERS (1ULL << 32) /* times 1 for the first runner, 2 for the second, ... */
static inline int exec_watch(struct exec *x, int op, int fd, uint64_t source)
{
    struct epoll_event e = {.events = EPOLLIN, .data.u64 = source};
    return sys_epoll_ctl(x->epoll_fd, op, fd, &e);
}

/* ---- exec_emit.c ---- */

/* Adds an event to the next batch; valid until the next call. */
struct event *exec_emit(struct exec *x, uint8_t type, struct attempt_ref at, struct node_id node);
/* Emits that the decision is refused. */
void exec_emit_refused(struct exec *x, const struct decision *d, uint8_t cause);

/* ---- exec_fail.c ---- */

/* Ends the run, which cannot go on; the first reason counts. */
__attribute__((format(printf, 2, 3))) void exec_fail_run(struct exec *x, const char *format, ...);
/* Returns the cause that fits an errno. */
uint8_t exec_fail_cause(int error);

/* ---- exec_node.c ---- */

/* Returns true if chaos has taken the node away. */
bool exec_node_is_taken(const struct exec *x, uint32_t node);
/* Returns true if chaos has taken the node away, or its runner is away. */
bool exec_node_is_down(const struct exec *x, uint32_t node);
/* Emits an event of this type about the node, with its capacity if it is up. */
void exec_node_emit_as(struct exec *x, uint32_t node, uint8_t type);
/* Emits whether the node is up, takes no attempts for now, or is down. */
void exec_node_emit(struct exec *x, uint32_t node);
/* Emits the resources that the cluster names. */
void exec_node_emit_resources(struct exec *x);
/* Emits the resources and the state of all nodes that are not down. */
void exec_node_emit_all(struct exec *x);

/* ---- exec_feed.c ---- */

/* Reads from the feed, which has something to read, and draws the jobs that come of it. */
void exec_feed_read(struct exec *x);

/* ---- exec_path.c ---- */

/* Writes where the output of an attempt lies that has finished, or won. */
void exec_path_output(struct exec *x, const struct attempt_row *e, char path[PATH_MAX]);

/* ---- exec_hold.c ---- */

/* From here on a SIGTSTP waits for exec_hold (`wait`), or stops us at once. */
void exec_hold_begin(struct exec *x, bool wait);
/* Has all attempts of this machine stand still until a SIGCONT, or a signal that ends the run. */
void exec_hold(struct exec *x);

/* ---- exec_runner.c ---- */

/* What runners call, with the struct exec_runner as ctx; see exec/process/runner_link.h. */
struct exec_on {
    void (*packet)(void *ctx, const struct packet *p);
    void (*ended)(void *ctx, const struct packet *exited);
    void (*lost)(void *ctx, const char *why);
    void (*presence)(void *ctx, enum runner_presence presence, int64_t over_us, const char *why);
    void (*room)(void *ctx, int64_t bytes);
};

/* Opens the runners. 0, or -1 with *err; either way they end with exec_runner_close. */
int exec_runner_open(struct exec *x, const struct exec_on *on, struct err *err);
/* Ends the runners and every process that is left. */
void exec_runner_close(struct exec *x);
/* Sends an order to the runner of the attempt's node, unless that is away. -1 when the packet is
 * too long. */
int exec_runner_send(struct exec *x, const struct packet *p);
/* An event of epoll, of the groups or with data from EXEC_SOURCE_RUNNERS on. */
void exec_runner_event(struct exec *x, uint64_t data);
/* After events and before sleeping. Returns until when we may sleep; 0 if there are new events. */
int64_t exec_runner_turn(struct exec *x, int64_t until_us);

/* ---- exec_packets.c ---- */

extern const struct exec_on exec_packets;

/* ---- exec_presence.c ---- */

/* Emits all nodes, of which the brain knows nothing so far. */
void exec_presence_first(struct exec *x);

/* The brain is being told of the nodes: from now on it learns of runners that come and go. */
void exec_presence_begin(struct exec *x);
/* The runner `ctx` (struct exec_runner) is here, about to leave, silent or away; see runner_link.h.
 */
void exec_presence_on(void *ctx, enum runner_presence presence, int64_t over_us, const char *why);
/* The runner `ctx` is away for good. */
void exec_presence_on_lost(void *ctx, const char *why);
/* A live attempt is out of reach, and may be alive until then (time of the run): tells it lost, if
 * need be not before. */
void exec_presence_lose(struct exec *x, uint32_t handle, int64_t over_us);
/* What it leaves of cores to clones. */
void exec_presence_cores(struct exec_runner *r, int32_t spare, int32_t each);
void exec_presence_pressure(struct exec_runner *r, int32_t disk, int32_t memory);
/* Whether a runner may come. */
bool exec_presence_hopes(const struct exec *x);
/* Tells attempts lost whose time has come. Returns when the next one's does; INT64_MAX: never. */
int64_t exec_presence_due(struct exec *x, int64_t now_us);

/* ---- exec_wait.c ---- */

/* `wait` of body.h. */
int exec_wait(void *body, struct batch *batch, struct err *err);

/* ---- exec_job.c ---- */

/* Draws the next job from the workload into next_job and checks that it can be run. -1 with *err.
 */
int exec_job_draw(struct exec *x, struct err *err);
/* Draws the next job, or ends the run. */
void exec_job_draw_more(struct exec *x);
void exec_job_submit(struct exec *x);
/* The same for a job that the journal has already: no event. NULL, or what does not fit. */
const char *exec_job_recall(struct exec *x, const struct job_spec *recorded);
void exec_job_end(struct exec *x, const struct decision *d);
/* One attempt of the job has ended. */
void exec_job_attempt_ended(struct exec *x, struct exec_job *job);
/* Notes a failure of an attempt or commit. */
void exec_job_note(struct exec *x, struct attempt_ref at, uint8_t cause, int32_t detail);
int exec_job_stalled(const struct exec *x, struct err *err);
void exec_job_fini(struct exec *x);

/* ---- exec_control.c ---- */

/* Prepares what is controlled from outside of the brain. */
void exec_control_init(struct exec *x);
void exec_control_fini(struct exec *x);
/* What is due at this time of the run. Returns when the next thing is; INT64_MAX: nothing. */
int64_t exec_control_due(struct exec *x, int64_t now_us);
/* Whether something will happen without the brain. */
bool exec_control_hopes(const struct exec *x);

/* ---- exec_full.c ---- */

/* What runner_link.h says; `ctx` is the exec_runner. */
void exec_full_on_room(void *ctx, int64_t bytes);
/* Looks if it is time to. Returns when to look again; INT64_MAX: nothing runs. */
int64_t exec_full_due(struct exec *x, int64_t now_us);
/* Whether the disk, or that of its runner, was full at any time since the launch of the attempt. */
bool exec_full_during(struct exec *x, const struct attempt_row *e);
/* An attempt has ended, in whatever way. */
void exec_full_note_end(struct exec *x, const struct attempt_row *e);
/* Whether the brain does not learn of a full disk that would be the last failure of the attempt's
 * task; then the run stops when what runs has ended. */
bool exec_full_withholds(struct exec *x, const struct attempt_row *e);
/* The runner of the attempt could not do its part for it, of this errno: the brain will have it
 * rest, and the user hears of it once in a while. */
void exec_full_rest(struct exec *x, const struct attempt_row *e, int error);
/* Whether it has come to that, and why. */
bool exec_full_stops(const struct exec *x);
int exec_full_stop(const struct exec *x, struct err *err);

/* ---- exec_queue.c ---- */

/* Has a launch wait. */
void exec_queue_add(struct exec *x, uint32_t handle);
/* A launch has failed. Whether it only waits for room from now on, and will be tried again. */
bool exec_queue_starve(struct exec *x, uint32_t handle, int error);
/* There may be room: an attempt of the runner has started, or ended. */
void exec_queue_room(struct exec_runner *r);
/* Whether a new launch on this node has to wait. */
bool exec_queue_holds(struct exec *x, struct node_id node);
/* Takes a launch that waits back; false when it does not wait. */
bool exec_queue_remove(struct exec *x, uint32_t handle, uint8_t cause);
void exec_queue_end_all(struct exec *x);
/* Returns the runner that a launch waits for. */
struct exec_runner *exec_queue_runner(struct exec *x, uint32_t handle);
/* Returns true if the first launch of this runner may be sent now. */
bool exec_queue_may_send(const struct exec *x, struct exec_runner *r, int64_t now_us);
/* Takes the i-th launch off the queue and returns its handle. */
uint32_t exec_queue_take(struct exec *x, uint32_t i);
/* Ends a launch that was taken off the queue: it has failed of this. */
void exec_queue_end(struct exec *x, uint32_t handle, uint8_t cause);

/* ---- exec_launch.c ---- */

/* Sends the launch to its runner, or has it wait. */
void exec_launch(struct exec *x, const struct decision *d);
/* Sends a launch, for the first time or again. */
void exec_launch_send(struct exec *x, uint32_t handle);
/* Sends those that wait and may be sent. Returns when the next one is due; INT64_MAX: none waits
 * for a time. */
int64_t exec_launch_due(struct exec *x, int64_t now_us);
void exec_launch_assign_read(struct exec *x, const struct decision *d, uint32_t handle);

/* ---- exec_reads.c: reads of attempts that are told what to read (options.data) ---- */

void exec_reads_assign(struct exec *x, const struct decision *d, uint32_t handle);
void exec_reads_revoke(struct exec *x, const struct decision *d, uint32_t handle);
/* The launch was sent, perhaps not for the first time. */
void exec_reads_launched(struct exec *x, uint32_t handle);
/* It was answered, for good. */
void exec_reads_forget(struct exec *x, uint32_t handle);
/* An attempt tells how a read goes. */
void exec_reads_on_packet(struct exec *x, const struct packet *p);

/* ---- exec_copy.c ---- */

/* Handles of processes that copy, among those of attempts. */
#define EXEC_COPY_FIRST (1U << 31)

void exec_copy_make(struct exec *x, const struct decision *d);
/* What is to be known of such a process to judge its packets, in *row; NULL: there is none. */
const struct attempt_row *exec_copy_row(struct exec *x, uint32_t handle, struct attempt_row *row);
void exec_copy_on_packet(struct exec *x, const struct packet *p);
/* The node is gone, and if `outputs`, what lay there. */
void exec_copy_lose_node(struct exec *x, uint32_t node, bool outputs);
/* A committed output is of no use any more: a copy takes its place. False: there is none. */
bool exec_copy_replace(struct exec *x, struct attempt_row *e, uint8_t cause);
/* An output is gone, or of no use: removes what is left of it and emits that. If it was committed
 * and has a copy, that takes its place instead. */
void exec_copy_lose(struct exec *x, struct attempt_row *e, uint8_t cause);
/* Does the same to all outputs that stay with the runner, or (NULL) with any. */
void exec_copy_lose_kept(struct exec *x, const struct exec_runner *r);
/* Does the same to what attempts and copies left on the node. */
void exec_copy_lose_all(struct exec *x, uint32_t node);
/* The same of its copy on the node. False: there is none. */
bool exec_copy_drop(struct exec *x, const struct attempt_row *e, struct node_id node);
/* A committed output is taken back, and all its copies with it. */
void exec_copy_discard(struct exec *x, const struct attempt_row *e);
/* Where the copy on the node lies. False: there is none. */
bool exec_copy_find(struct exec *x, const struct attempt_row *e, struct node_id node,
                    char path[PATH_MAX]);
void exec_copy_job_over(struct exec *x, struct job_id job);
/* A run that was cut short: a copy was asked for; what came of one; and what is left unanswered. */
void exec_copy_recall_asked(struct exec *x, const struct decision *d);
void exec_copy_recall(struct exec *x, struct attempt_row *e, const struct event *event);
void exec_copy_recall_end(struct exec *x);
/* Whether the node has a copy of the task's output. */
bool exec_copy_is_there(struct exec *x, struct attempt_ref task, struct node_id node);

/* ---- exec_output.c ---- */

/* Size and checksum of an output of the attempt's phase that lies there. 0, or -1 with errno. */
int exec_output_look(struct exec *x, struct attempt_ref at, const char *path, int64_t *bytes,
                     uint64_t *checksum);
/* Adds to the event how much it has of each partition; and frees that of events that were told. */
void exec_output_parts(struct exec *x, const struct attempt_row *e, struct event *ready);
void exec_output_free_parts(struct exec_events *events);
/* Whether it holds partitions for others (data/run_file.h), who check what they read. */
bool exec_output_is_run(struct exec *x, struct attempt_ref at);
/* Whether no phase reads the output: it is a result of the job. */
bool exec_output_is_result(struct exec *x, struct attempt_ref at);
/* What is to become of it where its attempt runs (enum packet_keep). */
uint8_t exec_output_keep(struct exec *x, struct attempt_ref at);
/* Its runner need not keep it any more, if it does; to be called while the row says that it may. */
void exec_output_forget(struct exec *x, const struct attempt_row *e);
/* Returns true if the output goes with its node when that fails. */
bool exec_output_goes_with_node(struct exec *x, const struct attempt_row *e);
/* Returns true if the output stays with its runner. */
bool exec_output_is_away(struct exec *x, const struct attempt_row *e);
/* Drops what is left of an attempt that has ended. */
void exec_output_drop(struct exec *x, struct attempt_row *e);

/* ---- exec_attempt.c ---- */

/* Decisions on an attempt. */
void exec_attempt_kill(struct exec *x, const struct decision *d, uint32_t handle);
void exec_attempt_withdraw(struct exec *x, const struct decision *d, uint32_t handle);
/* Has the attempt's runner kill it. */
void exec_attempt_end(struct exec *x, uint32_t handle, int64_t grace_us);
/* The launch or commit of an attempt has failed. False: the brain does not learn of it. */
bool exec_attempt_fail(struct exec *x, struct attempt_row *e, uint8_t type, uint8_t cause,
                       int error);
/* The attempt has gone with its node, at this time of the run, in its launch or after. */
void exec_attempt_lose(struct exec *x, struct attempt_row *e, int64_t now_us);
/* An attempt has ended by itself, and nothing is left of it. */
void exec_attempt_exited(struct exec *x, struct attempt_row *e, const struct packet_end *end);
/* An attempt has ended by itself, or from outside; its report follows. */
void exec_attempt_left(struct exec *x, const struct packet *p);
/* Turns what a runner reported, and what was judged to fit, into events. */
void exec_attempt_on_packet(struct exec *x, const struct packet *p);

/* ---- exec_commit.c ---- */

/* Step 3 and 4 of a commit whose intent is in the journal of an earlier run. False: its output is
 * not there, neither in its private folder nor in its final one. */
bool exec_commit_redo(struct exec *x, uint32_t handle);
void exec_commit(struct exec *x, const struct decision *d, uint32_t handle);
void exec_commit_all(struct exec *x); /* those asked for in this perform, as one group */
void exec_commit_discard(struct exec *x, const struct decision *d, uint32_t handle);

#endif
