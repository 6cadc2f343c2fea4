/* Dolly's rules: each threshold on both sides and at equality. With p = 0.15 and eps = 0.05 a phase
 * of 2..3 tasks wants 3 attempts per task (n = 1: 2). */
#include <stdio.h>

#include "core/brain/script_test.h"
#include "core/estimate/clone_math.h"
#include "tests/unit/test.h"

static enum reason_code verdict(const char *settings, uint32_t nodes, int32_t slots, uint32_t tasks,
                                uint32_t *clones)
{
    struct script s;
    char text[256];
    snprintf(text, sizeof text, "dolly%s%s", *settings ? ";" : "", settings);
    script_init(&s, text, nodes, slots);
    struct job_id j = script_job(&s, 1, tasks);
    script_decide(&s, 0);
    const struct reason *why = script_verdict(&s, j, 0);
    *clones = script_count(&s, DO_LAUNCH, LAUNCH_CLONE);
    enum reason_code code = why ? why->code : WHY_NONE;
    script_fini(&s);
    return code;
}

TEST(dolly_budget_at_equality_and_either_side)
{
    uint32_t clones;
    expect(clone_math_copies(3, 0.15, 0.05) == 3);
    /* 3 tasks want 6 clones. 6/120 = 0.05. */
    expect(verdict("", 10, 12, 3, &clones) == WHY_CLONED && clones == 6);
    expect(verdict("beta=0.0501", 10, 12, 3, &clones) == WHY_CLONED && clones == 6);
    expect(verdict("beta=0.0499", 10, 12, 3, &clones) == WHY_OVER_BUDGET && clones == 0);
    expect(verdict("", 119, 1, 3, &clones) == WHY_OVER_BUDGET && clones == 0);
    expect(verdict("charge=literal", 10, 12, 3, &clones) == WHY_OVER_BUDGET && clones == 0);
    expect(verdict("charge=literal", 180, 1, 3, &clones) == WHY_CLONED && clones == 6);
    expect(verdict("charge=literal", 179, 1, 3, &clones) == WHY_OVER_BUDGET && clones == 0);
}

/* The same three tasks on 240 nodes. Half of them go down: 6 clones are .05 of what is left. One
 * more, and they are not. A node that drains or is suspect counts. */
TEST(dolly_budget_is_a_share_of_the_nodes_that_are_there)
{
    for (uint32_t down = 120; down <= 121; down++) {
        struct script s;
        script_init(&s, "dolly", 240, 1);
        for (uint32_t i = 0; i < down; i++)
            script_tell(&s, (struct event){.type = EV_NODE_DOWN, .node = {i}});
        struct job_id j = script_job(&s, 1, 3);
        script_decide(&s, 0);
        expect(script_verdict(&s, j, 0)->code == (down == 120 ? WHY_CLONED : WHY_OVER_BUDGET));
        expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == (down == 120 ? 6 : 0));
        expect(brain_world(s.brain)->capacity.v[RES_CPU] == (240 - down) * RES_SLOT);
        script_tell(&s, (struct event){.type = EV_NODE_UP,
                                       .node = {0},
                                       .u.node.capacity = {{RES_SLOT / 2, 0, 0, 0}}});
        script_tell(&s, (struct event){.type = EV_NODE_DRAIN, .node = {200}});
        script_tell(&s, (struct event){.type = EV_NODE_SUSPECT, .node = {201}});
        script_tell(&s, (struct event){.type = EV_NODE_CAPACITY, /* counts when it is back */
                                       .node = {1},
                                       .u.node.capacity = {{9 * RES_SLOT, 0, 0, 0}}});
        expect(brain_world(s.brain)->capacity.v[RES_CPU] == (240 - down) * RES_SLOT + RES_SLOT / 2);
        script_fini(&s);
    }
}

/* Clones hold all of the budget when half of the cluster goes: half of them, the newest, go too. */
TEST(dolly_budget_shrinks_with_the_cluster)
{
    struct script s;
    script_init(&s, "dolly;tau=1;beta=0.15", 40, 1);
    script_job(&s, 1, 3);
    script_decide(&s, 0);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 6); /* .15 of 40 */
    const struct world *w = brain_world(s.brain);
    script_started_all(&s);
    script_decide(&s, 1);
    for (uint32_t i = 0, down = 0; i < 40 && down < 20; i++)
        if (w->nodes.at[i].live == 0) {
            script_tell(&s, (struct event){.type = EV_NODE_DOWN, .node = {i}});
            down++;
        }
    script_decide(&s, 2);
    expect(script_count(&s, DO_KILL, -1) == 3); /* .15 of 20 */
    expect(s.out.at[0].why.code == WHY_BUDGET_SHRANK);
    script_fini(&s);
}

