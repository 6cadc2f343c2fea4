/* judged.h - tasks on which Mantri would have acted while others wait. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "core/brain/world.h"

/* How often a task was restarted, and what the trial (trial.h) has to know of it. */
struct judged {
    uint32_t job, task;
    uint16_t phase, restarts;
    bool treated, copied;
    int64_t since_us;
    double fresh_s; /* what a new copy was to take; 0: the trial has been given its end */
};

/* Zeroed at the start; free with judged_fini. */
struct judged_tasks {
    VEC(struct judged) of; /* live jobs, in order */
};

void judged_fini(struct judged_tasks *j);

/* Returns the entry of the attempt's task, or NULL. Valid until the next judged_add. */
struct judged *judged_find(const struct judged_tasks *j, const struct attempt *a);

/* Adds the attempt's task, which has no entry yet. Returns the entry, zeroed but for its name. */
struct judged *judged_add(struct judged_tasks *j, const struct attempt *a);

/* Forgets the tasks of a job. */
void judged_forget(struct judged_tasks *j, struct job_id job);
