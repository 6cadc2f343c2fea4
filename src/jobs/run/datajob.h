/* datajob.h - a data-parallel job: from its inputs and commands to the folder of its results.
 *
 * It becomes a workload whose commands are `dolly task PLAN` (jobs/task/task.h), and runs as any
 * workload does (jobs/drive/drive.h). */
#pragma once

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

/* Facts about a phase for the simulator (job_sim.h). */
struct datajob_sim {
    struct job_lengths time; /* durations of its tasks */
    char *journal;           /* or a journal with their durations; NULL: none */
    int64_t output;          /* bytes of a task's output; -1: as many as it reads */
};

/* Zero-initialise; free with datajob_fini. */
struct datajob {
    struct task_plan plan; /* without pieces; tasks of phases that read them do not matter, and 0 of
                            * others means as many as the phase above has */
    /* Of each phase of the plan: keys of docs/reference/workload-file.md with their values, ` cpu=2
     * mem=1G`. */
    VEC(struct str) keys;
    VEC(struct datajob_sim) sims; /* of each phase */
    struct str job_keys;          /* keys of the job */
    struct field_list inputs;     /* for pieces.h, ... */
    struct pieces_how how;        /* ... and how */
    VEC(struct plan_file) archives;
    char *output;                /* the folder of the results */
    enum codec codec;            /* of phases that do not set one */
    uint64_t piece_bytes;        /* 0: chosen by the inputs */
    uint64_t piece_lines;        /* lines per piece; 0: cut by bytes */
    uint32_t packed_inputs;      /* number of inputs that could not be cut */
    bool json;                   /* print the result as JSON on standard output */
    struct assembly_options run; /* machines and policy (NULL: SETTINGS_POLICY); seed 0: 1 */
    char *where_text;            /* text that run.where of a resumed job points into; owned */
    char *journal;               /* a file for the journal of the run; NULL: it is not kept */
    struct counters counters;    /* after the run: the counters of winners */
    struct job_progress progress;
};

void datajob_fini(struct datajob *j);

/* Adds a phase (plan_add_phase) with room for its keys. */
struct plan_phase *datajob_add_phase(struct datajob *j, const char *name, const char *command);

/* Adds a file that commands find in their folder: PATH, or PATH#NAME under another name. Returns 0,
 * or -1 with *err. */
int datajob_add_file(struct datajob *j, const char *text, struct err *err);

/* Adds an archive, which commands find unpacked in a folder of its name. Returns 0, or -1 with
 * *err. */
int datajob_add_archive(struct datajob *j, const char *text, struct err *err);

/* Appends a command for sh that runs this program with these words. Returns 0, or -1 with *err. */
int datajob_add_self(struct str *to, const char *words, struct err *err);

/* Returns the number of attempts that run at once. */
uint32_t datajob_slots(const struct datajob *j);

/* Finds the inputs and cuts them into pieces, which give the number of tasks of phases. Returns 0,
 * or -1 with *err. */
int datajob_cut(struct datajob *j, struct err *err);

/* Appends the phase as in a workload file, without the end of the line: tasks, inputs, keys. */
void datajob_print_phase(const struct datajob *j, uint32_t phase, struct str *to);

/* Runs the job to its end, and fills in the pieces. Returns 0 with the result; the results are in
 * their place unless result->failure is set. Returns -1 with *err on failure. */
int datajob_run(struct datajob *j, struct drive_result *result, struct err *err);

/* Progress of the job whose results are to be in a folder. */
enum datajob_stage {
    DATAJOB_NONE,      /* there is no job */
    DATAJOB_NOT_BEGUN, /* it was interrupted before anything of it was run */
    DATAJOB_CUT,       /* it was interrupted */
    DATAJOB_DONE,      /* its results are there; temporary files may be left */
};
enum datajob_stage datajob_stage(const char *output);

/* Checks that the files of an interrupted job in its folder of results can only have been written
 * by this user, since its plan, commands and journal are run as the resuming user. Returns 0,
 * or -1 with *err. */
int datajob_trust(const char *output, struct err *err);

/* Resumes the interrupted job in j->output, which must be trusted; fills *j from there. Returns as
 * datajob_run. */
int datajob_resume(struct datajob *j, struct drive_result *result, struct err *err);
