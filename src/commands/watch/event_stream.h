/* event_stream.h - server-sent events of a run for one client.
 *
 * The stream is made of the state and of the news that all clients share, not of a queue: a client
 * that reads slowly misses some in between, and costs no memory. The id of an event is the last
 * turn of which the client has everything, so that one that connects again gets all that came
 * since, and no event is lost; some may come twice. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "commands/watch/news.h"

enum {
    EVENT_STREAM_QUIET_US = 15000000,
    EVENT_STREAM_NEWS = 500,         /* at once; of more, those of attempts are left out, ... */
    EVENT_STREAM_BYTES = 256 * 1024, /* ... and what exceeds this */
};

/* News from one turn to another in words, which most clients get at the same time. Zero-initialise;
 * free with str_free(&text). */
struct event_words {
    bool is_made, is_thinned;
    uint64_t from, to;
    uint32_t resets;
    struct str text;
};

/* The state that clients are told. */
struct event_state {
    uint64_t turn;
    uint32_t resets; /* number of times the journal was read anew */
    uint64_t number; /* rises with each picture, also without a turn: ages change, too */
    bool over;
    const char *sums;          /* of the run, JSON in one line */
    const struct news *news;   /* NULL: there are none */
    const struct explain *x;   /* of the run, for them */
    struct event_words *words; /* that were made last; NULL: they are not kept */
};

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

/* Appends the events that the client has to be sent now, or nothing: `hello` or, of a journal that
 * was read anew, `reset`, then news and `sums`, and `bye` when the run is over, after which it is
 * closed. A comment keeps a quiet connection open. */
void event_stream_next(struct event_stream *e, const struct event_state *now, int64_t now_us,
                       struct str *out);
