/* What passes between a coordinator and agents that have joined, and what users hear of it. */
#include "tests/unit/test.h"

#include "remote/coordinator/coordinator_stage_test.h"
#include "remote/wire/lease.h"

static char link_notes[2048];
static void on_link_note(void *ctx, const char *text)
{
    (void)ctx;
    size_t used = strlen(link_notes);
    snprintf(link_notes + used, sizeof link_notes - used, "%s\n", text);
}

static void host_hears_notes(struct host *h)
{
    link_notes[0] = '\0';
    h->coordinator->options.on_note = on_link_note;
}

/* How often the text stands in what the user has heard. */
static uint32_t noted(const char *text)
{
    uint32_t n = 0;

    for (const char *at = link_notes; (at = strstr(at, text)); at++)
        n++;
    return n;
}

/* Joins with this rack, and with what the agent says of its readiness. */
static void guest_joins_with(struct guest *g, struct host *h, const char *name, const char *rack,
                             uint8_t shared, uint32_t port)
{
    guest_open(g, h, name);
    g->hello.rack = rack;
    expect(guest_says_hello(g, NULL) == PACKET_WELCOME);
    guest_says(g, (struct packet){.type = PACKET_READY, .u.ready = {shared, port}});
}

/* ---- nodes ---- */

TEST(agents_have_racks_and_as_many_slots_as_cores)
{
    struct host h;
    struct guest one, two;

    host_open(&h, false);
    guest_joins_with(&one, &h, "one", "s1", 1, 0);
    guest_joins_with(&two, &h, "two", "s1", 1, 0);
    uint32_t rack = cluster_find_rack(h.cluster, "s1");
    expect(rack != UINT32_MAX && rack != 0);
    expect(h.cluster->nodes[0].rack == rack && h.cluster->nodes[1].rack == rack);
    guest_close(&one);
    guest_close(&two);
    /* Another one in its place, with less than a core, more memory than can be counted, no rack. */
    guest_open(&one, &h, "one");
    one.hello.cores_milli = 500;
    one.hello.memory_mib = INT64_C(1) << 40;
    expect(guest_says_hello(&one, NULL) == PACKET_WELCOME);
    guest_says(&one, (struct packet){.type = PACKET_READY, .u.ready.shared = 1});
    expect(h.cluster->nodes[0].capacity.v[RES_CPU] == RES_SLOT && h.cluster->nodes[0].rack == 0);
    expect(h.cluster->nodes[0].capacity.v[RES_MEM] == 1 << 30);
    guest_close(&one);
    /* With as many slots as the user wants, and of a memory that is not known. */
    h.coordinator->options.slots = 7;
    guest_open(&one, &h, "one");
    one.hello.memory_mib = 0;
    expect(guest_says_hello(&one, NULL) == PACKET_WELCOME);
    guest_says(&one, (struct packet){.type = PACKET_READY, .u.ready.shared = 1});
    expect(h.cluster->nodes[0].capacity.v[RES_CPU] == 7 * RES_SLOT);
    expect(h.cluster->nodes[0].capacity.v[RES_MEM] == 1 << 30); /* as it was */
    guest_close(&one);
    host_close(&h);
}

TEST(agents_tell_users_of_one_clock_and_log_the_others)
{
    static const char *const names[] = {"one", "two"};
    struct host h;
    struct guest g[2];

    host_open(&h, false);
    host_hears_notes(&h);
    for (int i = 0; i < 2; i++) {
        guest_open(&g[i], &h, names[i]);
        g[i].hello.clock_us = ((int64_t)time(NULL) + 7200) * 1000000;
        expect(guest_says_hello(&g[i], NULL) == PACKET_WELCOME);
        guest_says(&g[i], (struct packet){.type = PACKET_READY, .u.ready.shared = 1});
    }
    expect(noted("the clock of host (agent ") == 1 && noted("(agent one) is 7") == 1);
    expect(noted(" s ahead of the coordinator's, and so are its file times") == 1 &&
           host_logs(&h, "(agent two)"));
    guest_close(&g[0]);
    guest_close(&g[1]);
    host_close(&h);
}

/* ---- where outputs stay with agents ---- */

