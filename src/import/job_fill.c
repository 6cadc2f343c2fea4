/* job_fill.c - draws what a trace does not say.
 *
 * Of a task that is alone in its phase only one time t is known, and no median that would tell
 * whether it was a slow one. If tasks take m x r, with r spread as in the trace's other phases and
 * nothing known of m, then m is t / r for some r, and a copy takes m x r' for another: t x r' / r.
 * Taking t for the median was rejected: then copies could only be slower than slow tasks. */
#include "import/job_fill.h"

#include "base/rng.h"
#include "import/number.h"

uint32_t job_fill_replicas(const struct job_fill *f, bool reads_outside)
{
    if (!reads_outside)
        return 0;
    return f->replicas < f->nodes ? f->replicas : f->nodes;
}

void job_fill_nodes(const struct job_fill *f, struct job_fill_key key, uint32_t tasks,
                    struct node_id *nodes)
{
    uint32_t count = job_fill_replicas(f, true);
    for (uint32_t t = 0; t < tasks; t++, nodes += count) {
        struct rng r = rng_stream(0, RNG_REPLICAS, key.job, key.phase, t, 0);
        for (uint32_t k = 0; k < count; k++) {
            /* One of those that are left, in the order of their numbers: `nodes` is kept sorted,
             * and each one at or below the drawn number moves it up. */
            uint32_t node = (uint32_t)rng_below(&r, f->nodes - k), at = 0;
            while (at < k && nodes[at].v <= node) {
                node++;
                at++;
            }
            for (uint32_t i = k; i > at; i--)
                nodes[i] = nodes[i - 1];
            nodes[at].v = node;
        }
    }
}

uint32_t job_fill_copies(const struct job_fill *f, uint32_t tasks)
{
    return tasks == 1 && f->ratio_count > 0 ? JOB_FILL_COPIES : 0;
}

void job_fill_times(const struct job_fill *f, struct job_fill_key key, int64_t us, int64_t *times)
{
    struct rng r = rng_stream(0, RNG_SINGLE, key.job, key.phase, 0, 0);
    double median = (double)us / f->ratios[rng_below(&r, f->ratio_count)];
    for (int i = 0; i < JOB_FILL_COPIES; i++) {
        double t = median * f->ratios[rng_below(&r, f->ratio_count)];
        times[i] = t < 1 ? 1 : t < (double)NUMBER_US_MAX ? (int64_t)t : NUMBER_US_MAX;
    }
}
