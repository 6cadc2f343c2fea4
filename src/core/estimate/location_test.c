/* Which nodes and racks are persistently slow, from phases worked out by hand. */
#include "core/estimate/location.h"

#include <math.h>

#include "tests/unit/test.h"

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-6;
}

struct location_scene {
    struct world w;
    struct edge_spec edge;
    struct location l;
};

static void scene_init(struct location_scene *s)
{
    *s = (struct location_scene){0};
    for (uint32_t i = 0; i < 4; i++)
        vec_push(&s->w.nodes, ((struct node){.rack = i / 2}));
}

static void scene_fini(struct location_scene *s)
{
    vec_free(&s->w.nodes);
    location_fini(&s->l);
}

/* A phase whose attempts took these times per byte on nodes 0 to 3; the median is 1. */
static void see(struct location_scene *s, bool reads, const float *per_byte)
{
    struct phase p = {.median = 1, .edges = &s->edge, .edge_count = reads};
    for (uint32_t i = 0; i < 4; i++)
        vec_push(&p.samples, ((struct phase_sample){per_byte[i], {i}}));
    location_phase(&s->l, &s->w, &p);
    vec_free(&p.samples);
}

static double factor(const struct location_scene *s, bool reads, uint32_t node)
{
    struct phase p = {.edges = &s->edge, .edge_count = reads};
    return location_factor(&s->l, &s->w, &p, node);
}

TEST(location_of_a_slow_machine_needs_four_attempts)
{
    struct location_scene s;
    scene_init(&s);
    float times[] = {2, 1, 1, 1};
    for (int i = 0; i < 3; i++)
        see(&s, false, times);
    expect(factor(&s, false, 0) == 1);
    see(&s, false, times);
    /* Twice as slow as the others; the mean of all, 2^(1/4), is taken off. */
    expect(near(factor(&s, false, 0) / factor(&s, false, 1), 2));
    expect(factor(&s, false, 0) > 1.6 && factor(&s, false, 1) < 1);
    scene_fini(&s);
}

TEST(location_forgets_and_does_not_count_what_was_stopped)
{
    struct location_scene s;
    scene_init(&s);
    float slow[] = {4, 1, 1, 1}, even[] = {1, 1, 1, 1}, stopped[] = {-4, 1, 1, 1};
    for (int i = 0; i < 20; i++)
        see(&s, false, slow);
    double before = factor(&s, false, 0);
    for (int i = 0; i < 20; i++)
        see(&s, false, stopped);
    expect(factor(&s, false, 0) / factor(&s, false, 1) > 0.99 * before / 1.5);
    for (int i = 0; i < 2000; i++)
        see(&s, false, even);
    expect(near(factor(&s, false, 0), 1));
    scene_fini(&s);
}

TEST(location_of_a_slow_link_counts_only_for_readers)
{
    struct location_scene s;
    scene_init(&s);
    float even[] = {1, 1, 1, 1}, far[] = {1, 1, 3, 3};
    for (int i = 0; i < 8; i++) {
        see(&s, false, even);
        see(&s, true, far);
    }
    expect(near(factor(&s, false, 2), 1));
    expect(near(factor(&s, true, 2) / factor(&s, true, 0), 3));
    expect(near(factor(&s, true, 2), sqrt(3))); /* the mean of both racks is taken off */
    scene_fini(&s);
}
