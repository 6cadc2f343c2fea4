/* The rules of shepherd by hand: what is copied when, and what never is. */
#include <math.h>

#include "core/brain/script_test.h"
#include "tests/unit/test.h"

enum { S = 1000000, TICK = 1 };

static uint32_t clones(const struct script *s)
{
    return script_count(s, DO_LAUNCH, LAUNCH_CLONE);
}

static uint32_t backups(const struct script *s)
{
    return script_count(s, DO_LAUNCH, LAUNCH_BACKUP);
}

/* The first copy among the decisions, or NULL. */
static const struct decision *copy(const struct script *s)
{
    for (uint32_t i = 0; i < s->out.count; i++)
        if (s->out.at[i].type == DO_LAUNCH &&
            (s->out.at[i].kind == LAUNCH_CLONE || s->out.at[i].kind == LAUNCH_BACKUP))
            return &s->out.at[i];
    return NULL;
}

static bool is_near(double a, double b)
{
    return fabs(a - b) < 1e-3;
}

static struct job_id begin(struct script *s, struct phase_spec phase)
{
    struct job_id j = script_phase(s, phase);
    script_decide(s, s->now_us);
    return j;
}

/* ---- hedges ---- */

/* Nothing is known of the phase: p is 0.1, as if half of five had straggled once, and luck is a
 * half. Two copies of a task straggle with 0.1 x 1.5/6 = 0.025, three with 0.025 x 2.5/7, four with
 * half less again (3.5/8), five with half of that. The first copy of each of two tasks is worth
 * (0.975^2 - 0.9^2) / 2 x 1.3 / 2 = 0.05, the fourth (0.00195 instead of 0.00391) 0.0013. */
TEST(shepherd_hedges_equal_tasks_of_which_nothing_is_known_as_they_start)
{
    struct script s;
    script_init(&s, "mitigate=shepherd", 20, 1);
    struct job_id j = begin(&s, (struct phase_spec){.tasks = 2});
    expect(script_verdict(&s, j, 0)->code == WHY_WATCHED);
    expect(clones(&s) == 6 && copy(&s)->why.code == WHY_HEDGE);
    expect(is_near(copy(&s)->why.num[0], 0.1) && copy(&s)->why.num[2] == 1);
    script_started_all(&s);
    script_timer(&s, TICK, S);
    expect(clones(&s) == 0);
    script_fini(&s);
}

/* In earlier runs none of 1000 attempts straggled: p is 0.5/1005, and a copy is worth 0.0003. If
 * all did, no copy helps. If 600 did, even a sixth attempt would be worth ((1 - 0.6^6)^2 - (1 -
 * 0.6^5)^2) / 2 x 1.3 / 2 = 0.019, but five on time are the most. */
TEST(shepherd_goes_by_earlier_runs)
{
    for (uint32_t straggled = 0; straggled <= 1000; straggled += 100) {
        struct script s;
        script_init(&s, "mitigate=shepherd", 20, 1);
        begin(&s, (struct phase_spec){.tasks = 2, .past_seen = 1000, .past_straggled = straggled});
        expect((clones(&s) == 0) == (straggled % 1000 == 0));
        expect(straggled != 600 || clones(&s) == 2 * 4);
        script_fini(&s);
    }
}

/* Of 40 slots 2 % are 0.8, that is one: hedges leave it to a rescue. Of 20 slots they take all. */
TEST(shepherd_leaves_a_slot_to_rescues)
{
    for (uint32_t slots = 20; slots <= 40; slots += 20) {
        struct script s;
        script_init(&s, "mitigate=shepherd", slots, 1);
        begin(&s, (struct phase_spec){.tasks = slots / 2});
        expect(clones(&s) == slots / 2 - (slots == 40));
        script_fini(&s);
    }
}

/* Of tasks with 1000 and 100 bytes, told to take 10 s in the mean of 550, the first takes 18.2 s
 * and the second 1.8: a copy of that can wait for 16 s. */
TEST(shepherd_hedges_only_what_the_phase_waits_for)
{
    const int64_t bytes[] = {1000, 100};
    struct script s;
    script_init(&s, "mitigate=shepherd;network=none", 20, 1);
    struct job_id j =
        begin(&s, (struct phase_spec){.tasks = 2, .input_each = bytes, .expect_us = 10 * S});
    expect(clones(&s) == 3 && copy(&s)->at.task == 0);
    expect(is_near(copy(&s)->why.num[1], 10 * 1000 / 550.0));
    script_started_all(&s);
    script_timer(&s, TICK, S);
    expect(clones(&s) == 0);
    (void)j;
    script_fini(&s);
}

