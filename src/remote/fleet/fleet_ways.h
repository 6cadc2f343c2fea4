/* fleet_ways.h - the table of all ways of starting agents. */
#pragma once

#include "remote/fleet/fleet.h"

/* Returns the way of "WAY:SPEC", and sets *spec to the part after the colon. Returns NULL with *err
 * on failure. */
const struct fleet_way *fleet_ways_find(const char *on, const char **spec, struct err *err);
