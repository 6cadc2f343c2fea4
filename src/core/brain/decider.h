/* decider.h - what a policy can ask for. Each call adds a decision with its reason and charges what
 * it takes at once.
 *
 * Every function takes the world objects that the policy was shown; nothing else can be touched. */
#ifndef CORE_BRAIN_DECIDER_H
#define CORE_BRAIN_DECIDER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/brain/world.h"
#include "core/model/decision.h"
#include "core/model/reason.h"

struct brain;

/* Ends an attempt that is still live: withdraw before it started, else kill. Asking twice is fine.
 */
void decider_stop(struct brain *b, struct attempt *a, const struct reason *why);

/* Throws the output of a finished attempt away and forgets the attempt. */
void decider_discard(struct brain *b, struct attempt *a, const struct reason *why);

/* The attempt reads the output of one attempt of one task of a phase above or, with TASK_ALL, all
 * that the phase committed. `exclusive`: no sibling of the reader reads any of that now. */
void decider_read(struct brain *b, struct attempt *reader, struct attempt_ref source,
                  bool exclusive, const struct reason *why);

/* The seam `order` says where the job stands. */
void decider_publish(struct brain *b, const struct job *j, struct standing standing);

/* What the seam `order` keeps about a job: a block of zeros at first, freed with the job. */
void *decider_note(struct brain *b, const struct job *j, size_t size);

/* The seam `shuffle` is woken at this time, or earlier if it asked for that before. */
void decider_wake(struct brain *b, int64_t at_us);

/* Each task of the phase is to have `copies` attempts (>= 2): its clones join the queue. Once per
 * phase. This is an offer, they may never start: the phase counts as cloned from its first clone
 * on. */
void decider_clone_phase(struct brain *b, struct phase *p, uint16_t copies);

/* Launches a clone of a task that has a live attempt at once, on a node with room for it; the phase
 * counts as cloned from then on. */
void decider_clone(struct brain *b, struct phase *p, uint32_t task, struct node_id node,
                   const struct reason *why);

/* The whole job, none of which has been launched, is to run `copies` times (>= 2): see job_copy.c.
 */
void decider_clone_job(struct brain *b, struct job *j, uint16_t copies);

/* Ends a copy that is not the lead. It may be freed by this. */
void decider_drop_copy(struct brain *b, struct job *j, const struct reason *why);

/* Takes clones of the phase that have not been launched out of the queue. */
void decider_cancel_clones(struct brain *b, struct phase *p);

/* Where the seam `place` would put another attempt of the task. NODE_NONE: there is no room, the
 * job is over or runs as many attempts as it may, the task was launched as often as it may be, its
 * input is not there, the cap on extra attempts is met, a disk is full, or attempts start at ticks
 * and now is none. */
struct node_id decider_place(struct brain *b, const struct phase *p, uint32_t task);

/* The node with room for an attempt of the task on which it scores most (core/match/match_score.h),
 * another one than the task's other attempts, in whatever copy of its job, if possible; or
 * NODE_NONE. For the seam `place`, if it says so (reads_scores). */
struct node_id decider_best_node(struct brain *b, const struct phase *p, uint32_t task);

/* Whether the cap on what extra attempts cost forbids so much more, and why. decider_place and the
 * queue of clones ask by themselves. */
bool decider_capped(const struct brain *b, const struct res_sum *more, struct reason *why);

/* Whether no extra attempt starts in this turn, because a disk was full not long ago or because
 * attempts start at ticks. For those who look for room themselves. */
bool decider_holds_extras(const struct brain *b);

/* Whether the machine has a core for one more clone, as far as it is known. The queue of clones
 * asks by itself, where these take only what is idle. */
bool decider_core_is_idle(const struct brain *b);

/* Whether clones keep away from the node, because its disk or its memory is wanted by others. The
 * queue of clones asks by itself, where these take what is left. */
bool decider_node_is_pressed(const struct brain *b, struct node_id node);

/* Whether the order lets the job's group hold one more attempt of the phase. decider_place and the
 * queue of clones ask by themselves. */
bool decider_group_allows(struct brain *b, const struct phase *p);

/* Whether a first attempt that may run has found no room. */
bool decider_firsts_wait(const struct brain *b);

/* Launches a speculative attempt of a task that has a live one, on a node with room for it. */
void decider_backup(struct brain *b, struct phase *p, uint32_t task, struct node_id node,
                    const struct reason *why);

/* Runs a task again whose output stands, in case that turns out to be lost: the new output is kept
 * and committed then. The task has no other attempt. */
void decider_precompute(struct brain *b, struct phase *p, uint32_t task, struct node_id node,
                        const struct reason *why);

/* Copies the committed output of the task to the node. */
void decider_replicate(struct brain *b, const struct phase *p, uint32_t task, struct node_id node,
                       const struct reason *why);

/* No new attempts on the node until then. One that is avoided for as long already stays so: of two
 * reasons, the longer one holds. */
void decider_avoid(struct brain *b, struct node_id node, int64_t until_us,
                   const struct reason *why);

/* Says what was decided about a job's phase, for or against; of a job that is over, nothing. */
void decider_verdict(struct brain *b, const struct phase *p, const struct reason *why);

#endif