/* A task that is late counts as one that straggles: of five of which half of one did, and of this
 * one, that is 1.5 / 6. Of a task that has run for a twentieth of its time that much is gone. */
TEST(shepherd_hedges_more_where_tasks_are_late)
{
    struct script s;
    script_init(&s, "mitigate=shepherd;network=none", 1, 1);
    struct job_id j = begin(&s, (struct phase_spec){.tasks = 2, .expect_us = 10 * S});
    script_started_all(&s);
    for (uint32_t node = 1; node < 20; node++)
        script_node_up(&s, node, 1, 0);
    script_decide(&s, 30 * S);
    expect(script_find(&s, DO_LAUNCH, script_ref(j, 0, 1, 0)) != NULL);
    script_started_all(&s);
    script_timer(&s, TICK, 30 * S + 500000);
    expect(copy(&s)->at.task == 0 && copy(&s)->why.code == WHY_RESCUE && clones(&s) == 5);
    const struct decision *d = script_find(&s, DO_LAUNCH, script_ref(j, 0, 1, 1));
    expect(d && d->why.code == WHY_HEDGE && d->why.num[2] == 1 && d->why.num[3] == 2);
    expect(d && is_near(d->why.num[0], 0.95 * 1.5 / 6));
    script_fini(&s);
}

/* A job of two chains: tasks of 60 and of 50 s, which a third phase waits for. The first chain ends
 * in 60 s, so the other may end then: a copy of it takes 1.1 x 50 s and two looks of half a second,
 * which is 56, and is made when the first has no more than that to go. */
TEST(shepherd_hedges_a_shorter_chain_later)
{
    const struct edge_spec both[] = {{.from = 0}, {.from = 1}};
    struct phase_spec phases[3] = {{.name = "a", .tasks = 1, .expect_us = 60 * S},
                                   {.name = "b", .tasks = 1, .expect_us = 50 * S},
                                   {.name = "c", .tasks = 1, .edges = both, .edge_count = 2}};
    struct script s;
    script_init(&s, "mitigate=shepherd", 20, 1);
    for (int i = 0; i < 3; i++)
        phases[i].demand.v[RES_CPU] = RES_SLOT;
    struct job_spec spec = {.phases = phases, .phase_count = 3};
    script_submit(&s, &spec);
    script_decide(&s, 0);
    expect(clones(&s) > 0);
    for (uint32_t i = 0; i < s.out.count; i++)
        expect(s.out.at[i].kind != LAUNCH_CLONE || s.out.at[i].at.phase == 0);
    script_started_all(&s);
    script_timer(&s, TICK, 3 * S);
    expect(clones(&s) == 0);
    script_timer(&s, TICK, 5 * S);
    expect(clones(&s) > 0 && copy(&s)->at.phase == 1 && copy(&s)->why.code == WHY_HEDGE);
    script_fini(&s);
}

/* Who knows whether the network is idle? Without proof only tasks that read nothing are hedged. */
TEST(shepherd_does_not_hedge_what_reads_over_a_network)
{
    struct script s;
    script_init(&s, "mitigate=shepherd", 20, 1);
    begin(&s, (struct phase_spec){.tasks = 2, .input_bytes = 100, .expect_us = 10 * S});
    expect(clones(&s) == 0);
    begin(&s, (struct phase_spec){.tasks = 2, .expect_us = 10 * S});
    expect(clones(&s) > 0);
    script_fini(&s);
}

/* Two tasks are late. Those that read nothing are rescued at 15 s, as they should take 15 more. Of
 * those that read one is, to see whether its copy wins, and the other one at 31 s: at even odds a
 * copy saves (31 - 10) / 2 s for (31 + 10) / 2 slot-seconds, which is .51; at 29 s it is .49. At
 * first no slot is idle for a hedge. */
