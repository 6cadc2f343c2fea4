/* explain.h - shared by the views of `dolly explain`: the run, one job, one phase, one task. */
#pragma once

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/os/path.h"
#include "base/text.h"
#include "inputs/cluster/about.h"
#include "jobs/map/map_look.h"
#include "record/story/story.h"
#include "record/story/story_facts.h"
#include "record/story/story_race.h"

struct explain {
    const char *path;
    char *policy, *body; /* of the run */
    char *about;         /* description of the run (inputs/cluster/about.h); "": none */
    uint64_t seed;
    bool from_one;         /* tasks count from 1: `dolly map` */
    bool complete;         /* the run reached its end */
    uint64_t torn_bytes;   /* length of a torn tail */
    uint64_t namesakes;    /* number of jobs with the name that was asked for */
    struct map_look *look; /* the folder of a run of `dolly map` that can be read; else NULL */
    const char *failures;  /* the first tasks that failed for good, in lines; NULL: none */
    const struct story_run *run;
    const struct story_job *job; /* NULL: the whole run */
    struct story_facts facts;    /* of the job */
};

/* Adds "Interrupted: 4 of 12 tasks done; continue with ..."; nothing if the run is over. */
void explain_headline(const struct explain *x, uint64_t done, uint64_t tasks, struct str *out);

/* Adds the headline of the whole run. */
void explain_headline_run(const struct explain *x, struct str *out);

/* Adds the story of the run to *out, one sentence per line; the next three add that of a job, a
 * phase and a task. */
void explain_run(const struct explain *x, struct str *out);
void explain_job(const struct explain *x, struct str *out);
void explain_job_phase(const struct explain *x, uint16_t phase, struct str *out);
void explain_task(const struct explain *x, uint16_t phase, uint32_t task, struct str *out);

/* Returns the facts of the run as a new object; the next three return those of a job, a phase and a
 * task. */
json_t *explain_json_run(const struct explain *x);
json_t *explain_json_job(const struct explain *x);
json_t *explain_json_phase(const struct explain *x, uint16_t phase);
json_t *explain_json_task(const struct explain *x, uint16_t phase, uint32_t task);

static inline bool explain_is_simulated(const struct explain *x)
{
    return x->body && strcmp(x->body, "sim") == 0;
}

/* Returns FOLDER of a journal FOLDER/journal, and "" for other paths. */
struct path explain_folder(const char *journal);

/* Returns the description of the run, without any text if there is none. Free with about_free. */
struct about_text explain_about(const struct explain *x);

/* ---- sentences that several views use ---- */

/* Returns the user's number of a task: from 0 as in workload files, or its sequence number of
 * `dolly map`. */
uint64_t explain_number(const struct explain *x, uint32_t task);

/* Adds the task's command in one line, shortened, between `before` and `after`; nothing if it is
 * not known. */
void explain_command(const struct explain *x, uint32_t task, const char *before, const char *after,
                     struct str *out);

/* Adds the last message of a task that failed for good, and where all of it is kept; nothing if
 * that is not known. */
void explain_stderr(const struct explain *x, uint16_t phase, uint32_t task, struct str *out);

enum { EXPLAIN_STDERR_LINES = 20 }; /* that are shown, usually */

/* The end of the stderr of a task. */
struct explain_tail {
    struct path path; /* of all of it */
    struct str text;  /* its last lines, each with a newline */
    bool cut;         /* there are lines before them */
};

/* Fills *tail with at most `lines` lines of the task of `at`. Returns false if there are none. Free
 * with str_free(&tail->text) in both cases. */
bool explain_stderr_tail(const struct explain *x, struct attempt_ref at, uint32_t lines,
                         struct explain_tail *tail);

/* Returns true if a task of the job failed for good. */
bool explain_failure_is(const struct explain *x, uint16_t phase, uint32_t task);

