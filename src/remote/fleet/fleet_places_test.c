#include "remote/fleet/fleet_places.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/os/clock.h"
#include "base/os/tree.h"
#include "exec/process/sys.h"
#include "remote/fleet/fleet_words.h"
#include "remote/wire/lease.h"
#include "tests/unit/test.h"

static uint32_t commands; /* that were asked for */

/* As long as a name may be. */
static void name_of(void *ctx, uint32_t place, char name[FLEET_NAME_MAX + 1])
{
    (void)ctx;
    snprintf(name, FLEET_NAME_MAX + 1, "p%u%0*d", place, FLEET_NAME_MAX - 2, 0);
}

static void command_of(void *ctx, uint32_t place, const char *name, struct fleet_words *words)
{
    (void)ctx, (void)place, (void)name;
    commands++;
    fleet_words_add(words, "sleep");
    fleet_words_add(words, "100");
}

static struct fleet *open_two(const char *dir, int epoll_fd, bool again)
{
    static char key[FLEET_KEY_TEXT];
    struct fleet_options options = {
        .key = key, .dir = dir, .epoll_fd = epoll_fd, .again = again, .stays = true};

    commands = 0;
    return fleet_places_open(&(struct fleet_places_options){
        .fleet = &options, .min = 2, .max = 2, .name = name_of, .command = command_of});
}

TEST(fleet_places_start_no_agent_where_one_is)
{
    char dir[TEST_FOLDER], name[FLEET_NAME_MAX + 1];
    int epoll_fd = sys_epoll_create();

    test_folder(dir);
    struct fleet *f = open_two(dir, epoll_fd, false);
    name_of(NULL, 1, name);
    struct fleet_agent there = {.name = name};
    f->turn(f, &(struct fleet_need){.agents = &there, .connected = 1});
    expect(commands == 1);
    f->close(f);
    close(epoll_fd);
    tree_remove(dir);
}

/* ... and there is nothing more to look for. */
TEST(fleet_places_look_no_more_for_agents_that_have_joined)
{
    char dir[TEST_FOLDER], names[2][FLEET_NAME_MAX + 1];
    struct fleet_agent there[2];
    int epoll_fd = sys_epoll_create();

    test_folder(dir);
    for (uint32_t i = 0; i < 2; i++) {
        name_of(NULL, i, names[i]);
        there[i] = (struct fleet_agent){.name = names[i]};
    }
    struct fleet *f = open_two(dir, epoll_fd, false);
    int64_t now_us = clock_now_us(), next_us = f->turn(f, &(struct fleet_need){0});
    expect(commands == 2 && next_us > now_us);
    struct fleet_need one = {.agents = there, .connected = 1};
    expect(f->turn(f, &one) < INT64_MAX);
    struct fleet_need both = {.agents = there, .connected = 2};
    for (int i = 0; i < 2; i++)
        expect(f->turn(f, &both) == INT64_MAX && commands == 2);
    f->close(f);
    close(epoll_fd);
    tree_remove(dir);
}

TEST(fleet_places_of_a_second_coordinator_wait_for_agents_that_linger)
{
    char dir[TEST_FOLDER];
    struct fleet_need none = {0};
    int epoll_fd = sys_epoll_create();

    test_folder(dir);
    struct fleet *f = open_two(dir, epoll_fd, false);
    f->turn(f, &none);
    expect(commands == 2);
    f->close(f);
    f = open_two(dir, epoll_fd, true);
    int64_t now_us = clock_now_us(), next_us = f->turn(f, &none);
    expect(commands == 0 && f->hopes(f));
    expect(next_us > now_us && next_us <= now_us + LEASE_US);
    f->close(f);
    close(epoll_fd);
    tree_remove(dir);
}

/* ---- agents that run, and cannot connect ---- */

static char mute[300];

static void on_mute(void *ctx, const char *name, const char *why)
{
    (void)ctx;
    snprintf(mute, sizeof mute, "%.2s %s", name, why);
}

static void on_ended(void *ctx, const char *name, const char *why)
{
    (void)ctx, (void)name, (void)why;
}

static void complaining(void *ctx, uint32_t place, const char *name, struct fleet_words *words)
{
    (void)ctx, (void)place, (void)name;
    commands++;
    fleet_words_add(words, "sh");
    fleet_words_add(words, "-c");
    fleet_words_add(words, "echo 'dolly agent: cannot reach nowhere:7: No route' >&2; sleep 0.1; "
                           "exit 1");
}

