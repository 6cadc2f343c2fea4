/* map_log.h - the job log of a run: read before it (--resume, --retry-failed), written by it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/text.h"
#include "base/vec.h"
#include "core/model/id.h"
#include "jobs/streams/joblog.h"

struct map;
struct map_output;

/* Sequence numbers of tasks, or bits. */
struct map_numbers {
    uint64_t *at;
    uint32_t count, cap;
};

struct map_log {
    FILE *file;                  /* NULL: none is written */
    VEC(char *) retry;           /* --retry-failed: the commands that failed, and */
    struct map_numbers seqs;     /* their sequence numbers */
    struct map_numbers finished; /* a bit per sequence number: --resume skips it */
    VEC(char *) hosts;           /* names of the nodes of --on, by node; NULL: not joined yet */
};

void map_log_fini(struct map_log *l);

/* Reads the log of an earlier run, for --resume, --resume-failed or --retry-failed. Returns 0, or
 * -1 with *err. */
int map_log_read(struct map *m, struct err *err);

/* Returns true if --resume skips the task with this sequence number; `ctx` is the map_log. */
bool map_log_has(void *ctx, uint64_t seq);

/* Opens the log that the run writes, if one is asked for. Returns 0, or -1 with *err. */
int map_log_open(struct map *m, struct err *err);

/* Records the name of a node that has joined, for entries of attempts there. */
void map_log_node(struct map_log *l, struct node_id node, const char *name);

/* Returns the entry of a task that is over; makes its command in *command, if it was not kept. */
struct joblog_entry map_log_entry(const struct map *m, const struct map_output *p,
                                  struct str *command);

/* Writes the line of a task that is over. */
void map_log_add(struct map *m, const struct map_output *p);
