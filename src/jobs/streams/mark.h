/* mark.h - which outputs have reached our stdout, to the byte, also if we are killed.
 *
 * A run that keeps its folder has a mark; for the others it is NULL, which every function takes and
 * does nothing with. */
#ifndef JOBS_STREAMS_MARK_H
#define JOBS_STREAMS_MARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct mark;

/* What is done with the outputs of a task, in this order. */
enum mark_stage { MARK_NONE, MARK_FILES, MARK_OUT, MARK_ERR, MARK_LOG };

/* Opens DIR/printed, and finds out where an earlier life has stopped, if `again`. `fed`: more tasks
 * will come (mark_grow). NULL with *err. */
struct mark *mark_open(const char *dir, uint32_t tasks, bool fed, bool again, struct err *err);
void mark_close(struct mark *k);

/* There are more tasks now. -1 with *err. */
int mark_grow(struct mark *k, uint32_t tasks, struct err *err);

/* For the guardian, which outlives us: what it must keep open (0: nothing), and what it must call
 * when we have died. */
void mark_fds(const struct mark *k, int fds[2]);
void mark_orphaned(struct mark *k, const int fds[2]);

/* Whether all of the task's outputs are where they belong. */
bool mark_is_done(const struct mark *k, uint32_t task);
void mark_done(struct mark *k, uint32_t task);

/* From now on bytes go to this stream of the task; what had arrived earlier is left out. */
void mark_stage(struct mark *k, uint32_t task, enum mark_stage stage);
/* Writes bytes of the stage. -1 with errno. */
int mark_write(struct mark *k, int fd, const char *at, size_t length);

/* The lengths of the files for stdout and stderr that the task shares with others, before it. */
void mark_files(struct mark *k, uint32_t task, const int64_t bytes[2]);
/* Whether an earlier life was adding to them when it died, and how long they were before; whether
 * it was done with those of the task. */
bool mark_filing(const struct mark *k, int64_t bytes[2]);
bool mark_filed(const struct mark *k, uint32_t task);

/* The length of the job log before the line of the task was added. */
void mark_log(struct mark *k, uint32_t task, int64_t bytes);
/* Whether an earlier life had begun to add a line to the log, and of which task. */
bool mark_logging(const struct mark *k, uint32_t *task, int64_t *bytes);

#endif