/* However long it lives, one that never joins was started in vain; and it is heard meanwhile. */
TEST(fleet_places_an_agent_that_cannot_connect_is_no_hope_in_the_end)
{
    static char key[FLEET_KEY_TEXT];
    char dir[TEST_FOLDER];
    int epoll_fd = sys_epoll_create();
    struct fleet_need none = {0};
    struct epoll_event e;

    test_folder(dir);
    struct fleet_options options = {
        .key = key, .dir = dir, .epoll_fd = epoll_fd, .on_mute = on_mute, .on_ended = on_ended};
    struct fleet *f = fleet_places_open(&(struct fleet_places_options){
        .fleet = &options, .min = 1, .max = 1, .name = name_of, .command = complaining});
    commands = 0;
    mute[0] = 0;
    for (int64_t until_us = clock_now_us() + 60 * 1000000;
         clock_now_us() < until_us && (commands < 2 || !mute[0]);) {
        f->turn(f, &none);
        if (epoll_wait(epoll_fd, &e, 1, 10) == 1)
            f->event(f, (uint32_t)e.data.u64);
    }
    expect(commands == 2 && strcmp(mute, "p0 cannot reach nowhere:7: No route") == 0);
    f->close(f);
    close(epoll_fd);
    tree_remove(dir);
}

/* ---- agents that end ---- */

static char ended[300];
static int ends;

static void on_ended_note(void *ctx, const char *name, const char *why)
{
    (void)ctx;
    ends++;
    snprintf(ended, sizeof ended, "%.2s %s", name, why);
}

static const char *script; /* that the agent is */

static void scripted(void *ctx, uint32_t place, const char *name, struct fleet_words *words)
{
    (void)ctx, (void)place, (void)name;
    commands++;
    fleet_words_add(words, "sh");
    fleet_words_add(words, "-c");
    fleet_words_add(words, script);
}

/* One place with such an agent, which has ended by now. */
static struct fleet *run_once(const char *dir, int epoll_fd, const char *text)
{
    static char key[FLEET_KEY_TEXT];
    struct fleet_options options = {
        .key = key, .dir = dir, .epoll_fd = epoll_fd, .on_ended = on_ended_note};
    struct fleet_need none = {0};
    struct epoll_event e = {0};

    script = text;
    commands = 0;
    ends = 0;
    ended[0] = 0;
    struct fleet *f = fleet_places_open(&(struct fleet_places_options){
        .fleet = &options, .min = 0, .max = 1, .name = name_of, .command = scripted});
    f->turn(f, &none);
    expect(commands == 0); /* there is no need */
    none.waiting_us = 1000000;
    f->turn(f, &none);
    expect(commands == 1 && f->hopes(f));
    while (epoll_wait(epoll_fd, &e, 1, 60000) < 0 && errno == EINTR)
        ;
    f->event(f, (uint32_t)e.data.u64);
    return f;
}

TEST(fleet_places_are_given_up_where_no_agent_can_ever_run)
{
    char dir[TEST_FOLDER], text[64];
    int epoll_fd = sys_epoll_create();

    test_folder(dir);
    snprintf(text, sizeof text, "echo no use >&2; exit %d", FLEET_STATUS_NEVER);
    struct fleet *f = run_once(dir, epoll_fd, text);
    expect(!f->hopes(f) && ends == 1 && strstr(ended, "no use"));
    expect(f->turn(f, &(struct fleet_need){.waiting_us = 9000000}) == INT64_MAX && commands == 1);
    f->close(f);
    f = run_once(dir, epoll_fd, "exit 1"); /* that may be luck */
    expect(f->hopes(f) && ends == 1);
    int64_t now_us = clock_now_us(), next_us = f->turn(f, &(struct fleet_need){0});
    expect(next_us > now_us && next_us != INT64_MAX && commands == 1);
    f->close(f);
    f = run_once(dir, epoll_fd, "exit 0"); /* it was told to leave */
    expect(f->hopes(f) && ends == 0);
    expect(f->turn(f, &(struct fleet_need){0}) == INT64_MAX && commands == 1);
    f->close(f);
    close(epoll_fd);
    tree_remove(dir);
}

/* One that has joined was not started in vain: the next comes soon. */
TEST(fleet_places_start_again_sooner_where_an_agent_has_joined)
{
    enum { AGAIN_US = 500000 };
    char dir[TEST_FOLDER], name[FLEET_NAME_MAX + 1];
    static char key[FLEET_KEY_TEXT];
    int epoll_fd = sys_epoll_create();
    struct fleet_options options = {
        .key = key, .dir = dir, .epoll_fd = epoll_fd, .on_ended = on_ended_note};
    struct fleet_agent there = {.name = name};

    test_folder(dir);
    name_of(NULL, 0, name);
    script = "read line; exit 1";
    for (int joins = 0; joins < 2; joins++) {
        struct epoll_event e = {0};
        struct fleet *f = fleet_places_open(&(struct fleet_places_options){
            .fleet = &options, .min = 1, .max = 1, .name = name_of, .command = scripted});
        ends = 0;
        f->turn(f, &(struct fleet_need){0});
        f->turn(f, &(struct fleet_need){.agents = &there, .connected = (uint32_t)joins});
        expect(epoll_wait(epoll_fd, &e, 1, 60000) == 1);
        int64_t before_us = clock_now_us();
        f->event(f, (uint32_t)e.data.u64);
        int64_t after_us = clock_now_us(), next_us = f->turn(f, &(struct fleet_need){0});
        expect(ends == 1 && next_us >= before_us + (joins ? 1 : 2) * AGAIN_US);
        expect(next_us <= after_us + (joins ? 1 : 2) * AGAIN_US);
        f->event(f, 1); /* of no place */
        expect(ends == 1);
        f->close(f);
    }
    close(epoll_fd);
    tree_remove(dir);
}

