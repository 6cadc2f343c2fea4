#include "core/estimate/speedup.h"

#include <math.h>

#include "base/check.h"

double speedup_alpha(double mean, double dev)
{
    double ratio = mean / dev;
    if (!(ratio >= 0 && ratio < INFINITY)) /* nothing over nothing, too */
        return INFINITY;
    return 1 + hypot(1, ratio);
}

double speedup_of(double alpha, double copies)
{
    check(alpha > 1 && copies >= 1);
    return 1 + (1 - 1 / copies) / (alpha - 1);
}

uint32_t speedup_copies(double alpha, double time, double limit, uint32_t copies_max)
{
    check(copies_max > 0);
    if (time <= limit)
        return 1;
    if (!(limit * speedup_of(alpha, copies_max) >= time))
        return 0;
    /* Solved for r; then rounding is made good by the very test that the contract names. */
    double r = floor(1 / (1 - (time / limit - 1) * (alpha - 1)));
    r = r >= 2 && r <= copies_max ? r : r < 2 ? 2 : copies_max;
    while (r > 2 && limit * speedup_of(alpha, r - 1) >= time)
        r--;
    while (limit * speedup_of(alpha, r) < time)
        r++;
    return (uint32_t)r;
}

struct speedup_flows speedup_flows(double alpha, uint64_t jobs)
{
    enum { EXACT = 64 }; /* beyond, h(2^j) is its limit to the last bit */
    double n = (double)jobs, two = speedup_of(alpha, 2), all = 0;
    for (uint64_t j = 1; j <= jobs && j <= EXACT; j++)
        all += (double)j / speedup_of(alpha, ldexp(1, (int)j));
    if (jobs > EXACT)
        all += (n - EXACT) * (n + EXACT + 1) / 2 / speedup_of(alpha, INFINITY);
    return (struct speedup_flows){n - 1 + 1 / two, all, (n + 1) / two};
}
