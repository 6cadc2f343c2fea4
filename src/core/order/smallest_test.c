/* One node of two slots, times told with the jobs. */
#include "core/brain/script_test.h"
#include "core/order/launched_test.h"
#include "core/order/order_key.h"
#include "tests/unit/test.h"

enum { S = 1000000 };

static struct job_id submit(struct script *s, uint32_t tasks, int slots, int time_s)
{
    return script_phase(s, (struct phase_spec){.tasks = tasks,
                                               .demand = {{slots * RES_SLOT}},
                                               .expect_us = (int64_t)time_s * S});
}

static void three_jobs(struct script *s, const char *policy)
{
    script_init(s, policy, 1, 2);
    submit(s, 2, 1, 10); /* job 0: 10 s, volume 2 x 10 x 1/2 = 10 */
    submit(s, 1, 1, 15); /* job 1: 15 s, 7.5 */
    submit(s, 1, 2, 4);  /* job 2: 4 s, 4 */
    script_decide(s, 0);
    expect(launched_are(s, "2")); /* the first of both orders, and it fills the node */
}

TEST(smallest_srpt_runs_a_schedule_by_hand)
{
    struct script s;
    three_jobs(&s, "none,order=srpt");
    expect(launched_when_done(&s, 4 * S, 2, 0, 0, "0 0")); /* 10 s before 15 s */
    expect(launched_when_done(&s, 14 * S, 0, 0, 0, "1"));
    expect(launched_when_done(&s, 14 * S, 0, 0, 1, "")); /* ends at 4, 14 and 29 */
    script_fini(&s);
}

/* What is published of a job is of the cluster that is there, by whatever jobs are ordered. */
TEST(smallest_volume_is_of_the_cluster_that_is_there)
{
    static const char *const policies[] = {"none,order=srpt", "none,order=svf"};
    for (int i = 0; i < 2; i++) {
        struct script s;
        script_init(&s, policies[i], 1, 2);
        struct job_id j = submit(&s, 2, 1, 10);
        script_decide(&s, 0);
        const struct standing *left = &world_job(brain_world(s.brain), j)->standing;
        expect(left->volume == 10 && left->time_s == 10);
        script_node_up(&s, 1, 2, 0);
        script_decide(&s, 1);
        expect(left->volume == 5 && left->time_s == 10);
        script_fini(&s);
    }
}

TEST(smallest_svf_runs_a_schedule_by_hand)
{
    struct script s;
    three_jobs(&s, "none,order=svf");
    expect(launched_when_done(&s, 4 * S, 2, 0, 0, "1 0")); /* 7.5 before 10 */
    expect(launched_when_done(&s, 14 * S, 0, 0, 0, "0"));  /* ends at 4, 19 and 24 */
    script_fini(&s);
}

TEST(smallest_svf_follows_what_is_done)
{
    struct script s;
    script_init(&s, "none,order=svf", 1, 1);
    submit(&s, 4, 1, 10);
    script_decide(&s, 0);
    expect(launched_are(&s, "0"));
    submit(&s, 3, 1, 12);
    /* 40 and 36: that the task is done is known when it is committed, and the slot is gone. */
    expect(launched_when_done(&s, 10 * S, 0, 0, 0, "1"));
    expect(launched_when_done(&s, 22 * S, 1, 0, 0, "0")); /* 30 and 36 */
    expect(launched_when_done(&s, 32 * S, 0, 0, 1, "1")); /* 30 and 24 */
    expect(launched_when_done(&s, 44 * S, 1, 0, 1, "0")); /* 20 and 24 */
    expect(launched_when_done(&s, 54 * S, 0, 0, 2, "1")); /* 20 and 12 */
    script_fini(&s);
}

/* A job of two phases: a task of 10 s, and behind it one of 5 s. */
static struct job_id submit_chain(struct script *s)
{
    static const struct edge_spec edge = {.from = 0};
    struct phase_spec p[2] = {
        {.name = "a", .tasks = 1, .demand = {{RES_SLOT}}, .expect_us = 10 * S},
        {.name = "b",
         .tasks = 1,
         .demand = {{RES_SLOT}},
         .expect_us = 5 * S,
         .edges = &edge,
         .edge_count = 1},
    };
    struct job_spec spec = {.name = "j", .user = "u", .queue = "q", .phases = p, .phase_count = 2};
    return script_submit(s, &spec);
}

