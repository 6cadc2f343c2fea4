#include "core/order/launched_test.h"
#include "tests/unit/test.h"

enum { S = 1000000 };

static struct job_id submit(struct script *s, uint32_t tasks, int demand, int time_s)
{
    return script_phase(s, (struct phase_spec){.tasks = tasks,
                                               .demand = {{demand}},
                                               .expect_us = (int64_t)time_s * S});
}

static struct standing standing(const struct script *s, uint32_t job)
{
    return world_job(brain_world(s->brain), (struct job_id){job})->standing;
}

TEST(dollymp_runs_the_three_jobs_of_its_paper_without_clones)
{
    /* Fig. 2: the first takes 10 s and more than 3/4 of the server, the others 8 s and 1/4 each.
     * Volumes 8, 2 and 2: the first level, of 10 s, takes the two small ones. */
    struct script s;
    script_init(&s, "none,order=dollymp", 1, 1);
    submit(&s, 1, 800, 10);
    submit(&s, 1, 250, 8);
    submit(&s, 1, 250, 8);
    script_decide(&s, 0);
    expect(launched_are(&s, "1 2"));
    expect(standing(&s, 0).rank == 2 && standing(&s, 0).volume == 8 &&
           standing(&s, 0).time_s == 10);
    expect(standing(&s, 1).rank == 1 && standing(&s, 1).volume == 2 && standing(&s, 1).time_s == 8);
    expect(standing(&s, 1).copies == 1);
    expect(launched_when_done(&s, 8 * S, 1, 0, 0, ""));
    expect(launched_when_done(&s, 8 * S, 2, 0, 0, "0")); /* ends at 8, 8 and 18: 34 s in all */
    script_fini(&s);
}

TEST(dollymp_ranks_stay_until_a_job_comes)
{
    struct script s;
    script_init(&s, "none,order=dollymp", 1, 1);
    submit(&s, 3, 1000, 8); /* 24: level 3 */
    script_decide(&s, 0);
    expect(standing(&s, 0).rank == 3 && standing(&s, 0).volume == 24);
    expect(launched_are(&s, "0"));
    expect(launched_when_done(&s, 8 * S, 0, 0, 0, "0"));
    expect(launched_when_done(&s, 16 * S, 0, 0, 1, "0"));
    /* 8 are left, which the first level would take; what is left is known at once. */
    expect(standing(&s, 0).rank == 3 && standing(&s, 0).volume == 8);
    submit(&s, 1, 1000, 15);
    script_decide(&s, 16 * S);
    expect(standing(&s, 0).rank == 1 && standing(&s, 1).rank == 3); /* 8 + 15 of 20 */
    script_fini(&s);
}

/* A second node of one slot comes, a job of two tasks, and the node is gone again, all in one
 * instant: a share of the cluster is what it was, and not what it was when the job came. So it is
 * 16 that are left of the job, and not 8, which the first level would take; the second takes up to
 * 20, the other job's 16. */
TEST(dollymp_weighs_by_the_cluster_that_is_there)
{
    struct script s;
    script_init(&s, "none,order=dollymp", 1, 1);
    submit(&s, 2, 1000, 8);
    script_decide(&s, 0);
    expect(standing(&s, 0).volume == 16);
    script_node_up(&s, 1, 1, 0);
    submit(&s, 2, 1000, 8);
    script_tell(&s, (struct event){.type = EV_NODE_DOWN, .node = {1}});
    script_decide(&s, 1);
    expect(standing(&s, 0).volume == 16 && standing(&s, 1).volume == 16);
    expect(standing(&s, 0).rank == 2 && standing(&s, 1).rank == 3);
    script_node_up(&s, 1, 1, 0);
    script_decide(&s, 2);
    expect(standing(&s, 0).volume == 8 && standing(&s, 1).volume == 8);
    script_fini(&s);
}

/* One task of the second job is done, from which something is learnt of the application of both:
 * what is left of it is 7, which the first level would take, but nobody has come. */
TEST(dollymp_ranks_stay_when_more_is_known)
{
    struct script s;
    script_init(&s, "none,order=dollymp", 1, 1);
    for (uint32_t i = 0; i < 2; i++) {
        struct phase_spec p = {.name = "p",
                               .tasks = i == 0 ? 3 : 2,
                               .demand = {{RES_SLOT}},
                               .expect_us = (i == 0 ? 8 : 7) * S};
        struct job_spec spec = {.name = i == 0 ? "a" : "b", .app = "x", .phases = &p};
        spec.phase_count = 1;
        script_submit(&s, &spec);
    }
    script_decide(&s, 0);
    expect(standing(&s, 0).rank == 3 && standing(&s, 1).rank == 2); /* 24 and 14 */
    expect(launched_are(&s, "1"));
    expect(launched_when_done(&s, 7 * S, 1, 0, 0, "1"));
    expect(standing(&s, 1).rank == 2 && standing(&s, 1).volume == 7);
    script_fini(&s);
}

