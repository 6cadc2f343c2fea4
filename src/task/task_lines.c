/* task_lines.c - records as lines for a command: key, separator, value, newline. */
#include "task/task_state.h"

enum { PIECE_BYTES = 1 << 18 };

static void add(struct task_lines *l, const char *at, uint32_t count)
{
    vec_reserve(&l->piece, l->piece.count + count);
    if (count > 0)
        memcpy(l->piece.at + l->piece.count, at, count);
    l->piece.count += count;
}

int64_t task_lines_feed(struct task_lines *l, const char **at, struct err *err)
{
    struct data_record r;
    int n = 1;

    vec_clear(&l->piece);
    while (l->piece.count < PIECE_BYTES && (n = record_stream_next(l->in, &r, err)) > 0) {
        add(l, r.key, r.key_length);
        vec_push(&l->piece, l->separator);
        add(l, r.value, r.value_length);
        vec_push(&l->piece, '\n');
        l->done++;
    }
    *at = l->piece.at;
    return n < 0 ? -1 : (int64_t)l->piece.count;
}
