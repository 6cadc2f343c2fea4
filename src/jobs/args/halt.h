/* halt.h - when to stop early: `now,fail=1`, `soon,success=10%`, ... */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum halt_when { HALT_NEVER, HALT_SOON, HALT_NOW };
enum halt_what { HALT_FAIL, HALT_SUCCESS, HALT_DONE };

struct halt {
    enum halt_when when;
    enum halt_what what;
    double number; /* number of tasks, or per cent */
    bool percent;
};

/* Parses `never`, `now|soon,fail|success|done=N|N%`, and the old forms 0, 1, 2, -1, -2 and N%.
 * Returns 0, or -1 with *err. */
int halt_parse(const char *text, struct halt *h, struct err *err);

/* Returns true if it is time to stop. A percentage is of all tasks. */
bool halt_reached(const struct halt *h, uint64_t succeeded, uint64_t failed, uint64_t tasks);

/* Returns the exit status of a run that was halted after `failed` of its tasks had failed: that of
 * the task which ended it if one task is enough, else the number or percentage of failed tasks. */
int halt_status(const struct halt *h, uint64_t failed, uint64_t tasks, int last_status);
