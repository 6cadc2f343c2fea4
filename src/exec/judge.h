/* judge.h - checks whether a runner may report this about an attempt.
 *
 * A runner may be another process or machine, and its reports become events for the brain. So each
 * packet is checked first: it must be a possible next step of the attempt's life, with possible
 * numbers. */
#pragma once

#include "exec/attempt_table.h"
#include "exec/process/packet.h"

/* Returns NULL, or the error in the packet. `row` is the attempt of its handle, NULL if the runner
 * has none of that handle. */
const char *judge_packet(const struct packet *p, const struct attempt_row *row);