TEST(shepherd_rescues_few_that_read_unless_that_saves_much)
{
    for (int64_t bytes = 0; bytes <= 100; bytes += 100) {
        struct script s;
        script_init(&s, "mitigate=shepherd", 6, 1);
        struct job_id j = begin(&s, (struct phase_spec){.tasks = 6, .input_bytes = bytes});
        script_started_all(&s);
        script_decide(&s, 10 * S);
        for (uint32_t t = 0; t < 4; t++)
            script_win(&s, script_ref(j, 0, t, 0));
        script_timer(&s, TICK, 15 * S);
        expect(clones(&s) == (bytes ? 1 : 2));
        if (bytes) {
            uint32_t first = copy(&s)->at.task;
            script_started_all(&s);
            script_timer(&s, TICK, 29 * S);
            expect(clones(&s) == 0);
            script_timer(&s, TICK, 31 * S);
            expect(clones(&s) == 1 && copy(&s)->at.task != first);
        }
        script_fini(&s);
    }
}

/* There are tasks that wait: no slot is idle. */
TEST(shepherd_does_not_hedge_while_tasks_wait)
{
    struct script s;
    script_init(&s, "mitigate=shepherd", 2, 1);
    begin(&s, (struct phase_spec){.tasks = 3, .expect_us = 10 * S});
    script_started_all(&s);
    script_timer(&s, TICK, S);
    expect(clones(&s) == 0 && backups(&s) == 0);
    script_fini(&s);
}

/* ---- rescues ---- */

static void cores(struct script *s, int32_t idle)
{
    script_tell(s, (struct event){.type = EV_CORES, .u.cores = {idle * 1000, 1000}});
}

/* Tasks of which the first take 10 s; `late` run on. */
static struct job_id run_many_on(struct script *s, int64_t from_us, uint32_t tasks, uint32_t late)
{
    struct job_id j = begin(s, (struct phase_spec){.tasks = tasks, .input_bytes = 25 * tasks});
    script_started_all(s);
    script_decide(s, from_us + 10 * S);
    for (uint32_t t = 0; t < tasks - late; t++)
        script_win(s, script_ref(j, 0, t, 0));
    return j;
}

/* Four tasks of which three take 10 s; the fourth runs on. Those that read are not hedged. */
static struct job_id run_on(struct script *s, int64_t from_us, int64_t bytes)
{
    struct job_id j = begin(s, (struct phase_spec){.tasks = 4, .input_bytes = bytes});
    script_started_all(s);
    script_decide(s, from_us + 10 * S);
    for (uint32_t t = 0; t < 3; t++)
        script_win(s, script_ref(j, 0, t, 0));
    return j;
}

/* Eight times a task that reads is late at 100 s, and its copy loses, which has had 13 s of its 10.
 * At even odds each is worth 45 s for 55 slot-seconds, .82, and the first one is worth that. The
 * others win with 1/3, 1/4 and so on, which is worth less than a half. Six are copied: then 30
 * attempts have ended, and 5 + 2 x 1/8 x 30/20 = 5.375 copies may have been made. */
TEST(shepherd_copies_ever_fewer_that_read_while_no_copy_wins)
{
    struct script s;
    script_init(&s, "mitigate=shepherd", 10, 1);
    for (int round = 1; round <= 8; round++) {
        int64_t from_us = s.now_us;
        struct job_id j = run_on(&s, from_us, 100);
        script_timer(&s, TICK, from_us + 100 * S);
        bool copied = clones(&s) == 1;
        expect(copied == (round <= 6));
        script_started_all(&s);
        script_decide(&s, from_us + 113 * S);
        script_win(&s, script_ref(j, 0, 3, 0));
        if (copied)
            script_event(&s, EV_ATTEMPT_KILLED, script_ref(j, 0, 3, 1));
        script_decide(&s, s.now_us);
    }
    script_fini(&s);
}

/* At 12 s it should take as long again, as far as is known: it ends 2 s after a copy would. At even
 * odds that is worth 1 s, for a cost of 10 s or 12: 0.09. At 13 s it is 1.5 s for 11.5. Cores
 * are idle for no copy, then for one, two and three. */
