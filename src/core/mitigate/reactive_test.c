/* The reactive rules: who gets a backup, at each threshold and on either side of it. */
#include <stdio.h>

#include "core/brain/script_test.h"
#include "core/estimate/estimate.h"
#include "core/mitigate/speculate.h"
#include "tests/unit/test.h"

enum { S = 1000000, TICK = 1 };

/* A job of `tasks` tasks that all started at 0. */
static struct job_id begin(struct script *s, const char *policy, uint32_t nodes, uint32_t tasks)
{
    script_init(s, policy, nodes, 1);
    struct job_id j = script_job(s, 1, tasks);
    script_decide(s, 0);
    script_started_all(s);
    script_decide(s, 0);
    return j;
}

static const struct decision *backup(const struct script *s)
{
    for (uint32_t i = 0; i < s->out.count; i++)
        if (s->out.at[i].type == DO_LAUNCH && s->out.at[i].kind == LAUNCH_BACKUP)
            return &s->out.at[i];
    return NULL;
}

TEST(late_backs_up_the_one_that_ends_last)
{
    struct script s;
    struct job_id j = begin(&s, "late;cap=1;slow_task=0.75;slow_node=0", 20, 5);
    int64_t percent[] = {90, 80, 30, 20, 90};
    for (uint32_t t = 0; t < 5; t++)
        script_progress(&s, script_ref(j, 0, t, 0), percent[t], 100);
    script_timer(&s, TICK, 60 * S);
    /* 75th percentile of .9 .8 .3 .2 .9 is the fourth: tasks below .9 are slow, slowest first. */
    expect(script_count(&s, DO_LAUNCH, LAUNCH_BACKUP) == 3);
    expect(backup(&s)->at.task == 3);
    expect(backup(&s)->why.code == WHY_SLOWEST_LEFT);
    expect(backup(&s)->why.num[0] > 239.9 && backup(&s)->why.num[0] < 240.1); /* .8 / (.2 / 60 s) */
    script_timer(&s, TICK, 61 * S);                                           /* each has one now */
    expect(script_count(&s, DO_LAUNCH, LAUNCH_BACKUP) == 0);
    script_fini(&s);
}

/* Tasks that are done say how fast tasks of the phase go, too: the last one is compared with them.
 */
TEST(late_compares_with_tasks_that_are_done)
{
    struct script s;
    struct job_id j = begin(&s, "late;cap=1;slow_task=0.5;slow_node=0", 20, 3);
    script_decide(&s, 10 * S);
    for (uint32_t t = 0; t < 2; t++)
        script_win(&s, script_ref(j, 0, t, 0));
    script_decide(&s, 10 * S);
    script_progress(&s, script_ref(j, 0, 2, 0), 10, 100);
    script_timer(&s, TICK, 60 * S);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_BACKUP) == 1 && backup(&s)->at.task == 2);
    script_fini(&s);
}

/* A map and four readers, the first of which is at 30 % after a minute, the others at 90 %. */
static uint32_t backups_of_readers(const struct output_partition *parts)
{
    const uint32_t tasks[] = {1, 4};
    const struct edge_spec edge = {.pattern = EDGE_ALL_TO_ALL};
    struct script s;

    script_init(&s, "late;cap=1;slow_task=0.5;slow_node=0", 20, 1);
    struct job_id j = script_chain(&s, 2, tasks, &edge);
    script_decide(&s, 0);
    script_started_all(&s);
    script_tell(
        &s, (struct event){.type = EV_OUTPUT_READY,
                           .at = script_ref(j, 0, 0, 0),
                           .u.output = {.partitions = parts, .partition_count = parts ? 4 : 0}});
    script_win(&s, script_ref(j, 0, 0, 0));
    script_started_all(&s);
    for (uint32_t t = 0; t < 4; t++)
        script_progress(&s, script_ref(j, 1, t, 0), t == 0 ? 30 : 90, 100);
    script_timer(&s, TICK, 60 * S);
    uint32_t backups = script_count(&s, DO_LAUNCH, LAUNCH_BACKUP);
    script_fini(&s);
    return backups;
}

