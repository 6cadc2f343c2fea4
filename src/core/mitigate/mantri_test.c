/* Mantri's rules, each worked out by hand, at its threshold and on both sides of it. */
#include "core/mitigate/mantri.h"

#include <math.h>
#include <stdio.h>

#include "core/brain/script_test.h"
#include "tests/unit/test.h"

enum { S = 1000000, TICK = 1 };

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-9;
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

/* The probability is above the limit exactly where a copy of that rate saves work. */
TEST(mantri_is_decided_by_one_rate)
{
    static const double chances[] = {0, 0.24, 0.25, 0.26, 0.5, 0.75, 0.99};
    double rates[] = {3, 1, 4, 2};
    expect(mantri_deciding_rate(rates, 4, 0.24) == 1); /* one of four is more than that ... */
    expect(mantri_deciding_rate(rates, 4, 0.25) == 2); /* ... but not more than this */
    expect(mantri_deciding_rate(rates, 4, 0) == 1);
    expect(mantri_deciding_rate(rates, 4, 0.99) == 4);
    expect(isinf(mantri_deciding_rate(rates, 4, 1)));
    for (int left = 0; left < 100; left++)
        for (size_t i = 0; i < sizeof chances / sizeof *chances; i++) {
            double rate = mantri_deciding_rate(rates, 4, chances[i]);
            expect((mantri_chance(&rate, 1, 10, 5, left, 2) > 0) ==
                   (mantri_chance(rates, 4, 10, 5, left, 2) > chances[i]));
        }
}

static double rest(struct mantri_rest *r, int64_t report_s, int64_t now_s, double done)
{
    struct mantri_report now = {0, report_s * S, now_s * S, done, 100};
    return mantri_rest_update(r, &now, 10 * S);
}

TEST(mantri_rest_is_averaged_over_reports_and_falls_between_them)
{
    struct mantri_rest r = {.started_us = -1};
    expect(near(rest(&r, 10, 10, 25), 30)); /* 25 % in 10 s: 40 in all */
    expect(near(rest(&r, 10, 15, 25), 25)); /* five seconds later five less are left */
    /* 40 % in 20 s say 30 more; from before 20 are left: the newest counts half. */
    expect(near(rest(&r, 20, 20, 40), 25));
    expect(near(rest(&r, 20, 24, 40), 21));
    struct mantri_rest steady = {.started_us = -1};
    for (int64_t t = 10; t < 100; t += 10) /* a steady pace is estimated exactly */
        expect(near(rest(&steady, t, t, (double)t), 100.0 - (double)t));
    struct mantri_rest late = {.started_us = -1};
    expect(rest(&late, 10, 10, 0) > 1e9);
    expect(near(rest(&late, 20, 20, 50), 20)); /* nothing read says nothing to average with */
}

TEST(mantri_rest_of_a_silent_copy_grows)
{
    struct mantri_rest r = {.started_us = -1};
    expect(near(rest(&r, 10, 10, 25), 30));
    expect(near(rest(&r, 10, 20, 25), 20)); /* silent for Delta: it may just not have reported */
    expect(near(rest(&r, 10, 21, 25), 63)); /* for longer: still 25 %, now in 21 s */
    expect(near(rest(&r, 10, 40, 25), 120));
}