TEST(shepherd_rescues_what_ends_after_a_copy)
{
    struct script s;
    script_init(&s, "mitigate=shepherd", 20, 1);
    cores(&s, 0);
    struct job_id j = run_on(&s, 0, 0);
    cores(&s, 1);
    script_timer(&s, TICK, 12 * S);
    expect(clones(&s) == 0);
    script_timer(&s, TICK, 13 * S);
    expect(clones(&s) == 1 && copy(&s)->at.task == 3 && copy(&s)->why.code == WHY_RESCUE);
    const struct reason *why = &copy(&s)->why;
    expect(is_near(why->num[0], 13) && is_near(why->num[1], 3) && is_near(why->num[2], 10));
    expect(why->num[3] == 0 && why->num[4] == 0);
    script_started_all(&s);
    cores(&s, 2);
    script_timer(&s, TICK, 14 * S); /* the copy is on time */
    expect(clones(&s) == 1 && copy(&s)->why.code == WHY_HEDGE);
    script_started_all(&s);
    cores(&s, 3);
    script_timer(&s, TICK, 27 * S); /* all are late, by their ages of 27, 14 and 13 s */
    expect(clones(&s) == 1 && copy(&s)->at.attempt == 3 && copy(&s)->why.code == WHY_RESCUE);
    (void)j;
    script_fini(&s);
}

/* Each copy is slow as well. Every 14 s the last one is late, too: it should take 14 s more, and a
 * new one 10, which at even odds is worth (14 - 10) / (10 + 14) = 0.17. Cores are idle for one copy
 * more each time, so that none is hedged. The task has ten attempts at most. */
TEST(shepherd_rescues_a_task_again_while_all_its_attempts_are_late)
{
    enum { ATTEMPTS_MAX = 10 };
    struct script s;
    script_init(&s, "mitigate=shepherd", 20, 1);
    cores(&s, 0);
    run_on(&s, 0, 0);
    for (int32_t i = 1; i < ATTEMPTS_MAX + 2; i++) {
        cores(&s, i);
        script_timer(&s, TICK, (14 * i - 1) * (int64_t)S);
        expect(clones(&s) == (i < ATTEMPTS_MAX));
        expect(i >= ATTEMPTS_MAX || copy(&s)->why.code == WHY_RESCUE);
        script_started_all(&s);
    }
    script_fini(&s);
}

/* Two tasks are late, and nothing is done about one that has failed once. At first no slot is idle
 * for a hedge. */
TEST(shepherd_leaves_alone_what_has_failed)
{
    struct script s;
    script_init(&s, "mitigate=shepherd", 5, 1);
    struct job_id j = begin(&s, (struct phase_spec){.tasks = 5});
    script_started_all(&s);
    script_event(&s, EV_ATTEMPT_FAILED, script_ref(j, 0, 4, 0));
    script_decide(&s, 1);
    script_started_all(&s);
    script_decide(&s, 10 * S);
    for (uint32_t t = 0; t < 3; t++)
        script_win(&s, script_ref(j, 0, t, 0));
    script_timer(&s, TICK, 20 * S);
    expect(clones(&s) == 1 && copy(&s)->at.task == 3);
    script_fini(&s);
}

TEST(shepherd_leaves_alone_what_must_not_run_twice)
{
    struct script s;
    script_init(&s, "mitigate=shepherd", 20, 1);
    struct job_id j = begin(&s, (struct phase_spec){.tasks = 2, .clone = PHASE_CLONE_NEVER});
    expect(script_verdict(&s, j, 0)->code == WHY_SIDE_EFFECTS);
    script_started_all(&s);
    script_decide(&s, 10 * S);
    script_win(&s, script_ref(j, 0, 0, 0));
    script_timer(&s, TICK, 100 * S);
    expect(clones(&s) == 0 && backups(&s) == 0);
    script_fini(&s);
}

/* Skewed bytes are not luck: the fourth task has three times as much to read. At 33 s nothing is
 * late; at 93 s it is, as above at 31. */
TEST(shepherd_lets_a_large_task_take_longer)
{
    const int64_t bytes[] = {100, 100, 100, 300};
    struct script s;
    script_init(&s, "mitigate=shepherd", 20, 1);
    struct job_id j = begin(&s, (struct phase_spec){.tasks = 4, .input_each = bytes});
    script_started_all(&s);
    script_decide(&s, 10 * S);
    for (uint32_t t = 0; t < 3; t++)
        script_win(&s, script_ref(j, 0, t, 0));
    script_timer(&s, TICK, 33 * S);
    expect(clones(&s) == 0);
    script_timer(&s, TICK, 93 * S);
    expect(clones(&s) == 1);
    script_fini(&s);
}

/* A reader has fetched for 8 s of its 13: it is judged by the other 5. No core is idle for a hedge
 * of the task above. */
