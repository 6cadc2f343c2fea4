#include "base/wide.h"

#include <math.h>

/* The first 63 bits are more than a double keeps, and whether there are any behind them decides
 * between two doubles that are as near. */
double wide_double(struct wide a)
{
    struct wide size = a.high < 0 ? wide_minus(a) : a;
    uint64_t high = (uint64_t)size.high;
    int below = 0;

    if (high == 0 && size.low >> 63 == 0)
        return a.high < 0 ? -(double)(int64_t)size.low : (double)(int64_t)size.low;
    below = high == 0 ? 1 : 65 - __builtin_clzll(high);
    uint64_t top = below < 64 ? high << (64 - below) | size.low >> below : high >> (below - 64);
    uint64_t rest = below < 64 ? size.low << (64 - below) : size.low | (below > 64 ? high & 1 : 0);
    double value = ldexp((double)(int64_t)(top | (rest != 0)), below);
    return a.high < 0 ? -value : value;
}
