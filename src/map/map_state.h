/* map_state.h - the inside of `dolly map`, shared by cmd_map.c and map_*.c and by nobody else.
 *
 *   cmd_map.c      the command: help, what to do, exit status
 *   cmd_resume.c   the command that goes on with a run that was cut short
 *   map_keep.c     what a run keeps of its command line for that
 *   map_look.c     tells others of it what tasks are called
 *   map_mark.c     which outputs have reached our stdout, to the byte
 *   map_open.c     arguments and job logs -> a plan
 *   map_blocks.c   blocks of a stream, which are the stdin of tasks
 *   map_run.c      the pieces of a run, from the folder to the engine
 *   map_dress.c    what an attempt is told: command, slot, environment, stdin
 *   map_shell.c    which shell runs the commands
 *   map_watch.c    follows attempts and tasks through the turns of the engine
 *   map_print.c    outputs of tasks that are over, job log
 *   map_files.c    outputs that are kept in files: --results, --output, --error
 *   map_table.c    outputs that are kept in one file: --results X.csv
 *   map_stream.c   outputs of tasks that still run (--line-buffer, --ungroup)
 *   map_control.c  when to stop, to pause, to end a task; progress
 *   map_history.c  what earlier runs of the command have shown, and what this one adds
 *   map_summary.c  the words at the end
 *   map_json.c     all of it as one object */
#ifndef MAP_MAP_STATE_H
#define MAP_MAP_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "args/array_spec.h"
#include "args/history.h"
#include "args/inputs.h"
#include "args/options.h"
#include "args/plan.h"
#include "base/err.h"
#include "base/text.h"
#include "base/vec.h"
#include "engine/engine.h"
#include "exec/chaos.h"
#include "exec/exec.h"
#include "journal/journal.h"
#include "map/joblog.h"
#include "stats/story_facts.h"
#include "stats/story_join.h"

enum { MAP_USAGE = 255, MAP_FAILED_MAX = 100, MAP_FAILED_MANY = 101 };

enum map_state { MAP_OPEN, MAP_DONE, MAP_FAILED };

/* How a task, or an attempt of it, ended. */
struct map_end {
    double start_s; /* since 1970 */
    double runtime_s, cpu_s;
    int64_t sent, received;
    int64_t end_us;
    int32_t exit, signal; /* exit -1: we ended it */
    uint32_t node;
    uint16_t attempt;
    uint8_t state; /* enum map_state */
    bool extra;    /* a clone or backup */
    bool silent;   /* done, and nothing was said on stderr */
};

/* A place in which one attempt at a time runs: {%}. */
struct map_slot {
    bool used, extra, running;
    struct attempt_ref at;
    uint32_t node;
    double start_s;
    int64_t shown[2]; /* bytes of its stdout and stderr that were printed already */
};

/* An attempt that has ended and whose task is not over. */
struct map_ended {
    struct attempt_ref at;
    struct map_end end;
    bool committing;
    /* Of a failure: what has failed, and why. */
    uint8_t type, cause; /* enum event_type, enum cause */
    int32_t detail;
};

struct map_counts {
    uint64_t done, failed, attempts, extras, extras_won, restarts;
    double busy_s, wasted_s, cpu_s;
    int64_t peak_rss_kib;
};

/* The task that took longest. */
struct map_slowest {
    uint32_t task;
    struct map_end end;
};

/* Numbers of tasks; bits, or sequence numbers. */
struct map_numbers {
    uint64_t *at;
    uint32_t count, cap;
};

/* What `run` in the folder says; strings are borrowed from map.kept_text. */
struct map_kept {
    const char *version, *cwd, *part_bytes, *part_changed;
    uint32_t tasks;
    bool fed; /* arguments came while tasks ran */
};

struct mark;
struct story;

struct map {
    struct options options;
    int argc; /* the command line, from the word `map` on */
    char **argv;

    /* map_keep.c */
    bool again;      /* the run was cut short, and this is its second life */
    bool look;       /* ... or somebody only asks what it was to do */
    bool recalling;  /* its journal is being read: nothing is to be done, only noted */
    double begun_s;  /* when it was begun, since 1970 */
    int id;          /* the process that began it */
    char *shell;     /* owned; NULL: /bin/sh */
    bool guarded;    /* somebody watches over us (runner/supervisor.h) */
    char *kept_text; /* owned */
    struct map_kept kept;
    int lock_fd; /* of the folder, until the body has it; 0: none */

