/* bar.h - of too many things the longer ones stay.
 *
 * A thing is kept if it reaches the bar, which is raised whenever there are too many. Of equally
 * long ones lots decide, drawn from who they are: a run whose attempts all take the same time
 * loses half of them, all over, and not all of them. */
#ifndef REPORT_BAR_H
#define REPORT_BAR_H

#include <stdbool.h>
#include <stdint.h>

/* The height of a thing, and that of the bar. Everything reaches a bar of zeros. */
struct bar {
    int64_t length_us;
    uint64_t lot;
};

/* The height of a thing of this length; the two numbers are its own. */
struct bar bar_height(int64_t length_us, uint64_t a, uint64_t b);

bool bar_reached(const struct bar *bar, struct bar height);

/* Raises the bar so that half of these heights, of which there is one at least, reach it no more;
 * reorders them. The bar is never lowered. */
void bar_raise(struct bar *bar, struct bar *heights, uint32_t count);

#endif
