/* map_summary.h - prints the summary at the end, and computes its numbers. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "record/story/story_facts.h"
#include "record/story/story_join.h"

struct map;
struct story;

struct map_summary {
    struct story *story; /* NULL: no summary is asked for */
    struct story_join join;
};

/* The task that was done last. */
struct map_slowest {
    uint32_t task; /* STORY_NONE: nothing is done */
    double took_s; /* from its first launch to its commit */
    double ran_s;  /* duration of the winning attempt, */
    double cpu_s;  /* and its CPU time; 0: not known */
    bool by_extra; /* a clone or backup won */
    bool rescued;  /* ... against a straggler */
    bool again;    /* it ran again, as an earlier attempt failed or was lost */
};

/* The facts that `dolly explain` would report of the run. */
struct map_summary_facts {
    int64_t took_us;
    struct story_difference would; /* of straggling, and of cloning */
    struct story_phase_facts phase;
    double slot_s, vain_slot_s;
    double median_s; /* of the durations of tasks */
    struct map_slowest slowest;
};
struct map_summary_facts map_summary_facts(const struct map *m);

/* Appends one line on tasks that failed, and the remedy; nothing if none did. */
void map_summary_failed(const struct map *m, struct str *out);

/* Appends the lines of the summary. */
void map_summary(const struct map *m, const struct map_summary_facts *f, struct str *out);