/* The plan comes first, in pieces; whoever reads from another agent is told its address. */
TEST(agents_that_keep_outputs_get_the_plan_and_each_others_addresses)
{
    struct host h;
    struct guest one, two;
    struct packet m;
    char path[128];
    static char plan[2 * PACKET_OUTPUT_MAX + 2];

    memset(plan, 'p', sizeof plan);
    host_open(&h, true);
    snprintf(path, sizeof path, "%s/plan", h.dir);
    FILE *f = fopen(path, "we");
    expect(f && fwrite(plan, 1, sizeof plan, f) == sizeof plan && fclose(f) == 0);
    h.coordinator->options.plan = path;
    guest_open(&one, &h, "one");
    expect(guest_says_hello(&one, NULL) == PACKET_WELCOME);
    m = (struct packet){.type = PACKET_READY, .u.ready.port = 700};
    frames_send(&one.frames, &m);
    expect(guest_hears(&one, &m) == PACKET_FILE && m.u.file.offset == 0);
    expect(m.u.file.length == PACKET_OUTPUT_MAX && m.u.file.bytes[0] == 'p');
    expect(guest_hears(&one, &m) == PACKET_FILE && m.u.file.offset == PACKET_OUTPUT_MAX);
    expect(m.u.file.length == PACKET_OUTPUT_MAX);
    expect(guest_hears(&one, &m) == PACKET_FILE && m.u.file.offset == 2 * PACKET_OUTPUT_MAX);
    expect(m.u.file.length == 2);
    guest_joins_with(&two, &h, "two", "", 0, 800);
    for (uint32_t group = 0; group < LINKS; group++) {
        m = (struct packet){.type = PACKET_PLACE,
                            .handle = 9,
                            .u.place = {.output = 4, .where = "", .group = group}};
        expect(h.links[0]->order(h.links[0], &m) == 0);
        expect(guest_hears(&one, &m) == PACKET_PLACE && m.u.place.output == 4);
        expect(strcmp(m.u.place.where, group == 0 ? "" : "127.0.0.1:800") == 0);
    }
    guest_close(&two);
    /* A plan that is gone is noted in the log. */
    expect(unlink(path) == 0);
    guest_joins_with(&two, &h, "two", "", 0, 800);
    expect(host_logs(&h, "/plan: No such file"));
    /* So is one that cannot be read. */
    h.coordinator->options.plan = h.dir;
    guest_close(&two);
    guest_joins_with(&two, &h, "two", "", 0, 800);
    expect(host_logs(&h, ": Is a directory"));
    guest_close(&one);
    guest_close(&two);
    host_close(&h);
}

TEST(agents_hand_out_outputs_where_they_shall_and_nowhere_else)
{
    static const struct {
        bool keeps;
        uint32_t port;
    } cases[] = {{false, 700}, {true, 0}, {true, 65536}};
    struct host h;
    struct guest g;
    struct packet m;

    host_open(&h, true);
    for (int i = 0; i < 3; i++) {
        h.coordinator->options.plan = cases[i].keeps ? "/dev/null" : NULL;
        guest_open(&g, &h, "one");
        expect(guest_says_hello(&g, NULL) == PACKET_WELCOME);
        m = (struct packet){.type = PACKET_READY, .u.ready.port = cases[i].port};
        frames_send(&g.frames, &m);
        expect(guest_hears(&g, &m) == PACKET_REFUSED && m.u.refused.for_good);
        expect(strstr(m.u.refused.text, "its fetch server and the --pull of this run"));
        guest_close(&g);
    }
    h.coordinator->options.plan = "/dev/null";
    guest_joins_with(&g, &h, "one", "", 0, 65535);
    expect(h.presence[0] == RUNNER_HERE);
    guest_close(&g);
    host_close(&h);
}

/* ---- orders ---- */

