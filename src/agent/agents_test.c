/* A coordinator's side of agents with a fleet that starts none, and agents that are played here. */
#include "agent/agents.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "agent/agent_dial.h"
#include "agent/agent_node.h"
#include "folder/run_dir.h"
#include "runner/clock.h"
#include "runner/sys.h"
#include "tests/test.h"
#include "wire/frames.h"

enum { LINKS = 2, SEEN = 32 };

/* ---- a fleet that does nothing ---- */

static bool fleet_has_hope;

static void still_event(struct fleet *f, uint32_t source)
{
    (void)f;
    (void)source;
}
static int64_t still_turn(struct fleet *f, const struct fleet_need *need)
{
    (void)f;
    (void)need;
    return INT64_MAX;
}
static bool still_hopes(const struct fleet *f)
{
    (void)f;
    return fleet_has_hope;
}
static struct fleet_options still_options;
static void still_close(struct fleet *f)
{
    mem_free(f);
}
static struct fleet *still_open(const struct fleet_options *options, struct err *err)
{
    struct fleet *f = mem_zalloc(1, sizeof *f);

    (void)err;
    still_options = *options;
    *f = (struct fleet){LINKS, LINKS, still_event, still_turn, still_hopes, still_close};
    return f;
}
static const struct fleet_way still_way = {"still", "", "", true, false, still_open};

/* ---- the coordinator ---- */

struct host {
    char dir[64];
    struct cluster *cluster;
    struct agents *agents;
    struct runner_link *links[LINKS];
    int epoll_fd;
    struct secret key;
    char program[17];
    /* What links have said. */
    struct packet seen[SEEN];
    uint32_t seen_count;
    int presence[LINKS]; /* -1: nothing was said */
    char why[256];
    bool lost;
};

struct host_link {
    struct host *host;
    int index;
};
static struct host_link host_links[LINKS];

static void host_on_packet(void *ctx, const struct packet *p)
{
    struct host *h = ((struct host_link *)ctx)->host;
    if (h->seen_count < SEEN)
        h->seen[h->seen_count++] = *p;
}
static void host_on_lost(void *ctx, const char *why)
{
    struct host *h = ((struct host_link *)ctx)->host;
    h->lost = true;
    snprintf(h->why, sizeof h->why, "%s", why);
}
static void host_on_presence(void *ctx, enum runner_presence presence, int64_t over_us,
                             const char *why)
{
    struct host_link *l = ctx;

    (void)over_us;
    l->host->presence[l->index] = (int)presence;
    if (why)
        snprintf(l->host->why, sizeof l->host->why, "%s", why);
}

static void host_open(struct host *h, bool pull)
{
    struct err err;
    char path[128];

    *h = (struct host){.presence = {-1, -1}};
    fleet_has_hope = true;
    snprintf(h->dir, sizeof h->dir, "/dev/shm/agents_test.XXXXXX");
    expect(mkdtemp(h->dir) != NULL);
    snprintf(path, sizeof path, "%s/attempts", h->dir);
    expect(mkdir(path, 0700) == 0);
    h->cluster = cluster_plain(LINKS, 1);
    h->epoll_fd = sys_epoll_create();
    struct agents_options options = {
        .way = &still_way, .dir = h->dir, .cluster = h->cluster, .pull = pull};
    h->agents = agents_open(&options, &err);
    expect(h->agents != NULL);
    for (int i = 0; i < LINKS; i++) {
        host_links[i] = (struct host_link){h, i};
        struct runner_options o = {.epoll_fd = h->epoll_fd,
                                   .source = (uint64_t)(i + 1) << 32,
                                   .ctx = &host_links[i],
                                   .on_packet = host_on_packet,
                                   .on_lost = host_on_lost,
                                   .on_presence = host_on_presence,
                                   .workdir = "/"};
        h->links[i] = agent_link_open(h->agents, (uint32_t)i, &o, &err);
    }
    snprintf(path, sizeof path, "%s/agents.key", h->dir);
    expect(secret_read_file(&h->key, path, &err) == 0);
    agent_node_program(h->program);
}

