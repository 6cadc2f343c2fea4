/* derby.h - races between late tasks and their copies, one for each task. */
#pragma once

#include "base/vec.h"
#include "core/brain/world.h"
#include "core/shepherd/luck.h"

/* A race counts as lost only if the copy has had this many healthy times. */
#define DERBY_FAIR 1.2

struct derby_race {
    struct attempt_ref copy; /* the first copy that was made because the task was late */
    double healthy_s;
};

/* Zeroed at the start; free with derby_fini. */
struct derby {
    VEC(struct derby_race) open;
    struct luck_record all; /* races whatever time the copy has had */
};

void derby_fini(struct derby *r);

/* Begins a race of the task's next attempt, unless the task has one. */
void derby_begin(struct derby *r, const struct phase *p, uint32_t task, double healthy_s);

/* Ends the race of the task of an attempt that has finished, if it has one. Won: that attempt is
 * the copy or a later one. Lost: it is an earlier one, and the copy, which still runs, has had
 * DERBY_FAIR healthy times. A copy that was beaten sooner, or has ended, proves nothing. */
void derby_finished(struct derby *r, const struct world *w, const struct attempt *a,
                    struct luck_record *luck);

/* Returns true if copies free more slot-seconds than they take, as far as races show: of all races
 * more were won than lost, with those that the late attempt won before the copy had had its time.
 *
 * Let late attempts end after 1/r s in the mean, however old they are. L of them ended in S s of
 * races, so r is about L/S. Each of W that a copy beat would have held its slot for 1/r = S/L s
 * more; the copies took S. W S/L is more than S if W is more than L. Times with a heavier tail free
 * more, those with a lighter one less. */
bool derby_pays(const struct derby *r);

/* Forgets the races of a job that is over. */
void derby_forget(struct derby *r, struct job_id job);
