#include "commands/watch/time_buckets.h"

const double time_buckets_bound_s[TIME_BUCKETS_BOUNDS] = {0.1, 0.3, 1,    3,    10,   30,
                                                          100, 300, 1000, 3000, 10000};

void time_buckets_add(struct time_buckets *t, double seconds)
{
    int i = 0;

    while (i < TIME_BUCKETS_BOUNDS && seconds > time_buckets_bound_s[i])
        i++;
    t->count[i]++;
    t->sum_s += seconds;
}

void time_buckets_phase(struct time_buckets *t, const struct story_phase *p)
{
    for (uint32_t i = 0; i < p->count; i++)
        if (p->tasks[i].committed_us >= 0)
            time_buckets_add(t, (double)(p->tasks[i].committed_us - p->tasks[i].launched_us) / 1e6);
}

void time_buckets_join(struct time_buckets *t, const struct time_buckets *other)
{
    for (int i = 0; i <= TIME_BUCKETS_BOUNDS; i++)
        t->count[i] += other->count[i];
    t->sum_s += other->sum_s;
}
