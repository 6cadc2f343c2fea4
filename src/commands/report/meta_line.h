/* meta_line.h - one line below the result of a run: command, tasks, time, host, policy, version. */
#pragma once

#include "base/text.h"
#include "commands/explain/explain.h"

/* Adds the line as HTML, as far as the journal records it. The policy has its name, and its
 * settings as a tooltip. */
void meta_line(const struct explain *x, struct str *to);

/* Adds the policy alone, behind `before`. */
void meta_line_policy(const struct explain *x, const char *before, struct str *to);

/* Adds the line of a comparison: `lead`, and the parts that runs of the same jobs share. */
void meta_line_shared(const struct explain *x, const char *lead, struct str *to);