TEST(mantri_slower_node_must_leave_the_rule_true)
{
    /* t_new 10, 20, 30, 40 x factor; one copy runs and 100 s are left: below 50. With chance .25
     * two of four must be, so the second decides: 50 / 20. */
    double rates[] = {4, 1, 3, 2};
    expect(near(mantri_factor_max(rates, 4, 10, 0, 100, 1, 0.25), 2.5));
    expect(near(mantri_factor_max(rates, 4, 10, 0, 100, 1, 0.24), 5));    /* one is enough */
    expect(near(mantri_factor_max(rates, 4, 10, 20, 100, 1, 0.25), 1.5)); /* the lag goes first */
    expect(mantri_factor_max(rates, 4, 10, 0, 100, 1, 1) == 0);
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
        script_node_up(s, i, 1, 0);
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
    script_progress(s, script_ref(j, 0, done, 0), percent, 100);
    script_timer(s, TICK, 20 * S);
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
    s.now_us = 29 * S;
    script_progress(&s, script_ref(j, 0, 3, 1), 1, 100); /* no better: 891 s are left */
    script_timer(&s, TICK, 29 * S);                      /* too soon for another */
    expect(script_count(&s, DO_LAUNCH, -1) == 0);
    script_timer(&s, TICK, 30 * S); /* three copies may run */
    expect(script_count(&s, DO_LAUNCH, LAUNCH_BACKUP) == 1);
    script_started_all(&s);
    script_progress(&s, script_ref(j, 0, 3, 2), 50, 100);
    script_timer(&s, TICK, 39 * S); /* the newest is not judged yet */
    expect(script_count(&s, DO_KILL, -1) == 0);
    script_timer(&s, TICK, 40 * S); /* now the slowest of three goes: attempt 0, 5 % in 40 s */
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
    script_timer(&s, TICK, 30 * S);
    script_started_all(&s);
    /* And now the first one says no more either. */
    script_progress(&s, script_ref(j, 0, 3, 0), 0, -1);
    script_timer(&s, TICK, 60 * S);
    expect(script_count(&s, DO_KILL, -1) == 0);
    script_fini(&s);
}

/* ---- pseudocode 1, line 7: duplicates while tasks wait ---- */

/* As scene, with as many slots more when the policy looks again. Returns backups launched then. */
static uint32_t duplicates_when_a_slot_comes_free(const char *settings, int64_t percent)
{
    struct script s;
    scene(&s, settings, 3, 2, percent);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_BACKUP) == 0); /* there is no room */
    script_node_up(&s, 9, 1, 0);
    script_decide(&s, 20 * S + 500000);
    uint32_t n = script_count(&s, DO_LAUNCH, LAUNCH_BACKUP);
    expect(script_count(&s, DO_LAUNCH, -1) == 1); /* the slot goes to it, or to a waiting task */
    script_fini(&s);
    return n;
}

TEST(mantri_duplicates_before_waiting_tasks_when_it_saves_work)
{
    /* rates 10, 10, 10 and 20/x: with one copy t_rem must exceed twice t_new in more than `chance`
     * of them. 40 %: t_rem = 30, t_new = 10, 10, 10, 50: 30 > 20 in three of four. */
    expect(duplicates_when_a_slot_comes_free(";gamma=0;chance=0.74", 40) == 1);
    expect(duplicates_when_a_slot_comes_free(";gamma=0;chance=0.75", 40) == 0); /* not above */
    /* 50 %: t_rem = 20, and 20 > 20 is false. */
    expect(duplicates_when_a_slot_comes_free(";gamma=0;chance=0", 50) == 0);
    expect(duplicates_when_a_slot_comes_free(";gamma=0;chance=0", 49) == 1);
}

TEST(mantri_runs_no_more_copies_than_copies_max)
{
    for (int most = 1; most <= 3; most++) {
        struct script s;
        char text[64];
        snprintf(text, sizeof text, ";rho=0;alpha=3;copies_max=%d", most);
        scene(&s, text, 3, 0, 5);
        uint32_t copies = 1 + script_count(&s, DO_LAUNCH, LAUNCH_BACKUP);
        for (int64_t t = 30; t <= 60; t += 10) {
            script_started_all(&s);
            s.now_us = t * S;
            for (uint32_t k = 1; k < copies; k++) /* none is any better */
                script_progress(&s, script_ref((struct job_id){0}, 0, 3, (uint16_t)k), 1, 100);
            script_timer(&s, TICK, t * S);
            copies += script_count(&s, DO_LAUNCH, LAUNCH_BACKUP);
        }
        expect((int)copies == most);
        script_fini(&s);
    }
}

