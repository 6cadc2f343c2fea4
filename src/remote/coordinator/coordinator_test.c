/* Agents that come, are let in or refused, and go. */
#include "tests/unit/test.h"

#include <poll.h>

#include "base/text.h"
#include "remote/coordinator/coordinator_stage_test.h"
#include "remote/wire/lease.h"

/* All that the fleet needs to start agents that come here. */
TEST(agents_are_started_by_a_fleet_that_knows_where_to)
{
    struct host h;
    char path[DIAL_TEXT], text[32];
    struct stat st;

    host_open(&h, false);
    const struct fleet_options *o = &still_options;
    expect(strcmp(o->host, h.coordinator->host) == 0 && strcmp(o->local, "127.0.0.1") == 0);
    expect(o->port == h.coordinator->port && o->port > 0 && strcmp(o->dir, h.dir) == 0);
    snprintf(path, sizeof path, "%s/", h.dir);
    expect(strncmp(o->key_file, path, strlen(path)) == 0 && stat(o->key_file, &st) == 0);
    expect(strncmp(o->at_file, path, strlen(path)) == 0 && dial_read(o->at_file, path) == 1);
    snprintf(text, sizeof text, ":%u", o->port);
    expect(strstr(path, text) != NULL && access(o->program, X_OK) == 0);
    expect(o->key == h.coordinator->key && !o->sealed && !o->sealed_file && !o->munge);
    expect(o->epoll_fd == h.coordinator->epoll_fd && o->ctx == h.coordinator);
    host_close(&h);
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
    guest_says(&g, (struct packet){.type = PACKET_READY, .u.ready.shared = 1});
    expect(h.presence[0] == RUNNER_HERE && h.presence[1] == -1);
    expect(strcmp(h.cluster->nodes[0].name, "one") == 0);
    expect(h.cluster->nodes[0].capacity.v[RES_CPU] == 3 * RES_SLOT);
    expect(h.cluster->nodes[0].capacity.v[RES_MEM] == 1000);
    expect(host_logs(&h, "joined one 127.0.0.1:"));
    /* A beat is answered with its own time. */
    struct packet beat = {.type = PACKET_BEAT, .u.beat = {12345, 1 << 30, 2, 0, 0}};
    frames_send(&g.frames, &beat);
    expect(guest_hears(&g, &m) == PACKET_BEAT && m.u.beat.sent_us == 12345);
    guest_close(&g);
    expect(host_finds(&h, 0, RUNNER_AWAY) && strstr(h.why, "closed"));
    host_close(&h);
}

TEST(agents_says_whose_clock_differs)
{
    struct host h;
    struct guest g, other;

    host_open(&h, false);
    guest_open(&g, &h, "late");
    g.hello.clock_us = ((int64_t)time(NULL) - 3600) * 1000000;
    expect(guest_says_hello(&g, NULL) == PACKET_WELCOME);
    guest_says(&g, (struct packet){.type = PACKET_READY, .u.ready.shared = 1});
    expect(host_logs(&h, "the clock of host (agent late) is 36"));
    expect(host_logs(&h, " s behind the coordinator's, and so are its file times"));
    guest_open(&other, &h, "same");
    other.hello.clock_us = (int64_t)time(NULL) * 1000000;
    expect(guest_says_hello(&other, NULL) == PACKET_WELCOME);
    guest_says(&other, (struct packet){.type = PACKET_READY, .u.ready.shared = 1});
    expect(host_logs(&h, "joined same") && !host_logs(&h, "(agent same)"));
    /* Less than a minute is nothing. */
    for (int i = 0; i < 3; i++) {
        guest_close(&other);
        guest_open(&other, &h, "same");
        other.hello.clock_us = ((int64_t)time(NULL) + (i == 0 ? 50 : i == 1 ? -50 : 70)) * 1000000;
        expect(guest_says_hello(&other, NULL) == PACKET_WELCOME);
        guest_says(&other, (struct packet){.type = PACKET_READY, .u.ready.shared = 1});
        expect(host_logs(&h, "(agent same)") == (i == 2));
    }
    guest_close(&g);
    guest_close(&other);
    host_close(&h);
}

