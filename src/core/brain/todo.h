/* todo.h - the list of work that events made necessary: noted while they are applied, done by the
 * next decide (todo_run.h) in the order in which it arose. */
#pragma once

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
    TODO_REDO,    /* ... and its readers' outputs are made again */
};

struct todo {
    uint8_t what;  /* enum todo_what */
    uint16_t copy; /* of the job; 0: the lead */
    struct attempt_ref at;
};

/* Notes `what` for the job, a copy of it perhaps. */
void todo_add(struct brain *b, const struct job *j, enum todo_what what, struct attempt_ref at);

/* Notes TODO_FILL for the phase, once, if the seam `shuffle` has anything to assign to readers of
 * this kind. */
void todo_fill(struct brain *b, struct phase *p);
/* Notes the same for all phases that read it. */
void todo_fill_readers(struct brain *b, struct phase *p);
