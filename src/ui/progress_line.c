/* progress_line.c - how far a run is. See progress_line.h. */
#include "ui/progress_line.h"

#include <stdio.h>
#include <unistd.h>

#include "ui/bar.h"

enum { LINE_US = 5000000 }; /* between two plain lines */

void progress_line_init(struct progress_line *p)
{
    *p = (struct progress_line){.terminal = isatty(STDERR_FILENO)};
}

bool progress_line_is_due(const struct progress_line *p, int64_t now_us)
{
    return now_us - p->drawn_us >= (p->terminal ? PROGRESS_LINE_US : LINE_US);
}

void progress_line_put(struct progress_line *p, int64_t now_us, double done, const char *text,
                       const char *eta, bool last)
{
    p->drawn_us = now_us;
    if (!p->terminal) {
        fprintf(stderr, "dolly: %s%s%s\n", text, eta ? ", " : "", eta ? eta : "");
        return;
    }
    bar_put(done, text, eta);
    fputs(last ? "\n" : "", stderr);
    p->drawn = !last;
}

void progress_line_clear(struct progress_line *p)
{
    if (p->drawn)
        bar_wipe();
    p->drawn = false;
}

void progress_line_say(struct progress_line *p, const char *text)
{
    progress_line_clear(p);
    fprintf(stderr, "dolly: %s\n", text);
}
