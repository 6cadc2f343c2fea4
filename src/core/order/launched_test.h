/* launched_test.h - what tests of orders ask of a script: whose attempts were launched. */
#ifndef CORE_ORDER_LAUNCHED_TEST_H
#define CORE_ORDER_LAUNCHED_TEST_H

#include <stdbool.h>

#include "core/brain/script_test.h"

/* Whether the last decide launched attempts of these jobs, in this order: "0 1 1". They start. */
bool launched_are(struct script *s, const char *jobs);

/* The first attempt of a task ends at this time and is committed: whether that launched attempts of
 * these jobs. They start. */
bool launched_when_done(struct script *s, int64_t now_us, uint32_t job, uint16_t phase,
                        uint32_t task, const char *jobs);

/* The node of this number is up with so many slots and MiB. */
void launched_node_up(struct script *s, uint32_t node, int32_t slots, int32_t mib);

#endif
