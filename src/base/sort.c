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
