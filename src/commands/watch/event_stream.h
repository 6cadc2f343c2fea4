/* event_stream.h - server-sent events of a run for one client.
 *
 * The stream is made of the state, not of a queue: a client that reads slowly misses states in
 * between, and costs no memory. The id of an event is the turn, so that a client that connects
 * again gets the changes since. */
#ifndef COMMANDS_WATCH_EVENT_STREAM_H
#define COMMANDS_WATCH_EVENT_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum { EVENT_STREAM_QUIET_US = 15000000 };

/* The state that clients are told. */
struct event_state {
    uint64_t turn;
    uint32_t resets; /* number of times the journal was read anew */
    uint64_t number; /* rises with each picture, also without a turn: ages change, too */
    bool over;
    const char *sums; /* of the run, JSON in one line */
};

struct event_stream {
    bool greeted, closed;
    uint64_t turn; /* that the client knows */
    uint32_t resets;
    uint64_t number;
    int64_t sent_us; /* when something was sent last */
};

/* Begins a stream; `last_turn` as of Last-Event-ID, or -1. */
void event_stream_init(struct event_stream *e, int64_t last_turn);

/* Appends the events that the client has to be sent now, or nothing: `hello` or, of a journal that
 * was read anew, `reset`, then `sums`, and `bye` when the run is over, after which it is closed. A
 * comment keeps a quiet connection open. */
void event_stream_next(struct event_stream *e, const struct event_state *now, int64_t now_us,
                       struct str *out);

#endif
