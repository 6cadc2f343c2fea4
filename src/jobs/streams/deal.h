/* deal.h - passes a stream, block by block, to running tasks: --pipe --round-robin.
 *
 * Each task has a hand: a named pipe that is its stdin. A block is given to the next hand whose
 * earlier blocks were all read, so a slow task gets less. The stream, which may be endless, is read
 * only while a hand is empty. Bytes that a task has read cannot be read again, so each block is
 * read once. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"

struct deal_hand;

/* Free with deal_fini. */
struct deal {
    const char *dir;     /* folder of the pipes, which are called 0, 1, ...; borrowed */
    int fd;              /* readable when deal_stream_is_due or deal_turn has something to do */
    int stream;          /* borrowed */
    uint32_t most, next; /* number of hands; the hand to ask first */
    bool reads, is_over; /* the stream is watched; its end was read */
    VEC(struct deal_hand) hands;
};

int deal_init(struct deal *d, const char *dir, int stream, uint32_t most, struct err *err);
void deal_fini(struct deal *d);

/* Returns true if the stream can be read now. */
bool deal_stream_is_due(const struct deal *d);

/* Returns the number of the hand that gets the next block; a new one (`is_new`) while there are
 * fewer than `most`. Returns -1 if all tasks have left, or with *err if the pipe cannot be made. */
int64_t deal_next(struct deal *d, bool *is_new, struct err *err);

/* Gives bytes to a hand. */
void deal_give(struct deal *d, int64_t hand, const char *at, size_t length);

/* Writes as much as the tasks accept, and checks whether more of the stream can be read. */
void deal_turn(struct deal *d);

/* Marks the end of the stream: closes the stdin of each task once it has read everything. */
void deal_end(struct deal *d);

/* Notes that the task of a hand has opened its stdin. */
void deal_started(struct deal *d, uint32_t hand);

/* Notes that the task of a hand has ended; bytes that it has not read are lost. */
void deal_left(struct deal *d, uint32_t hand);

/* Returns true if nothing is left to do: the whole stream was passed on, or all tasks that could
 * read it have left. */
bool deal_is_done(const struct deal *d);