TEST(shepherd_judges_readers_from_the_end_of_their_fetches)
{
    const uint32_t tasks[] = {1, 4};
    const struct edge_spec edge = {.pattern = EDGE_ALL_TO_ALL};
    struct script s;
    script_init(&s, "mitigate=shepherd", 20, 1);
    cores(&s, 0);
    struct job_id j = script_chain(&s, 2, tasks, &edge);
    script_decide(&s, 0);
    script_started_all(&s);
    script_win(&s, script_ref(j, 0, 0, 0));
    script_started_all(&s);
    script_decide(&s, 8 * S);
    script_tell(&s, (struct event){.type = EV_FETCH_DONE,
                                   .at = script_ref(j, 1, 3, 0),
                                   .u.fetch.source = script_ref(j, 0, TASK_ALL, 0)});
    script_decide(&s, 10 * S);
    for (uint32_t t = 0; t < 3; t++)
        script_win(&s, script_ref(j, 1, t, 0));
    cores(&s, 8);
    script_timer(&s, TICK, 13 * S);
    expect(clones(&s) == 0);
    script_timer(&s, TICK, 20 * S); /* 12 s since then, of 10: not yet late by enough */
    expect(clones(&s) == 0);
    script_timer(&s, TICK, 21 * S);
    expect(clones(&s) == 1);
    script_fini(&s);
}

/* ---- yielding, and proof ---- */

/* A copy in the last slot ends for a task that comes. */
TEST(shepherd_copies_yield)
{
    struct script s;
    script_init(&s, "mitigate=shepherd", 4, 1);
    run_on(&s, 0, 100);
    script_timer(&s, TICK, 31 * S);
    expect(clones(&s) == 1);
    struct attempt_ref made = copy(&s)->at;
    script_started_all(&s);
    begin(&s, (struct phase_spec){.tasks = 2});
    script_started_all(&s);
    expect(script_count(&s, DO_KILL, -1) == 0);
    begin(&s, (struct phase_spec){.tasks = 1});
    expect(script_count(&s, DO_KILL, -1) == 1 && script_find(&s, DO_KILL, made));
    script_fini(&s);
}

/* While a task waits, no copy that would yield starts. */
TEST(shepherd_starts_no_copy_while_a_task_waits)
{
    struct script s;
    script_init(&s, "mitigate=shepherd", 4, 1);
    run_on(&s, 0, 100);
    begin(&s, (struct phase_spec){.tasks = 4}); /* three run, one waits */
    script_started_all(&s);
    script_timer(&s, TICK, 20 * S);
    expect(clones(&s) == 0 && backups(&s) == 0);
    script_fini(&s);
}

/* Lets the copies of five late tasks win. */
static int64_t prove(struct script *s)
{
    int64_t now_us = 0;
    for (uint32_t i = 0; i < 5; i++, now_us += 100 * S) {
        script_decide(s, now_us);
        struct job_id j = run_on(s, now_us, 100);
        script_timer(s, TICK, now_us + 35 * S);
        expect(clones(s) == 1 && backups(s) == 0 && copy(s)->why.num[3] == i);
        script_started_all(s);
        script_decide(s, now_us + 45 * S);
        script_win(s, script_ref(j, 0, 3, 1));
        script_event(s, EV_ATTEMPT_KILLED, script_ref(j, 0, 3, 0));
        script_decide(s, now_us + 46 * S);
    }
    return now_us;
}

/* After five races that were won copies stay. One that finds no room gets it before a first attempt
 * that waits if it frees more than it takes. With L left it and the late attempt hold a slot for 2
 * times (6/7 x 10 + 1/7 x L) s in the mean instead of L: above 24 s that is less. */
TEST(shepherd_copies_stay_once_races_were_won)
{
    for (int64_t late_s = 23; late_s <= 25; late_s += 2) {
        struct script s;
        script_init(&s, "mitigate=shepherd", 4, 1);
        int64_t from_us = prove(&s);
        script_decide(&s, from_us);
        struct job_id j = run_on(&s, from_us, 100);
        struct job_id other = begin(&s, (struct phase_spec){.tasks = 4});
        script_started_all(&s);
        script_timer(&s, TICK, from_us + late_s * S);
        expect(clones(&s) == 0 && backups(&s) == 0); /* no room */
        script_event(&s, EV_ATTEMPT_FINISHED, script_ref(other, 0, 0, 0));
        script_decide(&s, s.now_us + 1);
        expect(backups(&s) == (late_s > 24));
        expect(script_count(&s, DO_LAUNCH, LAUNCH_FIRST) == (late_s < 24));
        if (backups(&s))
            expect(copy(&s)->at.job.v == j.v && copy(&s)->why.num[3] == 5 &&
                   copy(&s)->why.num[4] == 5);
        script_fini(&s);
    }
}