TEST(late_lets_readers_take_longer_that_have_more_to_read)
{
    const struct output_partition skewed[] = {{1000, 0}, {100, 0}, {100, 0}, {100, 0}};
    const struct output_partition even[] = {{300, 0}, {300, 0}, {300, 0}, {300, 0}};

    expect(backups_of_readers(NULL) == 1 && backups_of_readers(even) == 1);
    expect(backups_of_readers(skewed) == 0); /* 30 % of 1000 is as much as 92 % of the mean, 325 */
}

/* Of four readers two have ended after 10 s; a third runs for 15 s, the first has twice the mean to
 * read. */
TEST(dryad_lets_readers_take_longer_that_have_more_to_read)
{
    const struct output_partition parts[] = {{300, 0}, {100, 0}, {100, 0}, {100, 0}};
    const uint32_t tasks[] = {1, 4};
    const struct edge_spec edge = {.pattern = EDGE_ALL_TO_ALL};
    struct script s;

    script_init(&s, "dryad;quantile=0.5", 20, 1);
    struct job_id j = script_chain(&s, 2, tasks, &edge);
    script_decide(&s, 0);
    script_started_all(&s);
    script_tell(&s, (struct event){.type = EV_OUTPUT_READY,
                                   .at = script_ref(j, 0, 0, 0),
                                   .u.output = {.partitions = parts, .partition_count = 4}});
    script_win(&s, script_ref(j, 0, 0, 0));
    script_started_all(&s);
    s.now_us += 10 * S;
    script_win(&s, script_ref(j, 1, 1, 0));
    script_win(&s, script_ref(j, 1, 2, 0));
    script_timer(&s, TICK, s.now_us + 5 * S);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_BACKUP) == 1 && backup(&s)->at.task == 3);
    script_started_all(&s);
    script_timer(&s, TICK, s.now_us + 5 * S + 1);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_BACKUP) == 1 && backup(&s)->at.task == 0);
    expect(backup(&s)->why.num[1] == 20);
    script_fini(&s);
}

TEST(late_waits_for_the_floor)
{
    struct script s;
    struct job_id j = begin(&s, "late;cap=1;slow_task=0.5;slow_node=0", 20, 4);
    for (uint32_t t = 0; t < 4; t++)
        script_progress(&s, script_ref(j, 0, t, 0), t == 0 ? 10 : 90, 100);
    script_timer(&s, TICK, 60 * S - 1);
    expect(script_count(&s, DO_LAUNCH, -1) == 0);
    script_timer(&s, TICK, 60 * S);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_BACKUP) == 1);
    script_fini(&s);
}

TEST(late_equal_to_the_threshold_is_not_slow)
{
    struct script s;
    struct job_id j = begin(&s, "late;cap=1;slow_node=0", 20, 4);
    for (uint32_t t = 0; t < 4; t++)
        script_progress(&s, script_ref(j, 0, t, 0), t == 0 ? 10 : 90, 100);
    /* The 25th percentile of four is the least one: nothing is below it. */
    script_timer(&s, TICK, 100 * S);
    expect(script_count(&s, DO_LAUNCH, -1) == 0);
    script_fini(&s);
}

TEST(late_keeps_its_cap_and_says_so)
{
    for (int k = 0; k < 2; k++) {
        struct script s;
        /* 20 slots: a cap of .1 is two backups, of .099 one. */
        struct job_id j = begin(&s,
                                k ? "late;slow_task=1;slow_node=0;cap=0.099"
                                  : "late;slow_task=1;slow_node=0;cap=0.1",
                                20, 6);
        for (uint32_t t = 0; t < 6; t++)
            script_progress(&s, script_ref(j, 0, t, 0), 10 + t, 100);
        script_timer(&s, TICK, 60 * S);
        expect(script_count(&s, DO_LAUNCH, LAUNCH_BACKUP) == (k ? 1 : 2));
        expect(script_count(&s, DO_VERDICT, -1) == 1);
        expect(script_verdict(&s, j, 0)->code == WHY_SPECULATION_CAP);
        script_timer(&s, TICK, 61 * S); /* still capped: nothing new to say */
        expect(script_count(&s, DO_VERDICT, -1) == 0);
        script_fini(&s);
    }
}

