/* exec_copy.h - committed outputs that are kept twice (`replicate`), and outputs that are lost. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/os/path.h"
#include "core/model/decision.h"
#include "core/model/event.h"
#include "exec/attempt_table.h"
#include "exec/exec_runner.h"
#include "exec/process/packet.h"

/* Handles of processes that copy, among those of attempts. */
#define EXEC_COPY_FIRST (1U << 31)

enum exec_copy_state {
    COPY_ASKED, /* its process was requested */
    COPY_RUNS,
    COPY_THERE,
    COPY_GONE,
};

/* An output that is kept a second time, on another node. */
struct exec_copy {
    uint32_t output; /* handle of the attempt whose output it is */
    struct node_id node;
    uint8_t state; /* enum exec_copy_state */
    bool unwanted; /* its process is being ended, and the brain was informed */
    bool spoilt;   /* the process has found no output there, or a damaged one */
    bool told;     /* it has reported its copy: */
    int64_t bytes;
    uint64_t checksum;
    uint32_t next; /* of the same output */
};

struct exec_copies {
    struct exec_copy *at;
    uint32_t count, cap;
    uint32_t live; /* number of running processes */
};

/* Starts a process that copies the output, or answers why not. */
void exec_copy_make(struct exec *x, const struct decision *d);

/* Fills *row with the fields by which packets of such a process are judged, and returns it; NULL:
 * there is no such process. */
const struct attempt_row *exec_copy_row(struct exec *x, uint32_t handle, struct attempt_row *row);

/* Handles a report of such a process. */
void exec_copy_on_packet(struct exec *x, const struct packet *p);

/* Loses the processes of a node that is gone and, if `outputs`, the copies on it. */
void exec_copy_lose_node(struct exec *x, uint32_t node, bool outputs);

/* Replaces a committed output, which cannot be used, with a copy. Returns false if there is none.
 */
bool exec_copy_replace(struct exec *x, struct attempt_row *e, uint8_t cause);

/* Loses an output that is gone or cannot be used: removes the rest of it and emits that. If it was
 * committed and has a copy, the copy replaces it. */
void exec_copy_lose(struct exec *x, struct attempt_row *e, uint8_t cause);

/* Loses all outputs that are kept by the runner, or (NULL) by any. */
void exec_copy_lose_kept(struct exec *x, const struct exec_runner *r);

/* Loses all outputs and copies on the node. */
void exec_copy_lose_all(struct exec *x, uint32_t node);

/* Drops the copy on the node, which cannot be used. Returns false if there is none. */
bool exec_copy_drop(struct exec *x, const struct attempt_row *e, struct node_id node);

/* Removes all copies of a committed output that is taken back. */
void exec_copy_discard(struct exec *x, const struct attempt_row *e);

/* Sets *path to that of the copy on the node. Returns false if there is none. */
bool exec_copy_find(struct exec *x, const struct attempt_row *e, struct node_id node,
                    struct path *path);

/* Ends the processes that copy outputs of the job. */
void exec_copy_job_over(struct exec *x, struct job_id job);

/* Replays from the journal of an interrupted run that a copy was asked for. */
void exec_copy_recall_asked(struct exec *x, const struct decision *d);

/* Replays the result of a copy. */
void exec_copy_recall(struct exec *x, struct attempt_row *e, const struct event *event);

/* Loses the copies whose result is not in the journal. */
void exec_copy_recall_end(struct exec *x);

/* Returns true if the node has a copy of the task's output. */
bool exec_copy_is_there(struct exec *x, struct attempt_ref task, struct node_id node);
