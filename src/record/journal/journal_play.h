/* journal_play.h - feeds a recorded run to the taps that a live run has.
 *
 * Statistics, explanations, verification and resuming are folds of the same turns, whether these
 * happen now or are read from a file. A turn is passed on when all of it has been read; one that is
 * cut off by the end of the file is not passed on at all. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "core/engine/engine.h"
#include "record/journal/journal_reader.h"

struct journal_play {
    const struct tap *taps;
    uint32_t tap_count;
    /* The rest may be zero. `run` is shown the first record and may fail as taps do; `intent` is
     * shown every announced commit. */
    void *ctx;
    int (*run)(void *ctx, const struct record *record, struct err *err);
    void (*intent)(void *ctx, const struct record *record);
    const struct journal_follow *follow; /* the run may still go on, see journal_reader_open */
};

/* Result of a play. */
struct journal_played {
    uint64_t turns; /* number of turns passed on */
    int64_t last_us;
    uint64_t torn_bytes;
    bool begun, complete; /* there was a RUN record, an END record */
};

/* Plays the journal to its end. Returns 0 with *played (NULL is fine); -1 with *err if it cannot be
 * read or a tap fails. An error of kind ERR_INPUT names the file, and the record if a tap objected.
 */
int journal_play(const char *path, const struct journal_play *play, struct journal_played *played,
                 struct err *err);

/* Plays the journal from the reader's position. After it, journal_continue can append to the
 * journal. Ignores play->follow: the reader was opened with its own. */
int journal_play_on(struct journal_reader *r, const struct journal_play *play,
                    struct journal_played *played, struct err *err);
