/* history.h - how long the tasks of a command took in earlier runs.
 *
 * One small text file for all commands of a user. A line is a command (its hash), when it was used
 * last, how many attempts were seen and how many of them straggled, and the latest times of tasks.
 * Nothing in it is precious: a line that does not fit its checksum is left out, and a user who
 * cannot write it goes without. */
#ifndef JOBS_ARGS_HISTORY_H
#define JOBS_ARGS_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "core/model/job.h"

enum {
    HISTORY_COMMANDS_MAX = 256, /* those that were not used for longest go */
    HISTORY_SEEN_MAX = 1000,    /* beyond, older attempts count half */
};

struct history_entry {
    uint64_t hash;  /* hash_text of the command */
    int64_t used_s; /* since 1970 */
    uint32_t seen, straggled;
    uint32_t count;
    int64_t times_us[JOB_PAST_MAX]; /* newest first */
};

/* $XDG_STATE_HOME/dolly/history, or below ~/.local/state; NULL where there is no home. Free with
 * mem_free. */
char *history_path(void);

/* What a run adds: `times` of tasks in seconds, `stopped` of attempts that were killed; `p` is the
 * share of stragglers that was known before (history_p). */
void history_summarise(struct history_entry *e, const float *times, uint32_t count,
                       const float *stopped, uint32_t stopped_count, double p);

/* The share of attempts that straggle, as far as is known: a guess that counts as much as a hundred
 * attempts, and those that were seen. */
double history_p(const struct history_entry *past);

/* Looks a command up. False when there is nothing. *damaged: lines that were left out, or the whole
 * file (then 1). */
bool history_find(const char *path, uint64_t hash, struct history_entry *e, uint32_t *damaged);

/* Adds a run to what is known of its command. Concurrent runs wait for each other, but not for
 * long: false when the file could not be written. Damaged lines are gone afterwards. */
bool history_add(const char *path, const struct history_entry *run);

#endif