/* Of the newest clone's task the first attempt has failed: that clone is its last attempt, and the
 * one that goes is an older one that can be spared. */
TEST(dolly_budget_that_shrinks_leaves_every_task_an_attempt)
{
    struct script s;
    script_init(&s, "dolly;tau=1;beta=0.05", 40, 1);
    const struct world *w = brain_world(s.brain);
    struct job_id jobs[2];
    for (int i = 0; i < 2; i++) {
        jobs[i] = script_job(&s, 1, 1);
        script_decide(&s, i);
        expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 1);
        script_started_all(&s);
    }
    script_event(&s, EV_ATTEMPT_FAILED, script_ref(jobs[1], 0, 0, 0));
    script_decide(&s, 2);
    expect(w->live == 3 && script_count(&s, DO_LAUNCH, -1) == 0);
    /* Of ten nodes a twentieth is no attempt. */
    for (uint32_t i = 0, down = 0; i < 40 && down < 30; i++)
        if (w->nodes.at[i].live == 0) {
            script_tell(&s, (struct event){.type = EV_NODE_DOWN, .node = {i}});
            down++;
        }
    script_decide(&s, 3);
    expect(script_count(&s, DO_KILL, -1) == 1);
    expect(script_find(&s, DO_KILL, script_ref(jobs[0], 0, 0, 1)) != NULL);
    script_event(&s, EV_ATTEMPT_FINISHED, script_ref(jobs[1], 0, 0, 1));
    script_decide(&s, 4);
    expect(script_find(&s, DO_COMMIT, script_ref(jobs[1], 0, 0, 1)) != NULL);
    script_fini(&s);
}

/* Each of 6 clones takes 2 of one dimension and next to nothing of the others: 12 of 120 is a
 * tenth, of 119 more than that, whichever dimension it is. */
TEST(dolly_budget_holds_in_every_dimension)
{
    for (int i = 0; i < RES_COUNT; i++)
        for (int32_t have = 119; have <= 120; have++) {
            struct script s;
            struct res room = {{1000, 1000, 1000, 1000}}, need = {{1, 1, 1, 1}};
            room.v[i] = have;
            need.v[i] = 2;
            script_init(&s, "dolly;beta=0.1", 0, 1);
            script_tell(&s, (struct event){.type = EV_NODE_UP, .u.node.capacity = room});
            struct job_id j = script_phase(&s, (struct phase_spec){.tasks = 3, .demand = need});
            script_decide(&s, 0);
            expect(script_verdict(&s, j, 0)->code == (have < 120 ? WHY_OVER_BUDGET : WHY_CLONED));
            expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == (have < 120 ? 0 : 6));
            script_fini(&s);
        }
}

TEST(dolly_ceiling_at_equality_and_either_side)
{
    uint32_t clones;
    /* Admission asks U + charge <= tau*C: nothing runs yet, 6 clones of 12 slots are 0.5. A clone
     * starts only while U + 1 <= tau*C, and then the 3 first attempts count: 9/12 = 0.75. */
    expect(verdict("beta=1;tau=0.75", 12, 1, 3, &clones) == WHY_CLONED && clones == 6);
    expect(verdict("beta=1;tau=0.74", 12, 1, 3, &clones) == WHY_CLONED && clones == 5);
    expect(verdict("beta=1;tau=0.5", 12, 1, 3, &clones) == WHY_CLONED && clones == 3);
    expect(verdict("beta=1;tau=0.49", 12, 1, 3, &clones) == WHY_OVER_TAU && clones == 0);
}

TEST(dolly_needs_no_clones_where_one_attempt_is_safe)
{
    uint32_t clones;
    expect(verdict("beta=1;p_prior=0.05;eps=0.05", 10, 12, 1, &clones) == WHY_NO_NEED);
    expect(verdict("beta=1;p_prior=0.051;eps=0.05", 10, 12, 1, &clones) == WHY_CLONED &&
           clones == 1);
}

