#include "commands/replay/replay_world.h"

#include <string.h>

#include "tests/unit/test.h"

static struct event node_event(uint8_t type, uint32_t node)
{
    struct event e = {.type = type, .node = {node}};
    if (type == EV_NODE_UP) {
        e.u.node.capacity.v[RES_CPU] = 2 * RES_SLOT;
        e.u.node.rack = node;
        e.u.node.name = node == 0 ? "first" : "other";
    }
    return e;
}

static const char *see(struct replay_world *w, int64_t now_us, uint8_t type, uint32_t node)
{
    struct event e = node_event(type, node);
    return replay_world_event(w, now_us, &e);
}

static bool outage_is(const struct cluster *c, uint32_t i, uint32_t node, int64_t at_us,
                      int64_t for_us)
{
    const struct cluster_outage *o = &c->outages.at[i];
    return i < c->outages.count && o->node == node && o->at_us == at_us && o->for_us == for_us;
}

TEST(replay_world_makes_outages_of_failures)
{
    struct replay_world w = {0};
    struct cluster *c = cluster_create();
    expect(!see(&w, 5, EV_NODE_UP, 0) && !see(&w, 5, EV_NODE_UP, 1));
    see(&w, 10, EV_NODE_DOWN, 1);
    see(&w, 12, EV_NODE_DOWN, 1); /* it is, already */
    see(&w, 30, EV_NODE_UP, 1);
    see(&w, 40, EV_NODE_DOWN, 0); /* a coordinator comes back: down and up at once */
    see(&w, 40, EV_NODE_UP, 0);
    see(&w, 41, EV_NODE_DOWN, 0); /* no time between them: one outage */
    see(&w, 50, EV_NODE_UP, 0);
    see(&w, 60, EV_NODE_UP, 2); /* it comes late */
    see(&w, 70, EV_NODE_DOWN, 1);
    expect(!replay_world_build(&w, c) && c->node_count == 3 && c->rack_count == 3);
    expect(!strcmp(c->nodes[0].name, "first") && !strcmp(c->nodes[1].name, "other"));
    expect(!strcmp(c->nodes[2].name, "node#2") && c->nodes[2].rack == 2); /* the name is taken */
    expect(c->nodes[1].capacity.v[RES_CPU] == 2 * RES_SLOT);
    expect(c->outages.count == 4 && outage_is(c, 0, 1, 10, 20) && outage_is(c, 1, 0, 40, 10));
    expect(outage_is(c, 2, 2, 0, 60) && outage_is(c, 3, 1, 70, CLUSTER_FOR_GOOD));
    expect(w.outside.count == 0);
    cluster_destroy(c);
    replay_world_fini(&w);
}

TEST(replay_world_knows_restarts)
{
    struct replay_world w = {0};
    struct cluster *c = cluster_create();
    see(&w, 0, EV_NODE_UP, 0);
    see(&w, 10, EV_NODE_DOWN, 0); /* lost, and back */
    see(&w, 11, EV_NODE_UP, 0);
    see(&w, 20, EV_NODE_DOWN, 0); /* the coordinator */
    see(&w, 20, EV_NODE_UP, 0);
    see(&w, 30, EV_NODE_DOWN, 0); /* and lost after all, at the moment of its return */
    see(&w, 30, EV_NODE_UP, 0);
    see(&w, 31, EV_NODE_DOWN, 0);
    see(&w, 40, EV_NODE_UP, 0);
    expect(!replay_world_build(&w, c) && c->outages.count == 3);
    expect(outage_is(c, 0, 0, 10, 1) && !c->outages.at[0].restart);
    expect(outage_is(c, 1, 0, 20, 1) && c->outages.at[1].restart);
    expect(outage_is(c, 2, 0, 30, 10) && !c->outages.at[2].restart);
    cluster_destroy(c);
    replay_world_fini(&w);
}

TEST(replay_world_where_all_nodes_are_down_in_the_end_has_them_back)
{
    struct replay_world w = {0};
    struct cluster *c = cluster_create();
    see(&w, 0, EV_NODE_UP, 0);
    see(&w, 10, EV_NODE_DOWN, 0);
    see(&w, 20, EV_NODE_UP, 0);
    see(&w, 30, EV_NODE_DOWN, 0);
    expect(replay_world_build(&w, c) && c->outages.count == 1 && outage_is(c, 0, 0, 10, 10));
    cluster_destroy(c);
    replay_world_fini(&w);
}