    /* map_open.c */
    struct inputs *inputs;
    struct array_spec array;
    struct map_numbers seqs;   /* of the commands of --retry-failed */
    struct map_numbers logged; /* a bit per sequence number: --resume leaves it out */
    VEC(int64_t) blocks;       /* --pipepart: where blocks begin, and the end */
    uint64_t block_count;
    int64_t stream_at;        /* where the next block begins */
    struct str stream_header; /* what each block begins with */
    char *spool;              /* folder for the stdin of tasks; owned, removed at the end */
    struct plan *plan;
    uint32_t slot_count;

    /* map_feed.c */
    bool feeding;         /* arguments come while tasks run, or came so in an earlier life */
    bool fed_all;         /* stdin has come to its end */
    VEC(uint32_t) firsts; /* of each job, its first task */
    uint32_t given;       /* jobs that the body has, or will submit next */
    uint32_t submitted, cancelled; /* of these, the brain knows so many; we have ended so many */
    uint32_t ends_room;            /* of ends_by_task */
    int keep_fds[2];               /* map_keep.c: arguments, and sizes of jobs; 0: not kept */

    /* map_run.c */
    char *dir; /* of the run */
    bool dir_private;
    bool began; /* it can be resumed from now on */
    FILE *joblog;
    FILE *table; /* map_table.c: of --results; NULL: none */
    bool table_columns_known;
    uint32_t table_columns; /* of arguments */
    struct exec *exec;
    struct chaos chaos;
    bool cloning;
    int64_t begun_us;
    uint32_t tasks;

    /* map_dress.c */
    VEC(struct map_slot) slots;
    struct str command, stdin_path;
    VEC(char) env;

    /* map_watch.c */
    VEC(struct map_ended) finished, failed;
    VEC(struct attempt_ref) extras; /* clones and backups about to be launched */
    uint32_t committing;            /* commits on their way */
    struct map_counts counts;
    struct map_slowest slowest;
    VEC(float) runtimes; /* of tasks that are done, seconds */
    VEC(float) stopped;  /* of attempts that were killed */
    struct history_entry past;
    struct story *story; /* NULL: nobody will ask */
    struct story_join join;
    bool json_open; /* --json: the object was begun, with so many tasks so far */
    uint64_t json_tasks;
    bool halting;
    int halt_status; /* of --halt; -1: count the failed tasks */

    /* map_print.c */
    struct mark *mark;            /* NULL: the run keeps nothing */
    struct map_end *ends_by_task; /* -k: those that wait for their turn */
    VEC(uint32_t) unprinted;      /* tasks that were over, and perhaps not printed, when it died */
    uint32_t next;                /* -k: the task to be printed next */
    uint64_t streamed; /* -k --line-buffer: 1 + the last task that was printed as it ran */
    struct err broken; /* our output is gone; kind and text */
    bool is_broken;

    /* map_control.c */
    int64_t drawn_us;
    bool terminal, drawn;
};

/* ---- cmd_map.c ---- */
int map_status(const struct map *m); /* exit status, as GNU parallel has it */
/* The words or the object at the end of a run that came so far; `status` is the exit status. */
void map_conclude(struct map *m, bool complete, int status);
/* One line on how to go on with a run that has ended too early. */
void map_suggest_resume(const struct map *m);

/* ---- map_keep.c ---- */
/* Writes what a later `dolly resume` needs. -1 with *err. */
int map_keep(struct map *m, struct err *err);
/* Adds the tasks from this one on, which are a job, and whether stdin has ended (m->fed_all), and
 * has it on the disk before it returns. -1 with *err. */
int map_keep_more(struct map *m, uint32_t from, struct err *err);
/* Reads the command line of the run in this folder; then goes to where it was begun. -1 with *err.
 */
int map_recall_line(struct map *m, const char *dir, struct err *err);
int map_recall_place(struct map *m, struct err *err);
/* Reads the arguments into m->inputs, which is new. -1 with *err. */
int map_recall_args(struct map *m, struct err *err);