static void host_close(struct host *h)
{
    for (int i = 0; i < LINKS; i++)
        h->links[i]->close(h->links[i]);
    agents_close(h->agents);
    cluster_destroy(h->cluster);
    close(h->epoll_fd);
    run_dir_remove(h->dir);
}

static void host_step(struct host *h)
{
    struct epoll_event events[8];

    agents_event(h->agents);
    int n = epoll_wait(h->epoll_fd, events, 8, 0);
    for (int i = 0; i < n; i++) {
        struct runner_link *l = h->links[(events[i].data.u64 >> 32) - 1];
        l->event(l, 0);
    }
    agents_turn(h->agents);
    for (int i = 0; i < LINKS; i++)
        h->links[i]->turn(h->links[i]);
}

/* Something that does not come by then never will. */
static int64_t patience_us(void)
{
    return clock_now_us() + 60 * 1000000;
}

/* Runs the host until the link is like this. */
static bool host_finds(struct host *h, int link, enum runner_presence presence)
{
    for (int64_t until_us = patience_us(); clock_now_us() < until_us; usleep(200)) {
        host_step(h);
        if (h->presence[link] == (int)presence)
            return true;
    }
    return false;
}

static bool host_logs(const struct host *h, const char *text)
{
    char path[128], log[8192];

    snprintf(path, sizeof path, "%s/agents.log", h->dir);
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(log, 1, sizeof log - 1, f) : 0;
    log[n] = 0;
    if (f)
        fclose(f);
    return strstr(log, text) != NULL;
}

/* ---- an agent ---- */

struct guest {
    struct host *host;
    struct tls_side *side;
    struct frames frames;
    struct packet_hello hello;
};

static void guest_open(struct guest *g, struct host *h, const char *name)
{
    struct agent_dial dial = {0};
    struct err err;
    char at[32];

    *g = (struct guest){.host = h};
    g->hello = (struct packet_hello){.version = PACKET_VERSION,
                                     .program = h->program,
                                     .name = name,
                                     .host = "host",
                                     .rack = "",
                                     .boot = name,
                                     .scratch = "/scratch",
                                     .cores_milli = 3000,
                                     .memory_mib = 1000,
                                     .credential = ""};
    snprintf(at, sizeof at, "127.0.0.1:%u", still_options.port);
    expect(agent_dial_find(&dial, at, &err) == 0);
    g->side = tls_side_create(&h->key, false, &err);
    frames_init(&g->frames, g->side, agent_dial_try(&dial));
    agent_dial_fini(&dial);
}

static void guest_close(struct guest *g)
{
    frames_fini(&g->frames);
    tls_side_destroy(g->side);
}

/* What it hears next; 0: the conversation has ended, or nothing comes for too long. */
static uint8_t guest_hears(struct guest *g, struct packet *m)
{
    struct packet ignored;

    m = m ? m : &ignored;
    for (int64_t until_us = patience_us(); clock_now_us() < until_us;) {
        host_step(g->host);
        int greeted = frames_greet(&g->frames);
        if (greeted < 0 && strcmp(g->frames.why, strerror(ENOTCONN)) != 0)
            return 0;
        frames_flush(&g->frames);
        int got = frames_receive(&g->frames, m);
        if (got)
            return got > 0 ? m->type : 0;
        usleep(500);
    }
    return 0;
}

static uint8_t guest_says_hello(struct guest *g, struct packet *answer)
{
    struct packet m = {.type = PACKET_HELLO, .u.hello = g->hello};
    frames_send(&g->frames, &m);
    return guest_hears(g, answer);
}

/* Says it, and a beat behind it: once that is answered, or the conversation has ended, the host has
 * heard it. */
