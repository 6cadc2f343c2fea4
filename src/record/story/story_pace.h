/* story_pace.h - converts the attempts of a job for record/stats/pace.h. */
#pragma once

#include "record/stats/pace.h"
#include "record/story/story_facts.h"
#include "record/story/story_job.h"

/* Returns how long the attempt worked: from its start, once its inputs were there, to its end; 0 if
 * it never ran. */
int64_t story_pace_work_us(const struct story_attempt *a);

/* Returns the bytes of its input, from outside and from the phases above. */
double story_pace_bytes(const struct story_job *j, const struct story_attempt *a);

/* Fills in f->pace from all attempts of the phase, whose medians are known. */
void story_pace_init(struct story_phase_facts *f, const struct story_job *j,
                     const struct story_phase *p);

/* Returns the observations of an attempt. */
struct pace_seen story_pace_seen(const struct story_job *j, const struct story_phase_facts *f,
                                 const struct story_attempt *a);