TEST(agents_get_no_order_that_is_too_long_or_reads_what_they_do_not_see)
{
    static char command[PACKET_BYTES_MAX + 1];
    static const char env[] = "A=1\0DOLLY_INPUT_DIR=/x";
    struct host h;
    struct guest g;
    char dir[128];
    struct packet m = {.type = PACKET_LAUNCH, .handle = 3};

    memset(command, 'c', sizeof command - 1);
    host_open(&h, false);
    host_hears_notes(&h);
    guest_joins(&g, &h, "one");
    snprintf(dir, sizeof dir, "%s/attempts/0.0.3.0", h.dir);
    m.u.launch.dir = dir;
    m.u.launch.stdin_path = m.u.launch.reuse = m.u.launch.env = "";
    m.u.launch.command = command;
    errno = 0;
    expect(h.links[0]->order(h.links[0], &m) < 0 && errno == EMSGSIZE && h.seen_count == 0);
    m.u.launch.command = "true";
    m.u.launch.env = env;
    m.u.launch.env_bytes = sizeof env;
    for (uint32_t i = 0; i < 2; i++) {
        expect(h.links[0]->order(h.links[0], &m) == 0 && h.seen_count == i + 1);
        expect(h.seen[i].type == PACKET_LAUNCH_FAILED && h.seen[i].u.error == EREMOTE);
    }
    expect(noted("tasks read from ") == 1 && noted("which host does not see: use a folder") == 1);
    m.u.launch.env_bytes = 4; /* A=1 alone */
    expect(h.links[0]->order(h.links[0], &m) == 0 && h.seen_count == 2);
    expect(guest_hears(&g, &m) == PACKET_LAUNCH && strcmp(m.u.launch.dir, "attempts/0.0.3.0") == 0);
    /* Paths are those of the run, where they lie in its folder. */
    char path[128], beside[128];
    snprintf(path, sizeof path, "%s/out/1", h.dir);
    snprintf(beside, sizeof beside, "%sx/out/1", h.dir);
    m = (struct packet){.type = PACKET_READ, .handle = 3, .u.read.path = path};
    expect(h.links[0]->order(h.links[0], &m) == 0 && guest_hears(&g, &m) == PACKET_READ);
    expect(strcmp(m.u.read.path, "out/1") == 0);
    m = (struct packet){.type = PACKET_READ, .handle = 3, .u.read.path = beside};
    expect(h.links[0]->order(h.links[0], &m) == 0 && guest_hears(&g, &m) == PACKET_READ);
    expect(strcmp(m.u.read.path, beside) == 0);
    /* Nothing is held unless we are stopped. */
    m = (struct packet){.type = PACKET_HOLD, .u.still = 0};
    expect(h.links[0]->order(h.links[0], &m) == 0);
    m = (struct packet){.type = PACKET_READ, .handle = 3, .u.read.path = path};
    expect(h.links[0]->order(h.links[0], &m) == 0 && guest_hears(&g, &m) == PACKET_READ);
    guest_close(&g);
    host_close(&h);
}

/* ---- reports ---- */

static int64_t room_told = -2;
static void on_free_bytes(void *ctx, int64_t room)
{
    (void)ctx;
    room_told = room;
}

TEST(agents_say_how_much_room_they_have)
{
    struct host h;
    struct guest g;

    host_open(&h, false);
    guest_joins(&g, &h, "one");
    h.coordinator->links[0]->options.on_free_bytes = on_free_bytes;
    room_told = -2;
    struct packet m = {.type = PACKET_BEAT, .u.beat = {.sent_us = 1, .free_bytes = -1}};
    frames_send(&g.frames, &m);
    expect(guest_hears(&g, &m) == PACKET_BEAT && room_told == -2); /* it is not known */
    m = (struct packet){.type = PACKET_BEAT, .u.beat = {.sent_us = 2, .free_bytes = 0}};
    frames_send(&g.frames, &m);
    expect(guest_hears(&g, &m) == PACKET_BEAT && m.u.beat.sent_us == 2 &&
           m.u.beat.free_bytes == -1);
    expect(room_told == 0 && m.u.beat.lease_us == LEASE_US);
    guest_close(&g);
    host_close(&h);
}

/* Whatever an agent says, it is there: no less is promised to its owner than a lease from then. */
TEST(agents_that_say_anything_are_there)
{
    struct host h;
    struct guest g;

    host_open(&h, false);
    guest_joins(&g, &h, "one");
    struct agent_link *l = h.coordinator->links[0];
    int64_t before_us = l->heard_us, until_us = patience_us();
    struct packet m = {.type = PACKET_CORES};
    l->until_us = before_us + LEASE_US / 2;
    l->idle_beats = 7;
    expect(frames_send(&g.frames, &m) == 0 && frames_flush(&g.frames) == 0);
    while (l->heard_us == before_us && clock_now_us() < until_us)
        host_step(&h);
    expect(l->until_us == l->heard_us + LEASE_US && l->idle_beats == 0);
    guest_close(&g);
    host_close(&h);
}

