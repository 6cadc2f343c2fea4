/* cutoff.h - keeps the longer items of too many.
 *
 * An item is kept if it reaches the cutoff, which is raised whenever there are too many. Among
 * equally long ones lots decide, drawn from their identity: a run whose attempts all take the same
 * time loses half of them, evenly, and not all of them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The height of an item, and that of the cutoff. Everything reaches a cutoff of zeros. */
struct cutoff {
    int64_t length_us;
    uint64_t lot;
};

/* Returns the height of an item of this length; the two numbers identify it. */
struct cutoff cutoff_height(int64_t length_us, uint64_t a, uint64_t b);

bool cutoff_reached(const struct cutoff *cutoff, struct cutoff height);

/* Raises the cutoff so that half of these heights, at least one, no longer reach it; reorders them.
 * The cutoff is never lowered. */
void cutoff_raise(struct cutoff *cutoff, struct cutoff *heights, uint32_t count);
