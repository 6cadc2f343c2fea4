/* job_fill.c - draws values that a trace does not have.
 *
 * A cluster rarely has nodes with the names of a trace's hosts. The name of a host alone then
 * chooses its node, so that one host is one node in all jobs, and inputs on one host are on one
 * node. Drawing a node for each task was rejected: it would lose that.
 *
 * Of a task that is alone in its phase only one time t is known, and no median that would show
 * whether it was slow. If tasks take m x r, with r spread as in the trace's other phases and
 * nothing known of m, then m is t / r for some r, and a copy takes m x r' for another: t x r' / r.
 * Taking t for the median was rejected: then copies could only be slower than slow tasks. */
#include "inputs/trace/job_fill.h"

#include "base/hash.h"
#include "base/rng.h"
#include "inputs/trace/number.h"

uint32_t job_fill_replicas(const struct job_fill *f, bool reads_outside)
{
    if (!reads_outside)
        return 0;
    return f->replicas < f->nodes ? f->replicas : f->nodes;
}

/* Makes room for a node before the one at this place. */
static void insert(struct node_id *nodes, uint32_t count, uint32_t at, uint32_t node)
{
    for (uint32_t i = count; i > at; i--)
        nodes[i] = nodes[i - 1];
    nodes[at].v = node;
}

void job_fill_nodes(const struct job_fill *f, struct job_fill_key key, struct node_id *nodes)
{
    uint32_t count = job_fill_replicas(f, true);
    struct rng r = rng_stream(0, RNG_REPLICAS, key.job, key.phase, key.task, 0);
    for (uint32_t k = 0; k < count; k++) {
        /* One of those that are left, in the order of their numbers: `nodes` is kept sorted, and
         * each one at or below the drawn number moves it up. */
        uint32_t node = (uint32_t)rng_below(&r, f->nodes - k), at = 0;
        while (at < k && nodes[at].v <= node) {
            node++;
            at++;
        }
        insert(nodes, k, at, node);
    }
}

void job_fill_host(const struct job_fill *f, uint64_t host, struct node_id *nodes, uint32_t *count)
{
    uint32_t at = 0, node = f->names ? lookup_get(f->names, host) : LOOKUP_NONE;
    if (node == LOOKUP_NONE && (!f->are_hosts_hashed || f->nodes == 0))
        return;
    if (node == LOOKUP_NONE)
        node = hash_fold(host) % f->nodes;
    while (at < *count && nodes[at].v < node)
        at++;
    if (at == *count || nodes[at].v != node)
        insert(nodes, (*count)++, at, node);
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
