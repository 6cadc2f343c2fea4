/* map_print.h - prints the output of a task that is over. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/os/path.h"
#include "base/text.h"
#include "base/vec.h"
#include "core/model/id.h"
#include "jobs/map/map_missing.h"
#include "jobs/map/map_watch.h"

struct map;
struct map_shown;

/* A task that is over, and where its outputs are. */
struct map_output {
    uint32_t task;
    const struct map_end *end;
    bool has_out;          /* its stdout may not be empty */
    struct path out, err;  /* files with stdout and stderr */
    struct map_end unread; /* replaces `end` if they cannot be read */
    struct str tag;        /* printed before each line; NULL text: nothing */
};

struct map_print {
    struct map_end *ends; /* -k: tasks that wait for their turn, by task; else NULL */
    uint32_t capacity;    /* of ends */
    /* Tasks that were over, and perhaps not printed, when the process died. */
    VEC(uint32_t) recalled;
    uint32_t next; /* -k: the task to be printed next */
    struct map_missing missing;
    uint64_t streamed; /* -k --line-buffer: 1 + the last task that was printed as it ran */
};

/* Counts a task that is over, and prints it now, or in its turn. */
void map_print_over(struct map *m, uint32_t task, const struct map_end *end);
/* Prints the tasks that wait for a task which was never over, after a halt. */
void map_print_flush(struct map *m);
/* Prints tasks that were over in an earlier process and may not have been printed. */
void map_print_recalled(struct map *m);

/* Prints bytes to stdout or stderr. */
void map_print_write(struct map *m, int fd, const char *at, size_t length);
/* Prints a file to stdout or stderr from the position in *shown, which is advanced, with the tag
 * before each line (NULL: none). If `lines`, a line that has no end yet waits, however long it is.
 * Returns 0, or -1 with errno if it could not be read to its end. */
int map_print_show(struct map *m, const char *path, struct map_shown *shown, int fd,
                   const char *tag, bool lines);
