/* The cap on extra slot-seconds around whole policies: 62 slots, a window of 60 s, so a share of
 * 0.01 is 37.2 slot-seconds, 3.72 of them in store, a rate of 0.54 slots, and a step one second. */
#include "core/brain/script_test.h"
#include "tests/unit/test.h"

enum { S = 1000000, TICK_CAP = 6 };

static uint32_t clones_at_start(const char *policy)
{
    struct script s;
    script_init(&s, policy, 62, 1);
    script_job(&s, 1, 2);
    script_decide(&s, 0);
    uint32_t n = script_count(&s, DO_LAUNCH, LAUNCH_CLONE);
    script_fini(&s);
    return n;
}

TEST(cap_limits_how_many_clones_start)
{
    /* Two tasks of four copies: six clones, which for a step are 6 slot-seconds, and 426 x cap is
     * what is there and comes in. */
    expect(clones_at_start("dolly;beta=1;tau=1;p_prior=0.5;eps=0.13") == 6);
    expect(clones_at_start("dolly,cap=0.0141;beta=1;tau=1;p_prior=0.5;eps=0.13;cap_window=60s") ==
           6);
    expect(clones_at_start("dolly,cap=0.014;beta=1;tau=1;p_prior=0.5;eps=0.13;cap_window=60s") ==
           5);
    expect(clones_at_start("dolly,cap=0;beta=1;tau=1;p_prior=0.5;eps=0.13;cap_window=60s") == 0);
    expect(clones_at_start("dolly-hotcloud,cap=0.0071;tau=1;p_prior=0.5;eps=0.13;cap_window=60s") ==
           3);
    /* A whole copy has two tasks: two more of them fit into 4.004 slot-seconds, three do not. */
    expect(clones_at_start("job-clone;tau=1;p_prior=0.5;copies_max=3;cap=0.0094;cap_window=60s") ==
           4);
    expect(clones_at_start("job-clone;tau=1;p_prior=0.5;copies_max=4;cap=0.0094;cap_window=60s") ==
           0);
}

/* Nodes with two slots for maps and two for reduces, and no cpu: as with cores, but each kind of
 * slot is counted by itself. 62 map slots and a task that may have three clones. */
static uint32_t clones_without_cpu(const char *policy)
{
    struct script s;
    script_init(&s, policy, 0, 0);
    for (uint32_t i = 0; i < 31; i++)
        script_tell(&s, (struct event){.type = EV_NODE_UP,
                                       .node = {i},
                                       .u.node = {.capacity = {{0, 0, 2, 2}}, .name = "n"}});
    script_phase(&s, (struct phase_spec){.tasks = 2, .demand = {{0, 0, 1, 0}}});
    script_decide(&s, 0);
    uint32_t n = script_count(&s, DO_LAUNCH, LAUNCH_CLONE);
    script_fini(&s);
    return n;
}

TEST(cap_goes_by_the_dominant_share_where_there_is_no_cpu)
{
    expect(clones_without_cpu(
               "dolly,cap=0.0141;beta=1;tau=1;p_prior=0.5;eps=0.13;cap_window=60s") == 6);
    expect(clones_without_cpu("dolly,cap=0.014;beta=1;tau=1;p_prior=0.5;eps=0.13;cap_window=60s") ==
           5);
    expect(clones_without_cpu(
               "job-clone;tau=1;p_prior=0.5;copies_max=4;cap=0.0094;cap_window=60s") == 0);
}

/* 62 cores and 6.2 GiB: a task of one core and 1 GiB is a sixth of the cluster, not a 62nd. For a
 * step a clone is 1024 MiB x s, and 42600 MiB x s x cap are there and come in. */
TEST(cap_counts_the_scarcest_resource)
{
    static const struct {
        const char *policy;
        uint32_t clones;
    } cases[] = {
        {"dolly,cap=0.014;beta=1;tau=1;p_prior=0.5;eps=0.13;cap_window=60s", 0},
        {"dolly,cap=0.03;beta=1;tau=1;p_prior=0.5;eps=0.13;cap_window=60s", 1},
        {"dolly,cap=0.06;beta=1;tau=1;p_prior=0.5;eps=0.13;cap_window=60s", 2},
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct script s;
        script_init(&s, cases[i].policy, 0, 0);
        script_tell(&s, (struct event){.type = EV_NODE_UP,
                                       .node = {0},
                                       .u.node = {.capacity = {{62000, 6200, 0, 0}}, .name = "n"}});
        script_phase(&s, (struct phase_spec){.tasks = 2, .demand = {{1000, 1024, 0, 0}}});
        script_decide(&s, 0);
        expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == cases[i].clones);
        script_fini(&s);
    }
}

static int64_t cap_timer_us(const struct script *s)
{
    for (uint32_t i = 0; i < s->out.count; i++)
        if (s->out.at[i].type == DO_SET_TIMER && s->out.at[i].u.timer.id == TICK_CAP)
            return s->out.at[i].u.timer.at_us;
    return 0;
}

