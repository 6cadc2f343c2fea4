/* stop.h - ends attempts, discards outputs, closes nodes for a while. */
#pragma once

#include <stdint.h>

#include "core/brain/world.h"
#include "core/model/reason.h"

struct brain;

/* Asks a live attempt to end: withdraws it before it has started, else kills it. A second call for
 * the same attempt does nothing. */
void stop_attempt(struct brain *b, struct attempt *a, const struct reason *why);

/* Discards the output of a finished attempt and forgets the attempt. */
void stop_output(struct brain *b, struct attempt *a, const struct reason *why);

/* Lets no new attempt start on the node until then. Does nothing if the node is avoided for at
 * least as long already: of two reasons, the longer one holds. */
void stop_node(struct brain *b, struct node_id node, int64_t until_us, const struct reason *why);
