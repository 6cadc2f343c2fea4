#include "commands/watch/event_stream.h"

#include <inttypes.h>

void event_stream_init(struct event_stream *e, int64_t last_turn)
{
    *e = (struct event_stream){.turn = last_turn < 0 ? 0 : (uint64_t)last_turn,
                               .greeted = last_turn >= 0};
}

static void add(const char *name, const struct event_state *now, const char *data, struct str *out)
{
    str_addf(out, "id: %" PRIu64 "\nevent: %s\ndata: %s\n\n", now->turn, name, data);
}

void event_stream_next(struct event_stream *e, const struct event_state *now, int64_t now_us,
                       struct str *out)
{
    size_t before = out->length;
    bool first = e->number == 0 && e->sent_us == 0;

    if (e->closed)
        return;
    if (first)
        str_add(out, "retry: 1000\n\n");
    if (!e->greeted)
        add("hello", now, now->sums, out);
    else if ((!first && e->resets != now->resets) || e->turn > now->turn)
        add("reset", now, "{}", out);
    else if (e->number != now->number && (!first || e->turn != now->turn))
        add("sums", now, now->sums, out);
    if (now->over)
        add("bye", now, now->sums, out);
    e->closed = now->over;
    e->greeted = true;
    e->turn = now->turn;
    e->resets = now->resets;
    e->number = now->number;
    if (out->length == before && now_us - e->sent_us > EVENT_STREAM_QUIET_US)
        str_add(out, ": still here\n\n");
    if (out->length > before)
        e->sent_us = now_us;
}
