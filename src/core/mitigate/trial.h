/* trial.h - does what a policy does to tasks pay? A controlled trial, while it goes on.
 *
 * A policy that acts on a prediction (this task will take much longer than a new copy) cannot tell
 * from the tasks it has acted on whether the prediction was right. So of the tasks on which it
 * would act it leaves some alone, and compares what became of both groups. Until each group has
 * TRIAL_MIN outcomes, every second task is left alone. From then on the group that came off worse
 * gets a task now and then, so that a change is noticed: the first after TRIAL_RARE tasks, then
 * after twice as many, up to TRIAL_SELDOM. No luck is drawn: the tasks take turns. */
#ifndef CORE_MITIGATE_TRIAL_H
#define CORE_MITIGATE_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

enum { TRIAL_MIN = 5, TRIAL_RARE = 16, TRIAL_SELDOM = 1024 };

/* Outcomes of one group; the last fifty or so count most. */
struct trial_group {
    double sum, weight;
};

/* Zeroed at the start. */
struct trial {
    struct trial_group left_alone, treated;
    uint64_t tasks;
    uint64_t gap, next; /* when a task goes to the group that came off worse, ... */
    bool paid;          /* ... which is the one that was left alone */
};

/* Decides about the next task that would be treated. Returns whether it is. */
bool trial_treats(struct trial *t);

/* Takes in what became of a task: a cost, in any unit that is fair to both groups. */
void trial_learn(struct trial *t, bool treated, double cost);

#endif