TEST(late_acts_early_only_when_told)
{
    for (int early = 0; early < 2; early++) {
        struct script s;
        script_init(&s,
                    early ? "late;cap=1;slow_task=1;slow_node=0;early=yes"
                          : "late;cap=1;slow_task=1;slow_node=0",
                    3, 1);
        struct job_id j = script_job(&s, 1, 4); /* one task has to wait */
        script_decide(&s, 0);
        script_started_all(&s);
        script_decide(&s, 0);
        s.now_us = 60 * S;
        script_progress(&s, script_ref(j, 0, 0, 0), 10, 100);
        script_progress(&s, script_ref(j, 0, 1, 0), 90, 100);
        script_event(&s, EV_ATTEMPT_FINISHED, script_ref(j, 0, 2, 0)); /* who gets its slot? */
        script_decide(&s, 60 * S);
        expect(script_count(&s, DO_LAUNCH, LAUNCH_BACKUP) == (early ? 1 : 0));
        expect(script_count(&s, DO_LAUNCH, LAUNCH_FIRST) == (early ? 0 : 1));
        script_fini(&s);
    }
}

TEST(late_uses_no_slow_node)
{
    struct script s;
    script_init(&s, "late;cap=1;slow_task=1;slow_node=1", 3, 1);
    struct job_id j = script_job(&s, 1, 2);
    script_decide(&s, 0);
    script_started_all(&s);
    script_decide(&s, 0);
    script_progress(&s, script_ref(j, 0, 0, 0), 50, 100);
    script_progress(&s, script_ref(j, 0, 1, 0), 10, 100);
    script_timer(&s, TICK, 60 * S); /* the free node has done nothing: it is below the best one */
    expect(script_count(&s, DO_LAUNCH, LAUNCH_BACKUP) == 0);
    script_fini(&s);
}

/* Node 0 has four slots, nodes 1 to 3 have one, and a task takes 10 s everywhere. After a round
 * node 0 has finished four and the others one: 4 / (4 x 10) = 1 / 10 per slot and second, all
 * alike. Only nodes that are as fast as any may get a backup here, so a small one may. A node that
 * was down begins anew. */
TEST(late_compares_nodes_by_slot_and_by_time)
{
    struct script s;
    script_init(&s, "late;cap=1;slow_task=1;slow_node=1;floor=1s", 4, 1);
    script_node_up(&s, 0, 4, 0);
    struct job_id j = script_job(&s, 1, 7);
    script_decide(&s, 0);
    script_started_all(&s);
    script_decide(&s, 0);
    s.now_us = 10 * S;
    for (uint32_t t = 0; t < 7; t++)
        script_win(&s, script_ref(j, 0, t, 0));
    /* One task fills node 0; two others leave one of the small nodes free. */
    script_phase(&s, (struct phase_spec){.tasks = 1, .demand = {{4 * RES_SLOT}}});
    struct job_id k = script_job(&s, 1, 2);
    script_decide(&s, 10 * S);
    const struct world *w = brain_world(s.brain);
    uint32_t idle = 1;
    while (w->nodes.at[idle].live > 0)
        idle++;
    script_started_all(&s);
    script_progress(&s, script_ref(k, 0, 0, 0), 0, 100); /* the slow one; the others say nothing */
    script_timer(&s, TICK, 12 * S);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_BACKUP) == 1);
    expect(backup(&s)->at.task == 0 && backup(&s)->node.v == idle);

    script_tell(&s, (struct event){.type = EV_NODE_DOWN, .node = {1}});
    script_tell(&s, (struct event){.type = EV_NODE_DRAIN, .node = {2}});
    s.now_us = 20 * S;
    script_node_up(&s, 1, 1, 0);
    script_node_up(&s, 2, 1, 0);
    expect(w->nodes.at[1].finished == 0 && node_offered_s(w, &w->nodes.at[1]) == 0);
    script_decide(&s, 25 * S);
    expect(node_offered_s(w, &w->nodes.at[0]) == 100);
    expect(node_offered_s(w, &w->nodes.at[1]) == 5);
    expect(node_offered_s(w, &w->nodes.at[2]) == 12 + 5 && w->nodes.at[2].finished == 1);
    script_fini(&s);
}

