/* story_facts.h - the facts of a job and its phases that are known only afterwards: medians, the
 * cost of straggling, the savings of extra attempts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "record/stats/pace.h"
#include "record/story/story_job.h"

/* Differences to alternative runs, on the same slots (story_replay.h). */
struct story_difference {
    int64_t straggling_us; /* how much earlier, if stragglers had been like the median task */
    /* How much later without extra attempts: at least; at the pace of the stopped ones; and the
     * range that their reports allow. */
    int64_t saved_us, pace_saved_us, low_saved_us, high_saved_us;
};

struct story_phase_facts {
    int64_t opened_us; /* its inputs were complete (or the job submitted); -1: not yet */
    int64_t begun_us;  /* first launch; -1: none */
    int64_t ended_us;  /* latest commit, once no task is left to do; else -1 */
    /* Over committed tasks and their winners; meaningful from two of them on. */
    bool has_medians;
    int64_t median_launched_us, median_committed_us, median_work_us, median_read_us;
    double median_bytes;         /* 1 where the median is 0: bytes say nothing then */
    double median_per_byte;      /* us of work */
    double median_hold_per_byte; /* us from the launch of the attempt that a task had in any case */
    /* Tasks that a clone or backup won, by the rate of the attempt it beat. */
    uint32_t won_by_extra, beat_straggler, beat_unknown;
    uint32_t unsure;       /* number of these for which the pace of the other is not known */
    uint32_t stragglers;   /* number of attempts known to have straggled */
    struct pace_pool pace; /* of its stragglers */
    struct story_difference would;
    uint32_t slowest; /* committed task that ended last; STORY_NONE: none */
};

struct story_facts {
    struct story_phase_facts *phases;
    int64_t begun_us, ended_us; /* first launch and last commit of all; -1: none */
    uint32_t won[LAUNCH_KIND_END], killed;
    double slot_s, vain_slot_s[LAUNCH_KIND_END]; /* held by all attempts; by those that lost, */
    double open_slot_s;                          /* among them those that may still win */
    struct story_difference would; /* through all phases; 0 where the job is not done */
};

/* Computes the facts of a job; attempts that have not ended count up to now_us. `alone`: the run
 * had no other job so far. Free with story_facts_fini. */
void story_facts_init(struct story_facts *f, const struct story_job *j, bool alone, int64_t now_us);
void story_facts_fini(struct story_facts *f);
