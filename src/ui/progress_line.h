/* progress_line.h - how far a run is, in the last line of the terminal: a bar (bar.h), redrawn now
 * and then, out of the way of whatever else is printed there. Where stderr is no terminal, plain
 * lines, less often. */
#ifndef UI_PROGRESS_LINE_H
#define UI_PROGRESS_LINE_H

#include <stdbool.h>
#include <stdint.h>

enum { PROGRESS_LINE_US = 200000 }; /* between two bars */

struct progress_line {
    int64_t drawn_us;     /* when it was printed last */
    bool terminal, drawn; /* stderr is a terminal; a bar stands in its last line */
};

void progress_line_init(struct progress_line *p);

/* Whether it is time to print again. */
bool progress_line_is_due(const struct progress_line *p, int64_t now_us);

/* Prints that a part (0 to 1) is done, and the text; if that is the last time, it stays. */
void progress_line_put(struct progress_line *p, int64_t now_us, double done, const char *text,
                       bool last);

/* Removes the bar that stands there. */
void progress_line_erase(struct progress_line *p);

/* Removes the bar, if there is one: something else is about to be printed. */
static inline void progress_line_clear(struct progress_line *p)
{
    if (p->drawn)
        progress_line_erase(p);
}

/* Prints one line on stderr. */
void progress_line_say(struct progress_line *p, const char *text);

#endif
