/* map_print.h - what becomes of the output of a task that is over. */
#ifndef JOBS_MAP_MAP_PRINT_H
#define JOBS_MAP_MAP_PRINT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"
#include "base/vec.h"
#include "core/model/id.h"
#include "jobs/map/map_watch.h"

struct map;
struct map_shown;
struct map_slot;

/* A task that is over, and where its outputs are. */
struct map_output {
    uint32_t task;
    const struct map_end *end;
    bool has_out;                      /* there may be something on stdout */
    char out[PATH_MAX], err[PATH_MAX]; /* files with stdout and stderr */
    struct map_end unread;             /* what `end` is when they cannot be read */
    struct str tag;                    /* what stands before each line; NULL text: nothing */
};

struct map_print {
    struct map_end *ends;    /* -k: of tasks that wait for their turn, by task; else NULL */
    uint32_t room;           /* of ends */
    VEC(uint32_t) recalled;  /* tasks that were over, and perhaps not printed, when it died */
    uint32_t next;           /* -k: the task to be printed next */
    uint64_t streamed;       /* -k --line-buffer: 1 + the last task that was printed as it ran */
    struct err abort_reason; /* why the run must end, */
    bool aborts;             /* if it must */
    bool reader_left;        /* ... as nobody reads our stdout any more */
};

/* The task is over: prints it now, or in its turn. */
void map_print_task_over(struct map *m, uint32_t task, const struct map_end *end);
/* Prints those that wait behind a task which was never over, after a halt. */
void map_print_flush(struct map *m);
/* The task, which was over in an earlier life, runs again. */
void map_print_reopen(struct map *m, uint32_t task);
/* Prints what was over in an earlier life and is not known to be printed. */
void map_print_recalled(struct map *m);

void map_print_write(struct map *m, int fd, const char *at, size_t length);
/* Prints a file to our stdout or stderr from where *shown says, which moves on, with the tag before
 * each line (NULL: none). If `lines`, a line that has no end yet waits, however long it is. -1 with
 * errno when it could not be read to its end. */
int map_print_show(struct map *m, const char *path, struct map_shown *shown, int fd,
                   const char *tag, bool lines);

/* The run ends with this error after the present turn; the first one counts. */
void map_print_abort(struct map *m, const struct err *err);
/* The same for `what` that cannot be written, by errno. */
void map_print_unwritable(struct map *m, const char *what);

/* Counts a task that has failed, and notes it for the line at the end of the run. */
void map_print_count_failed(struct map *m, uint32_t task, const struct map_end *end);

/* ---- map_whole.c: whether outputs are what they were when their task ended ---- */

/* Looks at the outputs of a task before they are passed on. If one is gone, has another size, or in
 * a resumed run another checksum, or cannot be read, the task has failed: its user reads so, it is
 * counted so, and p->end says so from now on. */
void map_whole_look(struct map *m, struct map_output *p);

/* The same for an output whose bytes could not be read to their end, by errno (0: it was shorter
 * than it should be). */
void map_whole_unread(struct map *m, struct map_output *p, int error);

/* `spoilt` of struct exec_hooks; ctx is the map. */
bool map_whole_again(void *ctx, struct attempt_ref at);

/* -1 with *err if `spoilt` was asked for tasks that must not run again (--once), else 0. */
int map_whole_refuse(const struct map *m, struct err *err);

/* map_stream.c: prints the output of running tasks so far; the rest of an attempt that ends, whose
 * stdout had `bytes` in all (-1: not known). */
void map_stream(struct map *m);
void map_stream_end(struct map *m, struct map_slot *slot, int64_t bytes);

#endif
