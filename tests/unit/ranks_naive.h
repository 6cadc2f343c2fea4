/* ranks_naive.h - Algorithm 1 of DollyMP as it is written: for each level the jobs that are short
 * enough, sorted by volume, as many as fit. What core/estimate/ranks.c is compared with, in tests
 * and in bench/ranks.c. */
#pragma once

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "core/estimate/ranks.h"
#include "core/estimate/speedup.h"

struct ranks_naive_job {
    double volume;
    uint32_t job, copies;
};

static int ranks_naive_compare(const void *a, const void *b)
{
    const struct ranks_naive_job *x = a, *y = b;
    if (x->volume != y->volume)
        return x->volume < y->volume ? -1 : 1;
    return x->job < y->job ? -1 : 1;
}

/* The last level, g: share_max is the greatest that any job needs of the cluster. */
static int ranks_naive_levels(const struct ranks_job *jobs, uint32_t n, double share_max,
                              double slot_ns)
{
    double sum = 0, most = 0;
    for (uint32_t i = 0; i < n; i++) {
        sum += (double)jobs[i].volume_ns;
        most = fmax(most, (double)jobs[i].time_ns);
    }
    most = fmax(most, sum);
    if (share_max < 1)
        most = fmax(most, sum / (1 - share_max));
    return (int)fmax(1, ceil(log2(most / slot_ns)));
}

/* B_l: the jobs that are done within the limit, each with as many copies as it needs for that. */
static uint32_t ranks_naive_short(const struct ranks_job *jobs, uint32_t n, double limit,
                                  uint32_t copies_max, struct ranks_naive_job *b)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t r = 1;
        while (r <= copies_max && limit * speedup_of(jobs[i].alpha, r) < (double)jobs[i].time_ns)
            r++;
        if (r <= copies_max)
            b[count++] = (struct ranks_naive_job){
                round((double)jobs[i].volume_ns * r / speedup_of(jobs[i].alpha, r)), i, r};
    }
    return count;
}

/* As ranks_find, for volumes and times that a double holds exactly, sums included. */
static inline void ranks_naive(struct ranks_job *jobs, uint32_t n, double share_max,
                               int64_t slot_us, uint32_t copies_max)
{
    double slot_ns = (double)slot_us * 1000;
    struct ranks_naive_job *b = mem_resize(NULL, n + 1, sizeof *b);
    int g = ranks_naive_levels(jobs, n, share_max, slot_ns);
    for (uint32_t i = 0; i < n; i++)
        jobs[i].rank = jobs[i].copies = 0;
    for (int l = 1; l <= g; l++) {
        double limit = ldexp(slot_ns, l), sum = 0;
        uint32_t count = ranks_naive_short(jobs, n, limit, copies_max, b);
        qsort(b, count, sizeof *b, ranks_naive_compare);
        for (uint32_t i = 0; i < count && sum + b[i].volume <= limit; i++) {
            sum += b[i].volume;
            if (jobs[b[i].job].rank == 0) {
                jobs[b[i].job].rank = (uint32_t)l;
                jobs[b[i].job].copies = b[i].copies;
            }
        }
    }
    mem_free(b);
}