TEST(dolly_partial_takes_what_fits)
{
    uint32_t clones;
    expect(verdict("beta=0.05;admit=partial", 5, 12, 3, &clones) == WHY_PARTIAL && clones == 3);
    expect(verdict("beta=0.04;admit=partial", 5, 12, 3, &clones) == WHY_OVER_BUDGET && clones == 0);
}

TEST(dolly_fcfs_clones_until_the_budget_is_gone)
{
    uint32_t clones;
    expect(verdict("beta=0.05;admit=fcfs", 8, 10, 20, &clones) == WHY_CLONED && clones == 4);
}

/* Of two jobs of 6 clones each the first holds 2 and 4 wait: what waits is promised to nobody. */
TEST(dolly_a_budget_of_a_few_nodes_holds_the_least)
{
    uint32_t clones;
    /* A twentieth of 8 slots is no attempt. */
    expect(verdict("beta=0.05;admit=fcfs", 2, 4, 3, &clones) == WHY_CLONED && clones == 0);
    expect(verdict("beta=0.05;admit=fcfs;least=1", 2, 4, 3, &clones) == WHY_CLONED && clones == 1);
    expect(verdict("beta=0.05;admit=fcfs;least=2", 2, 4, 3, &clones) == WHY_CLONED && clones == 2);
    /* Where the share is more, that counts. */
    expect(verdict("beta=0.375;admit=fcfs;least=1", 2, 4, 3, &clones) == WHY_CLONED && clones == 3);
    /* All of a job, or nothing: two clones do not fit into one. */
    expect(verdict("beta=0.05;least=1", 2, 4, 2, &clones) == WHY_OVER_BUDGET && clones == 0);
    expect(verdict("beta=0.05;least=1", 2, 4, 1, &clones) == WHY_CLONED && clones == 1);
}

TEST(dolly_fcfs_counts_only_clones_that_run)
{
    struct script s;
    script_init(&s, "dolly;tau=1;admit=fcfs;beta=0.05", 40, 1); /* 2 clones */
    script_job(&s, 1, 3);
    script_decide(&s, 0);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 2);
    struct job_id second = script_job(&s, 1, 3);
    script_decide(&s, 1);
    const struct reason *why = script_verdict(&s, second, 0);
    expect(why && why->code == WHY_CLONED);
    expect(why->num[3] == 6 && why->num[4] == 2 && why->num[5] == 2); /* charge, used, limit */
    script_fini(&s);
}

/* Otherwise what was admitted is spent, also while it waits for a slot. Ten slots, one clone; nine
 * are taken, the first job has the tenth and its clone waits; a slot that becomes free goes to the
 * first attempt of the second job. */
TEST(dolly_budget_counts_clones_that_wait_for_a_slot)
{
    struct script s;
    script_init(&s, "dolly,order=fair;tau=1;beta=0.1;copies_max=2", 10, 1);
    struct job_id fill =
        script_phase(&s, (struct phase_spec){.tasks = 9, .clone = PHASE_CLONE_NEVER});
    script_decide(&s, 0);
    script_started_all(&s);
    struct job_id first = script_job(&s, 1, 1);
    script_decide(&s, 1);
    expect(script_verdict(&s, first, 0)->code == WHY_CLONED);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 0);
    script_started_all(&s);
    struct job_id second = script_job(&s, 1, 1);
    script_decide(&s, 2);
    script_event(&s, EV_ATTEMPT_FINISHED, script_ref(fill, 0, 0, 0));
    script_decide(&s, 3);
    expect(script_find(&s, DO_LAUNCH, script_ref(second, 0, 0, 0)) != NULL);
    const struct reason *why = script_verdict(&s, second, 0);
    expect(why && why->code == WHY_OVER_BUDGET);
    script_fini(&s);
}

TEST(dolly_fcfs_serves_who_came_first)
{
    struct script s;
    script_init(&s, "dolly;tau=1;admit=fcfs;beta=0.1", 40, 1); /* 4 clones */
    struct job_id large = script_job(&s, 1, 10);
    script_job(&s, 1, 1); /* first in fair order, but it came later */
    script_decide(&s, 0);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 4);
    for (uint32_t i = 0; i < s.out.count; i++)
        expect(s.out.at[i].type != DO_LAUNCH || s.out.at[i].kind != LAUNCH_CLONE ||
               s.out.at[i].at.job.v == large.v);
    script_fini(&s);
}

