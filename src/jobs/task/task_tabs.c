/* task_tabs.c - lines of an input as keys and values: KEY TAB VALUE, as Hadoop Streaming gives them
 * to mappers that read by KeyValueTextInputFormat. Lines without a TAB are keys, and get one. */
#include <string.h>

#include "base/mem.h"
#include "jobs/task/task_state.h"

struct tabs {
    struct task_input input; /* first */
    struct task_input *in;   /* the lines */
    bool has_tab;            /* in the line that is read */
    VEC(char) piece;
};

/* Lines that are ended, or the rest of them. */
static int64_t feed(void *ctx, const char **at, struct err *err)
{
    struct tabs *t = ctx;
    int64_t left = t->in->feed(t->in, at, err);
    const char *from = *at;

    vec_clear(&t->piece);
    while (left > 0) {
        const char *newline = memchr(from, '\n', (size_t)left);
        size_t count = newline ? (size_t)(newline - from) : (size_t)left;
        t->has_tab = t->has_tab || memchr(from, '\t', count);
        vec_reserve(&t->piece, t->piece.count + (uint64_t)count + 2);
        memcpy(t->piece.at + t->piece.count, from, count);
        t->piece.count += (uint32_t)count;
        if (newline) {
            if (!t->has_tab)
                t->piece.at[t->piece.count++] = '\t';
            t->piece.at[t->piece.count++] = '\n';
            t->has_tab = false;
            count++;
        }
        from += count;
        left -= (int64_t)count;
    }
    t->input.read = t->in->read;
    *at = t->piece.at;
    return left < 0 ? -1 : (int64_t)t->piece.count;
}

static int check_input(struct task_input *in, struct err *err)
{
    struct tabs *t = (struct tabs *)in;

    return t->in->check(t->in, err);
}

static void close_input(struct task_input *in)
{
    struct tabs *t = (struct tabs *)in;

    t->in->close(t->in);
    vec_free(&t->piece);
    mem_free(t);
}

struct task_input *task_tabs_add(struct task_input *in)
{
    struct tabs *t = mem_zalloc(1, sizeof *t);

    t->input = (struct task_input){.feed = feed, .check = check_input, .close = close_input};
    t->in = in;
    return &t->input;
}
