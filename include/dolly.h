/* dolly.h - phases of a data-parallel job as functions of a shared object.
 *
 *     cc -O2 -shared -fPIC -o count.so count.c
 *
 * and `native: count.so` in place of `run: COMMAND` in a job file (docs/use/native.md). The object
 * is loaded in the process of an attempt, one for each, and never in dolly's own: what goes wrong
 * there fails that attempt. It needs nothing to link with. Functions are called by one thread, one
 * after the other; an attempt may run at the same time as another one of its task, unless the phase
 * says `clone: never`.
 *
 * A phase that reads lines (the input, or what a phase above has printed) has `map` called for each
 * of them. A phase that reads keys has `reduce` called for each key, in the order of their bytes.
 *
 * C11 or C++. */
#ifndef DOLLY_H
#define DOLLY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define DOLLY_ABI 2

#ifdef __cplusplus
#define DOLLY_EXPORT extern "C" __attribute__((visibility("default")))
extern "C" {
#else
#define DOLLY_EXPORT __attribute__((visibility("default")))
#endif

/* Bytes of any kind, zeros too, that somebody else owns. There is no zero behind them. */
struct dolly_bytes {
    const char *at;
    size_t length;
};

struct dolly_task;

/* The values of a key, to be asked for with dolly_next. */
struct dolly_values {
    int (*next)(struct dolly_values *values, struct dolly_bytes *value);
};

/* ---- what a shared object has ---- */

/* Defined as `DOLLY_EXPORT const struct dolly_functions dolly_program = {.abi = DOLLY_ABI, ...};`.
 * An object may have more of these for other phases: `native: FILE.so#NAME` takes the one that is
 * called NAME. Functions that a phase does not need may be NULL. Each returns 0, or what dolly_fail
 * returned: then the attempt has failed. */
struct dolly_functions {
    uint32_t abi; /* DOLLY_ABI */
    /* Before all others: a place to set task->state. */
    int (*begin)(struct dolly_task *task);
    /* A line, without its newline. */
    int (*map)(struct dolly_task *task, struct dolly_bytes line);
    /* A key and values that this attempt has emitted for it, in that order, of which fewer can be
     * made to spare the phase below the work: it emits what takes their place, keys in order.
     * Called for some values as they come and whenever records are written, so also within
     * dolly_emit; any number of times. */
    int (*combine)(struct dolly_task *task, struct dolly_bytes key, struct dolly_values *values);
    /* A key and all its values. */
    int (*reduce)(struct dolly_task *task, struct dolly_bytes key, struct dolly_values *values);
    /* Behind the last line or key; may emit. */
    int (*end)(struct dolly_task *task);
};

/* ---- what dolly has ---- */

/* Reached through the functions below. */
struct dolly_calls {
    void (*emit)(struct dolly_task *task, struct dolly_bytes key, struct dolly_bytes value);
    void (*print)(struct dolly_task *task, struct dolly_bytes line);
    int (*fail)(struct dolly_task *task, const char *why);
    void (*count)(struct dolly_task *task, const char *group, const char *name, int64_t n);
    void (*status)(struct dolly_task *task, const char *text);
};

/* The attempt that runs. */
struct dolly_task {
    const struct dolly_calls *calls;
    void *state;       /* the functions' own */
    const char *phase; /* its name */
    const char *input; /* the file that is being read; NULL: what a phase above has left */
    uint32_t number;   /* of the task in its phase, from 0 */
    uint32_t attempt;  /* of the task, from 0 */
};

static inline struct dolly_bytes dolly_slice(const char *at, size_t length)
{
    struct dolly_bytes bytes;
    bytes.at = at;
    bytes.length = length;
    return bytes;
}

static inline struct dolly_bytes dolly_text(const char *text)
{
    return dolly_slice(text, strlen(text));
}

/* A record for the phase below: what it keeps is copied. If nobody reads keys of this phase, prints
 * the line KEY SEPARATOR VALUE. What cannot be written fails the attempt, once the function returns
 * that was called. */
static inline void dolly_emit(struct dolly_task *task, struct dolly_bytes key,
                              struct dolly_bytes value)
{
    task->calls->emit(task, key, value);
}

/* A line, as a command would print it: if the phase below reads keys, it is cut into key and value
 * at the separator. */
static inline void dolly_print(struct dolly_task *task, struct dolly_bytes line)
{
    task->calls->print(task, line);
}

/* 1 and the next value of the key, which lives until another is asked for, so copy what has to
 * outlive that; or 0 behind the last one. Values need not all be asked for. The key lives until the
 * function returns. */
static inline int dolly_next(struct dolly_values *values, struct dolly_bytes *value)
{
    return values->next(values, value);
}

/* Fails the attempt and says why; returns what the function that was called has to return. */
static inline int dolly_fail(struct dolly_task *task, const char *why)
{
    return task->calls->fail(task, why);
}

/* Adds to a counter of the job. Only attempts whose output is taken count. */
static inline void dolly_count(struct dolly_task *task, const char *group, const char *name,
                               int64_t n)
{
    task->calls->count(task, group, name, n);
}

/* Says what it is doing: a sign of life (`timeout` in docs/reference/job-file.md). */
static inline void dolly_status(struct dolly_task *task, const char *text)
{
    task->calls->status(task, text);
}

#ifdef __cplusplus
}
#endif

#endif
