#include "core/estimate/left_work.h"

#include <math.h>

#include "core/brain/script_test.h"
#include "core/estimate/speedup.h"
#include "tests/unit/test.h"

enum { S = 1000000 };

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b));
}

static struct left_work left_of(const struct script *s, struct job_id id, double spread)
{
    const struct world *w = brain_world(s->brain);
    return left_work_of(w, world_job(w, id), spread);
}

/* On ten cores and 100 MiB: 0 -> 1 -> 3 and 0 -> 2 -> 3, of which 2 is longer than 1. */
static struct job_id diamond(struct script *s)
{
    static const struct edge_spec from0 = {.from = 0}, from12[] = {{.from = 1}, {.from = 2}};
    struct phase_spec p[4] = {
        {.tasks = 2, .demand = {{1000, 5}}, .expect_us = 10 * S, .expect_dev_us = 2 * S},
        {.tasks = 1, .demand = {{1000, 20}}, .expect_us = 4 * S, .edges = &from0, .edge_count = 1},
        {.tasks = 3, .demand = {{500, 0}}, .expect_us = 6 * S, .edges = &from0, .edge_count = 1},
        {.tasks = 1, .demand = {{0, 50}}, .expect_us = 1 * S, .edges = from12, .edge_count = 2},
    };
    struct job_spec spec = {.name = "j", .user = "u", .queue = "q", .phases = p, .phase_count = 4};
    for (int k = 0; k < 4; k++)
        p[k].name = "p";
    return script_submit(s, &spec);
}

static void ten_cores(struct script *s)
{
    script_init(s, "none,order=svf", 0, 0);
    script_tell(s, (struct event){.type = EV_NODE_UP, .u.node = {.capacity = {{10000, 100}}}});
}

TEST(left_work_is_a_volume_and_the_longest_path)
{
    struct script s;
    ten_cores(&s);
    struct job_id j = diamond(&s);
    struct left_work left = left_of(&s, j, 0);
    /* 2 x 10 x 0.1, 1 x 4 x 0.2 (memory), 3 x 6 x 0.05, 1 x 1 x 0.5 */
    expect(near(left.volume, 2 + 0.8 + 0.9 + 0.5));
    expect(near(left.time_s, 17));
    expect(near(left.alpha, speedup_alpha(17, 2)));
    left = left_of(&s, j, 1.5);
    expect(near(left.volume, 2.6 + 0.8 + 0.9 + 0.5) && near(left.time_s, 20));
    script_fini(&s);
}

TEST(left_work_gets_less_with_every_task_that_is_done)
{
    struct script s;
    ten_cores(&s);
    struct job_id j = diamond(&s);
    script_decide(&s, 0);
    script_started_all(&s);
    expect(near(left_of(&s, j, 0).volume, 4.2)); /* what runs is not done */
    script_win(&s, script_ref(j, 0, 1, 0));
    expect(near(left_of(&s, j, 0).volume, 3.2));
    expect(near(left_of(&s, j, 0).time_s, 17)); /* a phase takes as long with one task */
    script_win(&s, script_ref(j, 0, 0, 0));
    expect(near(left_of(&s, j, 0).volume, 2.2) && near(left_of(&s, j, 0).time_s, 7));
    script_fini(&s);
}

TEST(left_work_without_capacity_has_no_volume)
{
    struct script s;
    script_init(&s, "none,order=svf", 0, 0);
    struct left_work left = left_of(&s, diamond(&s), 0);
    expect(left.volume == 0 && near(left.time_s, 17));
    /* Nor does a resource count that no node has. */
    script_tell(&s, (struct event){.type = EV_NODE_UP, .u.node = {.capacity = {{10000, 0}}}});
    expect(near(left_of(&s, (struct job_id){0}, 0).volume, 2 + 0.4 + 0.9));
    script_fini(&s);
}
