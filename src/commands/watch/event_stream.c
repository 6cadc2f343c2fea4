/* event_stream.c - see event_stream.h. Most clients know the same turn and get the same news: their
 * words are made once, not once for each of two hundred. */
#include "commands/watch/event_stream.h"

#include <inttypes.h>

void event_stream_init(struct event_stream *e, int64_t last_turn, bool only_sums)
{
    *e = (struct event_stream){.turn = last_turn < 0 ? 0 : (uint64_t)last_turn,
                               .greeted = last_turn >= 0,
                               .only_sums = only_sums};
}

static void add(const char *name, uint64_t id, const char *data, struct str *out)
{
    str_addf(out, "id: %" PRIu64 "\nevent: %s\ndata: %s\n\n", id, name, data);
}

/* The turn is known once its last item is. */
static void add_item(const struct news *n, uint64_t number, const struct explain *x,
                     struct str *out)
{
    const struct news_item *item = news_at(n, number);
    bool last = number + 1 == n->count || news_at(n, number + 1)->turn > item->turn;
    struct str data = {0};

    news_write(item, x, &data);
    add(news_name(item), item->turn - !last, data.text, out);
    str_free(&data);
}

/* Adds the news between two turns. Returns true if some are left out. */
static bool add_words(const struct event_state *now, uint64_t after, struct str *out)
{
    const struct news *n = now->news;
    size_t before = out->length;
    uint64_t from = news_after(n, after), to = news_after(n, now->turn);
    bool many = to - from > EVENT_STREAM_NEWS;

    for (uint64_t i = from; i < to; i++) {
        uint8_t type = news_at(n, i)->type;
        if (many && (type == NEWS_ATTEMPT || type == NEWS_VERDICT))
            continue;
        if (out->length - before > EVENT_STREAM_BYTES)
            return true;
        add_item(n, i, now->x, out);
    }
    return many || (from > 0 && from == news_oldest(n));
}

/* Adds the news since the turn that the client knows. Returns true if some are left out. */
static bool add_news(const struct event_stream *e, const struct event_state *now, struct str *out)
{
    struct event_words *w = now->words;

    if (!now->news || e->only_sums)
        return false;
    if (!w)
        return add_words(now, e->turn, out);
    if (!w->is_made || w->from != e->turn || w->to != now->turn || w->resets != now->resets) {
        str_cut(&w->text, 0);
        w->is_thinned = add_words(now, e->turn, &w->text);
        w->is_made = true;
        w->from = e->turn;
        w->to = now->turn;
        w->resets = now->resets;
    }
    if (w->text.length > 0)
        str_add_bytes(out, w->text.text, w->text.length);
    return w->is_thinned;
}

/* Adds the sums, which begin with a brace. */
static void add_sums(const struct event_state *now, bool thinned, struct str *out)
{
    if (thinned)
        str_addf(out, "id: %" PRIu64 "\nevent: sums\ndata: {\"thinned\":true,%s\n\n", now->turn,
                 now->sums + 1);
    else
        add("sums", now->turn, now->sums, out);
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
        add("hello", now->turn, now->sums, out);
    else if ((!first && e->resets != now->resets) || e->turn > now->turn)
        add("reset", now->turn, "{}", out);
    else if (e->number != now->number && (!first || e->turn != now->turn))
        add_sums(now, add_news(e, now, out), out);
    if (now->over)
        add("bye", now->turn, now->sums, out);
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
