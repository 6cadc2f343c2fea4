/* progress.h - parses the progress that an attempt reports: lines on $DOLLY_PROGRESS_FD.
 *
 * A line is "DONE TOTAL" in any unit of the task (two whole numbers), or one number from 0 to 1.
 * Other lines are ignored. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PROGRESS_LINE_MAX = 64, PROGRESS_SCALE = 1000000 };

/* Zero-initialise. */
struct progress_reader {
    int64_t done, total;          /* total 0: no report yet */
    char line[PROGRESS_LINE_MAX]; /* a line that has not ended yet */
    uint8_t length;
    bool too_long; /* ... and is longer than any valid one */
};

/* Takes bytes that were read. Returns true if done or total changed. */
bool progress_feed(struct progress_reader *p, const char *text, size_t length);
