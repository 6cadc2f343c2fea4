/* task_pairs.c - lines of an input as pairs of key and value, as Hadoop Streaming gives them to
 * mappers: OFFSET TAB LINE, with where a line begins in its file; or KEY TAB VALUE of
 * KeyValueTextInputFormat, to which a line without a TAB is a key, and gets one. */
#include <inttypes.h>
#include <stdio.h>

#include "base/mem.h"
#include "data/line_ends.h"
#include "jobs/task/task_state.h"

struct pairs {
    struct task_input input; /* first */
    struct task_input *in;   /* the lines */
    enum plan_offsets kind;
    uint64_t at;  /* of the next byte */
    bool in_line; /* whose offset was told */
    bool has_tab; /* the line that is read */
    VEC(char) piece;
    struct line_ends ends; /* lines are ended already: only for CR */
};

/* Adds a part of a line; the last one has its newline. */
static void add(struct pairs *p, const char *at, size_t count, bool is_last)
{
    char number[24];

    if (p->kind == PLAN_OFFSETS && !p->in_line)
        vec_append(&p->piece, number,
                   (size_t)snprintf(number, sizeof number, "%" PRIu64 "\t", p->at));
    vec_append(&p->piece, at, count - is_last);
    p->has_tab = p->has_tab || p->kind == PLAN_OFFSETS || memchr(at, '\t', count);
    if (is_last && !p->has_tab)
        vec_push(&p->piece, '\t');
    if (is_last)
        vec_push(&p->piece, '\n');
    p->in_line = !is_last;
    p->has_tab &= !is_last;
    p->at += count;
}

static int64_t feed_lines(struct pairs *p, const char **at, struct err *err)
{
    int64_t left = p->in->feed(p->in, at, err);
    const char *from = *at;

    vec_clear(&p->piece);
    while (left > 0) {
        const char *newline = memchr(from, '\n', (size_t)left);
        size_t count = newline ? (size_t)(newline - from) + 1 : (size_t)left;
        add(p, from, count, newline != NULL);
        from += count;
        left -= (int64_t)count;
    }
    p->input.read = p->in->read;
    *at = p->piece.at;
    return left < 0 ? -1 : (int64_t)p->piece.count;
}

static int64_t feed(void *ctx, const char **at, struct err *err)
{
    struct pairs *p = ctx;
    int64_t count;

    do
        count = feed_lines(p, at, err);
    while (count > 0 && (count = line_ends_pass(&p->ends, at, count)) == 0);
    return count;
}

static int check_input(struct task_input *in, struct err *err)
{
    struct pairs *p = (struct pairs *)in;

    return p->in->check(p->in, err);
}

static void close_input(struct task_input *in)
{
    struct pairs *p = (struct pairs *)in;

    p->in->close(p->in);
    vec_free(&p->piece);
    vec_free(&p->ends.copy);
    mem_free(p);
}

struct task_input *task_pairs_add(struct task_input *in, enum plan_offsets kind, uint64_t from,
                                  bool drops_cr)
{
    struct pairs *p = mem_zalloc(1, sizeof *p);

    p->input = (struct task_input){.feed = feed, .check = check_input, .close = close_input};
    p->in = in;
    p->kind = kind;
    p->at = from;
    p->ends.drops_cr = drops_cr;
    return &p->input;
}
