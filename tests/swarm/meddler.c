/* meddler.c - adds events that a simulator has no reason to make.
 *
 * It keeps just enough to lie plausibly: which nodes the inner body has up, what it did to them
 * itself, and which jobs are not over. Its events come behind those of the batch, so a job can be
 * cancelled in the instant of its submission or in the instant of its last commit. */
#include "tests/swarm/meddler.h"

#include "base/vec.h"
#include "tests/swarm/draw.h"

#define TAKEN_US_MAX INT64_C(3600000000)

struct meddled_node {
    bool up;          /* for the inner body */
    bool withheld;    /* told suspect or draining by us */
    bool shrunk;      /* told smaller by us */
    int64_t since_us; /* when we took the first of that */
};

struct meddler {
    struct meddler_habits habits;
    uint64_t seed, turns;
    const struct cluster *cluster;
    const struct body_ops *inner;
    void *inner_body;
    struct meddled_node *nodes;
    uint32_t meddled; /* nodes that are withheld or shrunk */
    uint32_t up;
    int64_t now_us;
    VEC(struct event) events;
    VEC(struct job_id) jobs; /* not over */
};

struct meddler *meddler_create(const struct meddler_habits *habits, uint64_t seed,
                               const struct cluster *cluster, const struct body_ops *inner,
                               void *inner_body)
{
    struct meddler *m = mem_zalloc(1, sizeof *m);

    m->habits = *habits;
    m->seed = seed;
    m->cluster = cluster;
    m->inner = inner;
    m->inner_body = inner_body;
    m->nodes = mem_zalloc(cluster->node_count, sizeof *m->nodes);
    return m;
}

void meddler_destroy(struct meddler *m)
{
    if (!m)
        return;
    vec_free(&m->events);
    vec_free(&m->jobs);
    mem_free(m->nodes);
    mem_free(m);
}

static void job_forget(struct meddler *m, uint32_t i)
{
    m->jobs.at[i] = m->jobs.at[--m->jobs.count];
}

static void node_set(struct meddler *m, uint32_t i, bool withheld, bool shrunk)
{
    struct meddled_node *n = &m->nodes[i];

    if (!n->withheld && !n->shrunk)
        n->since_us = m->now_us;
    m->meddled -= n->withheld || n->shrunk;
    n->withheld = withheld;
    n->shrunk = shrunk;
    m->meddled += n->withheld || n->shrunk;
}

/* What the inner body says overrides what we said before. */
static void event_pass(struct meddler *m, const struct event *e, struct rng *r)
{
    vec_push(&m->events, *e);
    if (e->cause == CAUSE_INJECTED && m->habits.full_p > 0 &&
        (e->type == EV_ATTEMPT_FAILED || e->type == EV_ATTEMPT_LAUNCH_FAILED) &&
        draw_chance(r, m->habits.full_p))
        m->events.at[m->events.count - 1].cause =
            draw_chance(r, 0.5) ? CAUSE_DISK_FULL : CAUSE_NODE_FAULT;
    if (e->type == EV_NODE_UP || e->type == EV_NODE_DOWN) {
        m->up -= m->nodes[e->node.v].up;
        m->nodes[e->node.v].up = e->type == EV_NODE_UP;
        m->up += m->nodes[e->node.v].up;
        node_set(m, e->node.v, false, m->nodes[e->node.v].shrunk && e->type == EV_NODE_DOWN);
    } else if (e->type == EV_JOB_SUBMITTED) {
        vec_push(&m->jobs, e->u.job->id);
    }
}

static struct event *node_event(struct meddler *m, uint8_t type, uint32_t i)
{
    struct event *e = vec_add(&m->events);

    *e = (struct event){.type = type, .node = {i}};
    e->u.node.capacity = m->cluster->nodes[i].capacity;
    e->u.node.rack = m->cluster->nodes[i].rack;
    e->u.node.name = m->cluster->nodes[i].name;
    return e;
}

/* Gives back all that was taken from a node that is up. */
static void node_restore(struct meddler *m, uint32_t i)
{
    if (!m->nodes[i].up || !(m->nodes[i].withheld || m->nodes[i].shrunk))
        return;
    node_event(m, EV_NODE_UP, i);
    node_set(m, i, false, false);
}

/* Turns may be hours apart when all jobs wait for a node that we took, the only one that is large
 * enough for their tasks. Then chance alone would not give it back in time. */
static void nodes_restore_late(struct meddler *m)
{
    for (uint32_t i = 0; m->meddled > 0 && i < m->cluster->node_count; i++)
        if (m->now_us - m->nodes[i].since_us >= TAKEN_US_MAX)
            node_restore(m, i);
}

/* Never takes the last node: where nodes fail, nothing would happen until it fails itself and loses
 * its outputs, and a run of many turns would begin again and again. */