TEST(cap_says_why_and_ends_what_runs_when_the_tokens_are_spent)
{
    struct script s;
    script_init(&s, "dolly,cap=0.0071;beta=1;tau=1;p_prior=0.5;eps=0.13;cap_window=60s", 62, 1);
    struct job_id j = script_job(&s, 1, 2);
    script_decide(&s, 0);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 3); /* 3.02 slots could go on */
    bool said = false;
    for (uint32_t i = 0; i < s.out.count; i++) {
        const struct decision *d = &s.out.at[i];
        said |= d->type == DO_VERDICT && d->why.code == WHY_CAP && d->why.num[0] == 0 &&
                d->why.num[1] > 26.41 && d->why.num[1] < 26.42;
    }
    expect(said && cap_timer_us(&s) == 1 * S);
    script_started_all(&s);
    script_decide(&s, 0);
    script_timer(&s, TICK_CAP, 1 * S);
    expect(script_count(&s, DO_KILL, -1) == 0);
    /* 2.6412 slot-seconds, of which three slots less 0.3834 take 2.6166 a second. */
    expect(cap_timer_us(&s) == 1009402);
    script_timer(&s, TICK_CAP, 1009402);
    expect(script_count(&s, DO_KILL, -1) == 3); /* one would be more than the rate */
    for (uint32_t i = 0; i < s.out.count; i++)
        if (s.out.at[i].type == DO_KILL)
            expect(s.out.at[i].at.attempt > 0 && s.out.at[i].why.code == WHY_CAP);
    expect(!script_find(&s, DO_KILL, script_ref(j, 0, 0, 0)));
    script_fini(&s);
}

/* 6.48 slots come in; six clones of the first job, and from 2 s on six of another: the store
 * of 44.64 slot-seconds is empty 44.64 / 5.52 = 8.087 s later. */
static struct job_id twelve_clones(struct script *s)
{
    script_init(s, "dolly,cap=0.12;beta=1;tau=1;p_prior=0.5;eps=0.13;cap_window=60s", 62, 1);
    script_job(s, 1, 2);
    script_decide(s, 0);
    expect(script_count(s, DO_LAUNCH, LAUNCH_CLONE) == 6);
    script_started_all(s);
    script_decide(s, 2 * S);
    struct job_id second = script_job(s, 1, 2);
    script_decide(s, 2 * S);
    expect(script_count(s, DO_LAUNCH, LAUNCH_CLONE) == 6);
    script_started_all(s);
    script_decide(s, 10 * S);
    expect(script_count(s, DO_KILL, -1) == 0);
    return second;
}

TEST(cap_ends_the_newest_and_no_more_than_is_beyond_the_rate)
{
    struct script s;
    struct job_id second = twelve_clones(&s);
    script_timer(&s, TICK_CAP, 2 * S + 8086956);
    expect(script_count(&s, DO_KILL, -1) == 0);
    script_timer(&s, TICK_CAP, 2 * S + 8086957);
    expect(script_count(&s, DO_KILL, -1) == 6);
    for (uint32_t i = 0; i < s.out.count; i++)
        if (s.out.at[i].type == DO_KILL)
            expect(s.out.at[i].at.job.v == second.v && s.out.at[i].at.attempt > 0);
    script_timer(&s, TICK_CAP, 11 * S); /* they have not ended yet, and nothing else has to go */
    expect(script_count(&s, DO_KILL, -1) == 0);
    script_fini(&s);
}

TEST(cap_ends_all_when_nodes_go_down_and_the_limit_is_met)
{
    struct script s;
    twelve_clones(&s);                  /* 12 + 96 slot-seconds are spent at 10 s */
    for (uint32_t n = 61; n >= 16; n--) /* 115.2 of 16 nodes; the store of 11.52 is empty */
        script_tell(&s, (struct event){.type = EV_NODE_DOWN, .node = {n}});
    script_decide(&s, 10 * S);
    expect(script_count(&s, DO_KILL, -1) == 11); /* 1.67 slots are the rate */
    script_tell(&s, (struct event){.type = EV_NODE_DOWN, .node = {15}});
    script_tell(&s, (struct event){.type = EV_NODE_DOWN, .node = {14}});
    script_decide(&s, 10 * S);
    expect(script_count(&s, DO_KILL, -1) == 1); /* 100.8: the limit */
    script_fini(&s);
}

TEST(cap_leaves_a_clone_that_is_the_last_attempt_of_its_task)
{
    struct script s;
    script_init(&s, "dolly,cap=0.005;beta=1;tau=1;p_prior=0.5;eps=0.5;cap_window=60s", 62, 1);
    struct job_id j = script_job(&s, 1, 2);
    script_decide(&s, 0);
    script_started_all(&s);
    script_decide(&s, 0);
    script_tell(&s, (struct event){.type = EV_ATTEMPT_LOST, .at = script_ref(j, 0, 0, 0)});
    script_decide(&s, S / 2);
    script_tell(&s, (struct event){.type = EV_TIMER, .u.timer = TICK_CAP});
    script_decide(&s, 5 * S);
    expect(script_count(&s, DO_KILL, -1) == 1);
    expect(script_find(&s, DO_KILL, script_ref(j, 0, 1, 1)) != NULL);
    script_fini(&s);
}