static void guest_says(struct guest *g, struct packet m)
{
    struct packet beat = {.type = PACKET_BEAT, .u.beat = {1, -1, 0}};
    uint8_t heard;

    expect(frames_send(&g->frames, &m) == 0 && frames_send(&g->frames, &beat) == 0);
    while ((heard = guest_hears(g, NULL)) != 0 && heard != PACKET_BEAT)
        ;
}

static void guest_joins(struct guest *g, struct host *h, const char *name)
{
    guest_open(g, h, name);
    expect(guest_says_hello(g, NULL) == PACKET_WELCOME);
    guest_says(g, (struct packet){.type = PACKET_READY, .u.shared = 0});
}

/* ---- joining ---- */

TEST(agents_an_agent_joins_and_its_node_is_as_it_says)
{
    struct host h;
    struct guest g;
    struct packet m;

    host_open(&h, false);
    guest_open(&g, &h, "one");
    expect(guest_says_hello(&g, &m) == PACKET_WELCOME);
    expect(strcmp(m.u.welcome.dir, h.dir) == 0 && strcmp(m.u.welcome.workdir, "/") == 0);
    expect(h.presence[0] == -1);
    guest_says(&g, (struct packet){.type = PACKET_READY, .u.shared = 1});
    expect(h.presence[0] == RUNNER_HERE && h.presence[1] == -1);
    expect(strcmp(h.cluster->nodes[0].name, "one") == 0);
    expect(h.cluster->nodes[0].capacity.v[RES_CPU] == 3 * RES_SLOT);
    expect(h.cluster->nodes[0].capacity.v[RES_MEM] == 1000);
    expect(host_logs(&h, "joined one 127.0.0.1:"));
    /* A beat is answered with its own time. */
    struct packet beat = {.type = PACKET_BEAT, .u.beat = {12345, 1 << 30, 2}};
    frames_send(&g.frames, &beat);
    expect(guest_hears(&g, &m) == PACKET_BEAT && m.u.beat.sent_us == 12345);
    guest_close(&g);
    expect(host_finds(&h, 0, RUNNER_AWAY) && strstr(h.why, "closed"));
    host_close(&h);
}

TEST(agents_refuses_who_is_not_one_of_ours)
{
    static const struct {
        const char *why;
        uint32_t version;
        const char *program, *name, *host;
        int32_t cores;
    } cases[] = {
        {"version", 99, NULL, "n", "h", 1000},
        {"its program is another one", PACKET_VERSION, "0123", "n", "h", 1000},
        {"its name is not one", PACKET_VERSION, NULL, "a b", "h", 1000},
        {"its name is not one", PACKET_VERSION, NULL, "", "h", 1000},
        {"cannot be printed", PACKET_VERSION, NULL, "n", "\033[2J", 1000},
        {"less than nothing", PACKET_VERSION, NULL, "n", "h", 0},
    };
    struct host h;
    struct packet m;

    host_open(&h, false);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct guest g;
        guest_open(&g, &h, cases[i].name);
        g.hello.version = cases[i].version;
        g.hello.host = cases[i].host;
        g.hello.cores_milli = cases[i].cores;
        if (cases[i].program)
            g.hello.program = cases[i].program;
        expect(guest_says_hello(&g, &m) == PACKET_REFUSED);
        expect(strstr(m.u.refused.text, cases[i].why) && m.u.refused.for_good);
        expect(guest_hears(&g, NULL) == 0);
        guest_close(&g);
    }
    expect(host_logs(&h, "refused 127.0.0.1:"));
    expect(h.presence[0] == -1);
    host_close(&h);
}