TEST(dolly_never_clones_side_effects)
{
    struct script s;
    script_init(&s, "dolly;beta=1", 20, 1);
    struct job_id j = script_phase(&s, (struct phase_spec){.tasks = 2, .clone = PHASE_CLONE_NEVER});
    script_decide(&s, 0);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 0);
    expect(script_verdict(&s, j, 0)->code == WHY_SIDE_EFFECTS);
    script_fini(&s);
}

TEST(dolly_clones_go_to_other_nodes_when_they_can)
{
    struct script s;
    script_init(&s, "dolly;beta=1;tau=1", 9, 4);
    script_job(&s, 1, 3);
    script_decide(&s, 0);
    expect(script_count(&s, DO_LAUNCH, -1) == 9);
    for (uint32_t i = 0; i < s.out.count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (s.out.at[i].type == DO_LAUNCH && s.out.at[k].type == DO_LAUNCH &&
                s.out.at[i].at.task == s.out.at[k].at.task)
                expect(s.out.at[i].node.v != s.out.at[k].node.v);
    script_fini(&s);
}

TEST(dolly_first_finisher_wins_and_losers_are_ended)
{
    struct script s;
    script_init(&s, "dolly;beta=1;tau=1", 9, 1);
    struct job_id j = script_job(&s, 1, 1);
    script_decide(&s, 0);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 1);
    script_event(&s, EV_ATTEMPT_STARTED, script_ref(j, 0, 0, 1));
    script_win(&s,
               script_ref(j, 0, 0, 1)); /* the clone, before the first attempt has even started */
    expect(script_find(&s, DO_WITHDRAW, script_ref(j, 0, 0, 0)) != NULL);
    expect(script_count(&s, DO_JOB_DONE, -1) == 1);
    /* Taking it back came too late: it has started after all and must be killed. */
    script_event(&s, EV_ATTEMPT_STARTED, script_ref(j, 0, 0, 0));
    script_decide(&s, 1);
    expect(script_find(&s, DO_KILL, script_ref(j, 0, 0, 0)) != NULL && s.out.count == 1);
    script_event(&s, EV_ATTEMPT_KILLED, script_ref(j, 0, 0, 0));
    expect(brain_world(s.brain)->used.v[RES_CPU] == 0);
    script_fini(&s);
}

TEST(dolly_a_refused_withdraw_becomes_a_kill)
{
    struct script s;
    script_init(&s, "dolly;beta=1;tau=1", 9, 1);
    struct job_id j = script_job(&s, 1, 1);
    script_decide(&s, 0);
    script_event(&s, EV_ATTEMPT_STARTED, script_ref(j, 0, 0, 1));
    script_win(&s, script_ref(j, 0, 0, 1));
    const struct decision *d = script_find(&s, DO_WITHDRAW, script_ref(j, 0, 0, 0));
    uint64_t id = d->id;
    script_tell(&s, (struct event){.type = EV_REFUSED,
                                   .at = script_ref(j, 0, 0, 0),
                                   .cause = CAUSE_ALREADY_STARTED,
                                   .u.refused = {id, DO_WITHDRAW}});
    script_decide(&s, 1); /* its `started` is still on the way */
    expect(s.out.count == 0);
    script_event(&s, EV_ATTEMPT_STARTED, script_ref(j, 0, 0, 0));
    script_decide(&s, 2);
    expect(script_count(&s, DO_KILL, -1) == 1);
    script_fini(&s);
}

TEST(dolly_budget_is_credited_only_when_the_end_is_confirmed)
{
    struct script s;
    script_init(&s, "dolly;tau=1", 40,
                1); /* budget: 2 clones = one job of two tasks, or two of one */
    struct job_id a = script_job(&s, 1, 1), b = script_job(&s, 1, 1);
    script_decide(&s, 0);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 2);
    script_started_all(&s);
    script_win(&s, script_ref(a, 0, 0, 0));
    expect(script_find(&s, DO_KILL, script_ref(a, 0, 0, 1)) != NULL);
    struct job_id c = script_job(&s, 1, 1);
    script_decide(&s, 1);
    expect(script_verdict(&s, c, 0)->code == WHY_OVER_BUDGET);
    script_event(&s, EV_ATTEMPT_KILLED, script_ref(a, 0, 0, 1));
    struct job_id d = script_job(&s, 1, 1);
    script_decide(&s, 2);
    expect(script_verdict(&s, d, 0)->code == WHY_CLONED);
    (void)b;
    script_fini(&s);
}