TEST(mantri_task_ends_with_the_first_of_its_copies)
{
    /* The first copy has done 5 % in 20 s, a duplicate comes. Ten seconds later that one has done
     * 20 %, so 40 s are left; t_new = (10 + 10 + 10 + 600 + 50)/5 = 136: nobody can be faster. Of
     * the first copy, silent since, 570 s are left: it would be worth a third one. */
    struct script s;
    scene(&s, ";rho=0;alpha=3", 3, 0, 5);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_BACKUP) == 1);
    script_started_all(&s);
    s.now_us = 30 * S;
    script_progress(&s, script_ref((struct job_id){0}, 0, 3, 0), 5, 100);
    script_progress(&s, script_ref((struct job_id){0}, 0, 3, 1), 20, 100);
    script_timer(&s, TICK, 30 * S);
    expect(script_count(&s, DO_LAUNCH, -1) == 0);
    script_fini(&s);
}

TEST(mantri_gamma_counts_restarts_and_no_other_launches)
{
    /* The outlier was launched twice, because the first attempt failed, and never restarted. */
    struct script s;
    script_init(&s, "mitigate=mantri;chance=1;gamma=1", 2, 1);
    struct job_id j = script_job(&s, 1, 4);
    script_decide(&s, 0);
    script_started_all(&s);
    script_event(&s, EV_ATTEMPT_FAILED, script_ref(j, 0, 0, 0));
    script_decide(&s, 0);
    expect(script_find(&s, DO_LAUNCH, script_ref(j, 0, 0, 1)) != NULL);
    script_started_all(&s);
    s.now_us = 10 * S;
    script_win(&s, script_ref(j, 0, 1, 0)); /* 10 s; task 2 takes its place, task 3 waits */
    script_tell(&s, (struct event){.type = EV_NODE_DRAIN, .node = {0}});
    script_tell(&s, (struct event){.type = EV_NODE_DRAIN, .node = {1}});
    s.now_us = 20 * S;
    /* 1 % in 20 s: t_rem = 1980, t_new = (10 + 2000)/2 = 1005. */
    script_progress(&s, script_ref(j, 0, 0, 1), 1, 100);
    script_timer(&s, TICK, 20 * S);
    expect(script_find(&s, DO_KILL, script_ref(j, 0, 0, 1)) != NULL);
    script_event(&s, EV_ATTEMPT_KILLED, script_ref(j, 0, 0, 1));
    script_node_up(&s, 2, 1, 0);
    script_decide(&s, 20 * S);
    expect(script_find(&s, DO_LAUNCH, script_ref(j, 0, 0, 2)) != NULL);
    script_started_all(&s);
    s.now_us = 40 * S; /* the same again, and gamma is used up */
    script_progress(&s, script_ref(j, 0, 0, 2), 1, 100);
    script_timer(&s, TICK, 40 * S);
    expect(script_count(&s, DO_KILL, -1) == 0);
    script_fini(&s);
}

/* ---- clones of a partner ---- */

/* Four tasks of two copies each; three tasks took 10 s, and the copies of the last one have done so
 * many percent by then. */
static void cloned_scene(struct script *s, const char *settings, int64_t first, int64_t second)
{
    char text[128];
    snprintf(text, sizeof text, "mitigate=dolly+mantri;budget=idle;p_prior=0.1%s", settings);
    script_init(s, text, 9, 1);
    struct job_id j = script_job(s, 1, 4);
    script_decide(s, 0);
    expect(script_count(s, DO_LAUNCH, LAUNCH_CLONE) == 4);
    script_started_all(s);
    script_decide(s, 0);
    s->now_us = 10 * S;
    for (uint32_t t = 0; t < 3; t++)
        script_win(s, script_ref(j, 0, t, 0));
    script_progress(s, script_ref(j, 0, 3, 0), first, 100);
    script_progress(s, script_ref(j, 0, 3, 1), second, 100);
    script_timer(s, TICK + 1, 10 * S);
}

