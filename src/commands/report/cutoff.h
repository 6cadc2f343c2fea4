/* cutoff.h - of too many things the longer ones stay.
 *
 * A thing is kept if it reaches the cutoff, which is raised whenever there are too many. Of equally
 * long ones lots decide, drawn from who they are: a run whose attempts all take the same time
 * loses half of them, all over, and not all of them. */
#ifndef COMMANDS_REPORT_CUTOFF_H
#define COMMANDS_REPORT_CUTOFF_H

#include <stdbool.h>
#include <stdint.h>

/* The height of a thing, and that of the cutoff. Everything reaches a cutoff of zeros. */
struct cutoff {
    int64_t length_us;
    uint64_t lot;
};

/* The height of a thing of this length; the two numbers are its own. */
struct cutoff cutoff_height(int64_t length_us, uint64_t a, uint64_t b);

bool cutoff_reached(const struct cutoff *cutoff, struct cutoff height);

/* Raises the cutoff so that half of these heights, of which there is one at least, reach it no
 * more; reorders them. The cutoff is never lowered. */
void cutoff_raise(struct cutoff *cutoff, struct cutoff *heights, uint32_t count);

#endif
