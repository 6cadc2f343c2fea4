/* merge.c - many sorted partitions read as one: a tournament.
 *
 * Each source is a leaf of a tree in which winners go up and each inner place keeps who lost
 * there. When the winner's source goes on, only the places on its way up are played again: one
 * comparison a level, and nobody else is looked at. */
#include "data/merge.h"

#include "base/mem.h"

struct merge_source {
    struct run_file_cursor cursor;
    struct data_record record;
    uint64_t prefix;
    bool over;
};

struct merge {
    uint32_t count;
    uint32_t winner;
    bool handed_out; /* the winner's record has been read */
    struct merge_source *sources;
    uint32_t *losers; /* by inner place, from 1 */
};

static int advance(struct merge_source *s, struct err *err)
{
    int n = run_file_next(&s->cursor, &s->record, err);

    s->over = n == 0;
    if (n > 0)
        s->prefix = record_prefix(s->record.key, s->record.key_length);
    return n;
}

static bool is_before(const struct merge *m, uint32_t a, uint32_t b)
{
    const struct merge_source *x = &m->sources[a], *y = &m->sources[b];

    if (x->over || y->over)
        return x->over == y->over ? a < b : y->over;
    if (x->prefix != y->prefix)
        return x->prefix < y->prefix;
    int order =
        record_compare(x->record.key, x->record.key_length, y->record.key, y->record.key_length);
    return order ? order < 0 : a < b;
}

/* Plays from a leaf up. */
static void play(struct merge *m, uint32_t from)
{
    uint32_t winner = from;

    for (uint32_t place = (from + m->count) / 2; place > 0; place /= 2)
        if (is_before(m, m->losers[place], winner)) {
            uint32_t loser = winner;
            winner = m->losers[place];
            m->losers[place] = loser;
        }
    m->winner = winner;
}

/* The first games, from the leaves to the top. */
static void play_all(struct merge *m)
{
    uint32_t *winners = mem_zalloc(2 * (size_t)m->count, sizeof *winners);

    for (uint32_t i = 0; i < m->count; i++)
        winners[m->count + i] = i;
    for (uint32_t place = m->count - 1; place > 0; place--) {
        uint32_t a = winners[2 * place], b = winners[2 * place + 1];
        bool first = is_before(m, a, b);
        winners[place] = first ? a : b;
        m->losers[place] = first ? b : a;
    }
    m->winner = m->count > 1 ? winners[1] : 0;
    mem_free(winners);
}

struct merge *merge_create(const struct run_file *files, uint32_t count, uint32_t partition,
                           struct err *err)
{
    struct merge *m = mem_zalloc(1, sizeof *m);

    m->count = count;
    m->sources = mem_zalloc(count, sizeof *m->sources);
    m->losers = mem_zalloc(count, sizeof *m->losers);
    for (uint32_t i = 0; i < count; i++) {
        int failed = 0;
        if (partition >= files[i].partitions)
            failed = err_set(err, "%s: this run file has only %u partitions", files[i].path,
                             files[i].partitions);
        if (failed < 0 || run_file_begin(&files[i], partition, &m->sources[i].cursor, err) < 0 ||
            advance(&m->sources[i], err) < 0) {
            merge_destroy(m);
            return NULL;
        }
    }
    play_all(m);
    return m;
}

void merge_destroy(struct merge *m)
{
    if (!m)
        return;
    mem_free(m->sources);
    mem_free(m->losers);
    mem_free(m);
}

static int merge_next(void *ctx, struct data_record *r, struct err *err)
{
    struct merge *m = ctx;

    if (m->handed_out) {
        if (advance(&m->sources[m->winner], err) < 0)
            return -1;
        play(m, m->winner);
        m->handed_out = false;
    }
    if (m->sources[m->winner].over)
        return 0;
    *r = m->sources[m->winner].record;
    m->handed_out = true;
    return 1;
}

struct record_stream merge_stream(struct merge *m)
{
    return (struct record_stream){merge_next, m};
}
