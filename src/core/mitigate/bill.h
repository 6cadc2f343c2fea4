/* bill.h - the resources that a plan would take in addition to those in use, against a limit. */
#pragma once

#include <math.h>
#include <stdbool.h>

#include "core/model/res.h"

/* The bill in the tightest resource: the one of which charge and use together are most of the
 * limit. Cpu counts in slots. */
struct bill {
    bool fits; /* in every resource */
    double charge, used, limit;
};

/* Use may exceed its limit by this: share x capacity is a whole number up to rounding. */
#define BILL_ROUNDING 1e-6

/* Returns true if no more than `share` of the capacity is in use, of any resource that the cluster
 * has: every bill without a charge fits then. Takes less time than a bill. */
static inline bool bill_is_within(const struct res_sum *used, const struct res_sum *capacity,
                                  double share)
{
    for (int i = 0; i < RES_COUNT; i++)
        if (capacity->v[i] > 0 &&
            !((double)used->v[i] <= share * (double)capacity->v[i] + BILL_ROUNDING))
            return false;
    return true;
}

/* Makes a bill with limits of `share` of the capacity, and no less than `least`. Resources that the
 * cluster lacks do not count. */
static inline struct bill bill_make_least(const struct res_sum *charge, const struct res_sum *used,
                                          const struct res_sum *capacity, double share,
                                          const struct res_sum *least)
{
    struct bill worst = {true, 0, 0, 0};
    double most = -1;
    for (int i = 0; i < RES_COUNT; i++) {
        if (capacity->v[i] <= 0)
            continue;
        double unit = res_unit(i), limit = share * (double)capacity->v[i];
        limit = limit > (double)least->v[i] ? limit : (double)least->v[i];
        double sum = (double)(used->v[i] + charge->v[i]);
        bool fits = sum <= limit + BILL_ROUNDING;
        double part = sum <= 0 ? 0 : limit > 0 ? sum / limit : INFINITY;
        if (worst.fits == fits ? part > most : !fits) {
            worst = (struct bill){fits, (double)charge->v[i] / unit, (double)used->v[i] / unit,
                                  limit / unit};
            most = part;
        }
    }
    return worst;
}

/* Makes a bill with limits of `share` of the capacity. */
static inline struct bill bill_make(const struct res_sum *charge, const struct res_sum *used,
                                    const struct res_sum *capacity, double share)
{
    return bill_make_least(charge, used, capacity, share, &(struct res_sum){{0}});
}