static void node_meddle(struct meddler *m, struct rng *r)
{
    const struct meddler_habits *h = &m->habits;
    uint32_t i = (uint32_t)rng_below(r, m->cluster->node_count);

    if (draw_chance(r, h->withhold_p + h->shrink_p))
        node_restore(m, (uint32_t)rng_below(r, m->cluster->node_count));
    if (!m->nodes[i].up || m->up < m->meddled + 2)
        return;
    if (draw_chance(r, h->withhold_p)) {
        node_event(m, draw_chance(r, 0.5) ? EV_NODE_SUSPECT : EV_NODE_DRAIN, i);
        node_set(m, i, true, m->nodes[i].shrunk);
    }
    if (draw_chance(r, h->shrink_p)) {
        struct event *e = node_event(m, EV_NODE_CAPACITY, i);
        for (int k = 0; k < RES_COUNT; k++)
            e->u.node.capacity.v[k] = (int32_t)(e->u.node.capacity.v[k] * rng_unit(r));
        node_set(m, i, m->nodes[i].withheld, true);
    }
}

static void job_meddle(struct meddler *m, struct rng *r)
{
    if (m->jobs.count == 0)
        return;
    uint32_t i = (uint32_t)rng_below(r, m->jobs.count);
    struct event e = {.at = {.job = m->jobs.at[i]}, .node = NODE_NONE};

    if (draw_chance(r, m->habits.change_p)) {
        e.type = EV_JOB_CHANGED;
        e.u.change.weight = draw_between(r, 1, 10 * JOB_WEIGHT_ONE);
        e.u.change.running_max = draw_chance(r, 0.5) ? draw_between(r, 1, 10) : 0;
        vec_push(&m->events, e);
    }
    if (draw_chance(r, m->habits.cancel_p)) {
        e.type = EV_JOB_CANCELLED;
        vec_push(&m->events, e);
        job_forget(m, i);
    }
}

static void cores_meddle(struct meddler *m, struct rng *r)
{
    if (!draw_chance(r, m->habits.cores_p))
        return;
    struct event e = {.type = EV_CORES, .node = NODE_NONE};
    e.u.cores.spare = (int32_t)draw_between(r, 0, 4) * RES_SLOT;
    e.u.cores.each = draw_chance(r, 0.3) ? 0 : (int32_t)draw_between(r, 1, 4) * RES_SLOT / 4;
    vec_push(&m->events, e);
}

static void pressure_meddle(struct meddler *m, struct rng *r)
{
    if (!draw_chance(r, m->habits.pressure_p))
        return;
    uint32_t i = (uint32_t)rng_below(r, m->cluster->node_count);
    struct event e = {.type = EV_PRESSURE, .node = {i}};
    int32_t most = draw_chance(r, 0.5) ? 49 : 300;
    e.u.pressure.disk = (int32_t)draw_between(r, 0, (uint32_t)most);
    e.u.pressure.memory = draw_chance(r, 0.5) ? 0 : (int32_t)draw_between(r, 0, (uint32_t)most);
    if (m->nodes[i].up)
        vec_push(&m->events, e);
}

static int meddler_wait(void *body, struct batch *batch, struct err *err)
{
    struct meddler *m = body;
    struct rng r = draw_stream(m->seed, DRAW_MEDDLER, m->turns++);
    int rc = m->inner->wait(m->inner_body, batch, err);

    vec_clear(&m->events);
    if (rc == 0 || (rc < 0 && m->meddled == 0))
        return rc;
    if (rc < 0) { /* perhaps only because of us */
        for (uint32_t i = 0; i < m->cluster->node_count; i++)
            node_restore(m, i);
        /* It looked weeks ahead before it gave up. A world that needs all its nodes keeps them. */
        m->habits.withhold_p = m->habits.shrink_p = 0;
        if (m->events.count == 0)
            return rc;
    } else {
        m->now_us = batch->now_us;
        for (uint32_t i = 0; i < batch->count; i++)
            event_pass(m, &batch->at[i], &r);
        nodes_restore_late(m);
        node_meddle(m, &r);
        job_meddle(m, &r);
        cores_meddle(m, &r);
        pressure_meddle(m, &r);
    }
    *batch = (struct batch){m->now_us, m->events.at, m->events.count, NULL};
    return 1;
}

static void meddler_perform(void *body, const struct decision *at, uint32_t count)
{
    struct meddler *m = body;

    for (uint32_t i = 0; i < count; i++)
        if (at[i].type == DO_JOB_DONE || at[i].type == DO_JOB_FAILED)
            for (uint32_t k = 0; k < m->jobs.count; k++)
                if (m->jobs.at[k].v == at[i].at.job.v)
                    job_forget(m, k--);
    m->inner->perform(m->inner_body, at, count);
}

const struct body_ops meddler_body = {.wait = meddler_wait, .perform = meddler_perform};
