/* Attempts that start at ticks only, around whole policies: every 5 s. */
#include <string.h>

#include "base/text.h"
#include "core/brain/script_test.h"
#include "core/policy/policy.h"
#include "tests/unit/test.h"

enum { S = 1000000, TIMER_SCAN = 1, TIMER_OF_TICK = 7 };

/* When the body was asked to say that a tick has come; 0: it was not. */
static int64_t asked_us(const struct script *s)
{
    for (uint32_t i = 0; i < s->out.count; i++)
        if (s->out.at[i].type == DO_SET_TIMER && s->out.at[i].u.timer.id == TIMER_OF_TICK)
            return s->out.at[i].u.timer.at_us;
    return 0;
}

TEST(tick_holds_first_attempts_back)
{
    struct script s;
    script_init(&s, "none,tick=5s", 4, 1);
    struct job_id first = script_job(&s, 1, 2);
    script_decide(&s, 0); /* a tick */
    expect(script_count(&s, DO_LAUNCH, -1) == 2 && asked_us(&s) == 0);
    script_started_all(&s);
    script_job(&s, 1, 1);
    script_decide(&s, 1 * S);
    expect(script_count(&s, DO_LAUNCH, -1) == 0 && asked_us(&s) == 5 * S);
    script_decide(&s, 2 * S); /* it is on its way */
    expect(script_count(&s, DO_LAUNCH, -1) == 0 && asked_us(&s) == 0);
    script_timer(&s, TIMER_OF_TICK, 5 * S + 300); /* as late as real clocks are */
    expect(script_count(&s, DO_LAUNCH, LAUNCH_FIRST) == 1);

    /* Neither commits nor kills wait. */
    script_started_all(&s);
    s.now_us = 6 * S;
    script_event(&s, EV_ATTEMPT_FINISHED, script_ref(first, 0, 0, 0));
    script_decide(&s, 6 * S);
    expect(script_count(&s, DO_COMMIT, -1) == 1);
    script_event(&s, EV_COMMITTED, script_ref(first, 0, 0, 0));
    script_event(&s, EV_JOB_CANCELLED, script_ref(first, 0, 0, 0));
    script_decide(&s, 7 * S);
    expect(script_count(&s, DO_KILL, -1) == 1);
    script_fini(&s);
}

TEST(tick_is_asked_for_only_if_something_may_start)
{
    struct script s;
    script_init(&s, "none;tick=5s", 1, 1);
    script_decide(&s, 1 * S); /* there is nothing to do */
    expect(asked_us(&s) == 0);
    script_phase(&s, (struct phase_spec){.tasks = 1, .demand = {{1000}}});
    script_tell(&s, (struct event){.type = EV_NODE_DOWN, .node = {0}});
    script_decide(&s, 2 * S); /* no node could take it */
    expect(asked_us(&s) == 0);
    script_node_up(&s, 0, 1, 0);
    script_decide(&s, 3 * S);
    expect(script_count(&s, DO_LAUNCH, -1) == 0 && asked_us(&s) == 5 * S);
    script_decide(&s, 5 * S); /* a tick, whether the timer has come or not */
    expect(script_count(&s, DO_LAUNCH, -1) == 1);
    script_fini(&s);
}

/* MapReduce looks at its own times. What it wanted to launch starts at the next tick. */
TEST(tick_holds_backups_back)
{
    struct script s;
    script_init(&s, "mapreduce,tick=5s;backup_at=0.5", 4, 1);
    struct job_id j = script_job(&s, 1, 2);
    script_decide(&s, 0);
    script_started_all(&s);
    s.now_us = 1 * S;
    script_win(&s, script_ref(j, 0, 0, 0));
    script_timer(&s, TIMER_SCAN, 2 * S);
    expect(script_count(&s, DO_LAUNCH, -1) == 0);
    script_timer(&s, TIMER_OF_TICK, 5 * S);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_BACKUP) == 1);
    script_fini(&s);
}

/* At other ticks it does not look: the second job waits for the next time of its own. */
TEST(tick_repeats_only_a_look_that_it_held_back)
{
    struct script s;
    script_init(&s, "mapreduce,tick=5s;backup_at=0.5", 8, 1);
    struct job_id first = script_job(&s, 1, 2), second = script_job(&s, 1, 2);
    script_decide(&s, 0);
    script_started_all(&s);
    s.now_us = 1 * S;
    script_win(&s, script_ref(first, 0, 0, 0));
    script_timer(&s, TIMER_SCAN, 2 * S);
    script_timer(&s, TIMER_OF_TICK, 5 * S);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_BACKUP) == 1);
    script_started_all(&s);
    s.now_us = 6 * S;
    script_win(&s, script_ref(second, 0, 0, 0));
    script_decide(&s, 10 * S); /* a tick */
    expect(script_count(&s, DO_LAUNCH, -1) == 0);
    script_timer(&s, TIMER_SCAN, 15 * S);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_BACKUP) == 1);
    script_fini(&s);
}

TEST(tick_holds_clones_back)
{
    static const char *const policies[] = {
        "dolly,tick=5s;beta=1;tau=1;p_prior=0.5;eps=0.13",
        "dolly,tick=5s;budget=idle;beta=1;tau=1;p_prior=0.5;eps=0.13",
        "dolly-hotcloud,tick=5s;tau=1;p_prior=0.5;eps=0.13",
        "job-clone,tick=5s;tau=1;p_prior=0.5;eps=0.13",
    };
    for (uint32_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        struct script s;
        script_init(&s, policies[i], 1, 2);
        script_job(&s, 1, 2);
        script_decide(&s, 0);
        expect(script_count(&s, DO_LAUNCH, -1) == 2); /* there is no room for clones */
        script_started_all(&s);
        script_node_up(&s, 1, 10, 0);
        script_decide(&s, 1 * S); /* now there is */
        expect(script_count(&s, DO_LAUNCH, -1) == 0 && asked_us(&s) == 5 * S);
        script_timer(&s, TIMER_OF_TICK, 5 * S);
        expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) > 0 || i == 0 || i == 3);
        script_fini(&s);
    }
}

static bool describes_tick(const char *text)
{
    struct err err;
    struct str s = {0};
    struct policy *p = policy_create(text, &err);
    policy_describe(p, &s);
    bool found = strstr(s.text, ";policy.tick=") != NULL;
    str_free(&s);
    policy_destroy(p);
    return found;
}

TEST(tick_is_a_setting_of_every_policy)
{
    struct err err;
    expect(describes_tick("late,tick=5s") && describes_tick("late;tick=5s"));
    expect(!describes_tick("late") && !describes_tick("late,tick=0s"));
    expect(!policy_create("late,tick=-5s", &err));
    expect(strcmp(err.text,
                  "tick=-5s: must be a time (such as 250ms, 1.5s, 2h) between 0s and 10000000s") ==
           0);
    expect(!policy_create("late,tick=often", &err));
}
