/* progress_line.h - shows the progress of a run in the last line of the terminal: a bar (bar.h),
 * redrawn now and then, and cleared before other output. Where stderr is not a terminal, it prints
 * plain lines, less often. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { PROGRESS_LINE_US = 200000 }; /* between two bars */

struct progress_line {
    int64_t drawn_us;     /* when it was printed last */
    bool terminal, drawn; /* stderr is a terminal; a bar is in its last line */
};

void progress_line_init(struct progress_line *p);

/* Returns true if it is time to print again. */
bool progress_line_is_due(const struct progress_line *p, int64_t now_us);

/* Prints the part (0 to 1) that is done, the text, and the time that is left (`eta`; NULL: not
 * known). With `last`, leaves it there and starts a new line. */
void progress_line_put(struct progress_line *p, int64_t now_us, double done, const char *text,
                       const char *eta, bool last);

/* Removes the bar, if there is one. Call before something else is printed. */
void progress_line_clear(struct progress_line *p);

/* Prints one line on stderr. */
void progress_line_say(struct progress_line *p, const char *text);
