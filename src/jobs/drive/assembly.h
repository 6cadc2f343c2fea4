/* assembly.h - a run of real processes, put together: machines, policy, journal, agents, body.
 *
 * `dolly map`, `run`, `streaming` and `exec` go this way, and so does `dolly resume`:
 *     assembly_plan        finds what can be wrong with the request while nothing is on the disk;
 *     assembly_recollect   of a resumed run, reads all of that from its journal instead
 *     assembly_begin       opens the journal in the folder, which the caller has made and locked
 *     assembly_open        opens agents and the body: the guardian is forked before the brain grows
 *     assembly_recall      of a resumed run, shows its journal to brain, body and taps
 *     assembly_drive       runs it to its end
 *     assembly_stop        leaves no process
 *     assembly_close       ends the journal and frees */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/field.h"
#include "exec/chaos.h"
#include "exec/exec.h"
#include "inputs/cluster/about.h"
#include "record/journal/journal_play.h"
#include "record/run/run.h"
#include "remote/coordinator/where.h"

/* Texts are borrowed, and may be NULL where a default is named. */
struct assembly_options {
    const char *body;    /* name of the command in the journal: map, or exec for all others */
    const char *cluster; /* a file, or NxM; default: one node, this machine, ... */
    uint32_t slots;      /* ... with this many slots; 0: one for each core */
    const char *nodes;   /* or NxM: N virtual nodes of M slots each */
    struct where_options where;
    const char *policy;
    bool spares; /* clones get the budget of ui/settings.h for machines; else as in a simulation */
    struct field_list settings;
    const char *chaos; /* default: none */
    uint64_t seed;
    struct about about; /* `workload`, `options` and the name of the cluster; the rest is added */
    struct tap taps[2]; /* see every turn, of a resumed run also those before; turn NULL: none */
    /* For the body. Those that are not known yet, such as the workload, are set in the assembly
     * later; cluster, journal, groups, hooks, chaos and again are added. */
    struct exec_options exec;
    struct exec_hooks hooks;
};

/* Zero-initialise; must not move once it is open. The pieces are NULL until made. */
struct assembly {
    struct assembly_options options; /* of a resumed run, seed and chaos are its journal's */
    struct cluster *cluster;
    struct policy *policy;
    struct chaos chaos;
    struct run *run;
    struct where where;
    struct exec *exec;
    struct journal_reader *reader; /* of a resumed run ... */
    struct about_text about;       /* ... and its description in the journal */
};

/* Takes the options. Returns 0, or -1 with *err; close in both cases. */
int assembly_plan(struct assembly *a, const struct assembly_options *options, struct err *err);

/* Takes the options from the run in the folder. Refuses runs of other commands and of other
 * versions. Returns 0, or -1 with *err; close in both cases. */
int assembly_recollect(struct assembly *a, const struct assembly_options *options, struct err *err);

/* Makes the brain, and the journal unless the run is resumed. Returns 0, or -1 with *err. */
int assembly_begin(struct assembly *a, struct err *err);

int assembly_open(struct assembly *a, struct err *err); /* -1 with *err */

/* Plays the journal of the run to brain, taps and, if it is open, the body. The caller then calls
 * exec_recall_end, unless the run was complete. Returns 0, or -1 with *err. */
int assembly_recall(struct assembly *a, struct journal_played *played, struct err *err);

int assembly_drive(struct assembly *a, struct err *err); /* -1 with *err */

/* Ends the body and the agents. From now on this process notes SIGINT, SIGTERM and SIGHUP, as in
 * ui/interrupt.h, so that it can cancel jobs and print its report. May be called again. */
void assembly_stop(struct assembly *a);

/* Stops, ends the journal, as complete if `result` is 0, and frees. Returns the result; -1 with
 * *err if only the closing failed. May be called again. */
int assembly_close(struct assembly *a, int result, struct err *err);