TEST(agents_of_one_name_and_one_too_many)
{
    struct host h;
    struct guest one, two, other;
    struct packet m;

    host_open(&h, false);
    guest_joins(&one, &h, "one");
    guest_joins(&two, &h, "two");
    expect(h.presence[0] == RUNNER_HERE && h.presence[1] == RUNNER_HERE);
    guest_open(&other, &h, "one");
    other.hello.boot = "another";
    expect(guest_says_hello(&other, &m) == PACKET_REFUSED &&
           strstr(m.u.refused.text, "same name") && !m.u.refused.for_good);
    guest_close(&other);
    guest_open(&other, &h, "three");
    expect(guest_says_hello(&other, &m) == PACKET_REFUSED && strstr(m.u.refused.text, "as many") &&
           !m.u.refused.for_good);
    guest_close(&other);
    /* The very same agent, whose old connection we take for good. */
    guest_joins(&other, &h, "two");
    expect(h.presence[1] == RUNNER_HERE && host_logs(&h, "it has connected anew"));
    expect(guest_hears(&two, NULL) == 0);
    /* Another takes the place of one that has left. */
    guest_close(&one);
    expect(host_finds(&h, 0, RUNNER_AWAY));
    guest_close(&two);
    guest_joins(&one, &h, "four");
    expect(h.presence[0] == RUNNER_HERE && strcmp(h.cluster->nodes[0].name, "four") == 0);
    guest_close(&one);
    guest_close(&other);
    host_close(&h);
}

TEST(agents_with_another_key_or_none_are_dropped)
{
    struct host h;
    struct guest g;

    host_open(&h, false);
    memset(&h.key, 7, sizeof h.key);
    guest_open(&g, &h, "one");
    expect(guest_says_hello(&g, NULL) == 0 && !g.frames.greeted);
    expect(host_logs(&h, "refused 127.0.0.1:"));
    guest_close(&g);
    host_close(&h);
}

TEST(agents_that_skip_a_step_are_refused)
{
    static const uint8_t types[] = {PACKET_READY, PACKET_BEAT, PACKET_EXITED, PACKET_WELCOME};
    struct host h;
    struct packet m;

    host_open(&h, false);
    for (size_t i = 0; i < sizeof types; i++) {
        struct guest g;
        guest_open(&g, &h, "one");
        struct packet p = {.type = types[i]};
        if (p.type == PACKET_WELCOME)
            p.u.welcome = (struct packet_welcome){"", "", "", 0, "", "", 0};
        frames_send(&g.frames, &p);
        expect(guest_hears(&g, &m) == PACKET_REFUSED && strstr(m.u.refused.text, "no agent says") &&
               m.u.refused.for_good);
        guest_close(&g);
    }
    expect(h.presence[0] == -1);
    host_close(&h);
}

TEST(agents_that_cannot_come_any_more_are_lost)
{
    struct host h;

    host_open(&h, false);
    host_step(&h);
    expect(!h.lost);
    fleet_has_hope = false;
    host_step(&h);
    expect(h.lost && strstr(h.why, "no agent is left"));
    host_close(&h);
}

/* More silent connections than there are places for, and an agent behind them. */
TEST(agents_get_in_past_strangers_who_say_nothing)
{
    enum { SILENT = 140 };
    struct host h;
    struct guest silent[SILENT], g;

    host_open(&h, false);
    for (int i = 0; i < SILENT; i++) {
        guest_open(&silent[i], &h, "x");
        host_step(&h);
    }
    guest_open(&g, &h, "one");
    struct packet hello = {.type = PACKET_HELLO, .u.hello = g.hello};
    frames_send(&g.frames, &hello);
    expect(guest_hears(&g, NULL) == PACKET_WELCOME);
    expect(host_logs(&h, "others wait as well"));
    for (int i = 0; i < SILENT; i++)
        guest_close(&silent[i]);
    guest_close(&g);
    host_close(&h);
}

TEST(agents_that_will_leave_soon_get_nothing_new)
{
    struct host h;
    struct guest g;
    struct packet beat = {.type = PACKET_BEAT, .u.beat = {1, -1, 0}};

    host_open(&h, false);
    guest_joins(&g, &h, "s1.one");
    still_options.on_drain(still_options.ctx, "s2.*", 5000000);
    host_step(&h);
    expect(h.presence[0] == RUNNER_HERE);
    still_options.on_drain(still_options.ctx, "s1.*", 5000000);
    host_step(&h);
    expect(h.presence[0] == RUNNER_LEAVING);
    guest_says(&g, beat);
    expect(h.presence[0] == RUNNER_LEAVING);
    guest_close(&g);
    guest_joins(&g, &h, "s1.one"); /* it came back: a new one */
    expect(h.presence[0] == RUNNER_HERE);
    guest_close(&g);
    host_close(&h);
}

