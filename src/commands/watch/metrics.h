/* metrics.h - a snapshot in Prometheus' text format 0.0.4. docs/use/watch.md lists the names. */
#pragma once

#include "base/text.h"
#include "commands/watch/snapshot.h"

enum { METRICS_PHASES = 100, METRICS_LABEL_BYTES = 64 };

/* Appends all metrics. Labels with texts of users are cut at METRICS_LABEL_BYTES; phases beyond
 * METRICS_PHASES are summed up as "other". `stragglers`: the most that were known at any time; as
 * medians change they may become fewer, and a counter never falls. */
void metrics_write(const struct snapshot *s, const struct followed_run *f, uint64_t stragglers,
                   struct str *out);

/* Appends a text as the value of a label, without the quotes. */
void metrics_label(const char *text, struct str *out);