/* A job of one task for each of these nodes, which has its input. */
static struct job_id job_on(struct script *s, uint32_t tasks, struct node_id *nodes)
{
    uint32_t from[] = {0, 1, 2};
    struct job_id j = script_phase(
        s, (struct phase_spec){.tasks = tasks, .replica_from = from, .replicas = nodes});
    script_decide(s, 0);
    for (uint32_t t = 0; t < tasks; t++)
        expect(script_find(s, DO_LAUNCH, script_ref(j, 0, t, 0))->node.v == nodes[t].v);
    script_started_all(s);
    script_decide(s, 0);
    return j;
}

/* Tasks run on two of three nodes. The third one gets a backup if it has done more than they, each
 * in its turn: which node it is makes no difference. */
TEST(late_judges_every_node_by_what_it_has_done)
{
    for (uint32_t third = 0; third < 3; third++)
        for (int fast = 0; fast < 2; fast++) {
            struct script s;
            script_init(&s, "late,place=locality;cap=1;slow_task=1;slow_node=1", 3, 1);
            struct node_id free = {third}, others[] = {{third == 0}, {third == 2 ? 1 : 2}};
            if (fast)
                script_win(&s, script_ref(job_on(&s, 1, &free), 0, 0, 0));
            struct job_id j = job_on(&s, 2, others);
            script_progress(&s, script_ref(j, 0, 0, 0), 50, 100);
            script_progress(&s, script_ref(j, 0, 1, 0), 10, 100);
            script_timer(&s, TICK, 60 * S);
            expect(script_count(&s, DO_LAUNCH, LAUNCH_BACKUP) == (fast ? 1 : 0));
            expect(!fast || backup(&s)->node.v == third);
            script_fini(&s);
        }
}

/* Two tasks of two attempts each under dolly+late, as far as `settings` lets clones start. After a
 * minute the attempts of the first task have done so many percent, those of the second 90. Returns
 * how many backups LATE launches. */
static uint32_t backups_beside_clones(const char *settings, int64_t first, int64_t second)
{
    struct script s;
    char text[160];
    snprintf(text, sizeof text,
             "mitigate=dolly+late;p_prior=0.1;late.cap=1;slow_task=0.6;slow_node=0%s", settings);
    script_init(&s, text, 8, 1);
    struct job_id j = script_job(&s, 1, 2);
    script_decide(&s, 0);
    uint32_t clones = script_count(&s, DO_LAUNCH, LAUNCH_CLONE);
    script_started_all(&s);
    script_decide(&s, 0);
    s.now_us = 60 * S;
    script_progress(&s, script_ref(j, 0, 0, 0), first, 100);
    script_progress(&s, script_ref(j, 0, 1, 0), 90, 100);
    if (clones > 0) {
        script_progress(&s, script_ref(j, 0, 0, 1), second, 100);
        script_progress(&s, script_ref(j, 0, 1, 1), 90, 100);
    }
    script_timer(&s, TICK + 1, 60 * S);
    uint32_t n = script_count(&s, DO_LAUNCH, LAUNCH_BACKUP);
    script_timer(&s, TICK + 1, 61 * S); /* one is enough */
    expect(script_count(&s, DO_LAUNCH, LAUNCH_BACKUP) == 0);
    script_fini(&s);
    return n;
}

TEST(late_backs_up_a_task_all_of_whose_clones_are_slow)
{
    /* Rates of the oldest attempts: 10/60 and 90/60 % per second, and the threshold is the faster
     * one's. A task with a copy of 10 % and one of 95 % is as fast as the second. */
    expect(backups_beside_clones(";budget=idle", 10, 20) == 1);
    expect(backups_beside_clones(";budget=idle", 10, 95) == 0);
}

