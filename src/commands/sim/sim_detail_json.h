/* sim_detail_json.h - the rows of `dolly sim --detail`. */
#pragma once

#include <jansson.h>

#include "record/stats/detail.h"

/* Adds the members bin_held_max_frac, span_s, wins, decisions, each_job, each_phase and each_omega
 * (docs/reference/json.md) to `policy`. */
void sim_detail_json(const struct detail *d, json_t *policy);