TEST(dolly_finished_after_kill_may_still_win)
{
    struct script s;
    script_init(&s, "dolly;tau=1", 40, 1);
    struct job_id big = script_job(&s, 1, 1);
    script_decide(&s, 0);
    script_started_all(&s);
    /* Half of the cluster goes: one clone is over a budget of less than one slot and has to go. */
    for (uint32_t i = 0; i < 30; i++)
        script_tell(&s, (struct event){.type = EV_NODE_CAPACITY, .node = {i}});
    script_decide(&s, 1);
    expect(script_find(&s, DO_KILL, script_ref(big, 0, 0, 1))->why.code == WHY_BUDGET_SHRANK);
    script_event(&s, EV_ATTEMPT_FINISHED, script_ref(big, 0, 0, 1));
    script_decide(&s, 2);
    expect(script_find(&s, DO_COMMIT, script_ref(big, 0, 0, 1)) != NULL);
    script_fini(&s);
}

TEST(dolly_downstream_gets_no_more_copies_than_upstream)
{
    struct script s;
    /* Room for 2 clones: the first phase (1 task) wants and gets 2 copies; the second has 2 tasks,
     * wants 3 copies, and is held to 2. */
    script_init(&s, "dolly;tau=1;beta=0.5", 40, 1);
    struct edge_spec edge = {.from = 0};
    struct job_id j = script_chain(&s, 2, (uint32_t[]){1, 3}, &edge);
    script_decide(&s, 0);
    expect(script_verdict(&s, j, 0)->num[0] == 2);
    script_started_all(&s);
    script_win(&s, script_ref(j, 0, 0, 0));
    expect(script_verdict(&s, j, 1)->code == WHY_CLONED && script_verdict(&s, j, 1)->num[0] == 2);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 3);
    script_fini(&s);
}

TEST(dolly_preempts_clones_of_larger_jobs)
{
    struct script s;
    script_init(&s, "dolly;tau=1;admit=preempt;beta=0.15", 40, 1); /* 6 clones */
    struct job_id large = script_job(&s, 1, 3);
    script_decide(&s, 0);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 6);
    script_started_all(&s);
    struct job_id same = script_job(&s, 1, 3);
    script_decide(&s, 1);
    expect(script_verdict(&s, same, 0)->code == WHY_OVER_BUDGET);
    struct job_id small = script_job(&s, 1, 1);
    script_decide(&s, 2);
    expect(script_verdict(&s, small, 0)->code == WHY_WAIT_PREEMPT);
    expect(script_count(&s, DO_KILL, -1) == 1);
    struct attempt_ref victim = {{0}, 0, 0, 0};
    for (uint32_t i = 0; i < s.out.count; i++)
        if (s.out.at[i].type == DO_KILL)
            victim = s.out.at[i].at;
    expect(victim.job.v == large.v && victim.attempt > 0);
    script_event(&s, EV_ATTEMPT_KILLED, victim);
    script_decide(&s, 3);
    expect(script_verdict(&s, small, 0)->code == WHY_CLONED);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 1); /* at once, not at the next event */
    script_fini(&s);
}

TEST(dolly_idle_clones_use_what_is_idle_and_yield)
{
    struct script s;
    script_init(&s, "dolly;budget=idle", 1, 4);
    struct job_id a = script_job(&s, 1, 2);
    script_decide(&s, 0);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 2); /* 2 of 4 slots were idle */
    script_started_all(&s);
    script_job(&s, 1, 1);
    script_decide(&s, 1);
    expect(script_count(&s, DO_LAUNCH, -1) == 0 && script_count(&s, DO_KILL, -1) == 1);
    expect(s.out.at[0].why.code == WHY_YIELD);
    struct attempt_ref victim = s.out.at[0].at;
    expect(victim.job.v == a.v && victim.attempt > 0);
    script_decide(&s, 2); /* asked once, room is on its way */
    expect(s.out.count == 0);
    script_event(&s, EV_ATTEMPT_KILLED, victim);
    script_decide(&s, 3);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_FIRST) == 1);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 0);
    script_fini(&s);
}

static void tell_cores(struct script *s, int32_t spare, int32_t each, int64_t now_us)
{
    script_tell(s, (struct event){.type = EV_CORES, .u.cores = {spare, each}});
    script_decide(s, now_us);
}

