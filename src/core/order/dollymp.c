/* dollymp.c - DollyMP's order: jobs in ranks, small and short ones first, and those of one rank are
 * equals among which the best fit for a server is taken.
 *
 * The paper's sections 4.2 and 5. When a job arrives, all jobs are ranked by what is left of them
 * (Algorithm 1, core/estimate/ranks.h); in between, ranks do not change, which keeps the effort
 * small.
 *
 *     theta, sigma  mean and deviation of task times    core/brain/expect.h
 *     r             deviations that count               spread
 *     v_j, e_j      volume and time left                core/estimate/left_work.h, job->standing
 *     slot          unit of time of the levels 2^l      slot
 *     p_j           the rank                            job->standing.rank
 *     r_j           copies of Corollary 4.1             job->standing.copies
 *
 * Changed: ranks are also computed again when nodes join or leave, since every share of the cluster
 * changes. Volume and time left are published whenever they change, for parts that compare them;
 * the ranks do not follow. The paper's delta (0.3) is not defined there, and left out. */
#include <string.h>

#include "base/mem.h"
#include "core/brain/decider.h"
#include "core/estimate/left_work.h"
#include "core/estimate/ranks.h"
#include "core/parts/parts.h"

enum copies { COPIES_FIXED, COPIES_COROLLARY };

#define PARAMS struct dollymp_params
struct dollymp_params {
    int64_t slot_us;
    double spread;
    int copies;
    int64_t clones;
};

struct dollymp {
    uint32_t next_job;       /* all before it have been ranked ... */
    struct res_sum capacity; /* ... on a cluster of this size */
};

static const struct field params[] = {
    PARAM_TIME("slot", slot_us, "5s", 1e-6, 1e6,
               "unit of time: rank l is of jobs that take up to 2^l of it"),
    PARAM_REAL("spread", spread, "1.5", 0, 100,
               "deviations by which a task counts longer than its mean"),
    PARAM_CHOICE("copies", copies, "fixed", "fixed|corollary",
                 "corollary: a job may reach a lower rank by copies of its tasks"),
    PARAM_INT("clones", clones, "2", 0, 3, "of a task, that the corollary may count on"),
    {0},
};

/* Whether the cluster is what it was at the last ranking. */
static bool same_cluster(const struct part_ctx *s)
{
    const struct dollymp *d = s->state;
    return memcmp(&d->capacity, &s->world->capacity, sizeof d->capacity) == 0;
}

static struct ranks_job entry_of(const struct part_ctx *s, const struct job *j)
{
    struct left_work left = left_work_of(s->world, j, par(s)->spread);
    struct standing standing = j->standing;
    standing.volume = left.volume;
    standing.time_s = left.time_s;
    standing.declared = left.declared && same_cluster(s);
    decider_publish(s->brain, j, standing);
    return (struct ranks_job){
        .volume_ns = ranks_ns(left.volume), .time_ns = ranks_ns(left.time_s), .alpha = left.alpha};
}

static void weigh(const struct part_ctx *s, const struct job *j)
{
    (void)entry_of(s, j);
}

/* Whether what was published is still so if the cluster is the same: no part learns anything of the
 * job but what it does itself, whereupon it is weighed. Of jobs that run several times it is not
 * sure which copy stands for it. */
static bool is_known(const struct job *j)
{
    return j->standing.declared && j->copy == 0 && !j->copies;
}

/* The same as entry_of without a look at the job's phases, which are in no cache when thousands of
 * jobs wait. */
static struct ranks_job known_entry(const struct job *j)
{
    return (struct ranks_job){.volume_ns = ranks_ns(j->standing.volume),
                              .time_ns = ranks_ns(j->standing.time_s)};
}

static bool is_ranked(const struct job *j)
{
    return j && j->state == JOB_LIVE;
}

static void publish_rank(const struct part_ctx *s, const struct job *j, const struct ranks_job *r)
{
    struct standing standing = j->standing;
    if (standing.rank == r->rank && standing.copies == r->copies)
        return;
    standing.rank = r->rank;
    standing.copies = r->copies;
    decider_publish(s->brain, j, standing);
}

static void rank_all(const struct part_ctx *s, bool same)
{
    const struct world *w = s->world;
    bool corollary = par(s)->copies == COPIES_COROLLARY, knows = same && !corollary;
    uint32_t copies_max = corollary ? (uint32_t)par(s)->clones + 1 : 1, n = 0;
    struct ranks_job *jobs = mem_resize(NULL, w->jobs.count + 1, sizeof *jobs);

    for (uint32_t i = w->jobs.gone; i < w->jobs.count; i++)
        if (is_ranked(w->jobs.at[i]))
            jobs[n++] = knows && is_known(w->jobs.at[i]) ? known_entry(w->jobs.at[i])
                                                         : entry_of(s, w->jobs.at[i]);
    ranks_find(jobs, n, par(s)->slot_us, copies_max);
    n = 0;
    for (uint32_t i = w->jobs.gone; i < w->jobs.count; i++)
        if (is_ranked(w->jobs.at[i]))
            publish_rank(s, w->jobs.at[i], &jobs[n++]);
    mem_free(jobs);
}

static void plan(const struct part_ctx *s)
{
    struct dollymp *d = s->state;
    const struct world *w = s->world;
    uint32_t next_job = window_next(&w->jobs);
    bool same = same_cluster(s);
    if (d->next_job == next_job && same) {
        for (uint32_t i = w->jobs.gone; i < w->jobs.count; i++)
            if (is_ranked(w->jobs.at[i]) && !is_known(w->jobs.at[i]))
                weigh(s, w->jobs.at[i]); /* only more is known of how long tasks take */
        return;
    }
    d->next_job = next_job;
    d->capacity = w->capacity;
    rank_all(s, same);
}

static int64_t key(const struct part_ctx *s, const struct phase *p)
{
    (void)s;
    return p->job->standing.rank;
}

const struct order_ops dollymp_order = {
    .part = {.name = "dollymp",
             .help = "jobs in ranks by the time and the volume that is left of them",
             PART_PARAMS(params),
             .state_size = sizeof(struct dollymp),
             .reads_expected = true},
    .follows = FOLLOWS_ARRIVALS | FOLLOWS_CAPACITY | FOLLOWS_COMMITS | FOLLOWS_EXPECTED,
    .plan = plan,
    .keys_are_ranks = true,
    .weigh = weigh,
    .key = key,
};
