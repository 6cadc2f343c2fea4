/* task_offsets.c - lines of an input with where they begin in it before them, as Hadoop Streaming
 * gives them to mappers that read keys: OFFSET TAB LINE. */
#include <inttypes.h>
#include <stdio.h>

#include "base/mem.h"
#include "data/line_ends.h"
#include "jobs/task/task_state.h"

struct offsets {
    struct task_input input; /* first */
    struct task_input *in;   /* the lines */
    uint64_t at;             /* of the next byte */
    bool in_line;            /* whose offset was told */
    VEC(char) piece;
    struct line_ends ends; /* lines are ended already: only for CR */
};

static void add(struct offsets *o, const char *at, size_t count)
{
    vec_reserve(&o->piece, o->piece.count + (uint64_t)count);
    memcpy(o->piece.at + o->piece.count, at, count);
    o->piece.count += (uint32_t)count;
}

static int64_t feed_lines(struct offsets *o, const char **at, struct err *err)
{
    int64_t left = o->in->feed(o->in, at, err);
    const char *from = *at;

    vec_clear(&o->piece);
    while (left > 0) {
        const char *newline = memchr(from, '\n', (size_t)left);
        size_t count = newline ? (size_t)(newline - from) + 1 : (size_t)left;
        char number[24];
        if (!o->in_line)
            add(o, number, (size_t)snprintf(number, sizeof number, "%" PRIu64 "\t", o->at));
        add(o, from, count);
        o->in_line = !newline;
        o->at += count;
        from += count;
        left -= (int64_t)count;
    }
    o->input.read = o->in->read;
    *at = o->piece.at;
    return left < 0 ? -1 : (int64_t)o->piece.count;
}

static int64_t feed(void *ctx, const char **at, struct err *err)
{
    struct offsets *o = ctx;
    int64_t count;

    do
        count = feed_lines(o, at, err);
    while (count > 0 && (count = line_ends_pass(&o->ends, at, count)) == 0);
    return count;
}

static int check_input(struct task_input *in, struct err *err)
{
    struct offsets *o = (struct offsets *)in;

    return o->in->check(o->in, err);
}

static void close_input(struct task_input *in)
{
    struct offsets *o = (struct offsets *)in;

    o->in->close(o->in);
    vec_free(&o->piece);
    line_ends_fini(&o->ends);
    mem_free(o);
}

struct task_input *task_offsets_add(struct task_input *in, uint64_t from, bool drops_cr)
{
    struct offsets *o = mem_zalloc(1, sizeof *o);

    o->input = (struct task_input){.feed = feed, .check = check_input, .close = close_input};
    o->in = in;
    o->at = from;
    o->ends.drops_cr = drops_cr;
    return &o->input;
}