TEST(late_backs_up_a_task_whose_clones_never_started)
{
    /* The phase was cloned, and no clone fits into the budget or below the ceiling. */
    expect(backups_beside_clones(";admit=fcfs;beta=0", 10, 0) == 1);
    expect(backups_beside_clones(";admit=fcfs;beta=1;tau=0", 10, 0) == 1);
}

TEST(late_leaves_side_effect_phases_alone)
{
    struct script s;
    script_init(&s, "late;cap=1;slow_task=1;slow_node=0", 20, 1);
    struct job_id j = script_phase(&s, (struct phase_spec){.tasks = 2, .clone = PHASE_CLONE_NEVER});
    script_decide(&s, 0);
    script_started_all(&s);
    script_decide(&s, 0);
    script_progress(&s, script_ref(j, 0, 0, 0), 1, 100);
    script_timer(&s, TICK, 60 * S);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_BACKUP) == 0);
    script_fini(&s);
}

TEST(hadoop_backs_up_what_is_behind_the_mean)
{
    struct script s;
    struct job_id j = begin(&s, "hadoop", 20, 4);
    /* Mean .65; .45 is exactly .2 below it, .44 more. */
    int64_t percent[] = {45, 80, 90, 45};
    for (uint32_t t = 0; t < 4; t++)
        script_progress(&s, script_ref(j, 0, t, 0), percent[t], 100);
    script_timer(&s, TICK, 60 * S);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_BACKUP) == 0);
    script_progress(&s, script_ref(j, 0, 3, 0), 44, 100);
    script_timer(&s, TICK, 61 * S);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_BACKUP) == 1);
    expect(backup(&s)->at.task == 3 && backup(&s)->why.code == WHY_BEHIND_MEAN);
    script_fini(&s);
}

/* Four tasks: one has finished and its commit is on its way, two are at .9, one at .65. The mean is
 * (1 + .9 + .9 + .65) / 4 = .8625, and .65 is more than .2 below it. If what is being committed
 * counted nothing it would be .6125, and nobody would be behind. */
TEST(hadoop_counts_a_task_that_commits_as_done)
{
    struct script s;
    struct job_id j = begin(&s, "hadoop", 20, 4);
    s.now_us = 50 * S;
    script_event(&s, EV_ATTEMPT_FINISHED, script_ref(j, 0, 0, 0));
    script_decide(&s, 50 * S);
    expect(script_count(&s, DO_COMMIT, -1) == 1);
    int64_t percent[] = {100, 90, 90, 65};
    for (uint32_t t = 1; t < 4; t++)
        script_progress(&s, script_ref(j, 0, t, 0), percent[t], 100);
    script_timer(&s, TICK, 60 * S);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_BACKUP) == 1);
    expect(backup(&s)->at.task == 3);
    expect(backup(&s)->why.num[1] > 0.8624 && backup(&s)->why.num[1] < 0.8626);
    script_fini(&s);
}

TEST(mapreduce_backs_up_the_rest_of_a_phase)
{
    struct script s;
    struct job_id j = begin(&s, "mapreduce;backup_at=0.5", 20, 4);
    s.now_us = S;
    script_win(&s, script_ref(j, 0, 0, 0));
    script_timer(&s, TICK, 2 * S);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_BACKUP) == 0);
    script_win(&s, script_ref(j, 0, 1, 0));
    script_timer(&s, TICK, 3 * S); /* half is done */
    expect(script_count(&s, DO_LAUNCH, LAUNCH_BACKUP) == 2);
    expect(backup(&s)->why.code == WHY_PHASE_ENDS);
    script_fini(&s);
}

TEST(dryad_backs_up_what_runs_longer_than_most)
{
    struct script s;
    struct job_id j = begin(&s, "dryad", 20, 5);
    for (uint32_t t = 0; t < 4; t++) { /* times 1, 2, 3, 4 s: the 75th percentile is 3 s */
        s.now_us = (t + 1) * S;
        script_win(&s, script_ref(j, 0, t, 0));
    }
    /* The rule looks at its ticks: here at 4 s, when 4 s > 3 s. */
    script_timer(&s, TICK, 4 * S);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_BACKUP) == 1);
    expect(backup(&s)->at.task == 4 && backup(&s)->why.num[1] == 3);
    script_fini(&s);
}

