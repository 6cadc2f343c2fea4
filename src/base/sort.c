#include "base/sort.h"

#include <string.h>

#include "base/mem.h"

/* Bottom-up merge sort: it needs no recursion and is never slow. Runs that stand in order already
 * are copied as they are. */
void sort_stable(void *at, uint32_t count, size_t size,
                 bool (*before)(const void *a, const void *b, const void *ctx), const void *ctx)
{
    char *from = at, *to = mem_resize(NULL, count ? count : 1, size), *spare = to;
    size_t n = count * size;
    for (size_t width = size; width < n; width *= 2) {
        for (size_t low = 0; low < n; low += 2 * width) {
            size_t mid = low + width < n ? low + width : n;
            size_t high = mid + width < n ? mid + width : n;
            size_t i = low, k = mid;
            if (k >= high || !before(from + k, from + k - size, ctx)) {
                memcpy(to + low, from + low, high - low);
                continue;
            }
            for (size_t out = low; out < high; out += size) {
                bool right = i >= mid || (k < high && before(from + k, from + i, ctx));
                size_t *next = right ? &k : &i;
                memcpy(to + out, from + *next, size);
                *next += size;
            }
        }
        char *swap = from;
        from = to;
        to = swap;
    }
    if (from != at)
        memcpy(at, from, n);
    mem_free(spare);
}

enum { DIGITS = 8, VALUES = 256 };

static uint32_t digit_of(uint64_t key, uint32_t digit)
{
    return (uint32_t)(key >> (8 * digit)) % VALUES;
}

/* Moves all to where their digit says; `counts` tells how many have each value of it. */
static void sort_by_digit(const struct sort_key *from, struct sort_key *to, uint32_t count,
                          uint32_t digit, uint32_t *counts)
{
    uint32_t sum = 0;
    for (uint32_t v = 0; v < VALUES; v++) {
        uint32_t here = counts[v];
        counts[v] = sum;
        sum += here;
    }
    for (uint32_t i = 0; i < count; i++)
        to[counts[digit_of(from[i].key, digit)]++] = from[i];
}

/* Digit by digit, the least significant first. Those in which all agree cost nothing, and they are
 * most of them: keys are rarely as large as they could be. */
void sort_keys(struct sort_key *at, uint32_t count)
{
    struct sort_key *from = at, *to = mem_resize(NULL, count ? count : 1, sizeof *at), *spare = to;
    uint32_t counts[DIGITS][VALUES] = {{0}};

    for (uint32_t i = 0; i < count; i++)
        for (uint32_t d = 0; d < DIGITS; d++)
            counts[d][digit_of(at[i].key, d)]++;
    for (uint32_t d = 0; d < DIGITS && count > 0; d++) {
        if (counts[d][digit_of(at[0].key, d)] == count)
            continue;
        sort_by_digit(from, to, count, d, counts[d]);
        struct sort_key *swap = from;
        from = to;
        to = swap;
    }
    if (from != at)
        memcpy(at, from, count * sizeof *at);
    mem_free(spare);
}
