/* top_screen.h - a snapshot as lines of text for a terminal. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "commands/watch/snapshot.h"

struct top_size {
    size_t columns, rows;
};

/* Zero-initialise; free with top_screen_choice_fini. */
struct top_choice {
    bool any;
    struct attempt_ref at;         /* the chosen one, if any */
    VEC(struct attempt_ref) shown; /* by the last picture, from top to bottom */
};

void top_screen_choice_fini(struct top_choice *c);

/* Chooses the next of those that are shown, or the one before; the first one if the chosen one is
 * not there. */
void top_screen_choose(struct top_choice *c, bool up);

/* Appends at most size.rows lines of at most size.columns columns each, every one with a newline:
 * the state of the run, failures, a bar for each phase, the attempts that run (slow ones and old
 * ones first), the nodes. Sections that do not fit end with how much is left out. The chosen
 * attempt is marked. */
void top_screen(const struct snapshot *s, const struct followed_run *f, struct top_size size,
                struct top_choice *choice, struct str *out);

/* Appends the head of that picture and below it the story of a task, without the first `skip` lines
 * of it. Returns how many lines of the story have no room. */
size_t top_screen_story(const struct snapshot *s, const struct followed_run *f,
                        struct top_size size, struct attempt_ref at, size_t skip, struct str *out);

/* Appends the state of the run in one line, without a newline: "12 of 40 tasks done, ...". */
void top_screen_line(const struct snapshot *s, struct str *out);