TEST(agents_that_cannot_go_on_say_why)
{
    static const char *const said[][2] = {{"its disk is broken", "is gone: its disk is broken"},
                                          {"\033[2J", "is gone: it cannot go on"}};

    for (int i = 0; i < 2; i++) {
        struct host h;
        struct guest g;
        host_open(&h, false);
        guest_joins(&g, &h, "one");
        guest_says(&g, (struct packet){.type = PACKET_FATAL, .u.text = said[i][0]});
        expect(h.presence[0] == RUNNER_AWAY && strstr(h.why, said[i][1]));
        expect(host_logs(&h, strrchr(said[i][1], ':')));
        guest_close(&g);
        host_close(&h);
    }
}

TEST(agents_wait_outside_while_there_are_no_descriptors)
{
    struct host h;
    struct guest g;
    struct rlimit old, none;

    host_open(&h, false);
    guest_open(&g, &h, "one");
    expect(getrlimit(RLIMIT_NOFILE, &old) == 0);
    int next = dup(0);
    close(next);
    none = old;
    none.rlim_cur = (rlim_t)next;
    bool told = false;
    for (int64_t until_us = patience_us(); !told && clock_now_us() < until_us; usleep(1000)) {
        expect(setrlimit(RLIMIT_NOFILE, &none) == 0);
        host_step(&h);
        expect(setrlimit(RLIMIT_NOFILE, &old) == 0);
        told = host_logs(&h, "cannot accept: Too many open files");
    }
    expect(told);
    expect(guest_says_hello(&g, NULL) == PACKET_WELCOME);
    guest_close(&g);
    host_close(&h);
}

/* ---- outputs ---- */

static void host_launches(struct host *h, uint32_t handle, char dir[128])
{
    struct packet m = {.type = PACKET_LAUNCH, .handle = handle};

    snprintf(dir, 128, "%s/attempts/0.0.%u.0", h->dir, handle);
    m.u.launch.command = "true";
    m.u.launch.dir = dir;
    m.u.launch.stdin_path = m.u.launch.reuse = m.u.launch.env = "";
    expect(h->links[0]->order(h->links[0], &m) == 0);
}

static struct packet piece(uint32_t handle, int64_t offset, const char *text)
{
    struct packet m = {.type = PACKET_OUTPUT, .handle = handle};

    m.u.output.offset = offset;
    m.u.output.bytes = text;
    m.u.output.length = (uint32_t)strlen(text);
    return m;
}

static struct packet told(uint32_t handle, const char *all)
{
    struct packet m = {.type = PACKET_OUTPUT_END, .handle = handle};

    m.u.output_end.bytes = (int64_t)strlen(all);
    m.u.output_end.checksum = XXH3_64bits(all, strlen(all));
    return m;
}

static bool holds(const char *dir, const char *text)
{
    char path[160], got[64] = "";

    snprintf(path, sizeof path, "%s/stdout", dir);
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(got, 1, sizeof got - 1, f) : 0;
    if (f)
        fclose(f);
    return f && n == strlen(text) && memcmp(got, text, n) == 0;
}

