/* history.h - the durations of a command's tasks in earlier runs.
 *
 * One small text file holds all commands of a user. A line has the hash of a command, the time of
 * its last use, the number of attempts seen and of those that straggled, and the latest durations
 * of tasks. The file is not precious: a line that does not match its checksum is skipped, and if it
 * cannot be written, the user has no history. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/model/job.h"

enum {
    HISTORY_COMMANDS_MAX = 256, /* the least recently used ones are removed */
    HISTORY_SEEN_MAX = 1000,    /* beyond this, older attempts count half */
};

struct history_entry {
    uint64_t hash;  /* hash_text of the command */
    int64_t used_s; /* since 1970 */
    uint32_t seen, straggled;
    uint32_t count;
    int64_t times_us[JOB_PAST_MAX]; /* newest first */
};

/* Returns $XDG_STATE_HOME/dolly/history, or the same below ~/.local/state; NULL without a home.
 * Free with mem_free. */
char *history_path(void);

/* Fills in the entry that a run adds: `times` are those of tasks in seconds, `stopped` those of
 * attempts that were killed; `p` is the share of stragglers known before (history_p). */
void history_summarise(struct history_entry *e, const float *times, uint32_t count,
                       const float *stopped, uint32_t stopped_count, double p);

/* Returns the estimated share of attempts that straggle: a guess that weighs as much as a hundred
 * attempts, combined with the attempts seen. */
double history_p(const struct history_entry *past);

/* Looks a command up. Returns false if there is no entry. *damaged: number of skipped lines, or 1
 * if the whole file is damaged. */
bool history_find(const char *path, uint64_t hash, struct history_entry *e, uint32_t *damaged);

/* Adds a run to the entry of its command. Concurrent runs wait for each other, but not for long:
 * returns false if the file could not be written. Removes damaged lines. */
bool history_add(const char *path, const struct history_entry *run);
