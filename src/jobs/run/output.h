/* output.h - the folder of a job's results, as in Hadoop: part-00000, ... and _SUCCESS.
 *
 * While the job runs, the folder holds only _temporary, and in it the run. Results appear all at
 * once, by rename, when the job is done. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* Makes OUTPUT, the folders above it, and OUTPUT/_temporary. Returns 0, or -1 with *err if OUTPUT
 * exists, or cannot be made. */
int output_begin(const char *output, struct err *err);

/* Has all of OUTPUT/_temporary on the disk, before anything is run. Returns 0, or -1 with *err. */
int output_sync(const char *output, struct err *err);

/* Moves the committed outputs of the phase, OUTPUT/_temporary/run/out/0/PHASE/N, to their places,
 * makes _SUCCESS, and removes the rest. Keeps the outputs that an earlier call has moved. `lazy`:
 * skips empty ones. Returns 0, or -1 with *err if one does not exist, or its size is not bytes[N],
 * the size when it was committed. */
int output_finish(const char *output, const char *phase, uint32_t tasks, const int64_t *bytes,
                  bool lazy, struct err *err);

/* Returns true if OUTPUT/_temporary exists. */
bool output_has_begun(const char *output);
/* Returns true if _SUCCESS exists: at most the rest has to be removed. */
bool output_is_done(const char *output);
/* Removes OUTPUT/_temporary, or the rest of it. Returns 0, or -1 with *err. */
int output_clear(const char *output, struct err *err);

/* Removes the folders that output_begin made. Call if nothing has been run. */
void output_abandon(const char *output);

/* Records, by a link in _temporary, that the journal of the run is to be copied to `path` at its
 * end, also if it is resumed. Returns 0, or -1 with *err. */
int output_promise_journal(const char *output, const char *path, struct err *err);
/* Copies the journal there if output_promise_journal was called. Replaces an earlier copy. Returns
 * 0, or -1 with *err. */
int output_journal(const char *output, struct err *err);
