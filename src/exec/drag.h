/* drag.h - makes attempts slow by stopping and continuing them, for chaos. */
#ifndef EXEC_DRAG_H
#define EXEC_DRAG_H

#include <stdint.h>

#include "exec/ward.h"

/* Stops and continues the wards that are to be slow. Returns when to be called again; INT64_MAX:
 * nobody is. */
int64_t drag_all(struct wards *w, int64_t now_us);

#endif