TEST(mantri_duplicates_a_task_all_of_whose_clones_are_slow)
{
    /* 5 and 4 %: t_rem = 190, t_new = (10 + 10 + 10 + 200 + 250)/5 = 96: gains 94, rho x Delta is
     * 30; with rho = 9.4 exactly that. */
    struct script s;
    cloned_scene(&s, "", 5, 4);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_BACKUP) == 1);
    expect(script_find(&s, DO_LAUNCH, script_ref((struct job_id){0}, 0, 3, 2)) != NULL);
    script_fini(&s);
    cloned_scene(&s, ";rho=9.4", 5, 4);
    expect(script_count(&s, DO_LAUNCH, -1) == 0);
    script_fini(&s);
    /* 5 and 50 %: the second one needs 10 s more, and a new one (10 + 10 + 10 + 200 + 20)/5 = 50.
     */
    cloned_scene(&s, ";rho=0", 5, 50);
    expect(script_count(&s, DO_LAUNCH, -1) == 0);
    script_fini(&s);
}

TEST(mantri_ends_clones_of_its_partner_only_if_all_are_slow)
{
    /* One copy is kept. 5 and 50 %: the task goes well, and both stay; 5 and 4 %: the slower one
     * makes room for a new one. */
    struct script s;
    cloned_scene(&s, ";alpha=1;copies_max=2", 5, 50);
    expect(script_count(&s, DO_KILL, -1) == 0 && script_count(&s, DO_LAUNCH, -1) == 0);
    script_fini(&s);
    cloned_scene(&s, ";alpha=1;copies_max=2", 5, 4);
    expect(script_count(&s, DO_KILL, -1) == 1);
    const struct decision *d = script_find(&s, DO_KILL, script_ref((struct job_id){0}, 0, 3, 1));
    expect(d && d->why.code == WHY_PRUNED);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_BACKUP) == 1);
    script_fini(&s);
}

/* ---- "restarts or duplicates the task that would benefit the most" ---- */

TEST(mantri_acts_on_the_largest_gain_first)
{
    /* Three tasks ran 20 s and did 30, 10 and 20 %; two slots are idle. */
    struct script s;
    script_init(&s, "mitigate=mantri;rho=0", 5, 1);
    struct job_id j = script_job(&s, 1, 3);
    script_decide(&s, 0);
    script_started_all(&s);
    script_decide(&s, 0);
    int64_t percent[] = {30, 10, 20};
    s.now_us = 20 * S;
    for (uint32_t t = 0; t < 3; t++)
        script_progress(&s, script_ref(j, 0, t, 0), percent[t], 100);
    script_timer(&s, TICK, 20 * S);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_BACKUP) == 1); /* t_new = 122: only 180 is above */
    expect(script_find(&s, DO_LAUNCH, script_ref(j, 0, 1, 1)) != NULL);
    script_fini(&s);
}

/* Ten tasks of 10 bytes took 10 s. At 20 s one of 10 bytes needs 180 s more, and a new one
 * (10 x 1 + 20 + 5.25) / 12 = 2.94 s a byte, 29 s: a gain of 151. One of 40 bytes needs 190 s more,
 * and a new one 117: a gain of 73. One slot is idle. */