/* ---- map_mark.c ---- */
enum mark_stage { MARK_NONE, MARK_FILES, MARK_OUT, MARK_ERR, MARK_LOG };
/* Opens DIR/printed for m->tasks tasks, and finds out where an earlier life has stopped. */
int map_mark_open(struct map *m, struct err *err);
void map_mark_close(struct map *m);
/* There are more tasks now: m->tasks. -1 with *err. */
int map_mark_grow(struct map *m, struct err *err);
/* The end of a pipe that the guardian must keep for map_mark_orphaned. */
int map_mark_fd(const struct map *m);
void map_mark_orphaned(void *ctx, int keep_fd);
bool map_mark_is_done(const struct map *m, uint32_t task);
void map_mark_done(struct map *m, uint32_t task);
/* From now on bytes go to this stream of the task; what had arrived earlier is left out. */
void map_mark_stage(struct map *m, uint32_t task, enum mark_stage stage);
/* Writes bytes of the stage. -1 with errno. */
int map_mark_write(struct map *m, int fd, const char *at, size_t length);
/* The files that the task shares with others, for stdout and stderr, were so long before it. */
void map_mark_files(struct map *m, uint32_t task, const int64_t bytes[2]);
/* Whether an earlier life was adding to them when it died, and how long they were before; whether
 * it was done with those of the task. */
bool map_mark_filing(const struct map *m, int64_t bytes[2]);
bool map_mark_filed(const struct map *m, uint32_t task);
/* The job log was `bytes` long before the line of the task was added. */
void map_mark_log(struct map *m, uint32_t task, int64_t bytes);
/* Whether an earlier life had begun to add a line to the log, and of whom. */
bool map_mark_logging(const struct map *m, uint32_t *task, int64_t *bytes);

/* ---- map_open.c ---- */
int map_open(struct map *m, struct err *err);
void map_close(struct map *m);
/* The path of the job log, if there is to be one. */
void map_joblog_path(const struct map *m, struct str *path);
/* Where temporary files go. */
const char *map_tmp(const struct map *m);
/* Makes the folder of the run, private or named, unless there is one. */
int map_open_folder(struct map *m, struct err *err);

/* Notes who the user takes us for: our process, and the shell that started us. Once only. */
void map_identify(struct map *m);
/* ---- map_blocks.c ---- */
/* Reads the stream and cuts it into m->block_count blocks. -1 with *err. */
int map_blocks_open(struct map *m, struct err *err);
/* --tee: writes all of stdin to one file. -1 with *err. */
int map_tee_open(struct map *m, struct err *err);
/* The stdin of the task as a file in m->spool; -1 with *err. */
int map_block_path(struct map *m, uint32_t task, struct str *path, struct err *err);

/* ---- map_feed.c ---- */
/* Whether the run can begin before all of stdin is there. */
bool map_feeds(const struct map *m);
/* Takes what stdin has, as exec_hooks want it. */
int map_feed(void *ctx, struct err *err);
/* Gives the next job to the body: how many tasks it has; 0: there is none so far. */
uint32_t map_feed_take(struct map *m);
/* Tasks of a job; 0: there is no such job. */
uint32_t map_feed_tasks(const struct map *m, uint32_t job);
/* What the brain calls an attempt and what we call it: we know no jobs. */
struct attempt_ref map_at(const struct map *m, struct attempt_ref told);
struct attempt_ref map_told(const struct map *m, struct attempt_ref at);
void map_name(void *ctx, struct attempt_ref *at, uint32_t *tasks);
/* Everything ends. */
void map_cancel(struct map *m);

/* ---- map_run.c ---- */
/* Runs the plan. 0, or -1 with *err and *interrupted. */
int map_run(struct map *m, bool *interrupted, struct err *err);
/* Runs nothing: tells with --json of a run that is complete. -1 with *err. */
int map_retell(struct map *m, struct err *err);

/* ---- map_dress.c ---- */
void map_dress(void *ctx, struct attempt_ref told, struct node_id node, struct exec_dress *dress);
uint32_t map_slot_take(struct map *m, struct attempt_ref at, struct node_id node);
struct map_slot *map_slot_of(struct map *m, struct attempt_ref at);
/* Whether the attempt, which has no slot yet, is an extra one; forgets it. */
bool map_extra_take(struct map *m, struct attempt_ref at);
uint32_t map_slots_used(const struct map *m);
void map_forget_environment(void);

/* ---- map_shell.c ---- */
/* $PARALLEL_SHELL, the nearest shell above us (so that functions it has exported work), or $SHELL.
 * NULL: /bin/sh. To be freed. */