TEST(fleet_places_say_that_an_agent_cannot_be_started)
{
    static const char *const calls[] = {"fork", "epoll_ctl"};
    static char key[FLEET_KEY_TEXT];
    char dir[TEST_FOLDER];
    int epoll_fd = sys_epoll_create();
    struct fleet_options options = {
        .key = key, .dir = dir, .epoll_fd = epoll_fd, .on_ended = on_ended_note};

    test_folder(dir);
    script = "sleep 1000";
    for (int i = 0; i < 2; i++) {
        int64_t count = 0;
        struct sys_plan plan = {
            .mode = SYS_PLAN_FAIL, .at = 1, .error = ENOMEM, .count = &count, .call = calls[i]};
        struct fleet *f = fleet_places_open(&(struct fleet_places_options){
            .fleet = &options, .min = 1, .max = 1, .name = name_of, .command = scripted});
        ends = 0;
        sys_plan_set(&plan);
        f->turn(f, &(struct fleet_need){0});
        sys_plan_set(NULL);
        expect(ends == 1 && strcmp(ended, "p0 cannot be started: Cannot allocate memory") == 0);
        commands = 0;
        int64_t now_us = clock_now_us();
        expect(f->turn(f, &(struct fleet_need){0}) > now_us && commands == 0 && f->hopes(f));
        f->close(f);
    }
    close(epoll_fd);
    tree_remove(dir);
}

/* ---- another way ---- */

static uint32_t detours;

static bool detour_once(void *ctx, uint32_t place)
{
    (void)ctx;
    return place == 0 && detours++ == 0;
}

/* An agent that cannot connect is ended, and started by another way, if there is one. */
TEST(fleet_places_start_agents_by_another_way)
{
    static char key[FLEET_KEY_TEXT];
    char dir[TEST_FOLDER];
    int epoll_fd = sys_epoll_create();
    struct fleet_options options = {.key = key,
                                    .dir = dir,
                                    .epoll_fd = epoll_fd,
                                    .on_mute = on_mute,
                                    .on_ended = on_ended_note};
    struct fleet_need none = {0};
    struct epoll_event e;

    test_folder(dir);
    script = "echo 'dolly agent: cannot reach nowhere:7: No route' >&2; exec sleep 1000";
    struct fleet *f = fleet_places_open(&(struct fleet_places_options){.fleet = &options,
                                                                       .min = 1,
                                                                       .max = 1,
                                                                       .name = name_of,
                                                                       .command = scripted,
                                                                       .detour = detour_once});
    commands = detours = 0;
    ends = 0;
    mute[0] = 0;
    for (int64_t until_us = clock_now_us() + 60 * 1000000;
         clock_now_us() < until_us && detours < 2;) {
        f->turn(f, &none);
        expect(commands > 1 || detours == 0 ||
               strcmp(mute, "p0 cannot reach nowhere:7: No route; trying through ssh") == 0);
        if (epoll_wait(epoll_fd, &e, 1, 10) == 1)
            f->event(f, (uint32_t)e.data.u64);
    }
    /* The second way is the last: it goes on. */
    expect(commands == 2 && ends == 0 && strcmp(mute, "p0 cannot reach nowhere:7: No route") == 0);
    expect(f->turn(f, &none) == INT64_MAX && f->hopes(f) && commands == 2);
    f->close(f);
    close(epoll_fd);
    tree_remove(dir);
}

/* It may have three, and needs one: nothing waits, so one it is, however often it looks. */
TEST(fleet_places_start_no_more_agents_than_are_needed)
{
    char dir[TEST_FOLDER], name[FLEET_NAME_MAX + 1];
    int epoll_fd = sys_epoll_create();
    static char key[FLEET_KEY_TEXT];
    struct fleet_options options = {.key = key, .dir = dir, .epoll_fd = epoll_fd, .stays = true};

    test_folder(dir);
    commands = 0;
    struct fleet *f = fleet_places_open(&(struct fleet_places_options){
        .fleet = &options, .min = 1, .max = 3, .name = name_of, .command = command_of});
    name_of(NULL, 0, name);
    struct fleet_agent there = {.name = name};
    for (int i = 0; i < 4; i++)
        f->turn(f, &(struct fleet_need){.agents = &there, .connected = i > 1});
    expect(commands == 1);
    f->close(f);
    close(epoll_fd);
    tree_remove(dir);
}