TEST(mantri_gain_is_what_a_new_copy_saves)
{
    enum { DONE = 10 };
    struct script s;
    int64_t bytes[DONE + 2];
    script_init(&s, "mitigate=mantri;rho=0", DONE + 2, 1);
    for (uint32_t t = 0; t < DONE + 2; t++)
        bytes[t] = t <= DONE ? 10 : 40;
    struct phase_spec phase = {.tasks = DONE + 2, .input_each = bytes};
    struct job_id j = script_phase(&s, phase);
    script_decide(&s, 0);
    script_started_all(&s);
    script_decide(&s, 0);
    s.now_us = 10 * S;
    for (uint32_t t = 0; t < DONE; t++)
        script_win(&s, script_ref(j, 0, t, 0));
    for (uint32_t node = 1; node < DONE + 2; node++)
        script_tell(&s, (struct event){.type = EV_NODE_DRAIN, .node = {node}});
    s.now_us = 20 * S;
    script_progress(&s, script_ref(j, 0, DONE, 0), 10, 100);
    script_progress(&s, script_ref(j, 0, DONE + 1, 0), 200, 2100);
    script_timer(&s, TICK, 20 * S);
    expect(script_count(&s, DO_LAUNCH, -1) == 1);
    const struct decision *d = script_find(&s, DO_LAUNCH, script_ref(j, 0, DONE, 1));
    expect(d && d->kind == LAUNCH_BACKUP && d->why.code == WHY_DUPLICATE_SAVES);
    expect(near(d->why.num[0], 180) && near(d->why.num[1], 352.5 / 12));
    script_fini(&s);
}

/* Two outliers wait for a slot until the next look: each gets one that comes free, the slower one
 * first, and only then comes a task that waits. */
TEST(mantri_duplicates_wait_for_slots_one_after_the_other)
{
    static const uint32_t order[] = {4, 3, 5};
    struct script s;
    script_init(&s, "mitigate=mantri;careful=no;gamma=0", 5, 1);
    struct job_id j = script_job(&s, 1, 7);
    script_decide(&s, 0);
    script_started_all(&s);
    script_decide(&s, 0);
    for (uint32_t node = 0; node < 5; node++)
        script_tell(&s, (struct event){.type = EV_NODE_DRAIN, .node = {node}});
    s.now_us = 10 * S;
    for (uint32_t t = 0; t < 3; t++)
        script_win(&s, script_ref(j, 0, t, 0));
    s.now_us = 20 * S;
    script_progress(&s, script_ref(j, 0, 3, 0), 30, 100);
    script_progress(&s, script_ref(j, 0, 4, 0), 20, 100);
    script_timer(&s, TICK, 20 * S);
    expect(script_count(&s, DO_LAUNCH, -1) == 0);
    for (uint32_t i = 0; i < 3; i++) {
        script_node_up(&s, 9 + i, 1, 0);
        script_decide(&s, 20 * S + (i + 1) * 1000);
        const struct decision *d =
            script_find(&s, DO_LAUNCH, script_ref(j, 0, order[i], order[i] < 5));
        expect(d && d->kind == (order[i] < 5 ? LAUNCH_BACKUP : LAUNCH_FIRST));
        expect(script_count(&s, DO_LAUNCH, -1) == 1);
        script_started_all(&s);
    }
    script_fini(&s);
}

/* ---- t_new: schedLag and locationFactor ---- */

TEST(mantri_adds_the_mean_lag_to_what_a_new_copy_takes)
{
    /* All attempts so far started 4 s after their launch: t_new = 32.5 + 4, so with 20 % in 20 s a
     * duplicate gains 80 - 36.5 = 43.5 s and not 47.5. */
    for (int k = 0; k < 2; k++) {
        struct script s;
        script_init(&s, k ? "mitigate=mantri;rho=4.34" : "mitigate=mantri;rho=4.35", 6, 1);
        struct job_id j = script_job(&s, 1, 4);
        script_decide(&s, 0);
        s.now_us = 4 * S;
        script_started_all(&s);
        script_decide(&s, 4 * S);
        s.now_us = 14 * S;
        for (uint32_t t = 0; t < 3; t++)
            script_win(&s, script_ref(j, 0, t, 0));
        s.now_us = 24 * S;
        script_progress(&s, script_ref(j, 0, 3, 0), 20, 100);
        script_timer(&s, TICK, 24 * S);
        expect(script_count(&s, DO_LAUNCH, LAUNCH_BACKUP) == (k ? 1 : 0));
        script_fini(&s);
    }
}
