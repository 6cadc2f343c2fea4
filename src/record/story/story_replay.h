/* story_replay.h - a phase once more, on the slots that it had, with other times for its tasks. */
#ifndef RECORD_STORY_STORY_REPLAY_H
#define RECORD_STORY_STORY_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "record/story/story_facts.h"
#include "record/story/story_job.h"

enum story_what_if {
    IF_AS_IT_WAS,
    IF_HEALTHY,     /* each task that straggled takes what the median one takes */
    IF_ALONE,       /* no clones, no backups; what was stopped goes on at its pace */
    IF_ALONE_LOW,   /* the same at the fastest and at the slowest pace that its reports allow */
    IF_ALONE_HIGH,  /*                                                                         */
    IF_ALONE_LEAST, /* no clones, no backups; none takes longer than it was seen to */
    IF_END,
};

/* When the phase, which is complete and whose medians and opened_us are known, would have ended.
 * `alone`: the run had no other job. */
void story_replay(const struct story_job *j, uint16_t phase, const struct story_phase_facts *f,
                  bool alone, int64_t end_us[IF_END]);

#endif
