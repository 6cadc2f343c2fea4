#include "core/brain/script_test.h"
#include "tests/unit/test.h"

#define S INT64_C(1000000)

/* One server of ten slots, one job: a long task behind a short one, and five smaller ones that as
 * many could run of at once would keep out of the way of the long one
 * (core/estimate/graphene_plan.h).
 */
static const struct edge_spec after_first = {.from = 0};

static struct job_id submit(struct script *s)
{
    struct phase_spec p[] = {
        {.name = "short", .tasks = 1, .demand = {{RES_SLOT, 0, 0, 0}}, .expect_us = 1 * S},
        {.name = "long",
         .tasks = 1,
         .demand = {{6 * RES_SLOT, 0, 0, 0}},
         .edges = &after_first,
         .edge_count = 1,
         .expect_us = 20 * S},
        {.name = "small", .tasks = 5, .demand = {{4 * RES_SLOT, 0, 0, 0}}, .expect_us = 5 * S}};
    struct job_spec spec = {.phases = p, .phase_count = 3};
    return script_submit(s, &spec);
}

/* All open phases bid: the short one, though it suits the node least, is not left for last. */
TEST(graphene_lets_all_open_phases_bid)
{
    struct script s;
    script_init(&s, "order=tetris,place=graphene", 1, 10);
    struct job_id j = submit(&s);
    script_decide(&s, 0);
    expect(script_count(&s, DO_LAUNCH, -1) == 3);
    expect(script_find(&s, DO_LAUNCH, script_ref(j, 0, 0, 0)) != NULL);
    expect(script_find(&s, DO_LAUNCH, script_ref(j, 2, 0, 0)) != NULL);
    expect(script_find(&s, DO_LAUNCH, script_ref(j, 2, 1, 0)) != NULL);
    /* The short one ends: the long one takes the room of the next small one that ends. */
    script_started_all(&s);
    s.now_us = 1 * S;
    script_win(&s, script_ref(j, 0, 0, 0));
    expect(script_count(&s, DO_LAUNCH, -1) == 0);
    s.now_us = 5 * S;
    script_win(&s, script_ref(j, 2, 0, 0));
    expect(world_job(brain_world(s.brain), j)->phases[1].tasks[0].live == 1);
    script_fini(&s);
}

/* Two phases that may begin, the second of which is long and takes all of the node: it does not
 * wait until there is nothing left of the first. */
TEST(graphene_takes_a_later_phase_first)
{
    struct phase_spec p[] = {
        {.name = "small", .tasks = 4, .demand = {{RES_SLOT, 0, 0, 0}}, .expect_us = 1 * S},
        {.name = "long", .tasks = 1, .demand = {{4 * RES_SLOT, 0, 0, 0}}, .expect_us = 20 * S}};
    struct job_spec spec = {.phases = p, .phase_count = 2};
    struct script s;
    script_init(&s, "order=tetris,place=graphene", 1, 4);
    struct job_id j = script_submit(&s, &spec);
    script_decide(&s, 0);
    expect(script_find(&s, DO_LAUNCH, script_ref(j, 1, 0, 0)) != NULL);
    expect(script_count(&s, DO_LAUNCH, -1) == 1);
    script_fini(&s);
}

/* Of two jobs alike in all but what is left of them, the smaller one comes first where that counts.
 */
TEST(graphene_weighs_what_is_left_by_eta)
{
    for (int by_work = 0; by_work < 2; by_work++) {
        struct script s;
        script_init(
            &s, by_work ? "order=tetris,place=graphene;eta=1" : "order=tetris,place=graphene;eta=0",
            1, 1);
        struct phase_spec p = {
            .name = "p", .tasks = 9, .demand = {{RES_SLOT, 0, 0, 0}}, .expect_us = 10 * S};
        struct job_spec spec = {.phases = &p, .phase_count = 1};
        struct job_id large = script_submit(&s, &spec);
        p.tasks = 2;
        struct job_id small = script_submit(&s, &spec);
        script_decide(&s, 0);
        struct job_id next = by_work ? small : large;
        expect(script_count(&s, DO_LAUNCH, -1) == 1);
        expect(script_find(&s, DO_LAUNCH, script_ref(next, 0, 0, 0)) != NULL);
        script_fini(&s);
    }
}
