/* explain.h - what the views of `dolly explain` share: the run, one job, one phase, one task. */
#ifndef COMMANDS_EXPLAIN_EXPLAIN_H
#define COMMANDS_EXPLAIN_EXPLAIN_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"
#include "jobs/map/map_look.h"
#include "record/story/story.h"
#include "record/story/story_facts.h"
#include "record/story/story_race.h"

struct explain {
    const char *path;
    char *policy, *body; /* of the run */
    char *about;         /* what it is about (inputs/cluster/about.h); "": not said */
    uint64_t seed;
    bool from_one;         /* tasks count from 1: `dolly map` */
    bool complete;         /* the run reached its end */
    uint64_t torn_bytes;   /* of a torn tail */
    uint64_t namesakes;    /* jobs that have the name that was asked for */
    struct map_look *look; /* the folder of a run of `dolly map` that can be read; else NULL */
    const struct story_run *run;
    const struct story_job *job; /* NULL: the whole run */
    struct story_facts facts;    /* of the job */
};

/* "Interrupted: 4 of 12 tasks done; go on with ...". Of the run: nothing where it is over. */
void explain_headline(const struct explain *x, uint64_t done, uint64_t tasks, struct str *out);
void explain_headline_run(const struct explain *x, struct str *out);

/* Each adds its story to *out, one sentence per line. */
void explain_run(const struct explain *x, struct str *out);
void explain_job(const struct explain *x, struct str *out);
void explain_job_phase(const struct explain *x, uint16_t phase, struct str *out);
void explain_task(const struct explain *x, uint16_t phase, uint32_t task, struct str *out);

/* Adds when, where and how it ran, as far as the journal says, in one line without its end. */
void explain_origin(const struct explain *x, struct str *out);

/* The same facts as a new object. */
json_t *explain_json_run(const struct explain *x);
json_t *explain_json_job(const struct explain *x);
json_t *explain_json_phase(const struct explain *x, uint16_t phase);
json_t *explain_json_task(const struct explain *x, uint16_t phase, uint32_t task);

static inline bool explain_is_simulated(const struct explain *x)
{
    return x->body && strcmp(x->body, "sim") == 0;
}

/* ---- sentences that several views use ---- */

/* What users call a task: from 0 as in workload files, or its sequence number of `dolly map`. */
uint64_t explain_number(const struct explain *x, uint32_t task);

/* Its command in one line and not too long, behind this text; nothing where it is not known. */
void explain_command(const struct explain *x, uint32_t task, const char *before, const char *after,
                     struct str *out);

/* What a task that failed for good has said last, and where all of it is kept; nothing where that
 * is not known. Its last lines, each with a newline; false: there are none. */
void explain_stderr(const struct explain *x, uint32_t task, struct str *out);
bool explain_stderr_tail(const struct explain *x, uint32_t task, char path[PATH_MAX],
                         struct str *tail, bool *cut);

/* "n44", or "node 44" when it has no name. */
struct explain_name {
    char text[136];
};
struct explain_name explain_node(const struct explain *x, struct node_id node);

/* Why a phase was or was not cloned, or that nothing was decided. */
void explain_cloning(const struct explain *x, uint16_t phase, struct str *out);

/* A phase that was not cloned, in a few words: "the clones did not fit into the clone budget". */
const char *explain_cloning_refusal(uint16_t code);

/* "extra attempts cost more than the cap allows: ...", of which resource. */
void explain_cloning_cap(const struct explain *x, const struct reason *r, struct str *out);

/* The slowest task of a phase and why, and others that were slow; nothing when there is none. */
void explain_slow(const struct explain *x, uint16_t phase, struct str *out);

/* "late_start", "ran_again", ...; and in words: "waited for its turn", ... */
const char *explain_cause_name(enum story_cause cause);
const char *explain_cause_words(enum story_cause cause);

/* What the order had published of the job at the first launch of a phase, or of the job
 * (EXPLAIN_ANY): a reason of code WHY_STANDING, or WHY_NONE; and in words: "rank 2, ... left". */
#define EXPLAIN_ANY UINT16_MAX
struct reason explain_standing_at(const struct explain *x, uint16_t phase);
void explain_standing(const struct reason *r, struct str *out);

/* Clauses: "because its turn had come", "and won", "because attempt 1 had won", ... */
void explain_attempt_launch(const struct explain *x, const struct story_attempt *a,
                            struct str *out);
void explain_attempt_ending(const struct explain *x, const struct story_attempt *a,
                            struct str *out);
void explain_attempt_failure(const struct explain *x, const struct story_attempt *a,
                             struct str *out);

/* ---- reasons ---- */

/* Adds text in which {} stands for `who`, and {NAME|FORM} for the number of the reason with that
 * name: as a time (s), a share (%), with up to 1..9 digits, or counted with a noun ("1 task"). */
void explain_words(const char *text, const char *who, const struct reason *r, struct str *out);

/* The same with the text for its code; where there is none, `other` and its name and numbers. */
void explain_why(const char *const table[WHY_CODE_END], const char *other, const char *who,
                 const struct reason *r, struct str *out);

/* A reason that has no words of its own: its name and numbers. */
void explain_reason(const struct reason *r, struct str *out);

/* Adds "the disk of NODE was busy ...", or the same of memory. */
void explain_pressure(const struct explain *x, const struct reason *r, struct str *out);

#define EXPLAIN_NO_CORE                                                                            \
    "no core was idle: attempts took {each|3} of one each, others left {spare|3} of one for "      \
    "clones, and {clones|clone} ran"

#endif
