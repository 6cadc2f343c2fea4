/* bundle.c - rows back to back, and the offset of each. */
#include "inputs/trace/bundle.h"

#include <stdlib.h>

void bundle_clear(struct bundle *b)
{
    vec_clear(&b->bytes.at);
    vec_clear(&b->rows);
}

void bundle_fini(struct bundle *b)
{
    vec_free(&b->bytes.at);
    vec_free(&b->rows);
}

void bundle_add(struct bundle *b, const struct row *row)
{
    uint32_t from = b->bytes.at.count;
    uint32_t order = (uint32_t)row_encode(row, &b->bytes);
    vec_push(&b->rows, ((struct bundle_row){from, b->bytes.at.count - from, order}));
}

void bundle_add_bytes(struct bundle *b, const char *at, uint32_t length)
{
    uint32_t from = b->bytes.at.count;
    row_bytes_put(&b->bytes, at, length);
    vec_push(&b->rows, ((struct bundle_row){from, length, length}));
}

static int by_order(const void *a, const void *b, void *bytes)
{
    const struct bundle_row *x = a, *y = b;
    uint32_t n = x->order < y->order ? x->order : y->order;
    int c = memcmp((char *)bytes + x->from, (char *)bytes + y->from, n);
    if (c == 0)
        c = (x->order > y->order) - (x->order < y->order);
    return c ? c : (x->from > y->from) - (x->from < y->from);
}

void bundle_sort(struct bundle *b)
{
    if (b->rows.count > 1)
        qsort_r(b->rows.at, b->rows.count, sizeof *b->rows.at, by_order, b->bytes.at.at);
}

struct row bundle_first(const struct bundle *b)
{
    return row_decode(b->bytes.at.at + b->rows.at[0].from, b->rows.at[0].length);
}

bool bundle_job(struct bundle *b, struct assemble *a, struct row_bytes *to, int64_t *arrived_us)
{
    for (uint32_t i = 0; i < b->rows.count; i++) {
        struct row row = row_decode(b->bytes.at.at + b->rows.at[i].from, b->rows.at[i].length);
        assemble_row(a, &row);
    }
    bool made = assemble_job(a, to, arrived_us);
    bundle_clear(b);
    return made;
}
