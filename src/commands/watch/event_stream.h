/* event_stream.h - server-sent events of a run for one client.
 *
 * The stream is made of the state and of the news that all clients share, not of a queue: a client
 * that reads slowly misses some in between, and costs no memory. The id of an event is the last
 * turn of which the client has everything, so that one that connects again gets all that came
 * since, and no event is lost; some may come twice. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "commands/watch/event_pieces.h"

enum { EVENT_STREAM_QUIET_US = 15000000 };

struct event_stream {
    bool greeted, closed;
    bool only_sums;
    uint64_t turn; /* that the client knows */
    uint32_t resets;
    uint64_t number;
    int64_t sent_us; /* when something was sent last */
};

/* Begins a stream, without news if `only_sums`; `last_turn` as of Last-Event-ID, or -1. */
void event_stream_init(struct event_stream *e, int64_t last_turn, bool only_sums);

/* Returns the events that the client has to be sent now, or NULL if there are none: `hello` or, of
 * a journal that was read anew, `reset`, then news and `sums`, and `bye` when the run is over,
 * after which it is closed. A comment keeps a quiet connection open. Other clients may hold the
 * same text; the caller lets go of it with shared_text_drop. */
struct shared_text *event_stream_next(struct event_stream *e, const struct event_state *now,
                                      int64_t now_us);
