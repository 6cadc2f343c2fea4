#include "commands/watch/event_stream.h"

void event_stream_init(struct event_stream *e, int64_t last_turn, bool only_sums)
{
    *e = (struct event_stream){.turn = last_turn < 0 ? 0 : (uint64_t)last_turn,
                               .greeted = last_turn >= 0,
                               .only_sums = only_sums};
}

static enum event_piece_kind kind_of(const struct event_stream *e, const struct event_state *now,
                                     bool first)
{
    if (!e->greeted)
        return PIECE_HELLO;
    if ((!first && e->resets != now->resets) || e->turn > now->turn)
        return PIECE_RESET;
    return e->number != now->number && (!first || e->turn != now->turn) ? PIECE_SUMS
                                                                        : PIECE_NOTHING;
}

struct shared_text *event_stream_next(struct event_stream *e, const struct event_state *now,
                                      int64_t now_us)
{
    struct event_piece what = {.first = e->number == 0 && e->sent_us == 0};

    if (e->closed)
        return NULL;
    what.kind = kind_of(e, now, what.first);
    what.has_news = what.kind == PIECE_SUMS && now->news && !e->only_sums;
    what.from = e->turn;
    e->closed = now->over;
    e->greeted = true;
    e->turn = now->turn;
    e->resets = now->resets;
    e->number = now->number;
    if (what.kind == PIECE_NOTHING && !what.first && !now->over) {
        if (now_us - e->sent_us <= EVENT_STREAM_QUIET_US)
            return NULL;
        what.kind = PIECE_COMMENT;
    }
    e->sent_us = now_us;
    return event_pieces_get(now, &what);
}
