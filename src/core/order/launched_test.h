/* launched_test.h - checks of orders in scripts: which jobs' attempts were launched. */
#pragma once

#include <stdbool.h>

#include "core/brain/script_test.h"

/* Returns true if the last decide launched attempts of these jobs, in this order: "0 1 1". Starts
 * them. */
bool launched_are(struct script *s, const char *jobs);

/* Ends the first attempt of a task at this time, with a commit. Returns true if that launched
 * attempts of these jobs, as launched_are does. */
bool launched_when_done(struct script *s, int64_t now_us, uint32_t job, uint16_t phase,
                        uint32_t task, const char *jobs);

/* Brings a node up with this number of slots and MiB. */
void launched_node_up(struct script *s, uint32_t node, int32_t slots, int32_t mib);
