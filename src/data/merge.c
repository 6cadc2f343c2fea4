/* merge.c - many sorted partitions read as one: a tournament.
 *
 * Each input is a leaf of a tree in which winners move up and each inner node keeps the loser.
 * When the winner's input advances, only the nodes on its way up are played again: one comparison
 * a level, and no other input is read. Most games are decided by the prefixes of keys, which are
 * stored in the tree; the winner is unpredictable to the processor, so these games are played
 * without a branch. An input whose next key is the same again has won already. */
#include "data/merge.h"

#include "base/mem.h"

enum {
    AHEAD_BYTES = 512, /* what comes next of an input is asked for from memory */
    LINE_BYTES = 64,   /* that the processor fetches at once */
};

struct merge_input {
    struct sorted_file_cursor cursor;
    struct data_record record;
    bool over;
};

/* Who plays. */
struct merge_player {
    uint64_t prefix; /* of its key; the largest one when it is over */
    uint64_t input;
};

struct merge {
    uint32_t count;
    bool handed_out; /* the winner's record has been read */
    struct merge_player winner;
    struct merge_input *inputs;
    struct merge_player *losers; /* by inner place, from 1 */
};

/* Goes on to its next record. */
static int advance(struct merge *m, struct merge_player *p, struct err *err)
{
    struct merge_input *s = &m->inputs[p->input];
    int n = sorted_file_next(&s->cursor, &s->record, err);

    uintptr_t ahead = (uintptr_t)s->cursor.at + AHEAD_BYTES; /* perhaps behind its end */
    __builtin_prefetch((const void *)ahead);
    __builtin_prefetch((const void *)(ahead + LINE_BYTES));
    s->over = n == 0;
    p->prefix = n > 0 ? record_prefix(s->record.key, s->record.key_length) : UINT64_MAX;
    return n;
}

/* Of two that have the same prefix. */
static inline bool is_before(const struct merge *m, uint64_t a, uint64_t b)
{
    const struct merge_input *x = &m->inputs[a], *y = &m->inputs[b];

    if (x->over || y->over)
        return x->over == y->over ? a < b : y->over;
    const struct data_record *k = &x->record, *l = &y->record;
    if (k->key_length <= RECORD_PREFIX_BYTES && l->key_length <= RECORD_PREFIX_BYTES)
        return k->key_length != l->key_length ? k->key_length < l->key_length : a < b;
    int order = record_compare(k->key, k->key_length, l->key, l->key_length);
    return order ? order < 0 : a < b;
}

/* The winner stays in *a, the loser in *b. */
static inline void play(const struct merge *m, struct merge_player *a, struct merge_player *b)
{
    uint64_t change = b->prefix < a->prefix;

    if (__builtin_expect(a->prefix == b->prefix, 0))
        change = is_before(m, b->input, a->input);
    uint64_t prefix = (a->prefix ^ b->prefix) & -change, input = (a->input ^ b->input) & -change;
    a->prefix ^= prefix;
    b->prefix ^= prefix;
    a->input ^= input;
    b->input ^= input;
}

/* The winner's input has gone on: plays from its leaf up. */
static void play_again(struct merge *m)
{
    struct merge_player player = m->winner;

    for (uint64_t place = (player.input + m->count) / 2; place > 0; place /= 2)
        play(m, &player, &m->losers[place]);
    m->winner = player;
}

/* The first games, from the leaves to the top. `winners` has a place for each inner place and, from
 * `count` on, the players. */
static void play_all(struct merge *m, struct merge_player *winners)
{
    for (uint32_t place = m->count - 1; place > 0; place--) {
        winners[place] = winners[2 * place];
        m->losers[place] = winners[2 * place + 1];
        play(m, &winners[place], &m->losers[place]);
    }
    m->winner = winners[1]; /* of one player, that one */
}

static int begin(struct merge *m, const struct sorted_file *file, uint32_t partition,
                 struct merge_player *p, struct err *err)
{
    if (partition >= file->partitions)
        return err_set(err, "%s: this sorted file has only %u partitions", file->path,
                       file->partitions);
    if (sorted_file_begin(file, partition, &m->inputs[p->input].cursor, err) < 0)
        return -1;
    return advance(m, p, err);
}

struct merge *merge_create(const struct sorted_file *files, uint32_t count, uint32_t partition,
                           struct err *err)
{
    struct merge *m = mem_zalloc(1, sizeof *m);
    struct merge_player *players = mem_zalloc(2 * (size_t)count, sizeof *players);
    int result = 0;

    m->count = count;
    m->inputs = mem_zalloc(count, sizeof *m->inputs);
    m->losers = mem_zalloc(count, sizeof *m->losers);
    for (uint32_t i = 0; i < count && result >= 0; i++) {
        players[count + i].input = i;
        result = begin(m, &files[i], partition, &players[count + i], err);
    }
    if (result >= 0)
        play_all(m, players);
    mem_free(players);
    if (result >= 0)
        return m;
    merge_destroy(m);
    return NULL;
}

void merge_destroy(struct merge *m)
{
    if (!m)
        return;
    for (uint32_t i = 0; i < m->count; i++)
        sorted_file_end(&m->inputs[i].cursor);
    mem_free(m->inputs);
    mem_free(m->losers);
    mem_free(m);
}

/* Whether it is at a record with the same key as that one, of which it has the prefix. */
static bool has_key(const struct merge_input *s, const struct data_record *r)
{
    return !s->over && s->record.key_length == r->key_length &&
           (r->key_length <= RECORD_PREFIX_BYTES ||
            memcmp(s->record.key, r->key, r->key_length) == 0);
}

static int merge_next(void *ctx, struct data_record *r, struct err *err)
{
    struct merge *m = ctx;

    if (m->handed_out) {
        const struct merge_input *s = &m->inputs[m->winner.input];
        uint64_t prefix = m->winner.prefix, moves = s->cursor.moves;
        struct data_record last = s->record;
        if (advance(m, &m->winner, err) < 0)
            return -1;
        /* after a move the last key is gone: whether it is the same is not known */
        if (m->winner.prefix != prefix || s->cursor.moves != moves || !has_key(s, &last))
            play_again(m);
        m->handed_out = false;
    }
    const struct merge_input *s = &m->inputs[m->winner.input];
    if (s->over)
        return 0;
    *r = s->record;
    m->handed_out = true;
    return 1;
}

struct record_stream merge_stream(struct merge *m)
{
    return (struct record_stream){merge_next, m};
}
