/* lines.c - memchr finds newlines and marks; only a line across two blocks is copied. */
#include "inputs/trace/lines.h"

void lines_feed(struct lines *l, const char *at, size_t length)
{
    l->at = at;
    l->end = at + length;
}

static struct row_text line_of(const char *at, size_t length)
{
    if (length > 0 && at[length - 1] == '\r')
        length--;
    return (struct row_text){at, length};
}

/* Keeps the beginning of a line; false if that is too long. */
static bool keep(struct lines *l, const char *at, size_t length)
{
    if (!l->is_carrying)
        vec_clear(&l->carry.at);
    l->is_carrying = true;
    if (length + l->carry.at.count > LINES_LENGTH_MAX)
        return false;
    row_bytes_put(&l->carry, at, length);
    return true;
}

int lines_next(struct lines *l, struct row_text *line)
{
    while (l->at < l->end) {
        size_t left = (size_t)(l->end - l->at);
        const char *from = l->at, *newline = memchr(from, '\n', left);
        size_t length = newline ? (size_t)(newline - from) : left;
        l->at = newline ? newline + 1 : l->end;
        if (newline && !l->is_carrying && !l->is_skipping) {
            l->number++;
            *line = line_of(from, length);
            return 1;
        }
        if (!l->is_skipping && !keep(l, from, length)) {
            l->is_skipping = true;
            vec_free(&l->carry.at);
        }
        if (!newline)
            return 0;
        bool skipped = l->is_skipping;
        l->is_carrying = l->is_skipping = false;
        l->number++;
        if (skipped)
            return -1;
        *line = line_of(l->carry.at.at, l->carry.at.count);
        return 1;
    }
    return 0;
}

int lines_last(struct lines *l, struct row_text *line)
{
    bool there = l->is_carrying || l->is_skipping, skipped = l->is_skipping;
    l->is_carrying = l->is_skipping = false;
    l->number += there;
    if (!there || skipped)
        return there ? -1 : 0;
    *line = line_of(l->carry.at.at, l->carry.at.count);
    return 1;
}

uint32_t lines_split(struct row_text line, char mark, struct row_text *fields, uint32_t most)
{
    const char *at = line.at, *end = line.at + line.length;
    uint32_t n = 0;
    while (n < most) {
        const char *next = at < end ? memchr(at, mark, (size_t)(end - at)) : NULL;
        fields[n++] = (struct row_text){at, (size_t)((next ? next : end) - at)};
        if (!next)
            break;
        at = next + 1;
    }
    return n;
}

bool lines_word(struct row_text *line, struct row_text *word)
{
    const char *at = line->at, *end = line->at + line->length;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    const char *from = at;
    while (at < end && *at != ' ' && *at != '\t')
        at++;
    *word = (struct row_text){from, (size_t)(at - from)};
    *line = (struct row_text){at, (size_t)(end - at)};
    return word->length > 0;
}

bool lines_first(const char *at, size_t length, bool is_all, char comment, struct row_text *line)
{
    const char *end = at + length;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline && !is_all)
            return false;
        *line = line_of(at, (size_t)((newline ? newline : end) - at));
        if (line->length > 0 && (!comment || line->at[0] != comment))
            return true;
        at = newline ? newline + 1 : end;
    }
    return false;
}
