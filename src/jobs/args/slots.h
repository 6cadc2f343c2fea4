/* slots.h - how many tasks run at once, from what stands behind -j. */
#ifndef JOBS_ARGS_SLOTS_H
#define JOBS_ARGS_SLOTS_H

#include <stdint.h>

#include "base/err.h"

/* N, 0 (as many as possible), N% of the cores, +N or -N (cores plus or minus). At least 1 except
 * for 0, which stays 0. 0, or -1 with *err. */
int slots_parse(const char *text, uint32_t cores, uint32_t *slots, struct err *err);

#endif
