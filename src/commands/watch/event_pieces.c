/* event_pieces.c - words of a picture, made when a client needs them, and kept for the others.
 *
 * Rejected: a copy for each client. With two hundred readers it was the larger part of what `dolly
 * watch` computes, on the machine of the run. And a buffer that all of them read in a circle: who
 * reads slowly would hold up the others, or lose what it points into. */
#include "commands/watch/event_pieces.h"

#include <inttypes.h>

/* ---- words ---- */

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
static bool add_news(const struct event_state *now, uint64_t after, struct str *out)
{
    const struct news *n = now->news;
    size_t before = out->length;
    uint64_t from = news_after(n, after), to = news_after(n, now->turn);
    bool many = to - from > EVENT_PIECES_NEWS;

    for (uint64_t i = from; i < to; i++) {
        uint8_t type = news_at(n, i)->type;
        if (many && (type == NEWS_ATTEMPT || type == NEWS_VERDICT))
            continue;
        if (out->length - before > EVENT_PIECES_BYTES)
            return true;
        add_item(n, i, now->x, out);
    }
    return many || (from > 0 && from == news_oldest(n));
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

static void write_piece(const struct event_state *now, const struct event_piece *what,
                        struct str *out)
{
    if (what->first)
        str_add(out, "retry: 1000\n\n");
    if (what->kind == PIECE_COMMENT)
        str_add(out, ": still here\n\n");
    else if (what->kind == PIECE_HELLO)
        add("hello", now->turn, now->sums, out);
    else if (what->kind == PIECE_RESET)
        add("reset", now->turn, "{}", out);
    else if (what->kind == PIECE_SUMS)
        add_sums(now, what->has_news && add_news(now, what->from, out), out);
    if (now->over)
        add("bye", now->turn, now->sums, out);
}

/* ---- sharing ---- */

void event_pieces_fini(struct event_pieces *p)
{
    for (uint32_t i = 0; i < EVENT_PIECES_KEPT; i++)
        shared_text_drop(p->at[i].text);
    *p = (struct event_pieces){0};
}

/* Forgets the pieces of another picture; their clients go on reading them. */
static void begin(struct event_pieces *p, const struct event_state *now)
{
    if (p->turn == now->turn && p->number == now->number && p->resets == now->resets &&
        p->over == now->over)
        return;
    event_pieces_fini(p);
    p->turn = now->turn;
    p->number = now->number;
    p->resets = now->resets;
    p->over = now->over;
}

static bool is_same(const struct event_piece *a, const struct event_piece *b)
{
    return a->kind == b->kind && a->first == b->first && a->has_news == b->has_news &&
           (!a->has_news || a->from == b->from);
}

static struct shared_text *make(const struct event_state *now, const struct event_piece *what)
{
    struct str text = {0};

    write_piece(now, what, &text);
    return shared_text_create(&text);
}

struct shared_text *event_pieces_get(const struct event_state *now, const struct event_piece *what)
{
    struct event_pieces *p = now->pieces;

    if (!p)
        return make(now, what);
    begin(p, now);
    for (uint32_t i = 0; i < EVENT_PIECES_KEPT && p->at[i].text; i++)
        if (is_same(&p->at[i].what, what))
            return shared_text_hold(p->at[i].text);
    uint32_t place = p->count++ % EVENT_PIECES_KEPT;
    shared_text_drop(p->at[place].text);
    p->at[place].what = *what;
    p->at[place].text = make(now, what);
    return shared_text_hold(p->at[place].text);
}