/* Starts are dated by the shortest way that any has had, and never before our own beginning. */
TEST(agents_date_starts_by_our_clock)
{
    struct host h;
    struct guest g;
    int64_t before_us = clock_now_us();

    host_open(&h, false);
    guest_joins(&g, &h, "one");
    guest_says(&g, (struct packet){.type = PACKET_STARTED, .handle = 1, .u.started_us = 5000000});
    int64_t after_us = clock_now_us();
    expect(h.seen_count == 1 && h.seen[0].u.started_us >= before_us);
    expect(h.seen[0].u.started_us <= after_us);
    int64_t first_us = h.seen[0].u.started_us;
    /* It says that this one began 2 s before, and came late. */
    guest_says(&g, (struct packet){.type = PACKET_STARTED, .handle = 2, .u.started_us = 3000000});
    expect(h.seen_count == 2 &&
           h.seen[1].u.started_us == (first_us > 2000000 ? first_us - 2000000 : 0));
    guest_says(&g, (struct packet){.type = PACKET_STARTED, .handle = 3, .u.started_us = -1});
    expect(h.seen_count == 3 && h.seen[2].u.started_us == -1); /* it does not know */
    guest_close(&g);
    host_close(&h);
}

TEST(agents_that_say_what_no_agent_says_are_gone)
{
    static const uint8_t types[] = {PACKET_LAUNCH_FAILED, PACKET_KILL, PACKET_LEAVE, PACKET_READY};

    for (size_t i = 0; i < sizeof types; i++) {
        struct host h;
        struct guest g;
        host_open(&h, false);
        guest_joins(&g, &h, "one");
        guest_says(&g, (struct packet){.type = types[i], .handle = 77});
        expect(h.presence[0] == (i == 0 ? RUNNER_HERE : RUNNER_AWAY));
        expect(i == 0 || strstr(h.why, "node host (agent one) is gone: it sent an invalid packet"));
        guest_close(&g);
        host_close(&h);
    }
}

/* The owner may find that an agent is of no use. */
TEST(agents_leave_when_their_owner_refuses_them)
{
    struct host h;
    struct guest g;

    host_open(&h, false);
    guest_joins(&g, &h, "one");
    expect(coordinator_connected(h.coordinator) == 1);
    expect(host_logs(&h, ": host host, 3 cores, 1000 MiB, scratch /scratch, outputs are pulled\n"));
    h.links[0]->refuse(h.links[0], "it is too small");
    expect(host_logs(&h, "left one 127.0.0.1:") && host_logs(&h, ": it is too small\n"));
    expect(h.presence[0] == RUNNER_AWAY && strstr(h.why, "is gone: it is too small"));
    expect(coordinator_connected(h.coordinator) == 0 && guest_hears(&g, NULL) == 0);
    h.why[0] = '\0';
    h.links[0]->refuse(h.links[0], "again"); /* it is gone already */
    expect(!h.why[0]);
    guest_close(&g);
    host_close(&h);
}

/* Silence for a while, and for too long. */
TEST(agents_that_are_not_heard_are_silent_and_then_gone)
{
    struct host h;
    struct guest g;

    host_open(&h, false);
    guest_joins(&g, &h, "one");
    h.coordinator->links[0]->heard_us -= LEASE_SILENT_US;
    host_step(&h);
    expect(h.presence[0] == RUNNER_SILENT);
    guest_says(&g,
               (struct packet){.type = PACKET_BEAT, .u.beat = {.sent_us = 1, .free_bytes = -1}});
    expect(h.presence[0] == RUNNER_HERE);
    h.coordinator->links[0]->heard_us -= LEASE_US;
    h.coordinator->links[0]->until_us = clock_now_us();
    host_step(&h);
    expect(h.presence[0] == RUNNER_AWAY && strstr(h.why, "it has been silent for too long"));
    expect(h.links[0]->turn(h.links[0]) == INT64_MAX); /* nothing is due any more */
    guest_close(&g);
    host_close(&h);
}

/* ---- what users hear ---- */