TEST(dolly_idle_clones_need_an_idle_core)
{
    struct script s;
    script_init(&s, "dolly;budget=idle", 1, 9);
    script_job(&s, 1, 3);
    script_decide(&s, 0);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 6); /* nothing is known yet */
    script_started_all(&s);
    tell_cores(&s, 2000, 0, 1); /* attempts that wait need no core */
    expect(s.out.count == 0);
    tell_cores(&s, 5500, 1000, 2); /* half a core too little is let pass */
    expect(s.out.count == 0);
    tell_cores(&s, 5499, 1000, 3);
    expect(script_count(&s, DO_KILL, -1) == 1);
    expect(s.out.at[0].why.code == WHY_NO_IDLE_CORE && s.out.at[0].why.num[0] == 6 &&
           s.out.at[0].why.num[1] == 1 && s.out.at[0].why.num[2] == 5.499);
    struct attempt_ref newest = s.out.at[0].at;
    script_event(&s, EV_ATTEMPT_KILLED, newest);
    script_decide(&s, 4);
    expect(s.out.count == 0);
    tell_cores(&s, 5749, 1000, 5); /* a quarter more than to keep it */
    expect(script_count(&s, DO_LAUNCH, -1) == 0);
    tell_cores(&s, 5750, 1000, 6);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 1);
    newest.attempt = 3;
    expect(script_find(&s, DO_LAUNCH, newest) != NULL); /* the same task is cloned again */
    script_started_all(&s);
    tell_cores(&s, 0, 1000, 7);
    expect(script_count(&s, DO_KILL, -1) == 6); /* never a first attempt */
    for (uint32_t i = 0; i < s.out.count; i++)
        expect(s.out.at[i].at.attempt > 0);
    script_fini(&s);
}

/* A core is idle again before the clone that was told to end is gone: it is not one that its task
 * has. */
TEST(dolly_idle_clones_come_back_although_kills_lag)
{
    struct script s;
    script_init(&s, "dolly;budget=idle", 1, 10);
    script_job(&s, 1, 3);
    script_decide(&s, 0);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 6);
    script_started_all(&s);
    tell_cores(&s, 5000, 1000, 1);
    expect(script_count(&s, DO_KILL, -1) == 1);
    struct attempt_ref ends = s.out.at[0].at;
    tell_cores(&s, 9000, 1000, 2);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 1);
    ends.attempt = 3;
    expect(script_find(&s, DO_LAUNCH, ends) != NULL);
    script_started_all(&s);
    ends.attempt = 2;
    script_event(&s, EV_ATTEMPT_KILLED, ends);
    script_decide(&s, 3);
    expect(s.out.count == 0); /* once */
    script_fini(&s);
}

/* Clones that never found a core: the phase has been told why, once. */
TEST(dolly_says_that_no_core_is_idle)
{
    struct script s;
    script_init(&s, "dolly;budget=idle", 1, 8);
    tell_cores(&s, 749, 1000, 0);
    struct job_id j = script_job(&s, 1, 1);
    script_decide(&s, 1);
    expect(script_count(&s, DO_LAUNCH, -1) == 1 && script_count(&s, DO_VERDICT, -1) == 2);
    expect(s.out.at[s.out.count - 1].why.code == WHY_NO_IDLE_CORE);
    tell_cores(&s, 700, 1000, 2);
    expect(s.out.count == 0);
    tell_cores(&s, 750, 1000, 3);
    expect(script_find(&s, DO_LAUNCH, script_ref(j, 0, 0, 1)) != NULL);
    script_fini(&s);
}

/* The clone gives way, and then its task's first attempt is lost: the kill stands, and the task is
 * launched again when there is room. */
