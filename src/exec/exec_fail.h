/* exec_fail.h - a run that cannot go on, decisions that cannot be carried out, and causes. */
#pragma once

#include <stdint.h>

#include "core/model/decision.h"

struct exec;

/* Ends the run, which cannot go on; the first reason counts. */
__attribute__((format(printf, 2, 3))) void exec_fail_run(struct exec *x, const char *format, ...);

/* Returns the cause that fits an errno. */
uint8_t exec_fail_cause(int error);

/* Emits that the decision is refused, for this cause. */
void exec_fail_decision(struct exec *x, const struct decision *d, uint8_t cause);
