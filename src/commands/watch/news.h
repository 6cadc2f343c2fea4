/* news.h - the latest events of a run that is followed, for streams.
 *
 * The last NEWS_MAX changes of attempts, tasks, jobs and nodes are kept as plain data; words are
 * made of those that are sent. An item has a number, from 0 on, and the turn in which it
 * happened. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "commands/explain/explain.h"
#include "record/stats/follow.h"

enum { NEWS_MAX = 1 << 14 };

enum news_type {
    NEWS_ATTEMPT, /* state: an enum event_type, or 0: launched */
    NEWS_TASK,    /* state: EV_ATTEMPT_FINISHED, or EV_ATTEMPT_LOST: its output is lost */
    NEWS_JOB,     /* state: DO_JOB_DONE, DO_JOB_FAILED, or 0: submitted */
    NEWS_NODE,    /* state: the type of its event */
    NEWS_VERDICT, /* code: of its reason */
    NEWS_FAILED,  /* a task failed for good */
};

struct news_item {
    uint64_t turn;
    int64_t at_us;
    struct attempt_ref at; /* task TASK_ALL: of the phase */
    uint32_t node;
    uint16_t code;
    uint8_t type, state, kind; /* kind: enum launch_kind of an attempt */
};

/* Zero-initialise; free with news_fini, which makes it empty again. */
struct news {
    struct follow *account;
    const uint64_t *turns;  /* number of turns that were complete before this one; borrowed */
    struct news_item *ring; /* item i is at i % NEWS_MAX */
    uint64_t count;
};

/* Subscribes to an account, before its first turn. */
void news_begin(struct news *n, struct follow *account, const uint64_t *turns);
void news_fini(struct news *n);

/* Adds an item. */
void news_add(struct news *n, const struct news_item *item);

/* Returns the number of the oldest item that is kept. */
uint64_t news_oldest(const struct news *n);

/* Returns the number of the first kept item after this turn; n->count: there is none. */
uint64_t news_after(const struct news *n, uint64_t turn);

/* Returns an item that is kept. */
static inline const struct news_item *news_at(const struct news *n, uint64_t number)
{
    return &n->ring[number % NEWS_MAX];
}

/* Returns the name of its event: "attempt", ... */
const char *news_name(const struct news_item *item);

/* Appends it as JSON in one line. `x` is of the run, for names and the last words of tasks. */
void news_write(const struct news_item *item, const struct explain *x, struct str *out);