TEST(replay_world_keeps_what_others_did)
{
    struct replay_world w = {0};
    struct event cancelled = {.type = EV_JOB_CANCELLED, .at = {.job = {3}}};
    struct event cores = {.type = EV_CORES, .u.cores = {1500, 500}};
    struct event pressure = {.type = EV_PRESSURE, .node = {0}, .u.pressure = {300, 20}};
    struct event timer = {.type = EV_TIMER};
    see(&w, 0, EV_NODE_UP, 0);
    see(&w, 10, EV_NODE_DRAIN, 0);
    see(&w, 20, EV_NODE_UP, 0);
    see(&w, 30, EV_NODE_DOWN, 0);
    see(&w, 40, EV_NODE_DRAIN, 0); /* it is back, but takes nothing */
    replay_world_event(&w, 50, &cancelled);
    replay_world_event(&w, 60, &cores);
    replay_world_event(&w, 65, &pressure);
    replay_world_event(&w, 70, &timer);
    expect(w.outages.count == 1 && w.outages.at[0].for_us == 10 && w.outside.count == 6);
    expect(w.outside.at[0].event.type == EV_NODE_DRAIN && w.outside.at[0].at_us == 10);
    expect(w.outside.at[1].event.type == EV_NODE_UP && !w.outside.at[1].event.u.node.name);
    expect(w.outside.at[2].event.type == EV_NODE_DRAIN && w.outside.at[2].at_us == 40);
    expect(w.outside.at[3].event.at.job.v == 3 && w.outside.at[4].event.u.cores.spare == 1500);
    expect(w.outside.at[5].event.u.pressure.disk == 300 && w.outside.at[5].at_us == 65);
    replay_world_fini(&w);
}

/* It shrinks, comes back from an outage with three cores, and nothing changes when it drains. */
TEST(replay_world_tells_what_nodes_hold)
{
    struct replay_world w = {0};
    struct cluster *c = cluster_create();
    struct event less = node_event(EV_NODE_CAPACITY, 0), back = node_event(EV_NODE_UP, 0);
    less.u.node.capacity = (struct res){{RES_SLOT}};
    back.u.node.capacity = (struct res){{3 * RES_SLOT}};
    see(&w, 0, EV_NODE_UP, 0);
    expect(replay_world_event(&w, 10, &less) == NULL);
    expect(replay_world_event(&w, 15, &less) == NULL); /* told twice */
    see(&w, 20, EV_NODE_DOWN, 0);
    expect(replay_world_event(&w, 30, &back) == NULL);
    see(&w, 40, EV_NODE_DRAIN, 0);
    expect(!replay_world_build(&w, c) && c->nodes[0].capacity.v[RES_CPU] == 2 * RES_SLOT);
    expect(c->outages.count == 1 && w.outside.count == 3);
    expect(w.outside.at[0].at_us == 10 && w.outside.at[0].event.type == EV_NODE_CAPACITY);
    expect(w.outside.at[0].event.u.node.capacity.v[RES_CPU] == RES_SLOT);
    expect(w.outside.at[1].at_us == 30 && w.outside.at[1].event.type == EV_NODE_CAPACITY);
    expect(w.outside.at[1].event.u.node.capacity.v[RES_CPU] == 3 * RES_SLOT);
    expect(w.outside.at[2].event.type == EV_NODE_DRAIN);
    less.u.node.capacity.v[RES_MEM] = -1;
    expect(replay_world_event(&w, 50, &less) != NULL);
    cluster_destroy(c);
    replay_world_fini(&w);
}

TEST(replay_world_refuses_nodes_that_cannot_be)
{
    struct replay_world w = {0};
    expect(see(&w, 0, EV_NODE_UP, 1));
    expect(!see(&w, 0, EV_NODE_UP, 0) && see(&w, 0, EV_NODE_DOWN, 1));
    expect(see(&w, 0, EV_NODE_UP, NODES_MAX));
    replay_world_fini(&w);
}
