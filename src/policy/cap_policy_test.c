/* The cap on extra slot-seconds around whole policies: ten slots, a window of 60 s, so a share of
 * 0.01 is 6 slot-seconds and a step one second. */
#include "brain/script_test.h"
#include "tests/test.h"

enum { S = 1000000, TICK_CAP = 6 };

static uint32_t clones_at_start(const char *policy)
{
    struct script s;
    script_init(&s, policy, 10, 1);
    script_job(&s, 1, 2);
    script_decide(&s, 0);
    uint32_t n = script_count(&s, DO_LAUNCH, LAUNCH_CLONE);
    script_fini(&s);
    return n;
}

TEST(cap_limits_how_many_clones_start)
{
    /* Two tasks of four copies: six clones, which for a step are 6 slot-seconds. */
    expect(clones_at_start("dolly;beta=1;tau=1;p_prior=0.5;eps=0.13") == 6);
    expect(clones_at_start("dolly,cap=0.01;beta=1;tau=1;p_prior=0.5;eps=0.13;cap_window=60s") == 6);
    expect(clones_at_start("dolly,cap=0.0099;beta=1;tau=1;p_prior=0.5;eps=0.13;cap_window=60s") ==
           5);
    expect(clones_at_start("dolly,cap=0;beta=1;tau=1;p_prior=0.5;eps=0.13;cap_window=60s") == 0);
    expect(clones_at_start("dolly-hotcloud,cap=0.005;tau=1;p_prior=0.5;eps=0.13;cap_window=60s") ==
           3);
    /* A whole copy has two tasks: two more of them fit into 4.2 slot-seconds, three do not. */
    expect(clones_at_start("job-clone;tau=1;p_prior=0.5;copies_max=3;cap=0.007;cap_window=60s") ==
           4);
    expect(clones_at_start("job-clone;tau=1;p_prior=0.5;copies_max=4;cap=0.007;cap_window=60s") ==
           0);
}

TEST(cap_says_why_and_ends_what_runs_when_it_is_met)
{
    struct script s;
    script_init(&s, "dolly,cap=0.005;beta=1;tau=1;p_prior=0.5;eps=0.13;cap_window=60s", 10, 1);
    struct job_id j = script_job(&s, 1, 2);
    script_decide(&s, 0);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 3); /* 3 slot-seconds */
    bool said = false;
    int64_t timer_us = 0;
    for (uint32_t i = 0; i < s.out.count; i++) {
        const struct decision *d = &s.out.at[i];
        said |= d->type == DO_VERDICT && d->why.code == WHY_CAP && d->why.num[0] == 0 &&
                d->why.num[1] == 3;
        if (d->type == DO_SET_TIMER && d->u.timer.id == TICK_CAP)
            timer_us = d->u.timer.at_us;
    }
    expect(said && timer_us == 1 * S);
    script_started_all(&s);
    script_decide(&s, 0);
    script_decide(&s, 1 * S - 1);
    expect(script_count(&s, DO_KILL, -1) == 0);
    script_tell(&s, (struct event){.type = EV_TIMER, .u.timer = TICK_CAP});
    script_decide(&s, 1 * S);
    expect(script_count(&s, DO_KILL, -1) == 3);
    for (uint32_t i = 0; i < s.out.count; i++)
        if (s.out.at[i].type == DO_KILL)
            expect(s.out.at[i].at.attempt > 0 && s.out.at[i].why.code == WHY_CAP);
    expect(!script_find(&s, DO_KILL, script_ref(j, 0, 0, 0)));
    script_fini(&s);
}

TEST(cap_leaves_a_clone_that_is_the_last_attempt_of_its_task)
{
    struct script s;
    script_init(&s, "dolly,cap=0.005;beta=1;tau=1;p_prior=0.5;eps=0.5;cap_window=60s", 10, 1);
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
