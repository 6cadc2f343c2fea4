/* bar.h - a progress bar on stderr, when stderr is a terminal. Its tap also stops a run on ^C. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "core/engine/engine.h"

/* How far a run is, for another process. */
enum { BAR_JOBS, BAR_EVENTS, BAR_PROGRESS };

/* Plain data; the caller fills the upper part before each run. */
struct bar {
    const char *label;       /* what runs, e.g. a policy */
    uint32_t run, run_count; /* index of this run, from 0, and number of runs */
    uint64_t jobs_total;     /* of this run; 0: unknown */
    uint64_t (*jobs_over)(const void *ctx);
    uint64_t (*events)(const void *ctx);
    const void *ctx;
    _Atomic uint64_t *progress; /* [BAR_PROGRESS]: set instead of drawing; or NULL */

    bool is_shown; /* set by bar_init */
    uint64_t turns;
    int64_t begun_us, drawn_us;
};

/* Sets `is_shown` if stderr is a terminal. */
void bar_init(struct bar *b);

/* Starts the clock and the count of a new run. */
void bar_restart(struct bar *b);

/* Returns a tap that draws a few times a second, and stops the run after an interrupt. Borrows the
 * bar. */
struct tap bar_tap(struct bar *b);

/* Clears the line, so that the next output begins on an empty one. */
void bar_clear(struct bar *b);

/* Clears the line of bar_put. */
void bar_wipe(void);

/* Appends a line of fewer than `columns` columns (1 at least): a bar of which a part (0 to 1) is
 * done, a text, and the time that is left (`eta`, which may be NULL). The bar has a third of the
 * line; where space is scarce it shrinks first, then pieces of the text are left out, the last
 * first (commas and semicolons divide them), and the eta at the very end. */
void bar_line(struct str *out, size_t columns, double done, const char *text, const char *eta);

/* Draws such a line, as wide as the terminal, over the current one. */
void bar_put(double done, const char *text, const char *eta);
