/* Orders to agents that are not there, not as they should be, or that have much to say. */
#include "tests/unit/test.h"

#include <poll.h>

#include "remote/coordinator/coordinator_stage_test.h"
#include "remote/wire/lease.h"

static char order_note[512];
static void on_order_note(void *ctx, const char *text)
{
    (void)ctx;
    snprintf(order_note, sizeof order_note, "%s", text);
}

TEST(agents_that_are_away_get_no_orders)
{
    struct host h;
    struct packet m = {.type = PACKET_KILL, .handle = 3};

    host_open(&h, false);
    expect(h.links[0]->order(h.links[0], &m) == 0 && h.seen_count == 0);
    expect(h.coordinator->links[0]->frames.fd == -1 &&
           frames_waiting(&h.coordinator->links[0]->frames) == 0);
    expect(h.links[0]->turn(h.links[0]) == INT64_MAX);
    host_close(&h);
}

/* Whoever is to read from an agent that has gone is told of an address where nobody is. */
TEST(agents_are_told_that_an_output_is_gone)
{
    struct host h;
    struct guest g;
    struct packet m;

    host_open(&h, true);
    guest_joins(&g, &h, "one");
    for (int i = 0; i < 2; i++) {
        struct agent_link *other = h.coordinator->links[1];
        h.coordinator->links[1] = i == 0 ? other : NULL;
        m = (struct packet){.type = PACKET_PLACE,
                            .u.place = {.output = 4, .where = "", .group = 1}};
        expect(h.links[0]->order(h.links[0], &m) == 0);
        expect(guest_hears(&g, &m) == PACKET_PLACE && strcmp(m.u.place.where, "gone:0") == 0);
        h.coordinator->links[1] = other;
    }
    guest_close(&g);
    host_close(&h);
}

/* With --pull no node is asked whether it sees the folder. */
TEST(agents_do_not_read_the_run_with_pull)
{
    struct host h;
    struct guest g;
    char dir[128], want[256];
    struct packet m = {.type = PACKET_LAUNCH, .handle = 3};

    host_open(&h, true);
    h.coordinator->options.on_note = on_order_note;
    guest_joins(&g, &h, "one");
    snprintf(dir, sizeof dir, "%s/in", h.dir);
    m.u.launch.command = "cat";
    m.u.launch.dir = m.u.launch.stdin_path = dir;
    m.u.launch.reuse = m.u.launch.env = "";
    expect(h.links[0]->order(h.links[0], &m) == 0 && h.seen_count == 1);
    expect(h.seen[0].type == PACKET_LAUNCH_FAILED && h.seen[0].u.error == EREMOTE);
    snprintf(want, sizeof want,
             "tasks read from %s, which host may not see (--pull): use a folder that all nodes "
             "see, without --pull",
             h.dir);
    expect(strcmp(order_note, want) == 0);
    guest_close(&g);
    host_close(&h);
}

/* A promise that is longer than usual is none where the usual one is longer still. */
TEST(agents_are_not_promised_less_before_we_are_stopped)
{
    struct host h;
    struct guest g;
    struct packet m, hold = {.type = PACKET_HOLD, .u.still = 1};

    for (int i = 0; i < 2; i++) {
        host_open(&h, false);
        guest_joins(&g, &h, "one");
        h.coordinator->options.lease_us = LEASE_HELD_US + (i == 0);
        expect(h.links[0]->order(h.links[0], &hold) == 0);
        expect(h.coordinator->links[0]->longer == (i == 1));
        m = (struct packet){.type = PACKET_KILL, .handle = 3};
        expect(h.links[0]->order(h.links[0], &m) == 0);
        expect(guest_hears(&g, &m) == (i == 0 ? PACKET_KILL : PACKET_LEASE));
        guest_close(&g);
        host_close(&h);
    }
}

/* A read that was interrupted is read on. */
TEST(agents_get_the_whole_plan)
{
    struct host h;
    struct guest g;
    struct packet m;
    char path[128];
    int64_t count = 0;

    host_open(&h, true);
    snprintf(path, sizeof path, "%s/plan", h.dir);
    FILE *f = fopen(path, "we");
    expect(f && fputs("plan", f) >= 0 && fclose(f) == 0);
    h.coordinator->options.plan = path;
    guest_open(&g, &h, "one");
    expect(guest_says_hello(&g, NULL) == PACKET_WELCOME);
    m = (struct packet){.type = PACKET_READY, .u.ready.port = 700};
    frames_send(&g.frames, &m);
    sys_plan_set(&(struct sys_plan){
        .mode = SYS_PLAN_FAIL, .at = 1, .error = EINTR, .count = &count, .call = "read"});
    expect(guest_hears(&g, &m) == PACKET_FILE && m.u.file.length == 4 && m.u.file.offset == 0);
    sys_plan_set(NULL);
    expect(count == 3 && !host_logs(&h, "/plan: "));
    guest_close(&g);
    host_close(&h);
}

/* Others get their turn before one that has more to say than it may at once. */
TEST(agents_that_say_much_take_turns)
{
    enum { MANY = 600 };
    struct host h;
    struct guest g;
    struct packet m = {.type = PACKET_PROGRESS, .handle = 3};

    host_open(&h, false);
    guest_joins(&g, &h, "one");
    struct agent_link *l = h.coordinator->links[0];
    l->idle_beats = 0;
    for (int i = 0; i < MANY; i++)
        frames_send(&g.frames, &m);
    expect(frames_flush(&g.frames) == 0 && frames_waiting(&g.frames) == 0);
    struct pollfd fd = {.fd = l->frames.fd, .events = POLLIN};
    expect(poll(&fd, 1, 60000) == 1);
    h.links[0]->event(h.links[0], 0);
    expect(l->more && h.seen_count == SEEN);
    int64_t before_us = clock_now_us(), next_us = h.links[0]->turn(h.links[0]);
    expect(l->more && next_us >= before_us && next_us <= clock_now_us());
    next_us = h.links[0]->turn(h.links[0]);
    expect(!l->more && next_us > clock_now_us());
    guest_close(&g);
    host_close(&h);
}

/* Starts before our own beginning are at it. */
TEST(agents_do_not_start_before_the_run)
{
    struct host h;
    struct guest g;

    host_open(&h, false);
    guest_joins(&g, &h, "one");
    guest_says(&g, (struct packet){.type = PACKET_STARTED,
                                   .handle = 1,
                                   .u.started_us = clock_now_us() + 3600000000});
    guest_says(&g, (struct packet){.type = PACKET_STARTED, .handle = 2, .u.started_us = 5});
    expect(h.seen_count == 2 && h.seen[1].u.started_us == 0);
    guest_close(&g);
    host_close(&h);
}

TEST(agents_whose_connection_breaks_are_gone)
{
    struct host h;
    struct guest g;
    struct packet m = {.type = PACKET_KILL, .handle = 3};
    int64_t count = 0;

    host_open(&h, false);
    guest_joins(&g, &h, "one");
    expect(h.links[0]->order(h.links[0], &m) == 0);
    sys_plan_set(&(struct sys_plan){
        .mode = SYS_PLAN_FAIL, .at = 1, .error = ECONNRESET, .count = &count, .call = "send"});
    int64_t next_us = h.links[0]->turn(h.links[0]);
    sys_plan_set(NULL);
    expect(count > 0 && next_us == INT64_MAX && h.presence[0] == RUNNER_AWAY);
    expect(strstr(h.why, "is gone: Connection reset by peer"));
    guest_close(&g);
    host_close(&h);
}
