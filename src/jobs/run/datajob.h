/* datajob.h - a data-parallel job: from its inputs and commands to the folder of its results.
 *
 * It becomes a workload whose commands are `dolly task PLAN` (jobs/task/task.h), and runs as any
 * workload does (jobs/drive/drive.h). */
#ifndef JOBS_RUN_DATAJOB_H
#define JOBS_RUN_DATAJOB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/field.h"
#include "base/text.h"
#include "data/codec.h"
#include "jobs/drive/drive.h"
#include "jobs/run/job_progress.h"
#include "jobs/run/job_time.h"
#include "jobs/run/pieces.h"
#include "jobs/task/counters.h"
#include "jobs/task/plan.h"

#define DATAJOB_POLICY "dolly;budget=idle" /* as of map --pure, and the same on several nodes: */
#define DATAJOB_POLICY_SEVERAL "dolly;budget=cluster;admit=fcfs;least=1"

/* What the simulator is told of a phase (job_sim.h). */
struct datajob_sim {
    struct job_lengths time; /* how long its tasks take */
    char *journal;           /* or whose tasks have taken that; NULL: none */
    int64_t output;          /* bytes that a task leaves; -1: as many as it reads */
};

/* Zero-initialise; free with datajob_fini. */
struct datajob {
    struct task_plan plan; /* without pieces; tasks of those who read them do not matter, and 0 of
                            * others means as many as the phase above has */
    /* Of each phase of the plan: keys of docs/reference/workload-file.md with their values, ` cpu=2
     * mem=1G`. */
    VEC(struct str) keys;
    VEC(struct datajob_sim) sims; /* of each phase */
    struct str job_keys;          /* the same of the job */
    struct field_list inputs;     /* as pieces.h takes them, ... */
    struct pieces_how how;        /* ... and how */
    VEC(struct plan_file) archives;
    char *output;               /* the folder of the results */
    enum codec codec;           /* of phases that do not say */
    uint64_t piece_bytes;       /* 0: as suits the inputs */
    uint64_t piece_lines;       /* or so many lines in each; 0: any */
    uint32_t packed_inputs;     /* once they are cut: those that could not be */
    bool json;                  /* tell the end as JSON on standard output */
    struct assembly_options run; /* machines and policy (NULL: DATAJOB_POLICY); seed 0: 1 */
    char *on_text;               /* behind run.on, of a job that goes on; owned */
    char *journal;               /* a file for the journal of the run; NULL: it is not kept */
    struct counters counters;    /* once it has run: what winners counted */
    struct job_progress progress;
};

void datajob_fini(struct datajob *j);

/* Adds a phase (plan_add_phase) with room for its keys. */
struct plan_phase *datajob_add_phase(struct datajob *j, const char *name, const char *command);

/* Adds a file that commands find in their folder: PATH, or PATH#NAME under another name. -1 with
 * *err. */
int datajob_add_file(struct datajob *j, const char *text, struct err *err);

/* The same of an archive, which they find unpacked in a folder of its name. */
int datajob_add_archive(struct datajob *j, const char *text, struct err *err);

/* Adds a command for sh that runs this program with these words behind it. -1 with *err. */
int datajob_add_self(struct str *to, const char *words, struct err *err);

/* How many attempts run at once. */
uint32_t datajob_slots(const struct datajob *j);

/* Finds the inputs and cuts them into pieces, from which phases know how many tasks they have. -1
 * with *err. */
int datajob_cut(struct datajob *j, struct err *err);

/* Adds what a workload file says of the phase, without the end of the line: tasks, what they read,
 * keys. */
void datajob_print_phase(const struct datajob *j, uint32_t phase, struct str *to);

/* Runs it to its end. 0 and what came of it, the results being in their place unless
 * result->failure says that there are none; or -1 with *err. Fills in the pieces. */
int datajob_run(struct datajob *j, struct drive_result *result, struct err *err);

/* How far the job has come whose results are to be in a folder. */
enum datajob_stage {
    DATAJOB_NONE,      /* there is none */
    DATAJOB_NOT_BEGUN, /* it was cut short before anything of it was run */
    DATAJOB_CUT,       /* it was cut short */
    DATAJOB_DONE,      /* its results are there, and perhaps some rest */
};
enum datajob_stage datajob_stage(const char *output);

/* 0 if what a job that was cut short says in its folder of results can only have been written by
 * us: its plan, its commands and its journal are done as the user who resumes it. -1 with *err. */
int datajob_trust(const char *output, struct err *err);

/* Goes on with the job in j->output, which is to be trusted and was cut short; *j is
 * filled from there. Else as datajob_run. */
int datajob_resume(struct datajob *j, struct drive_result *result, struct err *err);

#endif
