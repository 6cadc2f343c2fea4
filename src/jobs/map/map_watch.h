/* map_watch.h - follows attempts and tasks through the turns of the engine. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "core/engine/engine.h"
#include "core/model/reason.h"
#include "exec/folder/sync_files.h"

struct map;

enum map_task_state { MAP_TASK_OPEN, MAP_TASK_DONE, MAP_TASK_FAILED };

/* The end of a task, or of an attempt of it. */
struct map_end {
    double start_s; /* since 1970 */
    double runtime_s, cpu_s;
    int64_t sent, received;
    int64_t said;         /* bytes on stderr; 0: not known */
    uint64_t checksum;    /* of the received bytes */
    int32_t exit, signal; /* exit -1: dolly killed it */
    struct node_id node;  /* NODE_NONE: it was not launched */
    uint32_t slot;        /* from 1; 0: the same */
    uint16_t attempt;
    uint8_t state;       /* enum map_task_state */
    bool extra;          /* a clone or backup */
    bool silent;         /* done, and nothing was printed on stderr */
    const char *command; /* as it was launched, if still known; else NULL. Borrowed */
};

/* An attempt that has ended and whose task is not over. */
struct map_ended {
    struct attempt_ref at;
    struct map_end end;
    char *command; /* of one that has finished: owned; or NULL */
    bool committing;
    /* For a failure: which event has failed, and why. */
    uint8_t type, cause; /* enum event_type, enum cause */
    int32_t detail;
};

struct map_watch {
    VEC(struct map_ended) finished, failed;
    uint32_t committing;      /* number of commits on their way */
    struct attempt_ref ready; /* the attempt whose output was checked last, */
    uint64_t ready_checksum;  /* and its checksum */
    struct sync_files kept;   /* files of stderr that may not be on the disk yet, nor their names */
};

/* A task that failed for good. */
struct map_failed {
    uint32_t task;
    int exit, signal; /* as of struct map_end */
};

enum { MAP_FAILED_TOLD = 3 };

struct map_counts {
    uint64_t done, failed, attempts, extras, extras_won;
    struct reason unwanted; /* the first verdict against cloning; no code: there was none */
    struct map_failed failed_first[MAP_FAILED_TOLD]; /* as many as failed, up to these */
    double cpu_s;
    int64_t peak_rss_kib;
    VEC(float) runtimes; /* of tasks that are done, seconds */
    VEC(float) stopped;  /* of attempts that were killed */
};

void map_watch_fini(struct map_watch *w);

/* Returns the tap for the turns of the run. If m->recalling they are those of an earlier process
 * and are only noted; then call map_watch_recalled, before the body continues. */
struct tap map_watch_tap(struct map *m);
void map_watch_recalled(struct map *m);

/* A hook of the body (`announced`): has stderr of winners on the disk before their commits are. */
int map_watch_announced(void *ctx, struct err *err);
