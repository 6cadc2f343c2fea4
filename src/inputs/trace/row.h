/* row.h - what a format makes of its bytes: flat rows, each a fact about a job, a phase or an
 * attempt.
 *
 * A row says what its line says and no more; a job is put together from all of its rows, in
 * whatever order they come (assemble.h). So a format needs no memory of jobs, and the order of
 * files does not matter. */
#ifndef INPUTS_TRACE_ROW_H
#define INPUTS_TRACE_ROW_H

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

/* The next name of a list of names that are each ended by a newline; it is cut off. False: there
 * is none. */
bool row_text_next(struct row_text *list, struct row_text *name);

#define ROW_TEXT(literal) ((struct row_text){literal, sizeof(literal) - 1})

static inline bool row_text_is(struct row_text t, const char *word)
{
    return t.length == strlen(word) && !memcmp(t.at, word, t.length);
}

/* The order of their bytes, a text before those that it begins. */
static inline int row_text_compare(struct row_text a, struct row_text b)
{
    size_t n = a.length < b.length ? a.length : b.length;
    int c = n ? memcmp(a.at, b.at, n) : 0;
    return c ? c : (a.length > b.length) - (a.length < b.length);
}

/* Events of one task come in this order where their times are the same. */
enum row_kind {
    ROW_JOB,     /* about a job */
    ROW_PHASE,   /* about a phase */
    ROW_TASK,    /* about a task: its parents, demand and bytes */
    ROW_END,     /* the running attempt of a task ended at end_us */
    ROW_SUBMIT,  /* its next attempt was asked for at submit_us ... */
    ROW_START,   /* ... and began at start_us */
    ROW_ATTEMPT, /* a whole attempt */
};

/* How an attempt or a phase ended. */
enum row_end {
    ROW_DONE,
    ROW_FAILED,  /* by itself */
    ROW_KILLED,  /* by the framework: also the loser of two copies */
    ROW_EVICTED, /* for the sake of others */
    ROW_LOST,    /* with its machine, or in the records */
    ROW_RUNNING, /* it had not when the trace ended */
    ROW_WAITING, /* it never began; no attempt has this */
    ROW_END_COUNT,
};

#define ROW_UNKNOWN INT64_MIN

enum { ROW_NAME_MAX = 4096, ROW_PARENTS_MAX = 1 << 20 }; /* bytes of texts */

struct row {
    enum row_kind kind;
    enum row_end end;
    struct row_text job, phase, task; /* the names by which rows belong together */
    int64_t submit_us, start_us, end_us;
    int64_t attempt;  /* its number; ROW_UNKNOWN: by time */
    int64_t mean_us;  /* of a phase: mean time of its tasks; of an attempt: its time, if no
                       * more is known */
    int64_t span_us;  /* of a phase: from its first start to its last end */
    int64_t limit_us; /* of a phase: none of its tasks may take longer */
    int64_t tasks;    /* of a phase */
    int64_t input_bytes, output_bytes; /* of an attempt or task, or of a phase in all */
    double cpu, mem;                   /* < 0: unknown; cores and bytes, or shares of a machine */
    bool is_share, is_mem_share;       /* shares of the largest machine: both, or only mem */
    bool tasks_are_parents;            /* `parents` are tasks and not phases */
    bool is_gang;                      /* of a phase: its tasks run at the same time */
    struct row_text parents;           /* names, each ended by a newline */
    struct row_text hosts;             /* of an attempt or task: where its input lies; the same */
    struct row_text user, queue, app, node;
    struct row_text name; /* of a job or phase, where people call it otherwise */
    uint64_t run;   /* where a line is a job: a hash of it, which tells jobs of one id apart */
    uint64_t where; /* trouble_where: part and line */
};

/* A row of this kind in which nothing is known. */
struct row row_blank(enum row_kind kind, struct row_text job);

/* Bytes under construction. */
struct row_bytes {
    VEC(char) at;
};

void row_bytes_put(struct row_bytes *to, const void *at, size_t length);

/* A text among them, known by its place, because the bytes may move. */
struct row_kept {
    uint32_t at, length;
};
struct row_kept row_bytes_keep(struct row_bytes *to, struct row_text text);
struct row_text row_bytes_text(const struct row_bytes *bytes, struct row_kept text);

/* Appends the row as bytes whose order (memcmp, the shorter first) is that of jobs, then within a
 * job: what is said of the job, of its phases, and of its tasks by phase and number or name: first
 * what is said of the task, then of its attempts by time. Returns how many of these bytes are the
 * order: all but `where`. */
size_t row_encode(const struct row *r, struct row_bytes *to);

/* Appends the bytes that tell the job of a row from others. */
void row_job_key(const struct row *r, struct row_bytes *to);

/* Reads such bytes; the texts point into them. */
struct row row_decode(const char *at, size_t length);

#endif
