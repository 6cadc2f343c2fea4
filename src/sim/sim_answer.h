/* sim_answer.h - private to src/sim: how the body answers a decision. */
#pragma once

#include "sim/sim_state.h"

/* Writes that the decision cannot be carried out. */
void sim_answer_refuse(struct sim *s, const struct decision *d, uint8_t cause);

/* Queues the entry of an attempt after a lag drawn from 0..max_us. Each lag has its own place in
 * the attempt's stream. Returns false, and queues nothing, if max_us is 0: the caller answers at
 * once. */
enum lag { LAG_LAUNCH, LAG_KILL, LAG_COMMIT };
bool sim_answer_later(struct sim *s, uint32_t i, enum lag which, int64_t max_us,
                      enum entry_kind kind);
