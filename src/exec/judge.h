/* judge.h - whether a runner may report this about an attempt.
 *
 * A runner may be another process or machine, and what it reports becomes events for the brain. So
 * each packet is judged before it counts: it must be a step of the attempt's life that can come
 * next, with numbers that can be. */
#ifndef EXEC_JUDGE_H
#define EXEC_JUDGE_H

#include "exec/attempt_table.h"
#include "exec/process/packet.h"

/* NULL, or what is wrong. `row` is the attempt of the packet's handle, NULL if the runner has none
 * of that handle. */
const char *judge_packet(const struct packet *p, const struct attempt_row *row);

#endif
