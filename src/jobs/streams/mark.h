/* mark.h - records which outputs have reached stdout, to the byte, even if dolly is killed.
 *
 * A run that keeps its folder has a mark; other runs pass NULL, with which every function does
 * nothing. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct mark;

/* The steps of delivering the outputs of a task, in this order. */
enum mark_stage { MARK_NONE, MARK_FILES, MARK_OUT, MARK_ERR, MARK_LOG };

/* Opens DIR/printed and, if `again`, reads where an earlier process of the run stopped. `fed`:
 * tasks may be added later (mark_grow). Returns NULL with *err on failure. */
struct mark *mark_open(const char *dir, uint32_t tasks, bool fed, bool again, struct err *err);
void mark_close(struct mark *k);

/* Increases the number of tasks. Returns 0, or -1 with *err. */
int mark_grow(struct mark *k, uint32_t tasks, struct err *err);

/* Sets the descriptors that the guardian, which outlives this process, must keep open (0: none). */
void mark_fds(const struct mark *k, int fds[2]);

/* Records how much of the last chunk has arrived. Called by the guardian when this process has
 * died. */
void mark_orphaned(struct mark *k, const int fds[2]);

/* Returns true if all outputs of the task were delivered. */
bool mark_is_done(const struct mark *k, uint32_t task);

/* Records that all outputs of the task were delivered. */
void mark_done(struct mark *k, uint32_t task);

/* Begins a stage of the task: mark_write then skips the bytes that arrived earlier. */
void mark_stage(struct mark *k, uint32_t task, enum mark_stage stage);
/* Writes bytes of the stage. Returns 0, or -1 with errno. */
int mark_write(struct mark *k, int fd, const char *at, size_t length);

/* Records the lengths, before this task, of the stdout and stderr files that it shares with others.
 */
void mark_files(struct mark *k, uint32_t task, const int64_t bytes[2]);
/* Returns true if an earlier process died while it appended to these files; sets their lengths
 * before that. */
bool mark_filing(const struct mark *k, int64_t bytes[2]);

/* Returns true if an earlier process had appended all output of the task to them. */
bool mark_filed(const struct mark *k, uint32_t task);

/* Records the length of the job log before the line of the task is added. */
void mark_log(struct mark *k, uint32_t task, int64_t bytes);
/* Returns true if an earlier process had begun to add a line to the log; sets its task and the
 * length before it. */
bool mark_logging(const struct mark *k, uint32_t *task, int64_t *bytes);
