/* sim_flow.h - private to src/sim: flows of the network that arrive. */
#pragma once

#include "sim/sim_state.h"

/* Returns the earliest time at which a flow may have arrived; INT64_MAX: never. */
int64_t sim_flow_next_us(struct sim *s);

/* Ends the flows that have arrived by now. Returns false if none has. */
bool sim_flow_due(struct sim *s);