TEST(dolly_a_clone_that_yields_is_not_called_back)
{
    struct script s;
    script_init(&s, "dolly;budget=idle", 2, 1);
    struct job_id a = script_job(&s, 1, 1);
    script_decide(&s, 0);
    struct node_id node = script_find(&s, DO_LAUNCH, script_ref(a, 0, 0, 0))->node;
    struct attempt_ref clone = script_ref(a, 0, 0, 1);
    expect(script_find(&s, DO_LAUNCH, clone) != NULL);
    script_started_all(&s);
    struct job_id b = script_job(&s, 1, 1);
    script_decide(&s, 1);
    const struct decision *d = script_find(&s, DO_KILL, clone);
    expect(d && d->why.code == WHY_YIELD);
    script_tell(&s, (struct event){.type = EV_NODE_DOWN, .node = node});
    script_event(&s, EV_ATTEMPT_LOST, script_ref(a, 0, 0, 0));
    script_decide(&s, 2);
    expect(s.out.count == 0);
    script_event(&s, EV_ATTEMPT_KILLED, clone);
    script_decide(&s, 3);
    expect(script_count(&s, DO_LAUNCH, -1) == 1);
    bool again = script_find(&s, DO_LAUNCH, script_ref(a, 0, 0, 2)) != NULL;
    expect(again || script_find(&s, DO_LAUNCH, script_ref(b, 0, 0, 0)));
    script_started_all(&s);
    script_event(&s, EV_ATTEMPT_FINISHED, again ? script_ref(a, 0, 0, 2) : script_ref(b, 0, 0, 0));
    script_decide(&s, 4);
    expect(script_find(&s, DO_LAUNCH, again ? script_ref(b, 0, 0, 0) : script_ref(a, 0, 0, 2)));
    script_fini(&s);
}

TEST(dolly_outputs_that_differ_are_never_mixed)
{
    struct script s;
    script_init(&s, "dolly;beta=1;tau=1", 9, 1);
    struct job_id j = script_job(&s, 2, 1);
    script_decide(&s, 0);
    script_started_all(&s);
    for (uint16_t k = 0; k < 2; k++) {
        script_output(&s, script_ref(j, 0, 0, k), 1, k);
    }
    script_decide(&s, 1);
    expect(script_find(&s, DO_COMMIT, script_ref(j, 0, 0, 0)) &&
           script_count(&s, DO_COMMIT, -1) == 1);
    script_event(&s, EV_COMMITTED, script_ref(j, 0, 0, 0));
    script_decide(&s, 2);
    const struct decision *d = script_find(&s, DO_DISCARD_OUTPUT, script_ref(j, 0, 0, 1));
    expect(d && d->why.code == WHY_NONDETERMINISTIC);
    script_fini(&s);
}

/* Two slots for two tasks, whose clones wait; with a third slot one of them starts. The phase
 * below may have as many copies as this one was offered only if that has got any. */
TEST(dolly_a_phase_is_cloned_from_its_first_clone_on)
{
    for (int room = 0; room < 2; room++) {
        struct script s;
        script_init(&s, "dolly;budget=idle", 2, 1);
        struct job_id j = script_job(&s, 2, 2);
        const struct phase *p = world_job(brain_world(s.brain), j)->phases;
        script_decide(&s, 0);
        script_started_all(&s);
        expect(p[0].copies == 2 && !p[0].cloned && p[0].clones_queued == 2);
        if (room) {
            script_node_up(&s, 2, 1, 0);
            script_decide(&s, 1);
            expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 1 && p[0].cloned);
        }
        for (uint32_t t = 0; t < 2; t++)
            script_event(&s, EV_ATTEMPT_FINISHED, script_ref(j, 0, t, 0));
        script_decide(&s, 2);
        for (uint32_t t = 0; t < 2; t++)
            script_event(&s, EV_COMMITTED, script_ref(j, 0, t, 0));
        script_decide(&s, 3);
        const struct reason *why = script_verdict(&s, j, 1);
        expect(why->code == (room ? WHY_CLONED : WHY_UPSTREAM_COPIES));
        if (!room)
            expect(why->num[3] == 1);
        script_fini(&s);
    }
}

/* Two tasks and their clones on a node of four: three slots cannot be had. */
static struct job_id yield_in_vain(struct script *s)
{
    script_init(s, "dolly;budget=idle;p_prior=0.1", 1, 4);
    struct job_id a = script_phase(s, (struct phase_spec){.tasks = 2});
    script_decide(s, 0);
    expect(script_count(s, DO_LAUNCH, LAUNCH_CLONE) == 2);
    script_started_all(s);
    script_phase(s, (struct phase_spec){.tasks = 1, .demand = {{3 * RES_SLOT}}});
    script_decide(s, 1);
    script_decide(s, 2);
    expect(s->out.count == 0);
    return a;
}