TEST(dryad_exactly_at_the_quantile_is_not_longer)
{
    struct script s;
    struct job_id j = begin(&s, "dryad", 20, 2);
    s.now_us = 3 * S;
    script_win(&s, script_ref(j, 0, 0, 0));
    script_timer(&s, TICK, 3 * S);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_BACKUP) == 0);
    script_timer(&s, TICK, 3 * S + 1);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_BACKUP) == 1);
    script_fini(&s);
}

/* Of 1100 tasks every second one is sampled (1100 / 1024 + 1 = 2), and the first to finish is one
 * of the others: there is no quantile yet. Once a sampled one has finished, 4 s is it. */
TEST(dryad_judges_nobody_by_an_empty_sample)
{
    struct script s;
    struct job_id j = begin(&s, "dryad", 1200, 1100);
    s.now_us = 3 * S;
    script_win(&s, script_ref(j, 0, 1, 0));
    script_timer(&s, TICK, 4 * S);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_BACKUP) == 0);
    script_win(&s, script_ref(j, 0, 2, 0));
    script_timer(&s, TICK, 5 * S);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_BACKUP) == 102); /* as many nodes are free */
    expect(backup(&s)->why.num[0] == 5 && backup(&s)->why.num[1] == 4);
    script_fini(&s);
}

TEST(backup_that_wins_ends_the_original)
{
    struct script s;
    struct job_id j = begin(&s, "dryad", 20, 2);
    s.now_us = S;
    script_win(&s, script_ref(j, 0, 0, 0));
    script_timer(&s, TICK, 2 * S);
    script_started_all(&s);
    s.now_us = 3 * S;
    script_win(&s, script_ref(j, 0, 1, 1));
    expect(script_find(&s, DO_KILL, script_ref(j, 0, 1, 0)) != NULL);
    expect(script_count(&s, DO_JOB_DONE, -1) == 1);
    script_fini(&s);
}

TEST(estimate_without_reports_uses_siblings)
{
    int64_t bytes[] = {300, 100, 100, 100};
    struct phase p = {.count = 4};
    struct job j = {.phases = &p};
    struct attempt a = {.job = &j, .started_us = 6 * S};
    struct world w = {.now_us = 10 * S, .attempts = {.at = &a, .count = 1}};
    double times[] = {1, 6, 10};
    struct estimate e = estimate_attempt(&w, &a, times, 3);
    expect(e.by_elapsed && e.left_s == 4); /* (6 - 4 + 10 - 4) / 2 */
    p.read_bytes = bytes;
    p.read_sum = 600;
    e = estimate_attempt(&w, &a, times, 3);
    expect(e.left_s == 12); /* it reads twice the mean, 150: 2 (6 - 2 + 10 - 2) / 2 */
    p.read_bytes = NULL;
    p.read_sum = 0;
    a.started_us = -2 * S; /* 12 s: longer than all */
    e = estimate_attempt(&w, &a, times, 3);
    expect(e.left_s == 12);
    a.started_us = 0;
    a.reported = true;
    a.score = 0.25;
    e = estimate_attempt(&w, &a, times, 3);
    expect(!e.by_elapsed && e.score == 0.25 && e.left_s == 30);
}

TEST(estimate_times_of_earlier_runs_stand_in)
{
    const int64_t past[] = {3 * S, 4 * S, 5 * S};
    struct task tasks[4] = {0};
    struct phase p = {.tasks = tasks, .count = 4, .past_us = past, .past_count = 3};
    double times[7];
    expect(estimate_times(&p, 1, times) == 3 && times[0] == 3 && times[2] == 5);
    tasks[1] = (struct task){.state = TASK_DONE, .took_us = 9e6f};
    expect(estimate_times(&p, 1, times) == 3 && times[0] == 9 && times[1] == 3 && times[2] == 4);
    p.read_bytes = (int64_t[]){100, 300, 100, 100};
    p.read_sum = 600;
    expect(estimate_times(&p, 1, times) == 3 && times[0] == 4.5); /* it has read twice the mean */
    p.read_bytes = NULL;
    p.read_sum = 0;
    for (int i = 0; i < 4; i++)
        tasks[i] = tasks[1];
    expect(estimate_times(&p, 1, times) == 4 && times[3] == 9); /* enough of their own */
}

