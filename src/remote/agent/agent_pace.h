/* agent_pace.h - how much of outputs an agent has under way, so that beats do not wait behind it.
 *
 * Beats go through the same stream as outputs, and what lies in queues of sockets and routers may
 * be older than a lease (remote/wire/lease.h): on a slow link with a long queue an agent would be
 * lost for its own outputs, again and again. So beats are marks in the stream: the answer to one
 * says that all before it has arrived, and how long that took. What is under way at a time is a
 * window, which grows while answers are quick and is halved when one takes longer than
 * AGENT_PACE_SLOW_US. Within a window there are several marks, so that a quick link is never held
 * up for a beat. */
#ifndef REMOTE_AGENT_AGENT_PACE_H
#define REMOTE_AGENT_AGENT_PACE_H

#include <stdbool.h>
#include <stdint.h>

enum {
    AGENT_PACE_MARKS = 32,
    AGENT_PACE_LEAST = 16 << 10, /* of the window, in bytes */
    AGENT_PACE_FIRST = 64 << 10,
    AGENT_PACE_MOST = 1 << 30,
    AGENT_PACE_QUICK_US = 300000, /* answers below make it grow, */
    AGENT_PACE_SLOW_US = 1000000, /* those above make it shrink */
};

/* Zero-initialise. */
struct agent_pace {
    int64_t window;         /* bytes; 0: AGENT_PACE_FIRST */
    int64_t total;          /* handed to the stream so far, */
    int64_t marked, behind; /* up to the last beat, and to the last that was answered */
    int64_t halved;         /* no answer to what was sent before this much shrinks it again */
    struct {
        int64_t sent_us, total;
    } marks[AGENT_PACE_MARKS]; /* beats that were not answered, the oldest first */
    uint32_t count;
};

/* Whether more may be handed to the stream, about how much at a time; then so many bytes were. */
bool agent_pace_has_room(const struct agent_pace *p);
int64_t agent_pace_piece(const struct agent_pace *p);
void agent_pace_sent(struct agent_pace *p, int64_t bytes);

/* Whether a beat is due, so that the window can move on; then it was sent at that time. */
bool agent_pace_wants_beat(const struct agent_pace *p);
void agent_pace_mark(struct agent_pace *p, int64_t sent_us);

/* The beat that was sent then was answered now. */
void agent_pace_answered(struct agent_pace *p, int64_t sent_us, int64_t now_us);

#endif
