/* admission_refusals.h - which refusals of strangers are written to the log.
 *
 * Anybody who reaches the port can have as many connections refused as they like. The first few of
 * each minute get a line each, of the others there is one line that counts them. */
#ifndef REMOTE_COORDINATOR_ADMISSION_REFUSALS_H
#define REMOTE_COORDINATOR_ADMISSION_REFUSALS_H

#include <stdbool.h>
#include <stdint.h>

enum { ADMISSION_REFUSALS_TOLD = 5, ADMISSION_REFUSALS_US = 60000000 };

/* Zero-initialise. */
struct admission_refusals {
    int64_t since_us; /* when the minute began; 0: none goes on */
    uint32_t told, more;
    uint64_t all;
};

/* One more. Whether it gets a line. */
bool admission_refusals_add(struct admission_refusals *r, int64_t now_us);

/* When the minute is over: how many had no line, else 0. Sets *next_us, if that comes earlier, to
 * when it will be. */
uint32_t admission_refusals_turn(struct admission_refusals *r, int64_t now_us, int64_t *next_us);

#endif
