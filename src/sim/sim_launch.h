/* sim_launch.h - private to src/sim: attempts from the launch to their start. */
#pragma once

#include "sim/sim_state.h"

/* Launches an attempt (DO_LAUNCH), which starts at once or after a lag. */
void sim_launch(struct sim *s, const struct decision *d);

/* Starts a launched attempt, or lets its launch fail. Does nothing if it has been withdrawn. */
void sim_launch_start(struct sim *s, uint32_t i);
