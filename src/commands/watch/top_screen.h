/* top_screen.h - a snapshot as lines of text for a terminal. */
#pragma once

#include <stddef.h>

#include "base/text.h"
#include "commands/watch/snapshot.h"

struct top_size {
    size_t columns, rows;
};

/* Appends at most size.rows lines of at most size.columns columns each, every one with a newline:
 * the state of the run, failures, a bar for each phase, the attempts that run (slow ones and old
 * ones first), the nodes. Sections that do not fit end with how much is left out. */
void top_screen(const struct snapshot *s, const struct followed_run *f, struct top_size size,
                struct str *out);

/* Appends the state of the run in one line, without a newline: "12 of 40 tasks done, ...". */
void top_screen_line(const struct snapshot *s, struct str *out);
