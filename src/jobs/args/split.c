/* split.c - records.
 *
 * A separator is `end` followed by `start`, as one text; the record before it ends in between. One
 * walk from separator to separator serves all ways to cut; only plain lines, which is the common
 * case, are found from behind. */
#include "jobs/args/split.h"

#include <string.h>

/* A separator: where it begins, where the next record does, and where it is over. */
struct gap {
    size_t from, cut, to;
};

static bool gap_regex(const struct split *s, const char *at, size_t length, size_t from,
                      struct gap *g)
{
    struct regex_span all, end;

    if (!regex_find(s->regex, at, length, from, &all, &end))
        return false;
    *g = (struct gap){all.from, end.to, all.to};
    return true;
}

static bool gap_lines(const struct split *s, const char *at, size_t length, size_t from,
                      struct gap *g)
{
    for (uint64_t i = 0; i < s->lines; i++) {
        const char *newline = from < length ? memchr(at + from, '\n', length - from) : NULL;
        if (!newline)
            return false;
        from = (size_t)(newline - at) + 1;
    }
    *g = (struct gap){from, from, from};
    return true;
}

static bool gap_text(const struct split *s, const char *at, size_t length, size_t from,
                     struct gap *g)
{
    for (size_t i = from; i + s->end_length + s->start_length <= length; i++) {
        const char *end =
            s->end_length ? memmem(at + i, length - i, s->end, s->end_length) : at + i;
        if (!end)
            return false;
        i = (size_t)(end - at);
        size_t cut = i + s->end_length;
        if (cut + s->start_length <= length && memcmp(at + cut, s->start, s->start_length) == 0) {
            *g = (struct gap){i, cut, cut + s->start_length};
            return true;
        }
    }
    return false;
}

/* The first separator behind which a record begins that is not at `from` itself. */
static bool gap_next(const struct split *s, const char *at, size_t length, size_t from,
                     struct gap *g)
{
    for (size_t look = from; look <= length; look++) {
        bool found = s->lines   ? gap_lines(s, at, length, look, g)
                     : s->regex ? gap_regex(s, at, length, look, g)
                                : gap_text(s, at, length, look, g);
        if (!found || g->cut > from)
            return found;
        look = g->from;
    }
    return false;
}

static bool is_plain(const struct split *s)
{
    return !s->lines && !s->regex && s->start_length == 0 && s->end_length == 1;
}

size_t split_first(const struct split *s, const char *at, size_t length, bool last)
{
    struct gap g;
    size_t end = 0;
    uint64_t records = 0;

    if (!s->records && length <= s->block && (!s->lines || !last))
        return last ? length : 0;
    if (!s->records && is_plain(s) && !s->at_least) {
        const char *mark = memrchr(at, s->end[0], s->block);
        if (mark)
            return (size_t)(mark - at) + 1;
    }
    while (gap_next(s, at, length, end, &g)) {
        if (!s->records && end > 0 && g.cut > s->block && !s->at_least)
            return end;
        /* More of a regular expression could match if there were more bytes. */
        if (s->regex && g.to == length && !last)
            return 0;
        end = g.cut;
        if (s->records ? ++records == s->records : end >= s->block + s->at_least)
            return end;
    }
    if (!s->records && end > 0 && !s->at_least)
        return end;
    return last ? length : 0;
}

void split_strip(const struct split *s, const char *at, size_t length,
                 void (*take)(void *ctx, const char *at, size_t length), void *ctx)
{
    struct gap g;
    size_t from = 0;

    if (s->start_length && length >= s->start_length && memcmp(at, s->start, s->start_length) == 0)
        from = s->start_length;
    while (gap_next(s, at, length, from, &g)) {
        take(ctx, at + from, g.from > from ? g.from - from : 0);
        from = g.to;
    }
    if (s->end_length && length - from >= s->end_length &&
        memcmp(at + length - s->end_length, s->end, s->end_length) == 0)
        length -= s->end_length;
    take(ctx, at + from, length - from);
}
