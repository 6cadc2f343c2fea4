/* attempt.h - the pool of attempts, and the accounts of who holds what. */
#ifndef CORE_BRAIN_ATTEMPT_H
#define CORE_BRAIN_ATTEMPT_H

#include "core/brain/world.h"

struct brain;

/* The attempt that an event names, in whichever copy of its job; NULL when it is not known (any
 * more). */
struct attempt *attempt_find(const struct brain *b, struct attempt_ref ref);

/* A new attempt, charged to its node, job and budget. */
struct attempt *attempt_create(struct brain *b, struct phase *p, uint32_t task, uint8_t kind,
                               struct node_id node);

/* A launched attempt has started, at that time. */
void attempt_starts(struct brain *b, struct attempt *a, int64_t started_us);

/* Whether the attempt was asked to end because it is slow; the reason's first number says how many
 * seconds it has to go. */
bool attempt_is_slow(const struct attempt *a);

/* It runs no more and leaves its room; its task waits for its ending, and so does the budget. */
void attempt_vacate(struct brain *b, struct attempt *a);

/* It holds no resources any more: `to_finished` keeps it for its output, else it is forgotten. */
void attempt_release(struct brain *b, struct attempt *a, bool to_finished);

/* Its commit failed, but it may have readers: it stays for them, takes no new ones, and does not
 * count as finished any more. */
void attempt_bar(struct brain *b, struct attempt *a);

/* Forgets an attempt in ATTEMPT_FINISHED. */
void attempt_forget(struct brain *b, struct attempt *a);

/* Changes the state of a task and keeps the accounts that depend on it. */
void attempt_set_task(struct brain *b, struct phase *p, struct task *t, uint8_t state);

/* Extra attempts of the phase, backups apart, are charged to the clone budget from now on. */
void attempt_charge_phase(struct brain *b, struct phase *p);

/* Adds what the job's tasks hold beyond need to the clone budget, or with sign -1 takes it out. */
void attempt_charge_job(struct brain *b, const struct job *j, int sign);

#endif
