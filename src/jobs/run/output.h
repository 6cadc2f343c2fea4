/* output.h - the folder of a job's results, as Hadoop leaves it: part-00000, ... and _SUCCESS.
 *
 * While the job runs, the folder holds _temporary alone, and in it the run. Results appear all at
 * once, by rename, when the job is done. */
#ifndef JOBS_RUN_OUTPUT_H
#define JOBS_RUN_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* Makes OUTPUT, the folders above it, and OUTPUT/_temporary. -1: OUTPUT exists, or cannot be made.
 */
int output_begin(const char *output, struct err *err);

/* Moves the committed outputs of the phase, OUTPUT/_temporary/run/out/0/PHASE/N, to their places,
 * makes _SUCCESS, and removes the rest. What an earlier call has moved is left where it is.
 * `lazy`: those that are empty get no place. -1 if one is not there, or has another size than
 * bytes[N], which is that of when it was committed. */
int output_finish(const char *output, const char *phase, uint32_t tasks, const int64_t *bytes,
                  bool lazy, struct err *err);

/* Whether OUTPUT/_temporary is there. */
bool output_has_begun(const char *output);
/* Whether _SUCCESS is there: all that may be left to do is to remove the rest. */
bool output_is_done(const char *output);
/* Removes OUTPUT/_temporary, or what is left of it. */
int output_clear(const char *output, struct err *err);

/* Nothing has been run: removes what output_begin made. */
void output_abandon(const char *output);

/* The journal of the run is to be copied there at its end, whoever goes on with it: a link in
 * _temporary says so. */
int output_promise_journal(const char *output, const char *path, struct err *err);
/* Copies it, if it was. A copy that is there is one of ours: it is replaced. */
int output_journal(const char *output, struct err *err);

#endif