/* A slot is left, and a task of another job waits. By fair shares that job comes first, which has
 * nothing; in order of arrival the job of the late task does. */
TEST(shepherd_copies_take_the_turn_of_their_job)
{
    static const char *const policies[] = {"mitigate=shepherd", "order=fifo,mitigate=shepherd"};
    for (int i = 0; i < 2; i++) {
        struct script s;
        script_init(&s, policies[i], 4, 1);
        int64_t from_us = prove(&s);
        script_decide(&s, from_us);
        run_on(&s, from_us, 100);
        struct job_id full = begin(&s, (struct phase_spec){.tasks = 3});
        script_started_all(&s);
        begin(&s, (struct phase_spec){.tasks = 1});
        script_timer(&s, TICK, from_us + 25 * S);
        expect(clones(&s) == 0 && backups(&s) == 0);
        script_event(&s, EV_ATTEMPT_FINISHED, script_ref(full, 0, 0, 0));
        script_decide(&s, s.now_us + 1);
        expect(backups(&s) == (uint32_t)i && clones(&s) == 0);
        expect(script_count(&s, DO_LAUNCH, LAUNCH_FIRST) == 1 - (uint32_t)i);
        script_fini(&s);
    }
}

/* Lets a late task end when its copy has run for 5 s of its 10, which proves nothing of luck. */
static void end_before_copy(struct script *s, int64_t from_us)
{
    script_decide(s, from_us);
    struct job_id j = run_on(s, from_us, 100);
    script_timer(s, TICK, from_us + 35 * S);
    expect(backups(s) == 1);
    script_started_all(s);
    script_decide(s, from_us + 40 * S);
    script_win(s, script_ref(j, 0, 3, 0));
    script_event(s, EV_ATTEMPT_KILLED, script_ref(j, 0, 3, 1));
    script_decide(s, from_us + 41 * S);
}

/* Five races were won. With four late tasks that ended soon copies may still take a turn; with five
 * they have freed no more than they took. */
TEST(shepherd_copies_take_no_turn_unless_they_pay)
{
    for (uint32_t soon = 4; soon <= 5; soon++) {
        struct script s;
        script_init(&s, "order=fifo,mitigate=shepherd", 4, 1);
        int64_t from_us = prove(&s);
        for (uint32_t i = 0; i < soon; i++, from_us += 100 * S)
            end_before_copy(&s, from_us);
        script_decide(&s, from_us);
        run_on(&s, from_us, 100);
        struct job_id full = begin(&s, (struct phase_spec){.tasks = 4});
        script_started_all(&s);
        script_timer(&s, TICK, from_us + 30 * S);
        script_event(&s, EV_ATTEMPT_FINISHED, script_ref(full, 0, 0, 0));
        script_decide(&s, s.now_us + 1);
        expect(backups(&s) == (soon == 4) && clones(&s) == 0);
        expect(script_count(&s, DO_LAUNCH, LAUNCH_FIRST) == (soon == 5));
        script_fini(&s);
    }
}

/* A task is late, and copy after copy of it is. Of four slots no more than one is held by a copy of
 * it that stays; of forty 2 % are another one. */
TEST(shepherd_copies_of_one_task_that_stay_are_few)
{
    for (uint32_t slots = 4; slots <= 40; slots += 36) {
        struct script s;
        script_init(&s, "mitigate=shepherd", slots, 1);
        int64_t from_us = prove(&s);
        script_decide(&s, from_us);
        cores(&s, 0); /* for no hedge */
        run_on(&s, from_us, 100);
        for (uint32_t i = 1; i <= 3; i++) {
            cores(&s, (int32_t)i);
            script_timer(&s, TICK, from_us + 100 * i * (int64_t)S);
            uint32_t stay = i <= (slots == 4 ? 1 : 2);
            expect(backups(&s) == stay && clones(&s) == 1 - stay);
            script_started_all(&s);
        }
        script_fini(&s);
    }
}

