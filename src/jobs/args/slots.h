/* slots.h - computes how many tasks run at once, from the value of -j. */
#pragma once

#include <stdint.h>

#include "base/err.h"

/* Parses N, 0 (as many as possible), N% of the cores, +N or -N (cores plus or minus). Sets *slots
 * to at least 1, except for 0, which gives 0. Returns 0, or -1 with *err. */
int slots_parse(const char *text, uint32_t cores, uint32_t *slots, struct err *err);