TEST(agents_send_outputs_before_ends)
{
    struct host h;
    struct guest g;
    struct packet m;
    char dir[128];

    host_open(&h, true);
    guest_joins(&g, &h, "one");
    host_launches(&h, 3, dir);
    expect(guest_hears(&g, &m) == PACKET_LAUNCH && strcmp(m.u.launch.dir, "attempts/0.0.3.0") == 0);
    expect(holds(dir, ""));
    guest_says(&g, (struct packet){.type = PACKET_STARTED, .handle = 3});
    guest_says(&g, piece(3, 0, "hello "));
    guest_says(&g, piece(3, 6, "world"));
    guest_says(&g, told(3, "hello world"));
    guest_says(&g, (struct packet){.type = PACKET_EXITED, .handle = 3});
    expect(holds(dir, "hello world"));
    expect(h.seen_count == 2 && h.seen[0].type == PACKET_STARTED &&
           h.seen[1].type == PACKET_EXITED);
    expect(h.presence[0] == RUNNER_HERE);
    guest_close(&g);
    host_close(&h);
}

/* Each ends the conversation, and no end is reported. */
TEST(agents_whose_outputs_do_not_fit_are_not_believed)
{
    for (int i = 0; i < 6; i++) {
        struct host h;
        struct guest g;
        char dir[128];
        host_open(&h, true);
        guest_joins(&g, &h, "one");
        host_launches(&h, 3, dir);
        struct packet wrong[] = {piece(4, 0, "x"), piece(3, 1, "x"), told(3, "nothing came"),
                                 piece(3, 0, ""),  told(4, ""),      piece(3, 0, "x")};
        wrong[5].u.output.file = 9;
        guest_says(&g, wrong[i]);
        guest_says(&g, (struct packet){.type = PACKET_EXITED, .handle = 3});
        expect(h.seen_count == 0 && h.presence[0] == RUNNER_AWAY);
        guest_close(&g);
        host_close(&h);
    }
}

TEST(agents_whose_outputs_were_changed_on_the_way_are_not_believed)
{
    struct host h;
    struct guest g;
    struct packet end = told(3, "hellO");
    char dir[128];

    host_open(&h, true);
    guest_joins(&g, &h, "one");
    host_launches(&h, 3, dir);
    guest_says(&g, piece(3, 0, "hello"));
    guest_says(&g, end);
    expect(h.presence[0] == RUNNER_AWAY && strstr(h.why, "differs"));
    guest_close(&g);
    host_close(&h);
}

TEST(agents_that_could_not_read_an_output_leave_none)
{
    struct host h;
    struct guest g;
    struct packet end = told(3, "");
    char dir[128];

    host_open(&h, true);
    guest_joins(&g, &h, "one");
    host_launches(&h, 3, dir);
    end.u.output_end.bytes = -1;
    guest_says(&g, end);
    guest_says(&g, (struct packet){.type = PACKET_EXITED, .handle = 3});
    expect(h.seen_count == 1 && h.presence[0] == RUNNER_HERE);
    expect(!holds(dir, "")); /* so the attempt has failed */
    guest_close(&g);
    host_close(&h);
}

/* A shared folder shows the output later than its end is told. */
TEST(agents_in_a_shared_folder_are_waited_for_until_their_output_shows)
{
    struct host h;
    struct guest g;
    char dir[128], path[160];

    host_open(&h, false);
    guest_open(&g, &h, "one");
    expect(guest_says_hello(&g, NULL) == PACKET_WELCOME);
    guest_says(&g, (struct packet){.type = PACKET_READY, .u.shared = 1});
    host_launches(&h, 3, dir);
    expect(mkdir(dir, 0700) == 0);
    snprintf(path, sizeof path, "%s/stdout", dir);
    FILE *f = fopen(path, "w");
    guest_says(&g, told(3, "late"));
    guest_says(&g, (struct packet){.type = PACKET_EXITED, .handle = 3});
    expect(h.seen_count == 0 && h.presence[0] == RUNNER_HERE);
    fputs("late", f);
    fclose(f);
    for (int64_t until_us = patience_us(); !h.seen_count && clock_now_us() < until_us;) {
        host_step(&h);
        usleep(1000);
    }
    expect(h.seen_count == 1 && h.seen[0].type == PACKET_EXITED && holds(dir, "late"));
    guest_close(&g);
    host_close(&h);
}
