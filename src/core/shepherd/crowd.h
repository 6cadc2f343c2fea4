/* crowd.h - how many copies may read over a network that others may need.
 *
 * A copy takes idle slots, cores and disks, but a network cannot be seen to be idle. Of copies that
 * are worth little, or would be worth much and are not by the races so far, few are made, so that
 * luck is noticed: ever fewer while none wins. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { CROWD_EVERY = 20 }; /* attempts for one copy more */
enum { CROWD_MIN = 5 };    /* copies before any attempt has ended */

/* Zeroed at the start. */
struct crowd {
    double ended; /* attempts of all kinds ... */
    double tried; /* ... and copies that might crowd others' reads */
};

/* Returns true if one more such copy may be made, to see whether it wins. Races that are open are
 * one, and one more in twenty attempts that run; all copies CROWD_MIN, and one in twenty attempts
 * that have ended while every second race is won, fewer the fewer are. */
bool crowd_may_try(const struct crowd *c, double won, uint32_t open, uint32_t running);
