/* The ground of the executor: nodes, failures, the feed and holding a run, without any runner. */
#include "exec/exec_node.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exec/exec_fail.h"
#include "exec/exec_hold.h"
#include "exec/exec_state.h"
#include "tests/unit/test.h"

/* Two nodes, each of a runner of its own. */
struct ground {
    struct exec exec;
    struct exec_runner runners[2];
    uint32_t of[2];
    struct exec_node nodes[2];
    struct runner_link links[2];
    struct packet orders[8];
    uint32_t ordered;
};

static struct ground *ground;

static int note_order(struct runner_link *r, const struct packet *p)
{
    (void)r;
    ground->orders[ground->ordered++ % 8] = *p;
    for (int64_t now_us = clock_now_us(); clock_now_us() == now_us;)
        ; /* an order takes some time */
    return 0;
}

static void ground_open(struct ground *g)
{
    *g = (struct ground){.of = {0, 1}};
    ground = g;
    g->exec.options.cluster = cluster_plain(2, 3);
    g->exec.runners = (struct exec_runners){.at = g->runners, .count = 2, .of = g->of};
    for (int i = 0; i < 2; i++) {
        g->links[i] = (struct runner_link){.order = note_order};
        g->runners[i] =
            (struct exec_runner){.exec = &g->exec, .link = &g->links[i], .presence = RUNNER_HERE};
    }
    for (int i = 0; i < EXEC_DUES; i++)
        g->exec.wait.due_us[i] = INT64_MAX;
}

static void ground_close(struct ground *g)
{
    vec_free(&g->exec.pending);
    cluster_destroy((struct cluster *)(uintptr_t)g->exec.options.cluster);
}

/* Takes the events. Returns true if there is one, of this type, about this node. */
static bool told(struct ground *g, uint8_t type, uint32_t node)
{
    struct exec_events *all = &g->exec.pending;
    bool right = all->count == 1 && all->at[0].type == type && all->at[0].node.v == node;

    all->count = 0;
    return right;
}

TEST(exec_node_says_how_a_node_is)
{
    static const struct {
        uint8_t presence;
        bool taken, paused;
        uint8_t type;
    } rows[] = {
        {RUNNER_HERE, false, false, EV_NODE_UP},
        {RUNNER_HERE, false, true, EV_NODE_DRAIN},
        {RUNNER_HERE, true, false, EV_NODE_DOWN},
        {RUNNER_LEAVING, false, false, EV_NODE_DRAIN},
        {RUNNER_LEAVING, true, true, EV_NODE_DOWN},
        {RUNNER_SILENT, false, false, EV_NODE_SUSPECT},
        {RUNNER_SILENT, false, true, EV_NODE_SUSPECT},
        {RUNNER_AWAY, false, false, EV_NODE_DOWN},
        {RUNNER_SILENT, true, false, EV_NODE_DOWN},
    };
    struct ground g;

    ground_open(&g);
    g.exec.nodes.at = g.nodes;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        g.runners[1].presence = rows[i].presence;
        g.exec.nodes.paused = rows[i].paused;
        for (uint32_t changes = rows[i].taken; changes < 4; changes += 2) { /* odd: it is down */
            g.nodes[1].changes = changes;
            exec_node_emit(&g.exec, 1);
            expect(told(&g, rows[i].type, 1));
            expect(exec_node_is_taken(&g.exec, 1) == rows[i].taken);
            expect(exec_node_is_down(&g.exec, 1) == (rows[i].type == EV_NODE_DOWN));
        }
        expect(!exec_node_is_down(&g.exec, 0) && !exec_node_is_taken(&g.exec, 0));
    }
    g.exec.nodes.at = NULL; /* without chaos none is taken */
    expect(!exec_node_is_taken(&g.exec, 1));
    ground_close(&g);
}

TEST(exec_node_has_a_capacity_when_it_is_up)
{
    struct ground g;

    ground_open(&g);
    exec_node_emit(&g.exec, 1);
    struct event *e = &g.exec.pending.at[0];
    expect(e->u.node.capacity.v[RES_CPU] == 3000 && strcmp(e->u.node.name, "n1") == 0);
    expect(e->u.node.rack == 0 && told(&g, EV_NODE_UP, 1));
    exec_node_emit_as(&g.exec, 0, EV_NODE_DOWN);
    expect(!g.exec.pending.at[0].u.node.name && told(&g, EV_NODE_DOWN, 0));
    ground_close(&g);
}

TEST(exec_node_pauses_once)
{
    struct ground g;

    ground_open(&g);
    g.runners[0].presence = RUNNER_AWAY; /* of which nothing new is said */
    exec_node_pause(&g.exec, false);
    expect(g.exec.pending.count == 0 && g.exec.wait.due_us[EXEC_DUE_LAUNCH] == INT64_MAX);
    exec_node_pause(&g.exec, true);
    expect(g.exec.nodes.paused && g.exec.wait.due_us[EXEC_DUE_LAUNCH] == 0);
    expect(told(&g, EV_NODE_DRAIN, 1));
    exec_node_pause(&g.exec, true);
    expect(g.exec.pending.count == 0);
    exec_node_pause(&g.exec, false);
    expect(!g.exec.nodes.paused && told(&g, EV_NODE_UP, 1));
    ground_close(&g);
}

