/* decider.h - all requests that a policy can make. Each call adds a decision with its reason and
 * charges its cost at once.
 *
 * Every function takes the world objects that the policy was shown; nothing else can be touched. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/brain/world.h"
#include "core/model/decision.h"
#include "core/model/reason.h"

struct brain;

/* Asks a live attempt to end: withdraws it before it has started, else kills it. A second call for
 * the same attempt does nothing. */
void decider_stop(struct brain *b, struct attempt *a, const struct reason *why);

/* Lets the attempt read the output of one attempt of one task of a phase above or, with TASK_ALL,
 * all that the phase committed. `exclusive`: no sibling of the reader reads any of that now. */
void decider_read(struct brain *b, struct attempt *reader, struct attempt_ref source,
                  bool exclusive, const struct reason *why);

/* Publishes the standing of the job, for the seam `order`. */
void decider_publish(struct brain *b, const struct job *j, struct standing standing);

/* Returns the block that the seam `order` keeps about a job: zeros at first, freed with the job. */
void *decider_note(struct brain *b, const struct job *j, size_t size);

/* Wakes the seam `shuffle` at this time, or earlier if it asked for that before. */
void decider_wake(struct brain *b, int64_t at_us);

/* Queues clones, so that each task of the phase has `copies` attempts (>= 2). Once per phase. The
 * clones may never start: the phase counts as cloned from its first clone on. */
void decider_clone_phase(struct brain *b, struct phase *p, uint16_t copies);

/* Launches at once a clone of a task that has a live attempt, on a node with room for it; the phase
 * counts as cloned from then on. */
void decider_clone(struct brain *b, struct phase *p, uint32_t task, struct node_id node,
                   const struct reason *why);

/* Makes the whole job, none of which has been launched, run `copies` times (>= 2): see job_copy.c.
 */
void decider_clone_job(struct brain *b, struct job *j, uint16_t copies);

/* Ends a copy that is not the lead; this may free it. */
void decider_drop_copy(struct brain *b, struct job *j, const struct reason *why);

/* Takes clones of the phase that have not been launched out of the queue. */
void decider_cancel_clones(struct brain *b, struct phase *p);

/* Returns the node on which the seam `place` would put another attempt of the task. NODE_NONE:
 * there is no room, the job is over or runs as many attempts as it may, the task was launched as
 * often as it may be, its input is lost, the cap on extra attempts is met, a disk is full, or
 * attempts start at ticks and this turn is none. */
struct node_id decider_place(struct brain *b, const struct phase *p, uint32_t task);

/* Returns the node with room for an attempt of the task on which it scores most
 * (core/match/match_score.h), or NODE_NONE; if possible, one on which the task has no other attempt
 * in any copy of its job. For the seam `place`, if its part sets reads_scores. */
struct node_id decider_best_node(struct brain *b, const struct phase *p, uint32_t task);

/* Returns true if the cap on what extra attempts cost forbids that much more, with the reason in
 * `why`. decider_place and the queue of clones ask by themselves. */
bool decider_capped(const struct brain *b, const struct res_sum *more, struct reason *why);

/* Returns the part of what the cap holds in store that is spent, 0 to 1: of the resource that the
 * phase needs and of which it is most. For policies that choose better when it is short. */
double decider_cap_spent(const struct brain *b, const struct phase *p);

/* Returns true if no extra attempt starts in this turn, because a disk was full not long ago or
 * because attempts start at ticks. For policies that look for room themselves. */
bool decider_holds_extras(const struct brain *b);

/* Returns true if, as far as is known, the machine has a core for one more clone; if not, records
 * that as a reason against clones of the phase, once. The queue of clones asks by itself, if clones
 * take only idle resources. */
bool decider_core_is_idle(struct brain *b, const struct phase *p);

/* Returns true if clones keep away from the node, because others want its disk or its memory; then
 * records that as a reason against clones of the phase, once. The queue of clones asks by itself,
 * if clones take only idle resources. */
bool decider_node_is_pressed(struct brain *b, const struct phase *p, struct node_id node);

/* Returns true if the order lets the job's group hold one more attempt of the phase. decider_place
 * and the queue of clones ask by themselves. */
bool decider_group_allows(struct brain *b, const struct phase *p);

/* Returns true if a first attempt that may run has found no room. */
bool decider_firsts_wait(const struct brain *b);

/* Returns true if the order puts no first attempt that waits before those of the phase: if it had
 * one more task, that would be next. Looks at each demand in line. */
bool decider_is_next(struct brain *b, const struct phase *p);

/* Launches a speculative attempt of a task that has a live one, on a node with room for it. */
void decider_backup(struct brain *b, struct phase *p, uint32_t task, struct node_id node,
                    const struct reason *why);

/* Runs a task again whose output is intact, in case that is lost later: the new output is kept and
 * committed then. The task has no other attempt. */
void decider_precompute(struct brain *b, struct phase *p, uint32_t task, struct node_id node,
                        const struct reason *why);

/* Copies the committed output of the task to the node. */
void decider_replicate(struct brain *b, const struct phase *p, uint32_t task, struct node_id node,
                       const struct reason *why);

/* Lets no new attempt start on the node until then. Does nothing if the node is avoided for at
 * least as long already: of two reasons, the longer one holds. */
void decider_avoid(struct brain *b, struct node_id node, int64_t until_us,
                   const struct reason *why);

/* Records the reason for or against something in the phase. Does nothing once its job is over. */
void decider_verdict(struct brain *b, const struct phase *p, const struct reason *why);