TEST(dollymp_ranks_anew_when_nodes_come)
{
    struct script s;
    script_init(&s, "none,order=dollymp", 1, 1);
    submit(&s, 4, 1000, 8);
    script_decide(&s, 0);
    expect(standing(&s, 0).rank == 3); /* 32 */
    script_node_up(&s, 1, 3, 0);
    script_decide(&s, 0);
    expect(standing(&s, 0).rank == 1 && standing(&s, 0).volume == 8);
    script_fini(&s);
}

TEST(dollymp_counts_slots_and_deviations)
{
    struct script s;
    struct phase_spec p = {.tasks = 1, .expect_us = 8 * S, .expect_dev_us = 2 * S};
    script_init(&s, "none,order=dollymp", 1, 1);
    script_phase(&s, p); /* 8 + 1.5 x 2 = 11 s: more than 10 */
    script_decide(&s, 0);
    expect(standing(&s, 0).rank == 2 && standing(&s, 0).time_s == 11);
    script_fini(&s);
    script_init(&s, "none,order=dollymp;spread=1", 1, 1);
    script_phase(&s, p); /* 10 s, at equality */
    script_decide(&s, 0);
    expect(standing(&s, 0).rank == 1);
    script_fini(&s);
    script_init(&s, "none,order=dollymp;spread=1;slot=100ms", 1, 1);
    script_phase(&s, p); /* 100 slots */
    script_decide(&s, 0);
    expect(standing(&s, 0).rank == 7);
    script_fini(&s);
}

TEST(dollymp_copies_bring_a_job_a_level_further_down)
{
    /* 4 s with a deviation of 3: alpha 2.667, h(2) 1.3. Counted as 11.5 s with spread 2.5, it is
     * too long for level 1 alone. */
    struct phase_spec p = {.tasks = 1, .expect_us = 4 * S, .expect_dev_us = 3 * S};
    struct script s;
    script_init(&s, "none,order=dollymp;spread=2.5", 1, 4);
    script_phase(&s, p);
    script_decide(&s, 0);
    expect(standing(&s, 0).rank == 2 && standing(&s, 0).copies == 1);
    script_fini(&s);
    script_init(&s, "none,order=dollymp;spread=2.5;copies=corollary", 1, 4);
    script_phase(&s, p);
    script_decide(&s, 0);
    expect(standing(&s, 0).rank == 1 && standing(&s, 0).copies == 2);
    script_fini(&s);
    script_init(&s, "none,order=dollymp;spread=2.5;copies=corollary;clones=1", 1, 4);
    script_phase(&s, p);
    script_decide(&s, 0);
    expect(standing(&s, 0).rank == 1 && standing(&s, 0).copies == 2);
    script_fini(&s);
    script_init(&s, "none,order=dollymp;spread=2.5;copies=corollary;clones=0", 1, 4);
    script_phase(&s, p);
    script_decide(&s, 0);
    expect(standing(&s, 0).rank == 2 && standing(&s, 0).copies == 1);
    script_fini(&s);
}

TEST(dollymp_needs_no_cluster)
{
    struct script s;
    script_init(&s, "none,order=dollymp", 0, 0);
    submit(&s, 1, 1000, 0); /* nothing is known of it either: ten seconds, give or take ten */
    script_decide(&s, 0);
    expect(standing(&s, 0).rank == 3 && standing(&s, 0).volume == 0);
    expect(standing(&s, 0).time_s == 25);
    script_fini(&s);
}

/* A job that was cancelled is still ending its attempt: it takes nothing of the first level, which
 * is 10 s, from the next. */
TEST(dollymp_ranks_only_jobs_that_go_on)
{
    struct script s;
    script_init(&s, "none,order=dollymp", 1, 1);
    struct job_id gone = submit(&s, 1, 1000, 8);
    script_decide(&s, 0);
    expect(launched_are(&s, "0"));
    script_tell(&s, (struct event){.type = EV_JOB_CANCELLED, .at = {.job = gone}});
    submit(&s, 1, 1000, 8);
    script_decide(&s, 1);
    expect(script_count(&s, DO_KILL, -1) == 1 && standing(&s, 1).rank == 1);
    script_fini(&s);
}