TEST(exec_node_names_the_resources_that_have_names)
{
    struct ground g;
    struct cluster *c;

    ground_open(&g);
    c = (struct cluster *)(uintptr_t)g.exec.options.cluster;
    uint32_t named = 0;
    for (int i = 0; i < RES_COUNT; i++)
        named += c->resources[i].name != NULL;
    exec_node_emit_resources(&g.exec);
    expect(g.exec.pending.count == named);
    for (uint32_t i = 0; i < g.exec.pending.count; i++) {
        const struct event *e = &g.exec.pending.at[i];
        const struct cluster_resource *r = &c->resources[e->u.resource.which];
        expect(e->type == EV_RESOURCE && e->node.v == NODE_NONE.v);
        expect(r->name == e->u.resource.name && (uint8_t)r->kind == e->u.resource.kind);
    }
    ground_close(&g);
}

/* ---- failures ---- */

TEST(exec_fail_keeps_the_first_reason)
{
    struct ground g;

    ground_open(&g);
    exec_fail_run(&g.exec, "first %d", 1);
    exec_fail_run(&g.exec, "second");
    expect(g.exec.is_aborted && g.exec.aborted.kind == ERR_SYSTEM);
    expect(strcmp(g.exec.aborted.text, "first 1") == 0);
    expect(exec_fail_cause(ENOSPC) == CAUSE_DISK_FULL &&
           exec_fail_cause(EDQUOT) == CAUSE_DISK_FULL);
    expect(exec_fail_cause(EIO) == CAUSE_SYSTEM && exec_fail_cause(0) == CAUSE_SYSTEM);
    ground_close(&g);
}

TEST(exec_fail_answers_a_decision)
{
    struct decision d = {.id = 77, .type = DO_COMMIT, .at = {.task = 5}, .node = {1}};
    struct ground g;

    ground_open(&g);
    exec_fail_decision(&g.exec, &d, CAUSE_OUTPUT_GONE);
    struct event e = g.exec.pending.at[0];
    expect(told(&g, EV_REFUSED, 1) && e.cause == CAUSE_OUTPUT_GONE && e.at.task == 5);
    expect(e.u.refused.decision == 77 && e.u.refused.decision_type == DO_COMMIT);
    ground_close(&g);
}

/* ---- the feed ---- */

static int fed, feed_calls;

static int feed(void *ctx, struct err *err)
{
    (void)ctx;
    feed_calls++;
    return fed < 0 ? err_set(err, "no more") : fed;
}

/* How many events epoll has. */
static int events_of(const struct exec *x)
{
    struct epoll_event e;

    return epoll_wait(x->epoll_fd, &e, 1, 0);
}

TEST(exec_feed_is_read_while_it_is_not_held)
{
    struct exec_hooks hooks = {.feed = feed};
    struct ground g;
    int ends[2];

    ground_open(&g);
    expect(pipe(ends) == 0 && write(ends[1], "x", 1) == 1);
    hooks.feed_fd = ends[0];
    g.exec.options.hooks = &hooks;
    g.exec.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    g.exec.feed.held = true;
    exec_feed_hold(&g.exec, false); /* it is not open: nothing is watched */
    expect(events_of(&g.exec) == 0 && !g.exec.feed.held);
    g.exec.feed.open = g.exec.feed.held = true;
    exec_feed_hold(&g.exec, false);
    exec_feed_hold(&g.exec, false);
    expect(events_of(&g.exec) == 1);
    exec_feed_hold(&g.exec, true);
    expect(events_of(&g.exec) == 0 && g.exec.feed.held);
    exec_feed_hold(&g.exec, false);
    exec_feed_end(&g.exec);
    expect(events_of(&g.exec) == 0 && !g.exec.feed.open);
    close(g.exec.epoll_fd);
    close(ends[0]);
    close(ends[1]);
    ground_close(&g);
}

TEST(exec_feed_ends_the_run_with_its_own_reason)
{
    struct exec_hooks hooks = {.feed = feed};
    struct ground g;

    ground_open(&g);
    g.exec.options.hooks = &hooks;
    g.exec.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    g.exec.feed.open = true;
    fed = -1;
    feed_calls = 0;
    exec_feed_read(&g.exec);
    expect(g.exec.is_aborted && g.exec.aborted.kind == ERR_INPUT && !g.exec.feed.open);
    expect(strcmp(g.exec.aborted.text, "no more") == 0 && feed_calls == 1);
    close(g.exec.epoll_fd);
    ground_close(&g);
}

/* ---- holding a run ---- */

/* In a child, so that no signal of the test gets to it. Returns 0 if all is right. */
static int hold_until(int sig)
{
    struct ground g;
    sigset_t all;

    ground_open(&g);
    g.exec.options.supervised = true;
    g.runners[0].lost = true;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    raise(sig);
    int64_t before_us = g.exec.start_us;
    exec_hold(&g.exec);
    bool right = g.exec.interrupted == (sig != SIGCONT) && g.exec.start_us > before_us;
    right &= g.ordered == 2 && g.orders[0].type == PACKET_HOLD && g.orders[0].u.still &&
             g.orders[1].type == PACKET_HOLD && !g.orders[1].u.still;
    right &= g.runners[1].stirred && !g.runners[0].stirred;
    struct exec_groups groups = {0};
    g.exec.options.groups = &groups; /* elsewhere the work goes on, and so does the time */
    before_us = g.exec.start_us;
    raise(sig);
    exec_hold(&g.exec);
    return right && g.exec.start_us == before_us ? 0 : 1;
}

TEST(exec_hold_waits_for_the_supervisor_or_the_end)
{
    static const int signals[] = {SIGCONT, SIGINT, SIGTERM, SIGHUP};

    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        int status = -1;
        pid_t child = fork();
        if (child == 0)
            _exit(hold_until(signals[i]));
        expect(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    }
}
