/* admission_refusals.h - decides which refusals of unknown peers are written to the log.
 *
 * Any host that reaches the port can cause any number of refusals. The first few of each minute get
 * a line each; one line counts the others. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { ADMISSION_REFUSALS_TOLD = 5, ADMISSION_REFUSALS_US = 60000000 };

/* Zero-initialise. */
struct admission_refusals {
    int64_t since_us; /* when the minute began; 0: none has begun */
    uint32_t told, more;
    uint64_t all;
};

/* Counts a refusal. Returns true if it gets a line. */
bool admission_refusals_add(struct admission_refusals *r, int64_t now_us);

/* Returns, once the minute is over, the number of refusals without a line, else 0. Lowers *next_us
 * to the end of the minute if there are such refusals. */
uint32_t admission_refusals_turn(struct admission_refusals *r, int64_t now_us, int64_t *next_us);
