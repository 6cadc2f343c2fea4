/* task_lines.c - records as lines for a command: key, separator, value, newline. */
#include <string.h>

#include "data/line_record.h"
#include "jobs/task/task_state.h"

enum { PIECE_BYTES = 1 << 18 };

/* Copies bytes, which may be none, and returns what is behind them. */
static char *put(char *to, const char *at, uint32_t count)
{
    if (count > 0)
        memcpy(to, at, count);
    return to + count;
}

/* There is room. */
static void add(struct task_lines *l, const struct data_record *r)
{
    const struct plan_phase *of = l->of;
    const char *separator = plan_to_separator(of);
    char *to = l->piece.at + l->piece.count;
    struct data_record line; /* of keys in an order of their own: then the value is the line */

    if (of->order) {
        line = line_record_of(r->value, r->value_length, of->separator, of->key_fields);
        r = &line;
    }
    to = put(to, r->key, r->key_length);
    to = put(to, separator, (uint32_t)strlen(separator));
    to = put(to, r->value, r->value_length);
    *to++ = '\n';
    l->piece.count = (uint32_t)(to - l->piece.at);
}

int64_t task_lines_feed(struct task_lines *l, const char **at, struct err *err)
{
    uint64_t bound = strlen(plan_to_separator(l->of)) + 1;
    struct data_record r;
    int n = 1;

    vec_clear(&l->piece);
    while (l->piece.count < PIECE_BYTES && (n = record_stream_next(l->in, &r, err)) > 0) {
        vec_reserve(&l->piece, l->piece.count + bound + r.key_length + r.value_length);
        add(l, &r);
        l->done++;
    }
    *at = l->piece.at;
    return n < 0 ? -1 : (int64_t)l->piece.count;
}
