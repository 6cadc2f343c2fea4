/* slowdown.h - makes attempts slow by stopping and continuing them, for chaos. */
#pragma once

#include <stdint.h>

#include "exec/process/process.h"

/* Stops and continues the attempts that are to be slow. Returns when to call it again; INT64_MAX:
 * none is slow. */
int64_t slowdown_all(struct process_table *table, int64_t now_us);
