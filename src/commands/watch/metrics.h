/* metrics.h - a snapshot in Prometheus' text format 0.0.4. docs/use/watch.md lists the names. */
#pragma once

#include "base/text.h"
#include "commands/watch/snapshot.h"

enum { METRICS_PHASES = 100, METRICS_LABEL_BYTES = 64 };

/* The most of each that was known at any time: as medians change, or sums are rounded in another
 * order, they may become less, and a counter never falls. Zero for a new journal. */
struct metrics_most {
    uint64_t stragglers, rescued;
    double slot_s, vain_slot_s;
};

/* Appends all metrics. Labels with texts of users are cut at METRICS_LABEL_BYTES; phases beyond
 * METRICS_PHASES are summed up as "other". *most is raised to the values of now, and reported. */
void metrics_write(const struct snapshot *s, const struct followed_run *f,
                   struct metrics_most *most, struct str *out);

/* Appends a text as the value of a label, without the quotes. */
void metrics_label(const char *text, struct str *out);
