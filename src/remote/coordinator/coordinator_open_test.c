/* What a coordinator needs to begin, and what it does for its fleet. */
#include "tests/unit/test.h"

#include "remote/coordinator/coordinator_stage_test.h"
#include "tests/unit/limits.h"

static struct fleet *no_fleet(const struct fleet_options *options, struct err *err)
{
    (void)options;
    err_set(err, "no fleet");
    return NULL;
}

/* Opens a coordinator that is expected to fail; true if it did, with this reason. */
static bool fails(const struct fleet_way *way, const char *call, int error, const char *why)
{
    char dir[TEST_FOLDER];
    struct cluster *cluster = cluster_plain(LINKS, 1);
    struct err err = {0};
    int64_t count = 0;

    test_folder(dir);
    struct coordinator_options o = {.way = way, .dir = dir, .cluster = cluster};
    sys_plan_set(&(struct sys_plan){.mode = SYS_PLAN_FAIL,
                                    .at = call ? 1 : 0,
                                    .error = error,
                                    .count = &count,
                                    .call = call ? call : "none"});
    struct coordinator *a = coordinator_open(&o, &err);
    sys_plan_set(NULL);
    coordinator_close(a);
    cluster_destroy(cluster);
    tree_remove(dir);
    return !a && strcmp(err.text, why) == 0;
}

TEST(coordinator_that_cannot_begin_says_why)
{
    struct fleet_way none = still_way;
    struct err err;

    none.open = no_fleet;
    expect(fails(&none, NULL, 0, "no fleet"));
    expect(
        fails(&still_way, "epoll_create", EMFILE, "cannot wait for agents: Too many open files"));
    expect(fails(&still_way, "epoll_ctl", ENOSPC,
                 "cannot listen for agents: No space left on device"));
    expect(fails(&still_way, "open", EIO, "cannot read the running program: Input/output error"));
    expect(coordinator_max(&none, &(struct fleet_options){0}, &err) == 0);
    expect(strcmp(err.text, "no fleet") == 0);
}

/* Each agent needs a descriptor. */
TEST(coordinator_makes_room_for_its_agents)
{
    struct host h;
    struct rlimit before, now;

    expect(getrlimit(RLIMIT_NOFILE, &before) == 0);
    for (rlim_t more = 0; more < 2; more++) {
        limits_set(RLIMIT_NOFILE, LINKS + 256 - 1 + 2 * more);
        host_open(&h, false);
        expect(getrlimit(RLIMIT_NOFILE, &now) == 0 && now.rlim_cur == LINKS + 256 + more);
        host_close(&h);
        setrlimit(RLIMIT_NOFILE, &before);
    }
}

static uint32_t fleet_tag;
static void tagged_event(struct fleet *f, uint32_t tag)
{
    (void)f;
    fleet_tag = tag;
}

TEST(coordinator_passes_on_events_of_its_fleet)
{
    struct host h;
    struct epoll_event e = {.events = EPOLLIN, .data.u64 = (UINT64_C(1) << 32) + 7};
    int fds[2];

    host_open(&h, false);
    h.coordinator->fleet->event = tagged_event;
    expect(pipe(fds) == 0 && write(fds[1], "x", 1) == 1);
    expect(epoll_ctl(h.coordinator->epoll_fd, EPOLL_CTL_ADD, fds[0], &e) == 0);
    coordinator_event(h.coordinator);
    expect(fleet_tag == 7);
    close(fds[0]);
    close(fds[1]);
    host_close(&h);
}

/* A stranger may be the agent that is missing. */
TEST(coordinator_hopes_while_a_stranger_is_at_the_door)
{
    struct host h;
    struct guest g;

    host_open(&h, false);
    guest_open(&g, &h, "one");
    expect(guest_says_hello(&g, NULL) == PACKET_WELCOME);
    fleet_has_hope = false;
    host_step(&h);
    expect(!h.lost);
    guest_close(&g);
    for (int64_t until_us = patience_us(); !h.lost && clock_now_us() < until_us;)
        host_step(&h);
    expect(h.lost);
    host_close(&h);
}

/* A name means one agent, and one that ends in a star all that begin so. */
TEST(coordinator_drains_those_who_are_meant)
{
    static const char *const names[] = {"", "on", "one1", "two", "*x", "one"};
    struct host h;
    struct guest g;

    host_open(&h, false);
    guest_joins(&g, &h, "one");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        still_options.on_drain(still_options.ctx, names[i], 5000000);
        int64_t until_us = h.coordinator->links[0]->ours_until_us;
        expect((until_us != INT64_MAX) == (i == 5));
    }
    expect(h.coordinator->links[0]->ours_until_us <= clock_now_us() + 5000000);
    int64_t before_us = clock_now_us();
    still_options.on_drain(still_options.ctx, "*", 9000000);
    expect(h.coordinator->links[0]->ours_until_us >= before_us + 9000000);
    guest_close(&g);
    host_close(&h);
}
