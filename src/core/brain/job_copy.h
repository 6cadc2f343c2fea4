/* job_copy.h - jobs that are cloned as a whole: one struct job for each copy. */
#pragma once

#include "core/brain/world.h"
#include "core/model/reason.h"

struct brain;

/* Returns the copy of this number; the lead for 0; NULL if there is no such copy any more. */
static inline struct job *job_copy_find(const struct world *w, struct job_id id, uint16_t copy)
{
    struct job *j = world_job(w, id);
    if (!j || copy == 0 || j->copy == copy)
        return j;
    for (j = j->copies; j && j->copy != copy;)
        j = j->next;
    return j;
}

/* Makes the job, none of which has been launched, run `copies` times (>= 2). */
void job_copy_begin(struct brain *b, struct job *lead, uint16_t copies);

/* Keeps the output of an attempt of the task that finished in a copy, for that copy's own readers.
 */
void job_copy_hold(struct brain *b, struct phase *p, uint32_t task);

/* Makes the copy, which has done everything, the lead: the others end, and it commits. */
void job_copy_won(struct brain *b, struct job *j);

/* Commits the outputs of the next phase, once the commits of those above are answered. */
void job_copy_commit(struct brain *b, struct job *j);

/* Discards the outputs that were made from those of a phase one of which could not be committed. */
void job_copy_redo(struct brain *b, const struct phase *p);

/* Forgets the lost output of a finished attempt, and makes it again if it is needed. Returns false,
 * and does nothing, if no copy kept that output. */
bool job_copy_output_lost(struct brain *b, struct attempt *a);

/* Ends a copy that cannot go on. Returns false, and does nothing, if it is the job's last. */
bool job_copy_failed(struct brain *b, struct job *j, const struct reason *why);
