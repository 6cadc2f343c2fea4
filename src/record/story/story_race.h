/* story_race.h - one task in hindsight: the winner, the end without clones and backups, and why it
 * was late. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "record/story/story_facts.h"
#include "record/story/story_job.h"

/* How well the end of a task without its clones and backups is known. */
enum story_alone {
    ALONE_SAME,     /* the same: none of them won */
    ALONE_KNOWN,    /* its own attempt finished later, all the same */
    ALONE_PACE,     /* its own attempt was stopped; a guess from its pace and that of others */
    ALONE_AT_LEAST, /* its own attempt was stopped, and nothing else is known */
    ALONE_UNKNOWN,  /* its own attempt failed or was lost: it would have had to run again */
};

/* A committed task: the winner, and the end without extra attempts. */
struct story_race {
    const struct story_attempt *winner;
    const struct story_attempt *own; /* that it had in any case: first, restart or recompute */
    enum story_alone alone;
    int64_t least_us; /* done no earlier than this without extra attempts */
    /* ALONE_PACE: the best guess, and the range in which it most likely is; else least_us. */
    int64_t pace_us, low_us, high_us;
};

/* The rate of an attempt: a straggler has less than half the median rate of its phase. */
enum story_rate { RATE_UNKNOWN, RATE_FINE, RATE_STRAGGLER };

/* Returns the race of a committed task, in a phase whose medians and pace are known; without a
 * winner for others. */
struct story_race story_race(const struct story_job *j, const struct story_phase_facts *f,
                             const struct story_phase *p, uint32_t task);

/* Returns the winner, and the attempt that the task had in any case; the rest is not computed. */
struct story_race story_race_winner(const struct story_job *j, const struct story_phase *p,
                                    uint32_t task);

/* Compares the attempt with the median of its phase, by its time per byte as far as known. */
enum story_rate story_race_rate(const struct story_job *j, const struct story_phase_facts *f,
                                const struct story_attempt *a);

/* Returns true if a clone or backup won the race against an attempt that straggled. */
bool story_race_rescued(const struct story_job *j, const struct story_phase_facts *f,
                        const struct story_race *r);

/* Returns true if the attempt is known to have straggled: it finished, reported twice, or its
 * progress is known exactly. One report, or silence, may be bad luck of the moment. */
bool story_race_straggled(const struct story_job *j, const struct story_phase_facts *f,
                          const struct story_attempt *a);

/* Why a committed task ended when it did, compared with the median task of its phase. */
struct story_slow {
    int64_t behind_us; /* committed this much later than the median task */
    int64_t late_us;   /* launched later */
    int64_t again_us;  /* it ran again: from its first launch to that of the winner */
    /* Its own attempt was slow, and the winning backup started this much later. */
    int64_t noticed_us;
    int64_t read_us; /* waited longer for its inputs */
    int64_t skew_us; /* has more input, at the median rate */
    int64_t slow_us; /* the winner was slower than the median rate */
    double ratio;    /* the winner's time per byte over the median */
    double bytes;
    uint32_t node_others, node_slow; /* other attempts of the phase on its node; stragglers */
};
struct story_slow story_race_slow(const struct story_job *j, const struct story_phase_facts *f,
                                  const struct story_phase *p, uint32_t task);

/* Causes of the delay of a task. */
enum story_cause {
    STORY_LATE,
    STORY_AGAIN,
    STORY_NOTICED,
    STORY_READS,
    STORY_SKEW,
    STORY_SLOW_ATTEMPT, /* slow where others were not, as far as is known */
    STORY_SLOW_NODE,    /* so were most others on its node */
    STORY_CAUSES,
};

/* Fills in how long each cause has delayed the task of *s: 0 if it is no later than the median one;
 * less than a tenth of a task's work is noise. */
void story_race_causes(const struct story_phase_facts *f, const struct story_slow *s,
                       int64_t us[STORY_CAUSES]);

/* Returns the time from its start until its inputs were there. */
int64_t story_race_read_us(const struct story_attempt *a);
