/* alarm.h - the brain's timers, in order of time and then id. */
#ifndef EXEC_ALARM_H
#define EXEC_ALARM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct alarm {
    int64_t at_us;
    uint32_t id;
};

/* Zero-initialise; free with vec_free(&a->at). Timers are few, so a sorted array is enough. */
struct alarms {
    VEC(struct alarm) at; /* the next one is the last */
};

/* Sets a timer; one of the same id is replaced. */
void alarms_set(struct alarms *a, uint32_t id, int64_t at_us);

/* No matter if there is none. */
void alarms_cancel(struct alarms *a, uint32_t id);

/* When the next one is due; INT64_MAX: none. */
int64_t alarms_next(const struct alarms *a);

/* Takes the next one if it is due by now; false if none is. */
bool alarms_take(struct alarms *a, int64_t now_us, uint32_t *id);

#endif