/* Else the fuzzer would begin with what is refused at once. */
TEST(agents_what_the_fuzzer_takes_for_a_good_hello_is_one)
{
    unsigned char bytes[256];
    char text[256];
    struct packet m;
    FILE *f = fopen("tests/fuzz/seeds/hello/good", "re");

    expect(f != NULL);
    size_t n = f ? fread(bytes, 1, sizeof bytes, f) : 0;
    expect(packet_decode(bytes, n, &m) == 0 && m.type == PACKET_HELLO);
    expect(!admission_judge(&m.u.hello, "00ff", text));
    if (f)
        fclose(f);
}

/* A good hello with one thing changed. */
TEST(agents_are_judged_by_each_word_of_their_hello)
{
    static const struct packet_hello good = {.version = PACKET_VERSION,
                                             .program = "00ff",
                                             .name = "n",
                                             .host = "h",
                                             .rack = "",
                                             .boot = "b",
                                             .scratch = "/tmp",
                                             .credential = "",
                                             .cores_milli = 1};
    static const char bad[] = "\177", unprinted[] = "its report about its node cannot be printed",
                      impossible[] = "its node reports impossible capacities";
    char longest[FLEET_NAME_MAX + 2] = {0}, text[256];
    struct {
        struct packet_hello hello;
        const char *why; /* NULL: it is good */
    } cases[] = {
        {good, NULL},
        {good, NULL},
        {good, "its name is not valid"},
        {good, NULL},
        {good, NULL},
        {good, impossible},
        {good, impossible},
        {good, unprinted},
        {good, unprinted},
        {good, unprinted},
        {good, unprinted},
        {good, "its program differs (?, the coordinator's is 00ff)"},
    };

    memset(longest, 'n', FLEET_NAME_MAX + 1);
    cases[1].hello.name = longest + 1;
    cases[2].hello.name = longest;
    cases[3].hello.cores_milli = 1000 * 1000 * 1000;
    cases[4].hello.memory_mib = 0;
    cases[5].hello.cores_milli = 1000 * 1000 * 1000 + 1;
    cases[6].hello.memory_mib = -1;
    cases[7].hello.host = bad;
    cases[8].hello.rack = bad;
    cases[9].hello.boot = bad;
    cases[10].hello.scratch = bad;
    cases[11].hello.program = bad;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *why = admission_judge(&cases[i].hello, "00ff", text);
        expect(cases[i].why ? why && strcmp(why, cases[i].why) == 0 : !why);
    }
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
        {"its program differs", PACKET_VERSION, "0123", "n", "h", 1000},
        {"its name is not valid", PACKET_VERSION, NULL, "a b", "h", 1000},
        {"its name is not valid", PACKET_VERSION, NULL, "", "h", 1000},
        {"cannot be printed", PACKET_VERSION, NULL, "n", "\033[2J", 1000},
        {"impossible capacities", PACKET_VERSION, NULL, "n", "h", 0},
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