TEST(agents_that_cannot_connect_are_told_of_three_times)
{
    struct host h;

    host_open(&h, false);
    host_hears_notes(&h);
    for (int i = 0; i < 5; i++)
        still_options.on_mute(still_options.ctx, "n1", "cannot reach x:7: No route");
    expect(
        noted(
            "agent n1 cannot reach x:7: No route; use --listen to name another address or port") ==
        3);
    fleet_has_hope = false;
    host_step(&h);
    expect(h.lost && strstr(h.why, "dolly cannot start another: agent n1 cannot reach x:7"));
    expect(host_logs(&h, "Z agent n1 cannot reach x:7: No route; use --listen to name another"));
    host_close(&h);
}

TEST(agents_say_that_an_allocation_ends)
{
    struct host h;
    struct guest g;

    host_open(&h, false);
    host_hears_notes(&h);
    guest_joins(&g, &h, "a.one");
    still_options.on_note(still_options.ctx, "a line of the fleet");
    expect(noted("a line of the fleet\n") == 1);
    h.coordinator->fleet->last = true;
    still_options.on_drain(still_options.ctx, "a.*", 30000000);
    expect(noted("the allocation ends in 30 s: 0 tasks run\n") == 1);
    expect(host_logs(&h, "drain a.*: its node ends in 30 s\n"));
    h.coordinator->fleet->last = false;
    guest_close(&g);
    host_close(&h);
}

/* The first ten seconds are an agent's way to come. */
TEST(agents_say_that_only_strangers_come)
{
    struct host h;
    struct guest g;

    for (int agent = 0; agent < 2; agent++) {
        host_open(&h, false);
        host_hears_notes(&h);
        if (agent)
            guest_joins(&g, &h, "one");
        h.coordinator->refused.all = 99;
        h.coordinator->opened_us = clock_now_us() - 20000000;
        host_step(&h);
        expect(!link_notes[0]);
        h.coordinator->refused.all = 100;
        h.coordinator->opened_us = agent ? h.coordinator->opened_us : clock_now_us();
        host_step(&h);
        expect(!link_notes[0]);
        h.coordinator->opened_us -= agent ? 0 : 10000000;
        host_step(&h);
        host_step(&h);
        expect(noted("no agent has joined yet, but 100 peers without the key") == !agent);
        if (agent)
            guest_close(&g);
        host_close(&h);
    }
}

TEST(agents_who_do_not_say_who_they_are_are_dropped_in_time)
{
    struct host h;
    struct guest g;

    host_open(&h, false);
    guest_open(&g, &h, "one");
    expect(guest_says_hello(&g, NULL) == PACKET_WELCOME);
    uint32_t at = 0;
    while (at < ADMISSION_PEERS - 1 && !h.coordinator->peers[at])
        at++;
    int64_t next_us = coordinator_turn(h.coordinator);
    expect(h.coordinator->peers[at] && next_us <= h.coordinator->peers[at]->until_us);
    h.coordinator->peers[at]->until_us = clock_now_us();
    coordinator_turn(h.coordinator);
    expect(!h.coordinator->peers[at] && host_logs(&h, "it has not identified itself in time"));
    guest_close(&g);
    /* One that cannot work there says why, if that can be printed. */
    guest_open(&g, &h, "one");
    expect(guest_says_hello(&g, NULL) == PACKET_WELCOME);
    struct packet m = {.type = PACKET_FATAL, .u.text = "no disk"};
    frames_send(&g.frames, &m);
    expect(guest_hears(&g, &m) == PACKET_REFUSED && host_logs(&h, "no disk"));
    guest_close(&g);
    host_close(&h);
}

/* A fleet grows when all agents have been full for a while. */
static int64_t waiting_us;
static int64_t waiting_turn(struct fleet *f, const struct fleet_need *need)
{
    (void)f;
    waiting_us = need->waiting_us;
    return INT64_MAX;
}

