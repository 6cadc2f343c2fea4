#include "core/estimate/node_luck.h"

#include "core/model/event.h"
#include "tests/unit/test.h"

enum { NODES = 3 };

static bool near(double a, double b)
{
    return a > b - 1e-9 && a < b + 1e-9;
}

static struct world world_of(struct node *nodes)
{
    return (struct world){.nodes = {.at = nodes, .count = NODES}};
}

/* The median is 1. */
static void learn(struct node_luck *l, const struct world *w, struct phase_sample *samples,
                  uint32_t n)
{
    struct phase p = {.count = 10, .median = 1, .measured = true};
    p.samples.at = samples;
    p.samples.count = n;
    node_luck_phase(l, w, &p);
}

/* Node 0: of five attempts two finish at 1 and 1.5, two are stopped at 1.2, one runs beyond 2. At 1
 * five are there and one ends: 4/5 go on. At 1.5 two are there and one ends: 1/2 of those. So 2/5
 * straggle; 1/3 if what was stopped did not count. Node 1: all are stopped early, which says
 * nothing. Node 2: nobody finishes in time. */
TEST(node_luck_is_the_product_limit_estimate)
{
    struct node nodes[NODES] = {0};
    struct world w = world_of(nodes);
    struct node_luck l = {0};
    struct phase_sample samples[] = {{1, {0}},     {1.5f, {0}},  {-1.2f, {0}},
                                     {-1.2f, {0}}, {3, {0}},     {-1.0f, {1}},
                                     {-0.5f, {1}}, {-2.5f, {2}}, {5, {2}}};
    learn(&l, &w, samples, sizeof samples / sizeof *samples);
    expect(near(node_luck_roll(&l, 0, 1), 0.4));
    expect(near(node_luck_p(&l, 0, 0.15), 0.4));
    expect(node_luck_roll(&l, 1, 1) == -1 && node_luck_p(&l, 1, 0.15) == 0.15);
    expect(near(node_luck_roll(&l, 2, 1), 1) && node_luck_p(&l, 2, 0.15) == 0.999);
    /* A window without stragglers counts half in p_m, and by its attempts in the long run: three
     * of node 0 told something before (two finished, one straggled), one does now. */
    struct phase_sample later[] = {{1, {0}}};
    learn(&l, &w, later, 1);
    expect(node_luck_roll(&l, 0, 2) == -1); /* too few for a window of its own */
    expect(near(node_luck_p(&l, 0, 0.15), 0.2));
    expect(near(node_luck_long_term(&l, 0, 4), 3 * 0.4 / 4));
    expect(node_luck_long_term(&l, 0, 5) == -1); /* too few */
    /* Four attempts count for two after two fadings that halve in two; the share stays. */
    node_luck_fade(&l, 0, 2);
    node_luck_fade(&l, 0, 2);
    expect(near(node_luck_long_term(&l, 0, 1), 3 * 0.4 / 4));
    expect(node_luck_long_term(&l, 0, 3) == -1);
    node_luck_fini(&l);
}

/* A phase was measured (1 us per byte) when one attempt finishes after 3 s of a task of 1 MB, and
 * another is stopped after 1.5 s: both reach their nodes. In a phase that was not measured they
 * come with the phase. */
TEST(node_luck_counts_what_ends_after_its_phase)
{
    struct node nodes[NODES] = {0};
    struct world w = world_of(nodes);
    struct node_luck l = {0};
    struct phase p = {.count = 2, .input_bytes = 1000000, .median = 1, .measured = true};
    struct job j = {.phases = &p, .phase_count = 1};
    struct attempt a = {.job = &j, .node = {1}};
    w.now_us = 3000000;
    node_luck_late(&l, &w, &a, EV_ATTEMPT_FINISHED);
    w.now_us = 1500000;
    node_luck_late(&l, &w, &a, EV_ATTEMPT_KILLED);
    expect(l.nodes.at[1].seen.count == 2 && l.nodes.at[1].seen.beyond == 1);
    p.measured = false;
    node_luck_late(&l, &w, &a, EV_ATTEMPT_FINISHED);
    expect(l.nodes.at[1].seen.count == 2);
    expect(near(node_luck_roll(&l, 1, 1), 1));
    node_luck_fini(&l);
}