char *map_shell(void);

/* ---- map_watch.c ---- */
struct tap map_tap(struct map *m);
/* Notes what the journal of an earlier life tells; then map_recalled, before the body goes on. */
struct journal_witness map_witness(struct map *m);
void map_recalled(struct map *m);

/* ---- map_print.c ---- */
/* The task is over: prints it now, or in its turn. */
void map_task_over(struct map *m, uint32_t task, const struct map_end *end);
/* Prints those that wait behind a task which was never over, after a halt. */
void map_flush(struct map *m);
/* Prints what was over in an earlier life and is not known to be printed. */
void map_print_recalled(struct map *m);
void map_attempt_path(const struct map *m, struct attempt_ref at, const char *name,
                      struct str *path);
/* Where the outputs of a task that is over wait; `which` is 1 or 2. */
void map_output_path(const struct map *m, uint32_t task, uint8_t state, int which,
                     struct str *path);
void map_write(struct map *m, int fd, const char *at, size_t length);
/* Prints a part of a file to our stdout or stderr, with the tag; whole lines only if `lines`.
 * Returns how many bytes were printed. */
int64_t map_show(struct map *m, const char *path, int64_t from, int fd, const char *tag,
                 bool lines);

/* Our output, or a file we were to write, is gone (errno): the run ends. */
void map_broken(struct map *m, const char *what);

/* ---- map_files.c ---- */
/* Empties the files that all tasks share, or takes from them what an earlier life has added by
 * halves. -1 with *err. */
int map_files_open(struct map *m, struct err *err);
/* Copies what a task has said, from the files named here, to where --results, or --output and
 * --error, want it. */
void map_keep_results(struct map *m, uint32_t task, const char *out, const char *err);
void map_keep_files(struct map *m, uint32_t task, const char *out, const char *err);
/* --files: the output stays in a file, that of --results if there is one, and its name is printed.
 */
void map_print_file(struct map *m, uint32_t task, const char *out, const char *tag);

/* ---- map_table.c ---- */
int map_table_open(struct map *m, struct err *err); /* if there is to be one. -1 with *err */
/* Adds a task that is over, with the files of its outputs. */
void map_table_add(struct map *m, uint32_t task, const struct joblog_entry *e, const char *out,
                   const char *err);

/* ---- map_stream.c ---- */
void map_stream(struct map *m);
void map_stream_end(struct map *m, struct map_slot *slot);

/* ---- map_history.c ---- */
/* Fills m->past, if anybody will use it. Warns of damage. */
void map_history_find(struct map *m);
/* Adds the run, which is complete. */
void map_history_add(const struct map *m);

/* ---- map_control.c ---- */
void map_tick(void *ctx, int64_t now_us);
int64_t map_tick_us(const struct map *m);
/* A task is over: is it time to halt, is there a new limit? */
void map_control(struct map *m, uint32_t task, const struct map_end *end);
/* Says on stderr that the job of this task "failed", ...; not of earlier lives. */
void map_tell(struct map *m, const char *what, uint32_t task);
/* A task is about to succeed: if that ends the run, nothing new may start meanwhile. */
void map_control_early(struct map *m);
/* Limits and halts as the journal of an earlier life left them. */
void map_control_recalled(struct map *m);
void map_clear_line(struct map *m);
/* One line on stderr; `ctx` is the map. */
void map_warn(void *ctx, const char *text);
void map_draw(struct map *m, int64_t now_us, bool last);

/* ---- map_summary.c ---- */
/* What `dolly explain` would say of the run. */
struct map_facts {
    int64_t took_us;
    struct story_difference would; /* of straggling, and of cloning */
    uint32_t won_by_extra, beat_straggler, stragglers;
    uint32_t unsure; /* of the won ones: what would have been without is not known */
    double slot_s, vain_slot_s, median_s;
};
struct map_facts map_facts(const struct map *m);
struct tap map_story_tap(struct map *m);
struct journal_witness map_story_witness(struct map *m);
void map_summary(const struct map *m);

/* ---- map_json.c ---- */
/* A task that is over, with the files of its outputs. */
void map_json_task(struct map *m, uint32_t task, const struct map_end *end, const char *out,
                   const char *err);
/* The sums, and the end of the object. */
void map_json_end(struct map *m, bool complete, int status);

#endif
