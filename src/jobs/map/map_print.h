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
    struct map_end *ends;   /* -k: of tasks that wait for their turn, by task; else NULL */
    uint32_t room;          /* of ends */
    VEC(uint32_t) recalled; /* tasks that were over, and perhaps not printed, when it died */
    uint32_t next;          /* -k: the task to be printed next */
    uint64_t streamed;      /* -k --line-buffer: 1 + the last task that was printed as it ran */
};

/* Counts a task that is over, and prints it now, or in its turn. */
void map_print_over(struct map *m, uint32_t task, const struct map_end *end);
/* Prints those that wait behind a task which was never over, after a halt. */
void map_print_flush(struct map *m);
/* Prints what was over in an earlier life and is not known to be printed. */
void map_print_recalled(struct map *m);

/* Prints bytes to our stdout or stderr. */
void map_print_write(struct map *m, int fd, const char *at, size_t length);
/* Prints a file to our stdout or stderr from where *shown says, which moves on, with the tag before
 * each line (NULL: none). If `lines`, a line that has no end yet waits, however long it is. Returns
 * 0, or -1 with errno when it could not be read to its end. */
int map_print_show(struct map *m, const char *path, struct map_shown *shown, int fd,
                   const char *tag, bool lines);

#endif
