/* todo.h - what events made necessary, noted while they are applied and done by the next decide, in
 * the order in which it arose. */
#ifndef CORE_BRAIN_TODO_H
#define CORE_BRAIN_TODO_H

#include <stdint.h>

#include "core/brain/world.h"

struct brain;

enum todo_what {
    TODO_JOB_NEW,
    TODO_JOB_CANCELLED,
    TODO_TASK_FAILED, /* for good */
    TODO_JOB_DONE,
    TODO_COMMIT,  /* an attempt of this task finished */
    TODO_WON,     /* the task was committed */
    TODO_STOP,    /* the attempt is unwanted and may not have been asked to end */
    TODO_DISCARD, /* the attempt's output could not be committed */
    TODO_FILL,    /* readers of this phase may find new sources */
    TODO_REVIVE,  /* an output of this phase was lost */
    TODO_CHANGED, /* the task was committed again, and is not the same */
    TODO_RETRACT, /* the task was committed, and is stale */
    TODO_COMMITS, /* the copy that ended first commits its next phase */
    TODO_REDO,    /* ... and what was made from this phase's outputs is made again */
};

struct todo {
    uint8_t what;  /* enum todo_what */
    uint16_t copy; /* of the job; 0: the lead */
    struct attempt_ref at;
};

void todo_add(struct brain *b, const struct job *j, enum todo_what what, struct attempt_ref at);

/* TODO_FILL, once, if the seam `shuffle` has anything to assign to readers of this kind; for this
 * phase, or for all that read it. */
void todo_fill(struct brain *b, struct phase *p);
void todo_fill_readers(struct brain *b, struct phase *p);

/* Works the list off; what is added meanwhile too. */
void todo_run(struct brain *b);

/* Does the fills that launches and kills after todo_run have made necessary: a reader may have
 * waited for an attempt that was ended. The rest has time until the next decide. */
void todo_run_fills(struct brain *b);

#endif
