/* attempt.h - the pool of attempts, and the accounts of the resources that they hold. */
#pragma once

#include "core/brain/world.h"

struct brain;

/* The attempt of this copy of a job; NULL if it is not known (any more). */
static inline struct attempt *attempt_find_in(const struct world *w, const struct job *j,
                                              struct attempt_ref ref)
{
    if (ref.phase >= j->phase_count || ref.task >= j->phases[ref.phase].count)
        return NULL;
    uint32_t index = j->phases[ref.phase].tasks[ref.task].attempts;
    for (; index != ATTEMPT_NONE; index = world_attempt(w, index)->next)
        if (world_attempt(w, index)->ordinal == ref.attempt)
            return world_attempt(w, index);
    return NULL;
}

/* The attempt that an event names, in any copy of its job; NULL if it is not known (any more). */
struct attempt *attempt_find(const struct brain *b, struct attempt_ref ref);

/* Creates an attempt and charges it to its node, job and budget. */
struct attempt *attempt_create(struct brain *b, struct phase *p, uint32_t task, uint8_t kind,
                               struct node_id node);

/* Marks a launched attempt as started, at that time. */
void attempt_starts(struct brain *b, struct attempt *a, int64_t started_us);

/* Returns true if the attempt was asked to end because it is slow; the reason's first number is its
 * remaining time in seconds. */
bool attempt_is_slow(const struct attempt *a);

/* Frees the resources of an attempt that has stopped; its task, and the budget, wait for its
 * ending. */
void attempt_vacate(struct brain *b, struct attempt *a);

/* Frees the resources of an attempt: `to_finished` keeps it for its output, else it is
 * forgotten. */
void attempt_release(struct brain *b, struct attempt *a, bool to_finished);

/* Bars an attempt whose commit failed: it is kept for its readers, takes no new ones, and does not
 * count as finished any more. */
void attempt_bar(struct brain *b, struct attempt *a);

/* Forgets an attempt in ATTEMPT_FINISHED. */
void attempt_forget(struct brain *b, struct attempt *a);

/* Changes the state of a task and keeps the accounts that depend on it. */
void attempt_set_task(struct brain *b, struct phase *p, struct task *t, uint8_t state);

/* Charges extra attempts of the phase, except backups, to the clone budget from now on. */
void attempt_charge_phase(struct brain *b, struct phase *p);

/* Adds the resources that the job's tasks hold beyond need to the clone budget, or with sign -1
 * removes them. */
void attempt_charge_job(struct brain *b, const struct job *j, int sign);
