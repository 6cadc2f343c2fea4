/* bar.h - a progress bar on stderr, when stderr is a terminal; and the ear for ^C. */
#ifndef UI_BAR_H
#define UI_BAR_H

#include <stdbool.h>
#include <stdint.h>

#include "core/engine/engine.h"

/* Plain data; the caller fills the upper part before each run. */
struct bar {
    const char *label;       /* what runs, e.g. a policy */
    uint32_t run, run_count; /* this is run 0.. of run_count */
    uint64_t jobs_total;     /* of this run; 0: unknown */
    uint64_t (*jobs_over)(const void *ctx);
    uint64_t (*events)(const void *ctx);
    const void *ctx;

    bool on; /* set by bar_init */
    uint64_t turns;
    int64_t begun_us, drawn_us;
};

/* On when stderr is a terminal. */
void bar_init(struct bar *b);

/* A new run begins now. */
void bar_restart(struct bar *b);

/* The tap: draws a few times a second, and stops the run when an interrupt came. Borrows the bar.
 */
struct tap bar_tap(struct bar *b);

/* Wipes the line, so that whatever is printed next begins on an empty one. */
void bar_clear(struct bar *b);

/* Draws a bar of which a part (0 to 1) is done, with a text behind it, over the line that the
 * cursor is on; what does not fit into the terminal is left out. */
void bar_put(double done, const char *text);

/* Microseconds of the monotonic clock. */
int64_t bar_clock_us(void);

#endif