TEST(smallest_srpt_follows_phases_that_are_done)
{
    struct script s;
    script_init(&s, "none,order=srpt", 1, 1);
    submit_chain(&s); /* 15 s, then 5 */
    script_decide(&s, 0);
    expect(launched_are(&s, "0"));
    submit(&s, 2, 1, 6);
    expect(launched_when_done(&s, 10 * S, 0, 0, 0, "1"));
    expect(launched_when_done(&s, 16 * S, 1, 0, 0, "0")); /* 5 s and 6 s */
    script_fini(&s);
}

/* What a has made is lost before b could start: there are 15 s left of that job again, and not 5.
 */
TEST(smallest_srpt_follows_what_is_lost)
{
    struct script s;
    script_init(&s, "none,order=srpt", 1, 1);
    struct job_id j = submit_chain(&s);
    script_decide(&s, 0);
    expect(launched_are(&s, "0"));
    submit(&s, 1, 1, 2);
    submit(&s, 1, 1, 6);
    expect(launched_when_done(&s, 10 * S, 0, 0, 0, "1")); /* 2 s before 5 and 6 */
    script_event(&s, EV_OUTPUT_LOST, script_ref(j, 0, 0, 0));
    script_decide(&s, 11 * S);
    expect(launched_when_done(&s, 12 * S, 1, 0, 0, "2"));
    script_fini(&s);
}

/* A core of 4 for 10 s is more than 20 MiB of 100; of 40 cores it is less. The first job has the
 * node to itself meanwhile. */
TEST(smallest_svf_follows_the_capacity)
{
    for (int32_t more = 0; more <= 36; more += 36) {
        struct script s;
        script_init(&s, "none,order=svf", 0, 0);
        launched_node_up(&s, 0, 4, 100);
        script_phase(&s, (struct phase_spec){.tasks = 1, .demand = {{4 * RES_SLOT, 100, 0, 0}}});
        script_decide(&s, 0);
        expect(launched_are(&s, "0"));
        script_phase(&s, (struct phase_spec){
                             .tasks = 1, .demand = {{RES_SLOT, 0, 0, 0}}, .expect_us = 10 * S});
        script_phase(
            &s, (struct phase_spec){.tasks = 1, .demand = {{0, 20, 0, 0}}, .expect_us = 10 * S});
        script_decide(&s, 1);
        expect(launched_are(&s, ""));
        if (more > 0)
            launched_node_up(&s, 1, more, 20);
        else
            script_event(&s, EV_ATTEMPT_FAILED, script_ref((struct job_id){0}, 0, 0, 0));
        script_decide(&s, 2);
        expect(launched_are(&s, more > 0 ? "1 2" : "2 1"));
        script_fini(&s);
    }
}

TEST(smallest_counts_deviations_if_asked)
{
    struct phase_spec wild = {.tasks = 1, .expect_us = 10 * S, .expect_dev_us = 4 * S};
    struct script s;
    script_init(&s, "none,order=srpt", 1, 1);
    script_phase(&s, (struct phase_spec){.tasks = 1, .expect_us = 15 * S});
    script_phase(&s, wild);
    script_decide(&s, 0);
    expect(launched_are(&s, "1"));
    script_fini(&s);
    script_init(&s, "none,order=srpt;spread=1.5", 1, 1);
    script_phase(&s, (struct phase_spec){.tasks = 1, .expect_us = 15 * S});
    script_phase(&s, wild); /* 16 s */
    script_decide(&s, 0);
    expect(launched_are(&s, "0"));
    script_fini(&s);
}

TEST(smallest_of_nothing_known_goes_by_arrival)
{
    struct script s;
    script_init(&s, "none,order=svf", 0, 0); /* no node: no volume */
    submit(&s, 1, 1, 0);
    submit(&s, 1, 1, 0);
    script_node_up(&s, 0, 2, 0);
    script_decide(&s, 0);
    expect(launched_are(&s, "0 1"));
    script_fini(&s);
}

TEST(order_keys_rise_with_their_numbers)
{
    static const double rising[] = {0,      5e-324, 1e-300, 1e-9,  1e-9 * (1 + 1e-14), 0.5, 1,
                                    1.0001, 3,      1e9,    1e300, __builtin_inf()};
    for (uint32_t i = 1; i < sizeof rising / sizeof *rising; i++) {
        expect(order_key(rising[i - 1], 60) <= order_key(rising[i], 60));
        expect(i == 1 || order_key(rising[i - 1], 60) < order_key(rising[i], 60));
    }
    expect(order_key(0, 60) == 0 && order_key(__builtin_inf(), 60) < INT64_C(1) << 60);
    expect(order_key(__builtin_nan(""), 60) == 0 && order_key(-1, 60) == 0);
    expect(order_key(1e300, 18) < 1 << 18 && order_key(0.1, 18) < order_key(0.102, 18));
}
