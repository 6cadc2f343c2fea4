#include "commands/report/cutoff.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/rng.h"

struct cutoff cutoff_height(int64_t length_us, uint64_t a, uint64_t b)
{
    struct rng r = rng_stream(0, RNG_SHOWN, a, b, 0, 0);

    return (struct cutoff){length_us, rng_u64(&r) >> 1};
}

static int by_height(const void *a, const void *b)
{
    const struct cutoff *x = a, *y = b;

    if (x->length_us != y->length_us)
        return x->length_us < y->length_us ? -1 : 1;
    return (x->lot > y->lot) - (x->lot < y->lot);
}

bool cutoff_reached(const struct cutoff *cutoff, struct cutoff height)
{
    return by_height(&height, cutoff) >= 0;
}

void cutoff_raise(struct cutoff *cutoff, struct cutoff *heights, uint32_t count)
{
    check(count > 0);
    qsort(heights, count, sizeof *heights, by_height);
    struct cutoff above = heights[count / 2];

    above.lot++; /* there is one more: lots have 63 bits */
    if (by_height(&above, cutoff) > 0)
        *cutoff = above;
}
