/* Mantri's rules, each worked out by hand, at its threshold and on both sides of it. */
#include "policy/mantri.h"

#include <math.h>
#include <stdio.h>

#include "brain/script_test.h"
#include "tests/test.h"

enum { S = 1000000, TICK = 1 };

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

static void progress(struct script *s, struct attempt_ref at, int64_t done, int64_t total)
{
    script_tell(s, (struct event){.type = EV_ATTEMPT_PROGRESS,
                                  .at = at,
                                  .u.progress = {.done = done, .total = total, .cpu_us = -1}});
}

static void tick(struct script *s, int64_t now_us)
{
    s->now_us = now_us;
    script_tell(s, (struct event){.type = EV_TIMER, .u.timer = TICK});
    script_decide(s, now_us);
}

TEST(mantri_rest_is_what_is_left_at_the_pace_so_far)
{
    expect(near(mantri_left_s(10, 25, 100), 30)); /* and not 40, which is the total */
    expect(near(mantri_left_s(10, 100, 100), 0));
    expect(mantri_left_s(10, 0, 100) > 1e9);
}

TEST(mantri_new_copy_is_a_distribution)
{
    double rates[] = {1, 2, 3, 4}; /* seconds per byte */
    /* t_new 15, 25, 35, 45; twice that: 30, 50, 70, 90; 70 is above two of them, not above 70. */
    expect(near(mantri_chance(rates, 4, 10, 5, 70, 1), 0.5));
    /* Two copies run: times 1.5: 22.5, 37.5, 52.5, 67.5. */
    expect(near(mantri_chance(rates, 4, 10, 5, 70, 2), 1));
}

/* Tasks 0..n-2 took 10 s; the last one has done `percent` at 20 s. `waiting` tasks have no slot. */
static void scene(struct script *s, const char *settings, uint32_t done, uint32_t waiting,
                  int64_t percent)
{
    char text[128];
    snprintf(text, sizeof text, "mitigate=mantri%s", settings);
    script_init(s, text, 0, 1);
    uint32_t slots = waiting ? 1 : 3;
    for (uint32_t i = 0; i < slots + done; i++)
        script_tell(s, (struct event){.type = EV_NODE_UP,
                                      .node = {i},
                                      .u.node = {.capacity = {{RES_SLOT, 0, 0, 0}}}});
    struct job_id j = script_job(s, 1, done + 1 + waiting);
    script_decide(s, 0);
    script_started_all(s);
    script_decide(s, 0);
    s->now_us = 10 * S;
    for (uint32_t t = 0; t < done; t++) {
        script_event(s, EV_ATTEMPT_FINISHED, script_ref(j, 0, t, 0));
        if (waiting) /* its slot goes away, so that the others go on waiting */
            script_tell(s, (struct event){.type = EV_NODE_DRAIN, .node = {t}});
    }
    for (uint32_t i = 0; i < slots + done && waiting; i++)
        script_tell(s, (struct event){.type = EV_NODE_DRAIN, .node = {i}});
    script_decide(s, s->now_us);
    for (uint32_t t = 0; t < done; t++)
        script_event(s, EV_COMMITTED, script_ref(j, 0, t, 0));
    script_decide(s, s->now_us);
    s->now_us = 20 * S;
    progress(s, script_ref(j, 0, done, 0), percent, 100);
    tick(s, 20 * S);
}

/* rates: 10, 10, 10 s per task and the outlier's own 20/x. E[t_new] is their mean. */
TEST(mantri_restarts_while_others_wait)
{
    /* 40 % in 20 s: t_rem = 30; t_new = (10 + 10 + 10 + 50)/4 = 20; 30 > 20 + 10 is false ... */
    struct script s;
    scene(&s, ";chance=1", 3, 2, 40);
    expect(script_count(&s, DO_KILL, -1) == 0);
    script_fini(&s);
    /* ... and 39 %: t_rem = 31.28, t_new = (30 + 51.28)/4 = 20.32: 31.28 > 30.32. */
    scene(&s, ";chance=1", 3, 2, 39);
    expect(script_count(&s, DO_KILL, -1) == 1);
    expect(s.out.at[0].why.code == WHY_RESTART_FASTER);
    script_fini(&s);
}

TEST(mantri_stops_restarting_after_gamma)
{
    struct script s;
    scene(&s, ";chance=1;gamma=0", 3, 2, 5); /* the first launch has used it up */
    expect(script_count(&s, DO_KILL, -1) == 0);
    script_fini(&s);
    scene(&s, ";chance=1;gamma=1", 3, 2, 5);
    expect(script_count(&s, DO_KILL, -1) == 1);
    script_fini(&s);
}

TEST(mantri_duplicates_into_idle_slots_when_it_pays)
{
    /* rho x Delta = 30 s. 20 % in 20 s: t_rem = 80, t_new = (30 + 100)/4 = 32.5: gains 47.5. */
    struct script s;
    scene(&s, "", 3, 0, 20);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_BACKUP) == 1);
    script_fini(&s);
    /* 25 %: t_rem = 60, t_new = (30 + 80)/4 = 27.5: gains 32.5; with rho = 3.25 exactly that. */
    scene(&s, ";rho=3.25", 3, 0, 25);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_BACKUP) == 0);
    script_fini(&s);
    scene(&s, ";rho=3.24", 3, 0, 25);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_BACKUP) == 1);
    script_fini(&s);
}

TEST(mantri_does_not_judge_before_delta)
{
    struct script s;
    scene(&s, ";delta=21s", 3, 0, 1);
    expect(script_count(&s, DO_LAUNCH, -1) == 0);
    script_fini(&s);
    scene(&s, ";delta=20s;rho=0.1", 3, 0, 1);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_BACKUP) == 1);
    script_fini(&s);
}

TEST(mantri_waits_delta_between_duplicates_and_keeps_two)
{
    struct script s;
    scene(&s, ";rho=0", 3, 0, 5); /* one duplicate at 20 s */
    struct job_id j = {0};
    script_started_all(&s);
    progress(&s, script_ref(j, 0, 3, 1), 1, 100);
    tick(&s, 29 * S); /* too soon for another */
    expect(script_count(&s, DO_LAUNCH, -1) == 0);
    tick(&s, 30 * S); /* three copies may run */
    expect(script_count(&s, DO_LAUNCH, LAUNCH_BACKUP) == 1);
    script_started_all(&s);
    progress(&s, script_ref(j, 0, 3, 2), 50, 100);
    tick(&s, 39 * S); /* the newest is not judged yet */
    expect(script_count(&s, DO_KILL, -1) == 0);
    tick(&s, 40 * S); /* now the slowest of three goes: attempt 0, 5 % in 40 s */
    expect(script_count(&s, DO_KILL, -1) == 1);
    expect(s.out.at[0].why.code == WHY_PRUNED && s.out.at[0].at.attempt != 2);
    script_fini(&s);
}

TEST(mantri_keeps_copies_that_report_nothing)
{
    /* By elapsed time alone the oldest of three copies looks slowest; it is also the furthest. */
    struct script s;
    scene(&s, ";rho=0;alpha=1", 3, 0, 5);
    struct job_id j = {0};
    script_started_all(&s);
    tick(&s, 30 * S);
    script_started_all(&s);
    progress(&s, script_ref(j, 0, 3, 0), 0, -1); /* and now the first one says no more either */
    tick(&s, 60 * S);
    expect(script_count(&s, DO_KILL, -1) == 0);
    script_fini(&s);
}
