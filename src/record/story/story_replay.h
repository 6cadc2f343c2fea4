/* story_replay.h - replays a phase on its slots with other durations of its tasks. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "record/story/story_facts.h"
#include "record/story/story_job.h"

enum story_what_if {
    IF_AS_IT_WAS,
    IF_HEALTHY,     /* each task that straggled takes as long as the median one */
    IF_ALONE,       /* no clones, no backups; stopped attempts continue at their pace */
    IF_ALONE_LOW,   /* the same at the fastest and at the slowest pace that its reports allow */
    IF_ALONE_HIGH,  /*                                                                         */
    IF_ALONE_LEAST, /* no clones, no backups; none takes longer than observed */
    IF_END,
};

/* Computes when the phase, which is complete and whose medians and opened_us are known, would have
 * ended. `alone`: the run had no other job. */
void story_replay(const struct story_job *j, uint16_t phase, const struct story_phase_facts *f,
                  bool alone, int64_t end_us[IF_END]);
