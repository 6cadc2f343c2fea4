#include "core/brain/script_test.h"
#include "tests/unit/test.h"

enum { S = 1000000, TICK_SCREEN = 3, NODES = 5, SLOTS = 5, BAD = 1, HOUR_S = 3600 };

/* A job that fills all nodes; its attempts on `BAD` take `slow`, the others a second. */
static void history(struct script *s, int64_t slow)
{
    struct job_id j = script_job(s, 1, NODES * SLOTS);
    bool on_bad[NODES * SLOTS] = {false};
    script_decide(s, s->now_us);
    expect(script_count(s, DO_LAUNCH, -1) == NODES * SLOTS);
    for (uint32_t i = 0; i < s->out.count; i++)
        if (s->out.at[i].type == DO_LAUNCH)
            on_bad[s->out.at[i].at.task] = s->out.at[i].node.v == BAD;
    int64_t begin = s->now_us;
    script_started_all(s);
    script_decide(s, begin);
    for (int late = 0; late < 2; late++) {
        s->now_us = begin + (late ? slow : S);
        for (uint32_t t = 0; t < NODES * SLOTS; t++)
            if (on_bad[t] == late)
                script_win(s, script_ref(j, 0, t, 0));
    }
}

/* Windows end only while something runs: a job of so many tasks that run on. */
static struct job_id hold(struct script *s, uint32_t tasks)
{
    struct job_id j = script_job(s, 1, tasks);
    script_decide(s, s->now_us);
    script_started_all(s);
    return j;
}

/* The job ends; nothing is learnt of it, because all its tasks took as long. */
static void let_go(struct script *s, struct job_id j, uint32_t tasks)
{
    for (uint32_t t = 0; t < tasks; t++)
        script_win(s, script_ref(j, 0, t, 0));
}

/* The n-th window ends. Returns whether `BAD`, and no other, is avoided until the next one ends. */
static bool avoids(struct script *s, int window)
{
    script_timer(s, TICK_SCREEN, (int64_t)window * HOUR_S * S);
    uint32_t count = script_count(s, DO_AVOID_NODE, -1);
    for (uint32_t i = 0; i < s->out.count; i++)
        if (s->out.at[i].type == DO_AVOID_NODE)
            expect(s->out.at[i].node.v == BAD &&
                   s->out.at[i].u.until_us == (window + 1LL) * HOUR_S * S);
    expect(count <= 1);
    return count == 1;
}

TEST(blacklist_avoids_a_node_for_one_window)
{
    struct script s;
    script_init(&s, "screen=blacklist", NODES, SLOTS);
    history(&s, 2 * S + 1);
    hold(&s, 1);
    expect(avoids(&s, 1));
    expect(s.out.at[0].why.num[0] == 1);
    const struct world *w = brain_world(s.brain);
    struct res need = {{0, 0, 0, 0}};
    expect(!fit_index_fits(&w->fit, BAD, &need));
    /* When the time is over it is let back in, and nothing new speaks against it. */
    expect(!avoids(&s, 2));
    script_tell(&s, (struct event){.type = EV_TIMER, .u.timer = 4});
    expect(fit_index_fits(&w->fit, BAD, &need));
    expect(!avoids(&s, 3));
    script_fini(&s);
}

TEST(blacklist_leaves_healthy_nodes_alone)
{
    struct script s;
    script_init(&s, "screen=blacklist", NODES, SLOTS);
    history(&s, 2 * S); /* exactly twice the median is no straggler */
    hold(&s, 1);
    expect(!avoids(&s, 1));
    script_fini(&s);
}

/* A window with fewer attempts than that says nothing, and neither does a long run of fewer. */
TEST(blacklist_wants_a_least_number_of_attempts)
{
    static const char *const policies[] = {"screen=blacklist;samples_min=6",
                                           "screen=blacklist;samples_min=5"};
    for (int i = 0; i < 2; i++) {
        struct script s;
        script_init(&s, policies[i], NODES, SLOTS);
        history(&s, 3 * S);
        hold(&s, 1);
        expect(avoids(&s, 1) == (i == 1));
        script_fini(&s);
    }
}

/* Out of its trial a node goes for twice as long; one that has passed starts at one window again.
 */
TEST(blacklist_doubles_the_term_of_who_fails_a_trial)
{
    struct script s;
    script_init(&s, "screen=blacklist", NODES, SLOTS);
    history(&s, 3 * S);
    struct job_id j = hold(&s, 1);
    expect(avoids(&s, 1) && !avoids(&s, 2));
    script_tell(&s, (struct event){.type = EV_TIMER, .u.timer = 4});
    let_go(&s, j, 1);
    history(&s, 3 * S); /* on trial, as slow as before */
    j = hold(&s, 1);
    expect(avoids(&s, 3) && avoids(&s, 4) && !avoids(&s, 5));
    script_tell(&s, (struct event){.type = EV_TIMER, .u.timer = 4});
    let_go(&s, j, 1);
    for (int i = 0; i < 5; i++)
        history(&s, S);
    j = hold(&s, 1);
    expect(!avoids(&s, 6)); /* passed */
    let_go(&s, j, 1);
    for (int i = 0; i < 5; i++)
        history(&s, 3 * S);
    hold(&s, 1);
    expect(avoids(&s, 7) && !avoids(&s, 8));
    script_fini(&s);
}

/* Four nodes of five at a load of 0.8 carry 16 of 25 slots, not 17. */
TEST(blacklist_avoids_no_more_than_the_rest_can_carry)
{
    for (uint32_t tasks = 16; tasks <= 17; tasks++) {
        struct script s;
        script_init(&s, "screen=blacklist", NODES, SLOTS);
        history(&s, 3 * S);
        hold(&s, tasks);
        expect(avoids(&s, 1) == (tasks == 16));
        script_fini(&s);
    }
}

/* Who needs all of it would wait for ever. */
TEST(blacklist_leaves_the_only_node_of_its_size_alone)
{
    struct script s;
    script_init(&s, "screen=blacklist", NODES, SLOTS);
    history(&s, 2 * S + 1);
    hold(&s, 1);
    script_tell(&s, (struct event){.type = EV_NODE_CAPACITY,
                                   .node = {BAD},
                                   .u.node.capacity = {{(SLOTS + 1) * RES_SLOT, 0, 0, 0}}});
    expect(!avoids(&s, 1));
    script_fini(&s);
}

/* Its disk keeps the node away for a minute, also when its window is shorter. */
TEST(blacklist_does_not_shorten_the_minute_of_a_full_disk)
{
    struct script s;
    script_init(&s, "screen=blacklist;blacklist.window=30s;disks=own", NODES, SLOTS);
    history(&s, 2 * S + 1);
    hold(&s, NODES * SLOTS);
    struct attempt_ref at = {0};
    for (uint32_t i = 0; i < s.out.count; i++)
        if (s.out.at[i].type == DO_LAUNCH && s.out.at[i].node.v == BAD)
            at = s.out.at[i].at;
    script_tell(&s, (struct event){.type = EV_ATTEMPT_FAILED, .at = at, .cause = CAUSE_DISK_FULL});
    script_timer(&s, TICK_SCREEN, 30 * S);
    expect(script_count(&s, DO_AVOID_NODE, -1) == 1);
    const struct decision *d = &s.out.at[0];
    expect(d->node.v == BAD && d->u.until_us == 90LL * S && d->why.code == WHY_DISK_FULL);
    expect(brain_world(s.brain)->nodes.at[BAD].avoid_until_us == 90LL * S);
    script_fini(&s);
}