/* One task ends, and they can. */
TEST(dolly_idle_clones_yield_once_that_would_do)
{
    struct script s;
    struct job_id a = yield_in_vain(&s);
    script_event(&s, EV_ATTEMPT_FINISHED, script_ref(a, 0, 0, 0));
    script_decide(&s, 3);
    const struct decision *d = script_find(&s, DO_KILL, script_ref(a, 0, 1, 1));
    expect(d && d->why.code == WHY_YIELD && !script_find(&s, DO_KILL, script_ref(a, 0, 1, 0)));
    script_fini(&s);
}

/* A task comes that needs less. */
TEST(dolly_idle_clones_yield_to_who_needs_less)
{
    struct script s;
    struct job_id a = yield_in_vain(&s);
    script_phase(&s, (struct phase_spec){.tasks = 1});
    script_decide(&s, 3);
    expect(s.out.count == 1 && script_find(&s, DO_KILL, script_ref(a, 0, 1, 1)) != NULL);
    script_fini(&s);
}

/* On node 1 are a clone that is all that its task has, and a free slot. The task gets a backup
 * elsewhere: then the clone makes room for a task of two slots. */
TEST(dolly_idle_clones_yield_once_they_are_spare)
{
    struct script s;
    script_init(&s, "mitigate=dolly+mapreduce;budget=idle;p_prior=0.1;backup_at=0;careful=no", 1,
                1);
    struct job_id a = script_phase(&s, (struct phase_spec){.tasks = 1});
    script_decide(&s, 0);
    script_started_all(&s);
    script_node_up(&s, 1, 2, 0);
    script_phase(&s, (struct phase_spec){.tasks = 1, .clone = PHASE_CLONE_NEVER});
    script_decide(&s, 1);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 1);
    script_started_all(&s);
    script_tell(&s, (struct event){.type = EV_NODE_DOWN, .node = {0}});
    script_event(&s, EV_ATTEMPT_LOST, script_ref(a, 0, 0, 0));
    script_phase(&s, (struct phase_spec){
                         .tasks = 1, .demand = {{2 * RES_SLOT}}, .clone = PHASE_CLONE_NEVER});
    script_win(&s, script_ref((struct job_id){1}, 0, 0, 0));
    script_decide(&s, 2);
    expect(script_count(&s, DO_KILL, -1) == 0);
    script_node_up(&s, 2, 1, 0);
    script_timer(&s, 2, 1000000); /* that of the second mitigation */
    expect(script_count(&s, DO_LAUNCH, LAUNCH_BACKUP) == 1);
    expect(script_find(&s, DO_KILL, script_ref(a, 0, 0, 1)) != NULL);
    script_fini(&s);
}

/* One verdict for all phases that find no idle core, until there was one; policies whose clones
 * have a budget of their own do not look at cores. */
TEST(dolly_says_once_for_all_phases_that_no_core_is_idle)
{
    struct script s;
    script_init(&s, "dolly;budget=idle", 1, 8);
    tell_cores(&s, 100, 1000, 0);
    script_job(&s, 1, 1);
    script_job(&s, 1, 1);
    script_decide(&s, 1);
    uint32_t told = 0;
    for (uint32_t i = 0; i < s.out.count; i++)
        told += s.out.at[i].why.code == WHY_NO_IDLE_CORE;
    expect(told == 1 && script_count(&s, DO_LAUNCH, LAUNCH_FIRST) == 2);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 0);
    const struct reason *why = &s.out.at[s.out.count - 1].why;
    expect(why->code == WHY_NO_IDLE_CORE && why->num[0] == 0 && why->num[1] == 1 &&
           why->num[2] == 0.1);
    script_started_all(&s);
    tell_cores(&s, 4000, 1000, 2);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) > 0);
    script_started_all(&s);
    tell_cores(&s, 100, 1000, 3); /* those that run end for it, and ... */
    struct job_id third = script_job(&s, 1, 1);
    script_decide(&s, 4);
    why = script_verdict(&s, third, 0);
    expect(why && script_count(&s, DO_LAUNCH, LAUNCH_CLONE) == 0);
    told = 0;
    for (uint32_t i = 0; i < s.out.count; i++)
        told += s.out.at[i].type == DO_VERDICT && s.out.at[i].why.code == WHY_NO_IDLE_CORE;
    expect(told == 1); /* ... it is told again */
    script_fini(&s);
    script_init(&s, "dolly;beta=0.5", 1, 8);
    tell_cores(&s, 100, 1000, 0);
    script_job(&s, 1, 1);
    script_decide(&s, 1);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_CLONE) > 0);
    script_fini(&s);
}