/* Four tasks of a phase are late for 40 s and have 40 s to go, one of another for 30. Races were
 * won, so copies win with 6/7. Alone each of the four is worth 6/7 x (40 - 10) / (6/7 x 10 + 1/7 x
 * 40) = 1.8, and the one 1.33. But the first phase ends sooner only if all four are rescued: each
 * has 0.45 of it, and the other's is copied first. */
TEST(shepherd_shares_the_gain_among_the_late)
{
    struct script s;
    script_init(&s, "mitigate=shepherd", 20, 1);
    int64_t from_us = prove(&s);
    script_decide(&s, from_us);
    cores(&s, 0);
    run_many_on(&s, from_us, 8, 4);
    struct job_id one = run_on(&s, from_us + 10 * S, 100);
    cores(&s, 5);
    script_timer(&s, TICK, from_us + 40 * S);
    expect(backups(&s) == 1 + 4 && copy(&s)->at.job.v == one.v);
    script_fini(&s);
}

/* ---- the cap ---- */

/* A cap of nothing: no copy, whatever it is worth. */
TEST(shepherd_keeps_the_cap)
{
    struct script s;
    script_init(&s, "shepherd;cap=0", 20, 1);
    begin(&s, (struct phase_spec){.tasks = 2});
    expect(clones(&s) == 0);
    script_fini(&s);
}

/* A first copy of each of two tasks is worth 0.05 (see above). Of 20 slots the cap has 0.05 x 20 x
 * 360 = 360 slot-seconds in store, and 0.05 x 20 x 3240 / 3720 = 0.87 slots arrive. Six copies take
 * (6 - 0.87) x 50 = 256 of it, so that a copy must be worth 0.3 x 0.71^4 = 0.077: there are none,
 * though the store has enough for two. After four minutes 48 are taken, and a copy may be worth
 * 0.0001. */
TEST(shepherd_makes_no_cheap_copy_when_the_cap_is_short)
{
    struct script s;
    script_init(&s, "shepherd;cap=0.05", 20, 1);
    struct job_id j = begin(&s, (struct phase_spec){.tasks = 2});
    expect(clones(&s) == 6);
    script_started_all(&s);
    script_decide(&s, 50 * S);
    for (uint32_t t = 0; t < 2; t++) {
        script_win(&s, script_ref(j, 0, t, 0));
        for (uint16_t k = 1; k <= 3; k++)
            script_event(&s, EV_ATTEMPT_KILLED, script_ref(j, 0, t, k));
    }
    begin(&s, (struct phase_spec){.tasks = 2});
    expect(clones(&s) == 0);
    script_decide(&s, 290 * S);
    begin(&s, (struct phase_spec){.tasks = 2});
    expect(clones(&s) > 0);
    script_fini(&s);
}

/* ---- idle cores and disks ---- */

static uint32_t verdicts(const struct script *s, uint16_t code)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->out.count; i++)
        count += s->out.at[i].type == DO_VERDICT && s->out.at[i].why.code == code;
    return count;
}

/* The machine has no core for a clone: the phase is told why, once. */
TEST(shepherd_says_that_no_core_is_idle)
{
    struct script s;
    script_init(&s, "mitigate=shepherd", 1, 8);
    script_tell(&s, (struct event){.type = EV_CORES, .u.cores = {749, 1000}});
    script_decide(&s, 0);
    begin(&s, (struct phase_spec){.tasks = 1});
    expect(clones(&s) == 0 && verdicts(&s, WHY_NO_IDLE_CORE) == 1);
    script_started_all(&s);
    script_timer(&s, TICK, S);
    expect(clones(&s) == 0 && verdicts(&s, WHY_NO_IDLE_CORE) == 0);
    script_tell(&s, (struct event){.type = EV_CORES, .u.cores = {2000, 1000}});
    script_timer(&s, TICK, 2 * S);
    expect(clones(&s) == 2);
    script_fini(&s);
}

TEST(shepherd_says_that_a_disk_is_busy)
{
    struct script s;
    script_init(&s, "mitigate=shepherd", 1, 8);
    script_tell(&s, (struct event){.type = EV_PRESSURE, .u.pressure = {.disk = 250}});
    script_decide(&s, 0);
    begin(&s, (struct phase_spec){.tasks = 1});
    expect(clones(&s) == 0 && verdicts(&s, WHY_PRESSURE) == 1);
    script_started_all(&s);
    script_timer(&s, TICK, S);
    expect(clones(&s) == 0 && verdicts(&s, WHY_PRESSURE) == 0);
    script_fini(&s);
}
