/* row.h - the result of a format: flat rows, each a fact about a job, a phase or an attempt.
 *
 * A row has the data of its line and no more; a job is assembled from all of its rows, in any order
 * (assemble.h). So a format needs no memory of jobs, and the order of files does not matter. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/vec.h"

/* Bytes of a line, not ended by a zero. */
struct row_text {
    const char *at;
    size_t length;
};

/* Removes the next name from a list of names that each end with a newline. Returns false if there
 * is none. */
bool row_text_next(struct row_text *list, struct row_text *name);

#define ROW_TEXT(literal) ((struct row_text){literal, sizeof(literal) - 1})

/* Returns true if the text equals the word. */
static inline bool row_text_is(struct row_text t, const char *word)
{
    return t.length == strlen(word) && !memcmp(t.at, word, t.length);
}

/* Compares two texts by their bytes; a text precedes those that it begins. */
static inline int row_text_compare(struct row_text a, struct row_text b)
{
    size_t n = a.length < b.length ? a.length : b.length;
    int c = n ? memcmp(a.at, b.at, n) : 0;
    return c ? c : (a.length > b.length) - (a.length < b.length);
}

/* The kind of a row. Events of one task with equal times are in this order. */
enum row_kind {
    ROW_JOB,     /* about a job */
    ROW_PHASE,   /* about a phase */
    ROW_TASK,    /* about a task: its parents, demand and bytes */
    ROW_END,     /* the running attempt of a task ended at end_us */
    ROW_SUBMIT,  /* its next attempt was requested at submit_us ... */
    ROW_START,   /* ... and began at start_us */
    ROW_ATTEMPT, /* a whole attempt */
};

/* The end of an attempt or a phase. */
enum row_end {
    ROW_DONE,
    ROW_FAILED,  /* by itself */
    ROW_KILLED,  /* by the framework: also the loser of two copies */
    ROW_EVICTED, /* to make room for others */
    ROW_LOST,    /* with its machine, or in the records */
    ROW_RUNNING, /* it had not ended when the trace did */
    ROW_WAITING, /* it never began; not for attempts */
    ROW_END_COUNT,
};

/* A format's word for an end. */
struct row_end_word {
    const char *word;
    enum row_end end;
};

/* Sets *end to that of the word. Returns false if the list, which ends with NULL, has no such
 * word. */
bool row_end_read(const struct row_end_word *words, struct row_text word, enum row_end *end);

#define ROW_UNKNOWN INT64_MIN

enum { ROW_NAME_MAX = 4096, ROW_PARENTS_MAX = 1 << 20 }; /* bytes of texts */

struct row {
    enum row_kind kind;
    enum row_end end;
    struct row_text job, phase, task; /* the names that link rows */
    int64_t submit_us, start_us, end_us;
    int64_t attempt;                   /* its number; ROW_UNKNOWN: by time */
    int64_t mean_us;                   /* time: mean of a phase's tasks, or of one attempt */
    int64_t span_us;                   /* of a phase: from its first start to its last end */
    int64_t limit_us;                  /* of a phase: maximum time of its tasks */
    int64_t tasks;                     /* of a phase */
    int64_t input_bytes, output_bytes; /* of an attempt or task, or of a phase in all */
    double cpu, mem;                   /* < 0: unknown; cores and bytes, or shares of a machine */
    bool is_share, is_mem_share;       /* shares of the largest machine: both, or only mem */
    bool tasks_are_parents;            /* `parents` are tasks and not phases */
    bool is_gang;                      /* of a phase: its tasks run at the same time */
    struct row_text parents;           /* names, each ended by a newline */
    struct row_text hosts;             /* of its input; the same form */
    struct row_text user, queue, app, node;
    struct row_text name; /* of a job or phase: its name for people, if different */
    uint64_t job_hash;    /* if a line is a job: a hash of it, which distinguishes jobs of one id */
    uint64_t where;       /* trouble_where: member and line */
};

/* A row of this kind in which everything is unknown. */
struct row row_blank(enum row_kind kind, struct row_text job);

/* Bytes under construction. */
struct row_bytes {
    VEC(char) at;
};

/* Appends bytes. */
void row_bytes_put(struct row_bytes *to, const void *at, size_t length);

/* A text among them, by its offset, because the bytes may move. */
struct row_kept {
    uint32_t at, length;
};
/* Appends a text and returns its offset and length. */
struct row_kept row_bytes_keep(struct row_bytes *to, struct row_text text);
/* The text at an offset. Borrowed until the bytes change. */
struct row_text row_bytes_text(const struct row_bytes *bytes, struct row_kept text);

/* Appends the row as bytes whose order (memcmp, the shorter first) is that of jobs, then within a
 * job: rows of the job, of its phases, and of its tasks by phase and number or name: first those of
 * the task, then of its attempts by time. Returns the number of these bytes that sort it: all
 * except `where`. */
size_t row_encode(const struct row *r, struct row_bytes *to);

/* Appends the bytes that identify the job of a row. */
void row_job_key(const struct row *r, struct row_bytes *to);

/* Reads the bytes of row_encode; the texts point into them. */
struct row row_decode(const char *at, size_t length);
