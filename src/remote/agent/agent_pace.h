/* agent_pace.h - limits the bytes of outputs that an agent has under way, so that beats do not wait
 * behind them.
 *
 * Beats and outputs share one stream, and bytes in the queues of sockets and routers may be older
 * than a lease (remote/wire/lease.h): on a slow link with a long queue an agent would be lost
 * because of its own outputs, again and again. So beats are marks in the stream: the answer to one
 * shows that everything before it has arrived, and how long that took. The bytes under way are
 * limited to a window, which grows while answers are quick and is halved when one takes longer than
 * AGENT_PACE_SLOW_US. A window holds several marks, so that a quick link never waits for a beat. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    AGENT_PACE_MARKS = 32,
    AGENT_PACE_LEAST = 16 << 10, /* limits of the window, in bytes */
    AGENT_PACE_FIRST = 64 << 10,
    AGENT_PACE_MOST = 1 << 30,
    AGENT_PACE_QUICK_US = 300000, /* quicker answers make the window grow, */
    AGENT_PACE_SLOW_US = 1000000, /* slower ones make it shrink */
};

/* Zero-initialise. */
struct agent_pace {
    int64_t window;         /* bytes; 0: AGENT_PACE_FIRST */
    int64_t total;          /* bytes handed to the stream so far, */
    int64_t marked, behind; /* ... up to the last beat, and up to the last answered beat */
    int64_t halved;         /* answers to beats before this total do not shrink it again */
    struct {
        int64_t sent_us, total;
    } marks[AGENT_PACE_MARKS]; /* beats without an answer yet, the oldest first */
    uint32_t count;
};

/* Returns true if more bytes may be handed to the stream. */
bool agent_pace_allows(const struct agent_pace *p);

/* Returns about how many bytes to hand over at a time. */
int64_t agent_pace_piece(const struct agent_pace *p);

/* Counts bytes that were handed to the stream. */
void agent_pace_sent(struct agent_pace *p, int64_t bytes);

/* Returns true if a beat should be sent now, so that the window can move on. */
bool agent_pace_wants_beat(const struct agent_pace *p);

/* Notes that a beat was sent at this time. */
void agent_pace_mark(struct agent_pace *p, int64_t sent_us);

/* Takes the answer, which arrived now, to the beat sent at `sent_us`. Adapts the window. */
void agent_pace_answered(struct agent_pace *p, int64_t sent_us, int64_t now_us);
