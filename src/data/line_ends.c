/* line_ends.c - how lines of a file end. See line_ends.h. */
#include "data/line_ends.h"

#include <string.h>

enum { LOOK_BYTES = 8000 }; /* as git does, to tell text from what is none */

/* A CR that was the last byte so far is kept back until it is known what follows. */
static int64_t copy_without_cr(struct line_ends *e, const char **at, int64_t count)
{
    const char *from = *at, *end = from + count;

    vec_clear(&e->copy);
    vec_reserve(&e->copy, (uint64_t)count + 1);
    char *to = e->copy.at;
    if (e->has_cr && *from != '\n')
        *to++ = '\r';
    e->has_cr = false;
    for (const char *cr; from < end; from = cr + 1) {
        cr = memchr(from, '\r', (size_t)(end - from));
        const char *until = cr ? cr : end;
        memcpy(to, from, (size_t)(until - from));
        to += until - from;
        if (!cr)
            break;
        e->has_cr = cr + 1 == end;
        if (!e->has_cr && cr[1] != '\n')
            *to++ = '\r';
    }
    *at = e->copy.at;
    return to - e->copy.at;
}

int64_t line_ends_pass(struct line_ends *e, const char **at, int64_t count)
{
    if (count <= 0)
        return count;
    if (!e->begun)
        e->is_text =
            e->always || !memchr(*at, 0, (size_t)(count < LOOK_BYTES ? count : LOOK_BYTES));
    e->begun = true;
    if (e->drops_cr && (e->has_cr || memchr(*at, '\r', (size_t)count)))
        count = copy_without_cr(e, at, count);
    if (count > 0)
        e->last = (*at)[count - 1];
    return count;
}

int64_t line_ends_finish(struct line_ends *e, const char **at)
{
    bool lacks = e->begun && e->is_text && (e->has_cr || e->last != '\n');

    e->begun = e->has_cr = false;
    *at = "\n";
    return lacks;
}

/* In steps whose sum fits into a byte, so that a compiler can add many at once. */
uint64_t line_ends_count(const char *at, size_t count)
{
    enum { STEP = 128 };
    uint64_t lines = 0;

    while (count > 0) {
        size_t n = count < STEP ? count : STEP;
        uint8_t sum = 0;
        for (size_t i = 0; i < n; i++)
            sum = (uint8_t)(sum + (at[i] == '\n'));
        lines += sum;
        at += n;
        count -= n;
    }
    return lines;
}
