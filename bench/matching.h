/* matching.h - how much of its time the brain matches tasks and servers.
 *
 * The linker puts a counter around what the brain calls of src/core/match (--wrap, with the names that
 * matching.c lists), so that it is known at any moment whether one of those calls is going on, and
 * a timer looks five thousand times a second. (A clock around each call would cost more than most
 * of the calls.) What headers of src/core/match have inline is not counted. */
#pragma once

#include <stdbool.h>

/* Begins to look, or looks away. */
void matching_watch(bool on);

/* In how much of what it has seen the brain was matching, and forgets that. */
double matching_share(void);