/* Adds how such a task failed: "Task 5 failed with exit status 3 after 2 s on n0". */
void explain_failure(const struct explain *x, uint16_t phase, uint32_t task, struct str *out);

/* Adds the failed tasks of the job, each with its command and the end of its stderr, until
 * STORY_FAILED are *told. */
void explain_failure_first(const struct explain *x, uint32_t *told, struct str *out);

/* Adds the command that runs again what failed; nothing if there is none, or not yet: the run is
 * not over. */
void explain_failure_retry(const struct explain *x, struct str *out);

/* Adds the command that explains what became of the failed tasks when they were run again last;
 * nothing if they were not. */
void explain_failure_since(const struct explain *x, struct str *out);

/* A node as "n44", or "node 44" if it has no name. */
struct explain_name {
    char text[136];
};
struct explain_name explain_node(const struct explain *x, struct node_id node);

/* Adds why a phase was or was not cloned, or that nothing was decided. */
void explain_cloning(const struct explain *x, uint16_t phase, struct str *out);

/* Returns why a phase was not cloned in a few words: "the clones did not fit into the clone
 * budget". */
const char *explain_cloning_refusal(uint16_t code);

/* Returns the meaning of a verdict with this reason, for tables: "clones were asked for". */
const char *explain_cloning_verdict(uint16_t code);

/* Returns why a job has no copies in a few words, by the reason of the last verdict about them;
 * `over`: nothing more happens to it. */
const char *explain_cloning_why_not(uint16_t code, bool over);

/* Adds "extra attempts cost more than the cap allows: ...", with the resource. */
void explain_cloning_cap(const struct explain *x, const struct reason *r, struct str *out);

/* Adds the slowest task of a phase and why, and other slow ones; nothing if there is none. */
void explain_slow(const struct explain *x, uint16_t phase, struct str *out);

/* Each cause as a word for programs ("late_start", ...), and in words ("waited for its turn"). */
extern const struct explain_cause {
    const char *name, *words;
} explain_causes[STORY_CAUSES];

/* Any phase of the job. */
#define EXPLAIN_ANY UINT16_MAX

/* Returns the standing that the order had published of the job at the first launch of a phase, or
 * of the job (EXPLAIN_ANY): a reason of code WHY_STANDING, or WHY_NONE. */
struct reason explain_standing_at(const struct explain *x, uint16_t phase);

/* Adds a standing in words: "rank 2, ... left". */
void explain_standing(const struct reason *r, struct str *out);

/* Adds a clause about the launch: "because its turn had come". The next two add those about its end
 * ("and won", "because attempt 1 had won", ...) and its failure. */
void explain_attempt_launch(const struct explain *x, const struct story_attempt *a,
                            struct str *out);
void explain_attempt_ending(const struct explain *x, const struct story_attempt *a,
                            struct str *out);
void explain_attempt_failure(const struct explain *x, const struct story_attempt *a,
                             struct str *out);

/* ---- reasons ---- */

/* Adds text in which {} is replaced by `who`, and {NAME|FORM} by the number of the reason with that
 * name: as a time (s), a share (%), with up to 1..9 digits, or counted with a noun ("1 task"). */
void explain_words(const char *text, const char *who, const struct reason *r, struct str *out);

/* As explain_words, with the text for its code in the table; without one, adds `other` and the name
 * and numbers of the reason. */
void explain_why(const char *const table[WHY_CODE_END], const char *other, const char *who,
                 const struct reason *r, struct str *out);

/* Adds the name and numbers of a reason that has no text. */
void explain_reason(const struct reason *r, struct str *out);

/* Adds "the disk of NODE was busy ...", or the same for memory. */
void explain_pressure(const struct explain *x, const struct reason *r, struct str *out);

#define EXPLAIN_NO_CORE                                                                            \
    "no core was idle: attempts took {each|3} of one each, others left {spare|3} of one for "      \
    "clones, and {clones|clone} ran"