TEST(agents_that_do_not_see_the_folder_are_refused_where_they_have_to)
{
    struct host h;
    struct guest g;
    struct packet m;

    host_open(&h, false);
    h.coordinator->options.sees = true;
    guest_open(&g, &h, "blind");
    expect(guest_says_hello(&g, &m) == PACKET_WELCOME);
    m = (struct packet){.type = PACKET_READY};
    frames_send(&g.frames, &m);
    expect(guest_hears(&g, &m) == PACKET_REFUSED && m.u.refused.for_good);
    expect(strstr(m.u.refused.text, "host does not see the folder of the run, /") != NULL);
    expect(strstr(m.u.refused.text, h.dir) != NULL);
    expect(h.presence[0] == -1 && host_logs(&h, "blind: host does not see the folder"));
    guest_close(&g);
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
    expect(guest_says_hello(&other, &m) == PACKET_REFUSED &&
           strstr(m.u.refused.text, "maximum number") && !m.u.refused.for_good);
    guest_close(&other);
    /* The very same agent, whose old connection we take for good. */
    guest_joins(&other, &h, "two");
    expect(h.presence[1] == RUNNER_HERE && host_logs(&h, "it has connected again"));
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

/* ---- credentials ---- */

static bool judge_plays(void *ctx, const char *text, const unsigned char number[TLS_NUMBER],
                        char why[IDENTITY_WHY], bool *wrong, char reply[IDENTITY_CHECKER_TEXT])
{
    (void)ctx;
    (void)number;
    snprintf(reply, IDENTITY_CHECKER_TEXT, "reply to %s", text);
    if (strcmp(text, "hang") == 0)
        pause();
    *wrong = true;
    snprintf(why, IDENTITY_WHY, "MUNGE: %s", text);
    return strcmp(text, "good") == 0;
}

/* A munged that hangs holds up whose credential it has, and nobody else. */
TEST(agents_are_served_while_the_badge_of_another_is_judged)
{
    struct host h;
    struct guest one, stuck, two;
    struct packet m;
    char never_used;

    host_open(&h, false);
    h.coordinator->identity = (struct identity *)(void *)&never_used;
    h.coordinator->checker = (struct identity_checker){.judge = judge_plays,
                                                       .epoll_fd = h.coordinator->epoll_fd,
                                                       .epoll_tag = ADMISSION_TAG_CHECKER};
    guest_open(&one, &h, "one");
    one.hello.credential = "good";
    expect(guest_says_hello(&one, &m) == PACKET_WELCOME);
    expect(strcmp(m.u.welcome.credential, "reply to good") == 0);
    guest_says(&one, (struct packet){.type = PACKET_READY});
    expect(h.presence[0] == RUNNER_HERE);
    guest_open(&two, &h, "two");
    two.hello.credential = "forged";
    expect(guest_says_hello(&two, &m) == PACKET_REFUSED && m.u.refused.for_good &&
           strcmp(m.u.refused.text, "MUNGE: forged") == 0);
    guest_close(&two);

    guest_open(&stuck, &h, "two");
    stuck.hello.credential = "hang";
    m = (struct packet){.type = PACKET_HELLO, .u.hello = stuck.hello};
    frames_send(&stuck.frames, &m);
    for (int64_t until_us = patience_us();
         !h.coordinator->checker.busy && clock_now_us() < until_us;) {
        host_step(&h);
        frames_greet(&stuck.frames);
        frames_flush(&stuck.frames);
    }
    guest_says(&one,
               (struct packet){.type = PACKET_BEAT, .u.beat = {.sent_us = 7, .free_bytes = -1}});
    expect(h.coordinator->checker.busy && h.presence[0] == RUNNER_HERE);
    h.coordinator->checker.until_us = 0; /* too long */
    expect(guest_hears(&stuck, NULL) == 0 && host_logs(&h, "munged does not answer") &&
           !host_logs(&h, "identified itself in time")); /* it may come again at once */
    guest_open(&two, &h, "two");
    two.hello.credential = "good";
    expect(guest_says_hello(&two, NULL) == PACKET_WELCOME);
    guest_close(&one);
    guest_close(&stuck);
    guest_close(&two);
    h.coordinator->identity = NULL;
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
            p.u.welcome = (struct packet_welcome){"", "", "", 0, 0, "", "", 0, "", "", 0, 0};
        frames_send(&g.frames, &p);
        expect(guest_hears(&g, &m) == PACKET_REFUSED &&
               strstr(m.u.refused.text, "sent an invalid packet") && m.u.refused.for_good);
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
    memset(h.coordinator->why, 'w', sizeof h.coordinator->why - 2);
    h.coordinator->why[sizeof h.coordinator->why - 2] = 'e';
    fleet_has_hope = false;
    host_step(&h);
    const char *why = strstr(h.why, "no agent is left, and dolly cannot start another: www");
    expect(h.lost && why && why[strlen(why) - 1] == 'e'); /* to the end */
    host_close(&h);
}

static void heard(void *ctx, const char *text)
{
    str_addf(ctx, "%s\n", text);
}

/* Why one is missing matters to the user as soon as others work; said twice it is told once. */
TEST(agents_that_are_not_there_are_told_of_when_others_are)
{
    static const char told[] = "an agent is missing: ssh n2 exited with status 255\n";
    struct host h;
    struct guest g;
    struct str notes = {0};

    host_open(&h, false);
    h.coordinator->options.on_note = heard;
    h.coordinator->options.ctx = &notes;
    still_options.on_ended(still_options.ctx, "n2", "ssh n2 exited with status 255");
    host_step(&h);
    expect(notes.length == 0 && host_logs(&h, "Z ended n2: ssh n2 exited with status 255\n"));
    guest_joins(&g, &h, "one");
    host_step(&h);
    expect(notes.length && strcmp(notes.text, told) == 0);
    still_options.on_ended(still_options.ctx, "n2", "ssh n2 exited with status 255");
    host_step(&h);
    expect(notes.length && strcmp(notes.text, told) == 0);
    guest_close(&g);
    host_close(&h);
    str_free(&notes);
}

static uint32_t places_taken(const struct host *h)
{
    uint32_t taken = 0;

    for (uint32_t i = 0; i < ADMISSION_PEERS; i++)
        taken += h->coordinator->peers[i] != NULL;
    return taken;
}

/* Who says nothing takes no place: the kernel does not even tell of it. */
TEST(agents_do_not_see_strangers_who_say_nothing)
{
    struct host h;
    struct guest silent[8], g;

    host_open(&h, false);
    for (int i = 0; i < 8; i++)
        guest_open(&silent[i], &h, "x");
    guest_open(&g, &h, "one");
    struct packet hello = {.type = PACKET_HELLO, .u.hello = g.hello};
    frames_send(&g.frames, &hello);
    expect(guest_hears(&g, NULL) == PACKET_WELCOME);
    expect(places_taken(&h) == 1);
    for (int i = 0; i < 8; i++)
        guest_close(&silent[i]);
    guest_close(&g);
    host_close(&h);
}

/* More connections that do not go on than there are places for, and an agent behind them. */
TEST(agents_get_in_past_strangers_who_do_not_go_on)
{
    enum { SILENT = ADMISSION_PEERS + 12 };
    struct host h;
    static struct guest silent[SILENT];
    struct guest g;

    host_open(&h, false);
    for (int i = 0; i < SILENT; i++) {
        guest_open(&silent[i], &h, "x");
        struct pollfd connected = {.fd = silent[i].frames.fd, .events = POLLOUT};
        expect(poll(&connected, 1, 10000) == 1 && write(connected.fd, "\x16", 1) == 1);
        host_step(&h);
        int64_t soon_us = clock_now_us() + 5000000; /* a busy machine takes its time to come here */
        for (uint32_t k = 0; k < ADMISSION_PEERS; k++)
            if (h.coordinator->peers[k] && h.coordinator->peers[k]->until_us < soon_us)
                h.coordinator->peers[k]->until_us = soon_us;
    }
    guest_open(&g, &h, "one");
    struct packet hello = {.type = PACKET_HELLO, .u.hello = g.hello};
    frames_send(&g.frames, &hello);
    expect(guest_hears(&g, NULL) == PACKET_WELCOME);
    expect(host_logs(&h, "while others waited"));
    for (int i = 0; i < SILENT; i++)
        guest_close(&silent[i]);
    guest_close(&g);
    host_close(&h);
}

TEST(agents_that_will_leave_soon_get_nothing_new)
{
    struct host h;
    struct guest g;
    struct packet beat = {.type = PACKET_BEAT, .u.beat = {.sent_us = 1, .free_bytes = -1}};

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

TEST(agents_that_outlive_the_time_of_their_node_are_sent_off)
{
    struct host h;
    struct guest g;

    host_open(&h, false);
    guest_joins(&g, &h, "s1.one");
    still_options.on_drain(still_options.ctx, "s1.*", -1000000);
    host_step(&h);
    expect(h.presence[0] == RUNNER_LEAVING);
    still_options.on_drain(still_options.ctx, "s1.*", -3600000000);
    host_step(&h);
    expect(h.presence[0] == RUNNER_AWAY && strstr(h.why, "time limit of its node has passed"));
    expect(guest_hears(&g, NULL) == PACKET_LEAVE);
    guest_close(&g);
    host_close(&h);
}

TEST(agents_that_cannot_go_on_say_why)
{
    static const char *const said[][2] = {{"its disk is broken", "is gone: its disk is broken"},
                                          {"\033[2J", "is gone: it failed"}};

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
    int64_t before_us = clock_now_us();
    for (int64_t until_us = patience_us(); !told && clock_now_us() < until_us; usleep(1000)) {
        expect(setrlimit(RLIMIT_NOFILE, &none) == 0);
        host_step(&h);
        expect(setrlimit(RLIMIT_NOFILE, &old) == 0);
        told = host_logs(&h, "cannot accept: Too many open files");
    }
    expect(told && h.coordinator->deaf_until_us > before_us);
    expect(h.coordinator->deaf_until_us <= clock_now_us() + 1000000);
    expect(guest_says_hello(&g, NULL) == PACKET_WELCOME);
    expect(h.coordinator->deaf_until_us == 0);
    guest_close(&g);
    host_close(&h);
}

/* ---- what is promised ---- */

static int64_t answers(struct guest *g, int64_t sent_us, int64_t told_us)
{
    struct packet beat = {.type = PACKET_BEAT, .u.beat = {sent_us, -1, 0, told_us, 0}}, m;

    expect(frames_send(&g->frames, &beat) == 0);
    expect(guest_hears(g, &m) == PACKET_BEAT && m.u.beat.sent_us == sent_us);
    return m.u.beat.lease_us;
}

TEST(agents_are_promised_more_before_we_are_stopped)
{
    struct host h;
    struct guest g;
    struct packet m, hold = {.type = PACKET_HOLD, .u.still = 1};
    struct agent_link *l;

    host_open(&h, false);
    guest_open(&g, &h, "one");
    expect(guest_says_hello(&g, &m) == PACKET_WELCOME && m.u.welcome.lease_us == LEASE_US);
    guest_says(&g, (struct packet){.type = PACKET_READY, .u.ready.shared = 1});
    l = h.coordinator->links[0];
    expect(answers(&g, 10, 1) == LEASE_US && l->until_us == l->heard_us + LEASE_US);
    h.links[0]->order(h.links[0], &hold);
    expect(guest_hears(&g, &m) == PACKET_LEASE && m.u.lease_us == LEASE_HELD_US);
    int64_t held_us = l->until_us;
    expect(held_us >= l->heard_us + LEASE_HELD_US);
    /* It holds until the agent is known to have the shorter one. */
    expect(answers(&g, 20, 10) == LEASE_US && l->until_us == held_us);
    expect(answers(&g, 30, 10) == LEASE_US && l->until_us == held_us);
    expect(answers(&g, 40, 20) == LEASE_US && l->until_us == l->heard_us + LEASE_US);
    /* Stopped once more, it is another promise. */
    h.links[0]->order(h.links[0], &hold);
    expect(guest_hears(&g, &m) == PACKET_LEASE);
    held_us = l->until_us;
    expect(answers(&g, 50, 40) == LEASE_US && l->until_us == held_us);
    expect(answers(&g, 60, 40) == LEASE_US && l->until_us == held_us);
    expect(answers(&g, 70, 50) == LEASE_US && l->until_us == l->heard_us + LEASE_US);
    guest_close(&g);
    expect(host_finds(&h, 0, RUNNER_AWAY) && h.over_us == l->until_us);
    host_close(&h);
}

TEST(agents_silence_of_ours_is_none_of_theirs)
{
    struct host h;
    struct guest g;
    struct packet beat = {.type = PACKET_BEAT, .u.beat = {.sent_us = 5, .free_bytes = -1}}, m;

    host_open(&h, false);
    guest_joins(&g, &h, "one");
    /* We were not there for a while; its beat was. */
    expect(frames_send(&g.frames, &beat) == 0 && frames_flush(&g.frames) == 0);
    struct pollfd beaten = {.fd = h.coordinator->links[0]->frames.fd, .events = POLLIN};
    expect(poll(&beaten, 1, 60000) == 1);
    h.coordinator->links[0]->heard_us = h.coordinator->links[0]->until_us = clock_now_us() - 1;
    h.links[0]->turn(h.links[0]);
    expect(h.presence[0] != RUNNER_AWAY);
    expect(guest_hears(&g, &m) == PACKET_BEAT && m.u.beat.sent_us == 5);
    guest_close(&g);
    host_close(&h);
}

TEST(agents_one_that_comes_again_has_ended_what_it_ran)
{
    struct host h;
    struct guest g;

    host_open(&h, false);
    guest_joins(&g, &h, "one");
    guest_close(&g);
    expect(host_finds(&h, 0, RUNNER_AWAY) && h.over_us > clock_now_us());
    guest_joins(&g, &h, "one");
    expect(h.presence[0] == RUNNER_HERE && h.over_us <= clock_now_us());
    guest_close(&g);
    host_close(&h);
}

/* ---- the end of an allocation ---- */

static uint32_t ending_running;
static int64_t ending_left_us;

static void on_ending(void *ctx, int64_t left_us, uint32_t running)
{
    (void)ctx;
    ending_left_us = left_us;
    ending_running = running;
}

TEST(agents_who_have_nothing_to_do_leave_when_the_allocation_ends)
{
    struct host h;
    struct guest g;
    struct packet m, launch = {.type = PACKET_LAUNCH, .handle = 1};
    uint8_t heard;
    char dir[96];

    host_open(&h, false);
    guest_joins(&g, &h, "one");
    h.coordinator->options.on_ending = on_ending;
    snprintf(dir, sizeof dir, "%s/attempts/1", h.dir);
    launch.u.launch.command = "true";
    launch.u.launch.stdin_path = launch.u.launch.reuse = launch.u.launch.env = "";
    launch.u.launch.dir = dir;
    expect(h.links[0]->order(h.links[0], &launch) == 0);
    h.coordinator->fleet->last = true;
    fleet_has_hope = false;
    still_options.on_drain(still_options.ctx, "on*", 60000000);
    expect(ending_running == 1 && ending_left_us == 60000000);
    /* It has something to do, and goes on. */
    for (int i = 0; i < 3; i++)
        guest_says(&g, (struct packet){.type = PACKET_PROGRESS, .handle = 1});
    expect(h.presence[0] == RUNNER_LEAVING && !h.lost);
    frames_send(&g.frames, &(struct packet){.type = PACKET_LAUNCH_FAILED, .handle = 1});
    for (int i = 0; i < 3; i++)
        frames_send(&g.frames, &(struct packet){.type = PACKET_BEAT,
                                                .u.beat = {.sent_us = i, .free_bytes = -1}});
    while ((heard = guest_hears(&g, &m)) != 0 && heard != PACKET_LEAVE)
        ;
    expect(heard == PACKET_LEAVE && h.presence[0] == RUNNER_AWAY);
    host_step(&h);
    expect(h.lost && strstr(h.why, "the allocation ends"));
    guest_close(&g);
    host_close(&h);
}
