/* Times told with the jobs; what is left counts tasks that are not done. */
#include "core/brain/script_test.h"
#include "core/order/launched_test.h"
#include "tests/unit/test.h"

enum { S = 1000000 };

static void submit(struct script *s, uint32_t tasks, int cpu, int mem, int time_s)
{
    script_phase(s, (struct phase_spec){
                        .tasks = tasks, .demand = {{cpu, mem}}, .expect_us = (int64_t)time_s * S});
}

/* Figure 2 of DollyMP: job 0 takes 10 s and 4/5 of the server, the others 8 s and 1/4 each. */
static void figure_2(struct script *s, const char *policy)
{
    script_init(s, policy, 1, 1);
    submit(s, 1, 800, 0, 10);
    submit(s, 1, 250, 0, 8);
    submit(s, 1, 250, 0, 8);
    script_decide(s, 0);
}

TEST(tetris_takes_the_small_jobs_of_figure_2_first)
{
    struct script s;
    figure_2(&s, "tetris");
    /* a 0.8, 0.25, 0.25; p 8, 2, 2; eps 1.3/12: -0.07, 0.03, 0.03. Then job 0 does not fit. */
    expect(launched_are(&s, "1 2"));
    expect(launched_when_done(&s, 8 * S, 1, 0, 0, ""));
    expect(launched_when_done(&s, 8 * S, 2, 0, 0, "0"));
    script_fini(&s);
}

TEST(tetris_as_printed_takes_the_large_job_of_figure_2_first)
{
    struct script s;
    figure_2(&s, "tetris;sign=paper");
    expect(launched_are(&s, "0"));
    expect(launched_when_done(&s, 10 * S, 0, 0, 0, "1 2"));
    script_fini(&s);
}

TEST(tetris_without_weight_goes_by_fit_alone)
{
    struct script s;
    figure_2(&s, "tetris;weight=0");
    expect(launched_are(&s, "0"));
    script_fini(&s);
}

/* A server of 4 cores and 8 GiB. Shares and work: job 0: 1/2, 1/4, 10 s: 7.5; job 1: 1/4, 1/2, two
 * tasks of 10 s: 15; job 2: 1/4, 1/8, 4 s: 1.5. On the empty server a is 0.75, 0.75, 0.375. */
static void two_resources(struct script *s, const char *policy)
{
    script_init(s, policy, 0, 0);
    launched_node_up(s, 0, 4, 8192);
    submit(s, 1, 2000, 2048, 10);
    submit(s, 2, 1000, 4096, 10);
    submit(s, 1, 1000, 1024, 4);
    script_decide(s, 0);
}

TEST(tetris_weighs_two_resources_by_hand)
{
    struct script s;
    two_resources(&s, "tetris");
    /* eps 1.875/24: 0.16, -0.42, 0.26: job 2. On 3/4 and 7/8, eps 1.21875/22.5: 0.1875 and -0.1875:
     * job 0. A quarter of the cores is left for job 1. */
    expect(launched_are(&s, "2 0 1"));
    script_fini(&s);
}

TEST(tetris_weighs_the_work_of_a_task_by_hand)
{
    struct script s;
    two_resources(&s, "tetris;of=task");
    /* p 7.5, 7.5, 1.5; eps 1.875/16.5: -0.10, -0.10, 0.20: job 2. On 3/4 and 7/8, eps 1.21875/15:
     * -0.016 and 0.016: job 1, of which no second task fits. */
    expect(launched_are(&s, "2 1 0"));
    script_fini(&s);
}

TEST(tetris_knows_what_a_task_takes_whatever_the_order)
{
    struct script s;
    script_init(&s, "order=fifo,place=tetris;of=task", 1, 1);
    expect(brain_world(s.brain)->keeps_expected);
    script_fini(&s);
}

TEST(tetris_as_printed_weighs_two_resources_by_hand)
{
    struct script s;
    two_resources(&s, "tetris;sign=paper");
    /* 1.34, 1.92, 0.49: job 1. On 3/4 and 1/2, eps 1.1875/24: 0.87, 1.18, 0.32: job 1 again. No
     * memory is left. */
    expect(launched_are(&s, "1 1"));
    script_fini(&s);
}

TEST(tetris_follows_what_is_done)
{
    struct script s;
    script_init(&s, "tetris", 1, 1);
    submit(&s, 3, 1000, 0, 10); /* 30 s of the server */
    script_decide(&s, 0);
    expect(launched_are(&s, "0"));
    submit(&s, 1, 1000, 0, 25);
    /* 30 and 25: that the task is done is known when it is committed, and the slot is gone. */
    expect(launched_when_done(&s, 10 * S, 0, 0, 0, "1"));
    submit(&s, 1, 1000, 0, 21);
    expect(launched_when_done(&s, 35 * S, 1, 0, 0, "0")); /* 20 and 21 */
    script_fini(&s);
}