TEST(agents_say_for_how_long_all_have_been_full)
{
    struct host h;
    struct guest g;
    char dir[128];

    host_open(&h, false);
    h.coordinator->fleet->turn = waiting_turn;
    h.coordinator->options.slots = 1;
    guest_joins(&g, &h, "one");
    host_step(&h);
    expect(waiting_us == 0 && h.coordinator->full_us == 0);
    struct packet m = {.type = PACKET_LAUNCH, .handle = 3};
    snprintf(dir, sizeof dir, "%s/attempts/0.0.3.0", h.dir);
    m.u.launch.command = "true";
    m.u.launch.dir = dir;
    m.u.launch.stdin_path = m.u.launch.reuse = m.u.launch.env = "";
    expect(h.links[0]->order(h.links[0], &m) == 0);
    host_step(&h);
    expect(h.coordinator->full_us > 0);
    int64_t since_us = h.coordinator->full_us -= 1000000;
    host_step(&h);
    expect(waiting_us >= 1000000 && h.coordinator->full_us == since_us);
    guest_says(&g, (struct packet){.type = PACKET_KILLED, .handle = 3});
    host_step(&h);
    expect(waiting_us == 0 && h.coordinator->full_us == 0);
    guest_close(&g);
    host_close(&h);
}

TEST(agents_need_as_many_nodes_as_their_fleet_may_have)
{
    struct fleet_options options = {0};
    struct host h;
    struct err err;

    expect(coordinator_max(&still_way, &options, &err) == LINKS && still_closed);
    host_open(&h, false);
    expect(coordinator_lease_us(h.coordinator) == LEASE_US);
    h.coordinator->left_us = LEASE_US + 1;
    expect(coordinator_lease_us(h.coordinator) == LEASE_US + 1);
    host_close(&h);
}

/* An agent may stay a minute longer than its node is its owner's. */
TEST(agents_are_sent_off_a_minute_after_the_time_of_their_node)
{
    struct host h;
    struct guest g;

    host_open(&h, false);
    guest_joins(&g, &h, "one");
    struct agent_link *l = h.coordinator->links[0];
    l->ours_until_us = clock_now_us() - 59500000;
    int64_t next_us = h.links[0]->turn(h.links[0]);
    expect(next_us == l->ours_until_us + 60000000 || h.presence[0] == RUNNER_AWAY);
    l->ours_until_us -= 1000000;
    host_step(&h);
    expect(h.presence[0] == RUNNER_AWAY && strstr(h.why, "the time limit of its node has passed"));
    guest_close(&g);
    host_close(&h);
}

/* An owner sleeps until the first of what is due: for the fleet, at the door, for the list. */
static int64_t fleet_due_us;
static int64_t due_turn(struct fleet *f, const struct fleet_need *need)
{
    (void)f;
    (void)need;
    return fleet_due_us;
}

TEST(agents_say_what_is_due_first)
{
    struct host h;
    struct guest g;

    host_open(&h, false);
    host_step(&h);
    struct coordinator *c = h.coordinator;
    int64_t now_us = clock_now_us();
    c->fleet->turn = due_turn;
    fleet_due_us = INT64_MAX;
    c->listed_us = INT64_MAX;
    expect(coordinator_turn(c) == INT64_MAX);
    fleet_due_us = now_us + 7000000;
    expect(coordinator_turn(c) == fleet_due_us);
    c->listed_us = now_us + 6000000;
    expect(coordinator_turn(c) == c->listed_us);
    c->deaf_until_us = now_us + 5000000;
    expect(coordinator_turn(c) == c->deaf_until_us);
    c->deaf_until_us = 0;
    guest_open(&g, &h, "one");
    expect(guest_says_hello(&g, NULL) == PACKET_WELCOME);
    uint32_t at = 0;
    while (at < ADMISSION_PEERS - 1 && !c->peers[at])
        at++;
    c->fleet->turn = due_turn;
    c->listed_us = fleet_due_us = INT64_MAX;
    expect(c->peers[at]->until_us > now_us && coordinator_turn(c) == c->peers[at]->until_us);
    c->checker.busy = true;
    c->checker.until_us = clock_now_us() + 60000000;
    c->peers[at]->until_us = c->checker.until_us + 1;
    expect(coordinator_turn(c) == c->checker.until_us || !c->checker.busy);
    c->checker.busy = false;
    /* Nothing is due of a fleet that does nothing, without strangers, but the next list. */
    guest_close(&g);
    c->listed_us = 0;
    now_us = clock_now_us();
    int64_t next_us = coordinator_turn(c);
    expect(c->listed_us >= now_us + 1000000 && next_us <= c->listed_us);
    expect(c->listed_us <= clock_now_us() + 1000000);
    host_close(&h);
}
