/* map_fail.h - tasks that fail, and why a run has to end before it is over. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct map;
struct map_end;

struct map_fail {
    struct err why;   /* why the run must end, */
    bool aborts;      /* if it must */
    bool reader_left; /* ... because nothing reads stdout any more */
};

/* Ends the run with this error after the present turn; the first one counts. */
void map_fail(struct map *m, const struct err *err);

/* Does the same for `what` that cannot be written, by errno. */
void map_fail_unwritable(struct map *m, const char *what);

/* Counts a task that has failed, and notes it for the line at the end of the run. */
void map_fail_task(struct map *m, uint32_t task, const struct map_end *end);
