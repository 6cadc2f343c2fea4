#include "record/stats/capacity.h"

#include "tests/unit/test.h"

TEST(capacity_counts_every_node_that_is_there_at_its_latest)
{
    struct capacity c = {0};
    struct event e = {.type = EV_NODE_UP, .node = {3}, .u.node.capacity = {{4000}}};

    capacity_see(&c, &e);
    expect(c.sum.v[RES_CPU] == 4000);
    e.node.v = 0;
    capacity_see(&c, &e);
    expect(c.sum.v[RES_CPU] == 8000);
    e.node.v = 3;
    capacity_see(&c, &e); /* it is back */
    expect(c.sum.v[RES_CPU] == 8000);
    e.type = EV_NODE_CAPACITY;
    e.u.node.capacity.v[RES_CPU] = 1000;
    capacity_see(&c, &e);
    expect(c.sum.v[RES_CPU] == 5000);
    e.type = EV_NODE_DOWN;
    e.node.v = 0;
    capacity_see(&c, &e);
    expect(c.sum.v[RES_CPU] == 1000);
    e.type = EV_NODE_CAPACITY; /* a change meanwhile counts when it is back */
    e.u.node.capacity.v[RES_CPU] = 3000;
    capacity_see(&c, &e);
    expect(c.sum.v[RES_CPU] == 1000);
    e.type = EV_NODE_UP;
    capacity_see(&c, &e);
    expect(c.sum.v[RES_CPU] == 4000 && c.most.v[RES_CPU] == 8000);
    capacity_fini(&c);
}
