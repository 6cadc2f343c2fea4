#include "map/split.h"

#include <string.h>

static size_t split_lines(const char *at, size_t length, uint64_t records, bool last)
{
    size_t end = 0;

    for (uint64_t i = 0; i < records; i++) {
        const char *newline = memchr(at + end, '\n', length - end);
        if (!newline)
            return last ? length : 0;
        end = (size_t)(newline - at) + 1;
        if (end == length && i + 1 < records)
            return last ? length : 0;
    }
    return end;
}

size_t split_first(const char *at, size_t length, size_t block, uint64_t records, bool last)
{
    if (records)
        return split_lines(at, length, records, last);
    if (length <= block)
        return last ? length : 0;
    const char *newline = memrchr(at, '\n', block);
    if (!newline)
        newline = memchr(at + block, '\n', length - block);
    if (newline)
        return (size_t)(newline - at) + 1;
    return last ? length : 0;
}
