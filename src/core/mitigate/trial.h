/* trial.h - a controlled trial, during the run, of whether a policy's action pays.
 *
 * A policy that acts on a prediction (this task will take much longer than a new copy) cannot see
 * from the tasks it has acted on whether the prediction was right. So it leaves some of the tasks
 * on which it would act alone, and compares the outcomes of both groups. Until each group has
 * TRIAL_MIN outcomes, every second task is treated, up to TRIAL_BLIND tasks; after them one in
 * TRIAL_RARE: where outcomes are slow to come, a treatment that harms must not reach half of the
 * tasks before anything is known. From then on the worse group gets a task now and then, so that a
 * change is noticed: the first after TRIAL_RARE tasks, then each after twice the number before it,
 * up to TRIAL_SELDOM. Nothing is random: the tasks take turns. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { TRIAL_MIN = 5, TRIAL_BLIND = 10, TRIAL_RARE = 16, TRIAL_SELDOM = 1024 };

/* Outcomes of one group; the last fifty or so count most. */
struct trial_group {
    double sum, weight;
};

/* Zeroed at the start. */
struct trial {
    struct trial_group left_alone, treated;
    uint64_t tasks;
    uint64_t gap, next; /* number of tasks between two for the worse group, and the next one, ... */
    bool paid;          /* ... which is the group that was left alone */
};

/* Decides about the next task that could be treated. Returns true if it should be. */
bool trial_treats(struct trial *t);

/* Adds the outcome of a task: a cost, in any unit that is fair to both groups. */
void trial_learn(struct trial *t, bool treated, double cost);
