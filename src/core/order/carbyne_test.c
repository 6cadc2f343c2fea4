#include "core/brain/script_test.h"
#include "core/order/launched_test.h"
#include "tests/unit/test.h"

#define S INT64_C(1000000)

/* A job whose tasks are told to take `time_us`, of one slot each. */
static struct job_id submit(struct script *s, uint32_t tasks, int64_t time_us)
{
    struct phase_spec p = {
        .name = "p", .tasks = tasks, .demand = {{RES_SLOT, 0, 0, 0}}, .expect_us = time_us};
    struct job_spec spec = {.phases = &p, .phase_count = 1};
    return script_submit(s, &spec);
}

static uint32_t launched(const struct script *s, struct job_id job)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->out.count; i++)
        n += s->out.at[i].type == DO_LAUNCH && s->out.at[i].at.job.v == job.v;
    return n;
}

/* Eight slots, two jobs: each has a right to four. The first has five tasks, two waves: it needs
 * one of them now, and the second, of which less is left, gets the rest. */
TEST(carbyne_gives_away_what_it_can_do_without)
{
    struct script s;
    script_init(&s, "order=carbyne", 8, 1);
    struct job_id large = submit(&s, 5, 100 * S), small = submit(&s, 7, 10 * S);
    script_decide(&s, 0);
    expect(launched(&s, large) == 1 && launched(&s, small) == 7);
    script_fini(&s);
}

/* Without altruism each starts what fits into its share. */
TEST(carbyne_without_altruism_takes_its_share)
{
    struct script s;
    script_init(&s, "order=carbyne;altruism=0", 8, 1);
    struct job_id large = submit(&s, 5, 100 * S), small = submit(&s, 7, 10 * S);
    script_decide(&s, 0);
    expect(launched(&s, large) == 4 && launched(&s, small) == 4);
    script_fini(&s);
}

/* Nothing that fits stays idle, also of a job alone. */
TEST(carbyne_leaves_nothing_idle)
{
    struct script s;
    script_init(&s, "order=carbyne", 8, 1);
    struct job_id j = submit(&s, 9, 10 * S);
    script_decide(&s, 0);
    expect(launched(&s, j) == 8);
    script_fini(&s);
}

/* Two slots, one for each job. The first phase of the large job ends: its second has a right to the
 * slot, although less is left of the other job, which has had its share. */
TEST(carbyne_plans_anew_when_a_phase_is_done)
{
    static const struct edge_spec edge = {.from = 0};
    struct phase_spec p[2] = {{.name = "a", .tasks = 1, .demand = {{RES_SLOT}}, .expect_us = 5 * S},
                              {.name = "b",
                               .tasks = 1,
                               .demand = {{RES_SLOT}},
                               .expect_us = 100 * S,
                               .edges = &edge,
                               .edge_count = 1}};
    struct job_spec spec = {.phases = p, .phase_count = 2};
    struct script s;
    script_init(&s, "order=carbyne;altruism=0;tick=10s", 2, 1);
    struct job_id large = script_submit(&s, &spec), small = submit(&s, 9, S);
    script_decide(&s, 0);
    expect(launched(&s, large) == 1 && launched(&s, small) == 1);
    script_started_all(&s);
    s.now_us = 5 * S;
    script_win(&s, script_ref(large, 0, 0, 0)); /* its slot is given away at the next tick */
    expect(script_count(&s, DO_LAUNCH, -1) == 0);
    script_decide(&s, 10 * S);
    expect(launched(&s, large) == 1 && launched(&s, small) == 0);
    script_fini(&s);
}

/* Of what their plans need, the task of the job is next that holds the least of its quota. */
TEST(carbyne_takes_turns_by_what_jobs_hold)
{
    struct script s;
    script_init(&s, "order=carbyne;altruism=0", 8, 1);
    submit(&s, 9, 100 * S);
    submit(&s, 9, 10 * S);
    script_decide(&s, 0);
    expect(launched_are(&s, "0 1 0 1 0 1 0 1"));
    script_fini(&s);
}

/* Each holds its quota of four slots when a ninth comes: half a slot is not enough for a task, so
 * none is needed, and the job gets the slot of which less is left, and not the first. */
TEST(carbyne_counts_what_a_job_holds)
{
    struct script s;
    script_init(&s, "order=carbyne;altruism=0", 8, 1);
    submit(&s, 9, 100 * S);
    struct job_id small = submit(&s, 9, 10 * S);
    script_decide(&s, 0);
    script_started_all(&s);
    script_node_up(&s, 8, 1, 0);
    script_decide(&s, 1);
    expect(launched(&s, small) == 1 && script_count(&s, DO_LAUNCH, -1) == 1);
    script_fini(&s);
}
