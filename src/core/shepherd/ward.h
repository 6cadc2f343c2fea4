/* ward.h - a task in a look: what a fresh attempt of it would take, and when it will end. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/brain/world.h"
#include "core/estimate/slowness.h"
#include "core/shepherd/flock.h"
#include "core/shepherd/watch.h"

struct ward {
    uint32_t task;
    uint32_t copies;  /* its attempts ... */
    uint32_t sound;   /* ... and those that are on time */
    double healthy_s; /* its h ... */
    double fresh_s;   /* ... and with its fetches */
    double left_s;    /* its e */
    double age_s;     /* of its best attempt */
    double value;     /* the caller's: of a rescue, with its share of what the phase gains */
    bool late;
};

/* Looks at the task w->task of the phase, whose rate is known, and fills in the rest, but for the
 * value: nothing is meant if it has no copies. */
void ward_look(struct ward *w, const struct fold *fold, const struct phase *p,
               const struct world *world, const struct watch *watch, struct slowness *curve);
