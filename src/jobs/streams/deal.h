/* deal.h - a stream dealt out, block by block, to tasks that run: --pipe --round-robin.
 *
 * Each task has a hand: a named pipe that is its stdin. A block goes to the next hand that has
 * nothing left to take, so a task that is slow gets less. The stream is read on only while a hand
 * is empty: it may have no end. What a task has taken is gone, so no block is read twice. */
#ifndef JOBS_STREAMS_DEAL_H
#define JOBS_STREAMS_DEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

struct deal_hand;

/* Free with deal_fini. */
struct deal {
    const char *dir;     /* of the pipes, which are called 0, 1, ...; not owned */
    int fd;              /* can be read when deal_stream_is_due or deal_turn has something to do */
    int stream;          /* not owned */
    uint32_t most, next; /* hands; which one is asked first */
    bool reads, is_over; /* the stream is watched; it has come to its end */
    VEC(struct deal_hand) hands;
};

int deal_init(struct deal *d, const char *dir, int stream, uint32_t most, struct err *err);
void deal_fini(struct deal *d);

/* Returns true if the stream can be read now. */
bool deal_stream_is_due(const struct deal *d);

/* Says who gets the next block: the number of a hand, a new one (`is_new`) while there are fewer
 * than `most`. -1: all tasks have left, or with *err there can be no such pipe. */
int64_t deal_next(struct deal *d, bool *is_new, struct err *err);

/* Gives bytes to a hand. */
void deal_give(struct deal *d, int64_t hand, const char *at, size_t length);

/* Hands over what the tasks take, and looks whether more of the stream can be read. */
void deal_turn(struct deal *d);

/* The stream has come to its end: so does the stdin of each task, when it has taken all. */
void deal_end(struct deal *d);

/* The task of a hand has opened its stdin; or it is over, and what it has not taken is lost. */
void deal_started(struct deal *d, uint32_t hand);
void deal_left(struct deal *d, uint32_t hand);

/* Returns true if no more is to be done: the stream has been dealt out, or all who could take of it
 * have left. */
bool deal_is_done(const struct deal *d);

#endif
