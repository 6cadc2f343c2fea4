/* Theorem 1 and Corollary 4.1 of the DollyMP paper, tried on random instances: jobs of one task
 * each that come at once to one server. Algorithm 1 without clones ends them, in sum, within 6 R of
 * the optimum, where R is the greatest speedup that copies can bring; with the copies of the
 * corollary within 6.
 *
 * The optimum is found by trying every order of starts and every number of copies that fit: copies
 * start together and take theta / h(r), as in the paper. Starting as early as the order allows
 * loses nothing, since no sum of ends gets less by waiting. Demands are sixths of the server, so no
 * more than six copies fit. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "core/estimate/ranks.h"
#include "core/estimate/speedup.h"
#include "tests/unit/test.h"

enum { JOBS_MAX = 6, SERVER = 6, SLOT_US = 1000000 };

struct bound_job {
    int demand[2]; /* sixths of the server */
    double theta;  /* slots */
    double alpha;
};

struct instance {
    struct bound_job at[JOBS_MAX];
    uint32_t count;
};

static int dominant(const struct bound_job *j)
{
    return j->demand[0] > j->demand[1] ? j->demand[0] : j->demand[1];
}

static uint32_t copies_fit(const struct bound_job *j)
{
    return (uint32_t)(SERVER / dominant(j));
}

/* The server while jobs start one after the other. */
struct schedule {
    double now, sum; /* of ends */
    double ends[JOBS_MAX];
    int held[JOBS_MAX][2], room[2];
    uint32_t count;
};

static const struct schedule empty = {.room = {SERVER, SERVER}};

/* Lets the first of the running ones end. */
static void wait_for_room(struct schedule *s)
{
    uint32_t next = 0;
    for (uint32_t i = 1; i < s->count; i++)
        if (s->ends[i] < s->ends[next])
            next = i;
    s->now = fmax(s->now, s->ends[next]);
    s->room[0] += s->held[next][0];
    s->room[1] += s->held[next][1];
    s->count--;
    s->ends[next] = s->ends[s->count];
    memcpy(s->held[next], s->held[s->count], sizeof *s->held);
}

static void start(struct schedule *s, const struct bound_job *j, uint32_t copies)
{
    int need[2] = {(int)copies * j->demand[0], (int)copies * j->demand[1]};
    while (need[0] > s->room[0] || need[1] > s->room[1])
        wait_for_room(s);
    double end = s->now + j->theta / speedup_of(j->alpha, copies);
    s->sum += end;
    s->ends[s->count] = end;
    memcpy(s->held[s->count++], need, sizeof need);
    s->room[0] -= need[0];
    s->room[1] -= need[1];
}

/* The jobs in the order of their ranks, each as soon as it fits behind those before it. */
static double flow_by_rank(const struct instance *in, uint32_t copies_max)
{
    struct ranks_job ranks[JOBS_MAX];
    struct schedule s = empty;
    for (uint32_t i = 0; i < in->count; i++) {
        const struct bound_job *j = &in->at[i];
        ranks[i] = (struct ranks_job){ranks_ns(j->theta * dominant(j) / SERVER), ranks_ns(j->theta),
                                      j->alpha, 0, 0};
    }
    ranks_find(ranks, in->count, SLOT_US, copies_max);
    for (uint32_t rank = 1; rank <= RANKS_LEVELS; rank++)
        for (uint32_t i = 0; i < in->count; i++)
            if (ranks[i].rank == rank) {
                uint32_t fit = copies_fit(&in->at[i]);
                start(&s, &in->at[i], ranks[i].copies < fit ? ranks[i].copies : fit);
            }
    return s.sum;
}

/* Goes on from here in every way that may still beat *best. */
static void search(const struct instance *in, const struct schedule *s, uint32_t left, double *best)
{
    double least = s->sum;
    for (uint32_t i = 0; i < in->count; i++)
        if (left >> i & 1)
            least += s->now + in->at[i].theta / speedup_of(in->at[i].alpha, copies_fit(&in->at[i]));
    if (least >= *best)
        return;
    if (left == 0)
        *best = s->sum;
    for (uint32_t i = 0; i < in->count; i++)
        for (uint32_t r = 1; left >> i & 1 && r <= copies_fit(&in->at[i]); r++) {
            struct schedule next = *s;
            start(&next, &in->at[i], r);
            search(in, &next, left & ~(1U << i), best);
        }
}

static struct instance draw(uint64_t number)
{
    struct rng r = rng_stream(1, RNG_TEST, 13, number, 0, 0);
    struct instance in = {.count = 2 + (uint32_t)rng_below(&r, JOBS_MAX - 1)};
    for (uint32_t i = 0; i < in.count; i++) {
        double theta = exp(log(64) * rng_unit(&r)); /* 1 to 64 slots: nothing ends in the first */
        double dev = rng_below(&r, 4) ? theta * 4 * rng_unit(&r) : 0;
        in.at[i] = (struct bound_job){{1 + (int)rng_below(&r, 6), 1 + (int)rng_below(&r, 6)},
                                      number % 2 ? theta : ceil(theta),
                                      speedup_alpha(theta, dev)};
    }
    return in;
}

static double greatest_speedup(const struct instance *in)
{
    double most = 1;
    for (uint32_t i = 0; i < in->count; i++)
        most = fmax(most, speedup_of(in->at[i].alpha, INFINITY));
    return most;
}

static bool holds(const char *what, uint64_t number, double flow, double optimum, double bound)
{
    if (flow <= bound * optimum)
        return true;
    printf("%s: instance %u: %.3f slots, optimum %.3f, bound %.3f\n", what, (unsigned)number, flow,
           optimum, bound);
    return false;
}

TEST(ranks_keep_the_bounds_of_theorem_1_and_corollary_4_1)
{
    uint32_t violations = 0;
    double worst = 0, worst_copies = 0;
    for (uint64_t k = 0; k < 20000; k++) {
        struct instance in = draw(k);
        double plain = flow_by_rank(&in, 1), copies = flow_by_rank(&in, SERVER);
        double optimum = INFINITY;
        search(&in, &empty, (1U << in.count) - 1, &optimum);
        expect(optimum <= plain && optimum <= copies);
        violations += !holds("Theorem 1", k, plain, optimum, 6 * greatest_speedup(&in));
        violations += !holds("Corollary 4.1", k, copies, optimum, 6);
        worst = fmax(worst, plain / optimum);
        worst_copies = fmax(worst_copies, copies / optimum);
    }
    expect(violations == 0);
    expect(worst > 1.5 && worst < 1.7 && worst_copies > 1.5 && worst_copies < 1.8);
}
