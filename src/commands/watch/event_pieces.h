/* event_pieces.h - the events of a picture of the run, in pieces that clients share.
 *
 * A picture is the state of the run at one moment. What a client has to be sent of it depends on
 * little: whether it is new, and the turn that it knows. Most clients know the same, so each piece
 * is made once, and they point into it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "commands/watch/news.h"
#include "commands/watch/shared_text.h"

enum {
    EVENT_PIECES_NEWS = 500,         /* at once; of more, those of attempts are left out, ... */
    EVENT_PIECES_BYTES = 256 * 1024, /* ... and what exceeds this */
    EVENT_PIECES_KEPT = 8,
};

/* The state that clients are told. */
struct event_state {
    uint64_t turn;
    uint32_t resets; /* number of times the journal was read anew */
    uint64_t number; /* rises with each picture, also without a turn: ages change, too */
    bool over;
    const char *sums;            /* of the run, JSON in one line */
    const struct news *news;     /* NULL: there are none */
    const struct explain *x;     /* of the run, for them */
    struct event_pieces *pieces; /* that were made last; NULL: they are not kept */
};

/* The first event of a piece that is not news. */
enum event_piece_kind { PIECE_NOTHING, PIECE_COMMENT, PIECE_HELLO, PIECE_RESET, PIECE_SUMS };

/* The contents of a piece, to which the end of the run is added. */
struct event_piece {
    enum event_piece_kind kind;
    bool first;    /* the client has just connected */
    bool has_news; /* before the sums: those after turn `from` */
    uint64_t from;
};

/* The pieces of the last picture, at most EVENT_PIECES_KEPT of them. Zero-initialise; free with
 * event_pieces_fini. */
struct event_pieces {
    uint64_t turn, number; /* of the picture */
    uint32_t resets;
    bool over;
    struct {
        struct event_piece what;
        struct shared_text *text;
    } at[EVENT_PIECES_KEPT];
    uint32_t count; /* pieces made of this picture */
};

void event_pieces_fini(struct event_pieces *p);

/* Returns the piece of this picture; the caller lets go of it with shared_text_drop. */
struct shared_text *event_pieces_get(const struct event_state *now, const struct event_piece *what);
