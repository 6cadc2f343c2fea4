/* map.h - one run of `dolly map`: the parts that its files share. Each part is in the header of
 * the file that keeps it. To be read in this order:
 *
 *   cmd_map.c cmd_resume.c cmd_leave.c   the commands
 *   map.c           arguments, stream or job log -> a plan of tasks
 *   map_dir.c       the folder of the run
 *   map_keep.c      what the folder keeps of the command line, for `dolly resume`
 *   map_feed.c      arguments that come while tasks run
 *   map_run.c       puts the run together: policy, body, journal, taps
 *   map_dress.c     the command, environment, stdin and shell of an attempt
 *   map_slots.c     its slot, {%}
 *   map_watch.c     follows attempts and tasks through the turns of the engine
 *   map_control.c   halts, pauses, time limits
 *   map_progress.c  the progress bar, and lines on stderr
 *   map_fail.c      tasks that fail, and why the run has to end before it is over
 *   map_print.c     outputs of tasks that are over
 *   map_whole.c     whether these have changed since
 *   map_stream.c    outputs of tasks that still run (--line-buffer, --ungroup)
 *   map_log.c       the job log
 *   map_files.c     --results, --output, --error, --files
 *   map_json.c      --json
 *   map_summary.c   the summary at the end
 *   map_look.c      for other commands: what the tasks of a run are called
 *
 * Code that needs no run is in src/jobs/args (command line, arguments, commands) and
 * src/jobs/streams (stdin cut into blocks, bytes that have reached stdout, tables, lines of job
 * logs). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "exec/exec.h"
#include "jobs/args/array_spec.h"
#include "jobs/args/history.h"
#include "jobs/args/inputs.h"
#include "jobs/args/options.h"
#include "jobs/args/plan.h"
#include "jobs/map/map_control.h"
#include "jobs/map/map_dir.h"
#include "jobs/map/map_dress.h"
#include "jobs/map/map_fail.h"
#include "jobs/map/map_feed.h"
#include "jobs/map/map_json.h"
#include "jobs/map/map_keep.h"
#include "jobs/map/map_log.h"
#include "jobs/map/map_print.h"
#include "jobs/map/map_progress.h"
#include "jobs/map/map_slots.h"
#include "jobs/map/map_summary.h"
#include "jobs/map/map_watch.h"
#include "jobs/streams/blocks.h"
#include "jobs/streams/mark.h"
#include "jobs/streams/results_table.h"
#include "remote/coordinator/where.h"
#include "ui/progress_line.h"

struct map {
    struct options options;
    int argc; /* the command line, from the word `map` on */
    char **argv;

    /* Which run it is. */
    bool again;       /* it was interrupted, and this process resumes it */
    bool look;        /* ... or only reads it (map_look.h) */
    bool once;        /* ... in which no command may run a second time */
    uint32_t refused; /* ... though this many would have to: map_whole_refuse */
    bool recalling;   /* its journal is being read: only note, do nothing */
    bool guarded;     /* a supervisor watches this process (exec/process/supervisor.h) */
    double begun_s;   /* when it began, since 1970 */
    int id;           /* the process that began it */
    char *shell;      /* owned; NULL: /bin/sh */

    /* Its folder. */
    char *dir; /* owned */
    bool dir_private;
    bool began;  /* it can be resumed from now on */
    int lock_fd; /* of dir, held to the end; 0: none */
    struct map_keep keep;

    /* Its tasks. */
    struct inputs *inputs;
    struct array_spec array;
    struct plan *plan;
    uint32_t tasks, slot_count;
    uint32_t node_slots; /* with --on: slots of each node; 0: one for each core */
    struct blocks blocks;
    struct map_feed feed;

    /* Its attempts. */
    struct exec *exec;
    struct coordinator *coordinator; /* of agents; NULL: none, or not yet */
    bool cloning;
    struct history_entry past;
    struct map_dress dress;
    struct map_slots slots;
    struct map_watch watch;
    struct map_counts counts;
    struct map_control control;

    /* Its outputs. */
    struct mark *mark; /* NULL: the run keeps nothing */
    struct map_print print;
    struct map_fail fail;
    struct map_log log;
    struct results_table table;
    struct map_json json;
    struct progress_line progress;
    struct map_summary summary;
};

/* Makes the tasks from the parsed options, or from the folder of the run. Returns 0, or -1 with
 * *err. Close in both cases. */
int map_open(struct map *m, struct err *err);
void map_close(struct map *m);

/* Records the process and the shell by which the user knows the run. Call once. Returns 0, or -1
 * with *err. */
int map_identify(struct map *m, struct err *err);
