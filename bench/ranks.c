/* ranks.c - how fast jobs are ranked, beside the loop that one would write first.
 *
 *     ranks [SEED]    prints milliseconds of each, or fails when they do not agree
 *
 * Times of 1 s to 6 h, volumes that the last level takes together; with one copy of each task, and
 * with up to three (Corollary 4.1). CPU time, the best of several. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/rng.h"
#include "tests/unit/ranks_naive.h"

enum { SLOT_US = 5000000, REPEAT = 7 };

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void draw(struct ranks_job *jobs, uint32_t n, uint64_t seed)
{
    struct rng r = rng_branch(seed, n, 0);
    for (uint32_t i = 0; i < n; i++) {
        double time_s = exp(10 * rng_unit(&r)), volume_s = exp(10 * rng_unit(&r)) * 10 / n;
        jobs[i] = (struct ranks_job){ranks_ns(volume_s), ranks_ns(time_s), 2 + rng_unit(&r), 0, 0};
    }
}

static int measure(uint32_t n, uint32_t copies_max, uint64_t seed, const char *goal)
{
    struct ranks_job *fast = mem_resize(NULL, n, sizeof *fast);
    struct ranks_job *slow = mem_resize(NULL, n, sizeof *slow);
    double best = INFINITY;
    uint32_t last = 0;
    draw(fast, n, seed);
    memcpy(slow, fast, n * sizeof *slow);
    for (int i = 0; i < REPEAT; i++) {
        double begun = now_ms();
        ranks_find(fast, n, SLOT_US, copies_max);
        best = fmin(best, now_ms() - begun);
    }
    double begun = now_ms();
    ranks_naive(slow, n, 0.5, SLOT_US, copies_max);
    double loop = now_ms() - begun;
    for (uint32_t i = 0; i < n; i++) {
        if (fast[i].rank != slow[i].rank || fast[i].copies != slow[i].copies) {
            fprintf(stderr, "ranks: job %u of %u differs\n", i, n);
            return 1;
        }
        last = fast[i].rank > last ? fast[i].rank : last;
    }
    printf("   %6u jobs, up to %u cop%-4s %6u %10.3f %10.3f %8.1f  %s\n", n, copies_max,
           copies_max > 1 ? "ies" : "y", last, best, loop, loop / best, goal);
    mem_free(fast);
    mem_free(slow);
    return 0;
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    return measure(1000, 1, seed, "0.2 ms") || measure(100000, 1, seed, "30 ms") ||
           measure(1000, 3, seed, "") || measure(100000, 3, seed, "");
}
