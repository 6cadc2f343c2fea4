#include "brain/script_test.h"
#include "tests/test.h"

enum { S = 1000000, TICK_SCREEN = 3 };

/* Five phases of two tasks on two nodes; tasks on node 1 take `slow` times as long. */
static void history(struct script *s, int64_t slow)
{
    for (int round = 0; round < 5; round++) {
        struct job_id j = script_job(s, 1, 2);
        script_decide(s, s->now_us);
        int64_t begin = s->now_us;
        uint32_t on_one = s->out.at[0].node.v == 1 ? 0 : 1;
        script_started_all(s);
        script_decide(s, begin);
        s->now_us = begin + S;
        script_win(s, script_ref(j, 0, 1 - on_one, 0));
        s->now_us = begin + slow;
        script_win(s, script_ref(j, 0, on_one, 0));
    }
    script_job(s, 1, 2); /* something must run for the window to end */
    script_decide(s, s->now_us);
}

TEST(blacklist_avoids_a_node_for_one_window)
{
    struct script s;
    script_init(&s, "screen=blacklist", 2, 1);
    history(&s, 2 * S + 1);
    script_timer(&s, TICK_SCREEN, 3600LL * S);
    expect(script_count(&s, DO_AVOID_NODE, -1) == 1);
    const struct decision *d = &s.out.at[0];
    expect(d->node.v == 1 && d->u.until_us == 7200LL * S && d->why.num[0] == 1);
    const struct world *w = brain_world(s.brain);
    struct res need = {{0, 0, 0, 0}};
    expect(!fit_index_fits(&w->fit, 1, &need));
    /* When the time is over it is let back in. */
    s.now_us = 7200LL * S;
    script_tell(&s, (struct event){.type = EV_TIMER, .u.timer = 4});
    expect(fit_index_fits(&w->fit, 1, &need));
    script_fini(&s);
}

TEST(blacklist_leaves_healthy_nodes_alone)
{
    struct script s;
    script_init(&s, "screen=blacklist", 2, 1);
    history(&s, 2 * S); /* exactly twice the median is no straggler */
    script_timer(&s, TICK_SCREEN, 3600LL * S);
    expect(script_count(&s, DO_AVOID_NODE, -1) == 0);
    script_fini(&s);
}

/* Who needs all of it would wait for ever. */
TEST(blacklist_leaves_the_only_node_of_its_size_alone)
{
    struct script s;
    script_init(&s, "screen=blacklist", 2, 1);
    history(&s, 2 * S + 1);
    script_tell(&s, (struct event){.type = EV_NODE_CAPACITY,
                                   .node = {1},
                                   .u.node.capacity = {{2 * RES_SLOT, 0, 0, 0}}});
    script_timer(&s, TICK_SCREEN, 3600LL * S);
    expect(script_count(&s, DO_AVOID_NODE, -1) == 0);
    script_fini(&s);
}

/* Its disk keeps the node away for a minute, also when its window is shorter. */
TEST(blacklist_does_not_shorten_the_minute_of_a_full_disk)
{
    struct script s;
    script_init(&s, "screen=blacklist;blacklist.window=30s;disks=own", 2, 1);
    history(&s, 2 * S + 1);
    const struct decision *first = &s.out.at[0];
    expect(first->type == DO_LAUNCH);
    struct attempt_ref at = first->at;
    at.task = first->node.v == 1 ? 0 : 1;
    script_started_all(&s);
    script_tell(&s, (struct event){.type = EV_ATTEMPT_FAILED, .at = at, .cause = CAUSE_DISK_FULL});
    script_timer(&s, TICK_SCREEN, 30 * S);
    expect(script_count(&s, DO_AVOID_NODE, -1) == 1);
    const struct decision *d = &s.out.at[0];
    expect(d->node.v == 1 && d->u.until_us == 90LL * S && d->why.code == WHY_DISK_FULL);
    expect(brain_world(s.brain)->nodes.at[1].avoid_until_us == 90LL * S);
    script_fini(&s);
}