/* Both tasks are slow and there is room on twenty nodes; the job may run so many attempts. */
static uint32_t backups_within(uint32_t running_max)
{
    struct script s;
    struct job_id j = begin(&s, "late;cap=1;slow_task=1;slow_node=0", 20, 3);
    script_tell(&s, (struct event){.type = EV_JOB_CHANGED,
                                   .at = {.job = j},
                                   .u.change = {.weight = 1000, .running_max = running_max}});
    script_progress(&s, script_ref(j, 0, 0, 0), 10, 100);
    script_progress(&s, script_ref(j, 0, 1, 0), 20, 100);
    script_progress(&s, script_ref(j, 0, 2, 0), 90, 100);
    script_timer(&s, TICK, 60 * S);
    uint32_t backups = script_count(&s, DO_LAUNCH, LAUNCH_BACKUP);
    script_fini(&s);
    return backups;
}

TEST(late_keeps_the_jobs_own_limit)
{
    expect(backups_within(0) == 2);
    expect(backups_within(4) == 1);
    expect(backups_within(3) == 0);
}

static uint32_t backups_of(const char *policy)
{
    struct script s;
    struct job_id j = begin(&s, policy, 20, 2);
    script_progress(&s, script_ref(j, 0, 0, 0), 10, 100);
    script_progress(&s, script_ref(j, 0, 1, 0), 90, 100);
    script_timer(&s, TICK, 60 * S);
    uint32_t backups = script_count(&s, DO_LAUNCH, LAUNCH_BACKUP);
    script_fini(&s);
    return backups;
}

/* Half of a task's launches are for attempts that it needs. */
TEST(late_does_not_back_up_what_was_launched_too_often)
{
    expect(backups_of("late;cap=1;slow_task=1;slow_node=0;launches_max=4") > 0);
    expect(backups_of("late;cap=1;slow_task=1;slow_node=0;launches_max=3") == 0);
    expect(backups_of("late;cap=1;slow_task=1;slow_node=0;launches_max=1") == 0);
}

TEST(late_does_not_back_up_a_reader_whose_input_is_lost)
{
    struct script s;
    script_init(&s, "late;cap=1;slow_task=1;slow_node=0", 1, 2);
    struct job_id j = script_job(&s, 2, 2);
    script_decide(&s, 0);
    script_started_all(&s);
    script_win(&s, script_ref(j, 0, 0, 0));
    script_win(&s, script_ref(j, 0, 1, 0));
    script_started_all(&s);
    script_node_up(&s, 1, 2, 0);
    script_progress(&s, script_ref(j, 1, 0, 0), 10, 100);
    script_progress(&s, script_ref(j, 1, 1, 0), 90, 100);
    script_event(&s, EV_OUTPUT_LOST, script_ref(j, 0, 0, 0));
    script_timer(&s, TICK, 60 * S);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_RECOMPUTE) == 1);
    expect(script_count(&s, DO_LAUNCH, LAUNCH_BACKUP) == 0);
    script_fini(&s);
}

/* Ten cores and a hundred of something: a tenth of the slots is one backup, and eleven only if that
 * something is slots as well. */
TEST(speculate_room_is_that_of_slots_and_of_nothing_else)
{
    struct world w = {.kinds = RES_KINDS_PLAIN, .capacity = {{10000, 1 << 20, 100, 0}}};
    struct phase p = {.demand = {{1000, 512, 1, 0}}};
    double held, limit;
    expect(speculate_allows(&w, &p, 0.1, &held, &limit) && held == 0 && limit == 1);
    res_sum_plus(&w.backups, &p.demand);
    expect(!speculate_allows(&w, &p, 0.1, &held, &limit) && held == 1);
    w.kinds.v[RES_X] = RES_SLOTS;
    expect(speculate_allows(&w, &p, 0.1, &held, &limit) && held == 2 && limit == 11);
}
