/* line_record.c - lines as records. See line_record.h. */
#include "data/line_record.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* The first separator; NULL: there is none. */
static const char *find(const char *from, const char *end, const char *separator, size_t length)
{
    if (from >= end)
        return NULL;
    return length == 1 ? memchr(from, *separator, (size_t)(end - from))
                       : memmem(from, (size_t)(end - from), separator, length);
}

uint32_t line_record_fields(const char *at, uint32_t length, const char *separator, uint32_t fields)
{
    const char *end = at + length, *from = at;
    size_t between = strlen(separator);

    while (fields-- > 0) {
        const char *found = find(from, end, separator, between);
        if (!found)
            return length;
        if (fields == 0)
            return (uint32_t)(found - at);
        from = found + between;
    }
    return 0;
}

struct data_record line_record_of(const char *line, uint32_t length, const char *separator,
                                  uint32_t fields)
{
    uint32_t key = line_record_fields(line, length, separator, fields);

    if (key == length)
        return (struct data_record){line, line + length, length, 0};
    uint32_t value = key + (uint32_t)strlen(separator);
    return (struct data_record){line, line + value, key, length - value};
}

static int keep_rest(struct line_record_cutter *c, const char *at, size_t count, struct err *err)
{
    if (count > INT32_MAX - c->rest.count)
        return err_set(err, "a line has more than 2 GiB");
    vec_append(&c->rest, at, count);
    return 0;
}

int line_record_cut(struct line_record_cutter *c, const char *at, size_t count,
                    line_record_take *take, void *ctx, struct err *err)
{
    const char *end = at + count, *newline;

    while (at < end && (newline = memchr(at, '\n', (size_t)(end - at)))) {
        if (c->rest.count > 0) {
            if (keep_rest(c, at, (size_t)(newline - at), err) < 0 ||
                take(ctx, c->rest.at, c->rest.count, err) < 0)
                return -1;
            vec_clear(&c->rest);
        } else if (take(ctx, at, (uint32_t)(newline - at), err) < 0) {
            return -1;
        }
        at = newline + 1;
    }
    return keep_rest(c, at, (size_t)(end - at), err);
}

int line_record_cut_end(struct line_record_cutter *c, line_record_take *take, void *ctx,
                        struct err *err)
{
    int result = c->rest.count > 0 ? take(ctx, c->rest.at, c->rest.count, err) : 0;

    vec_free(&c->rest);
    return result;
}

int64_t line_record_start(int fd, const char *path, uint64_t size, uint64_t from, struct err *err)
{
    char buffer[16384];

    if (from == 0)
        return 0;
    for (uint64_t at = from - 1; at < size;) { /* the line before may end just there */
        ssize_t n = pread(fd, buffer, sizeof buffer, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_system(err, "%s: %s", path, strerror(errno));
        if (n == 0)
            return err_system(err, "%s: it became shorter while it was read", path);
        const char *newline = memchr(buffer, '\n', (size_t)n);
        if (newline)
            return (int64_t)at + (newline - buffer) + 1;
        at += (uint64_t)n;
    }
    return (int64_t)size;
}
