/* exec_output.h - outputs as readers see them: their contents, and which of them are lost with
 * their node. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/os/path.h"
#include "exec/attempt_table.h"
#include "exec/exec_wait.h"

/* Returns the path of the output of an attempt that has finished, or won. */
struct path exec_output_path(struct exec *x, const struct attempt_row *e);

/* Reads size and checksum of an output of the attempt's phase at this path. Returns 0, or -1 with
 * errno. */
int exec_output_look(struct exec *x, struct attempt_ref at, const char *path, int64_t *bytes,
                     uint64_t *checksum);

/* Returns true if the output of an attempt that has finished has no bytes, and is known by that: no
 * file is needed to commit it. */
bool exec_output_is_empty(struct exec *x, const struct attempt_row *e);

/* Adds the bytes of each partition of the output to the event. */
void exec_output_partitions(struct exec *x, const struct attempt_row *e, struct event *ready);

/* Frees these in events that the brain has handled. */
void exec_output_free_partitions(struct exec_events *events);

/* Returns true if the output holds partitions for others (data/sorted_file.h), which verify their
 * inputs. */
bool exec_output_is_run(struct exec *x, struct attempt_ref at);

/* Returns true if no phase reads the output: it is a result of the job. */
bool exec_output_is_result(struct exec *x, struct attempt_ref at);

/* Returns whether and how the output is kept where its attempt runs (enum packet_keep). */
uint8_t exec_output_keep(struct exec *x, struct attempt_ref at);

/* Makes the runner delete the output, if it keeps it. Call while the row's state allows it. */
void exec_output_forget(struct exec *x, const struct attempt_row *e);

/* Returns true if the output is lost with its node when that fails. */
bool exec_output_goes_with_node(struct exec *x, const struct attempt_row *e);

/* Returns true if the output is kept by its runner, and is lost with it. */
bool exec_output_is_away(struct exec *x, const struct attempt_row *e);

/* Removes all files of an attempt that has ended. */
void exec_output_drop(struct exec *x, struct attempt_row *e);
