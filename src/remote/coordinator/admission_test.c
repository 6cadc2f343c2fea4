/* Strangers at the door: whose credential is judged, and what happens when that fails. */
#include "tests/unit/test.h"

#include <netinet/in.h>
#include <netinet/tcp.h>

#include "remote/coordinator/coordinator_stage_test.h"
#include "tests/unit/limits.h"

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

/* Has strangers show credentials, which are judged by their text. */
static void host_judges(struct host *h)
{
    static char never_used;

    host_open(h, false);
    h->coordinator->identity = (struct identity *)(void *)&never_used;
    h->coordinator->checker = (struct identity_checker){.judge = judge_plays,
                                                        .epoll_fd = h->coordinator->epoll_fd,
                                                        .epoll_tag = ADMISSION_TAG_CHECKER};
}

static void host_ends(struct host *h)
{
    h->coordinator->identity = NULL;
    host_close(h);
}

/* Sends a hello with this credential, and has the host go on until it has received it. Returns the
 * place of the stranger. */
static uint32_t guest_shows(struct guest *g, struct host *h, const char *name,
                            const char *credential)
{
    guest_open(g, h, name);
    g->hello.credential = credential;
    struct packet m = {.type = PACKET_HELLO, .u.hello = g->hello};
    frames_send(&g->frames, &m);
    for (int64_t until_us = patience_us(); clock_now_us() < until_us; usleep(500)) {
        host_step(h);
        frames_greet(&g->frames);
        frames_flush(&g->frames);
        for (uint32_t i = 0; i < ADMISSION_PEERS; i++)
            if (h->coordinator->peers[i] &&
                strcmp(h->coordinator->peers[i]->info.name, name) == 0 &&
                (h->coordinator->shown == i || h->coordinator->peers[i]->credential))
                return i;
    }
    return ADMISSION_PEERS;
}

/* One after the other, whoever has waited longest first. */
TEST(admission_judges_credentials_in_their_order)
{
    struct host h;
    struct guest a, b, c;

    host_judges(&h);
    struct coordinator *x = h.coordinator;
    uint32_t first = guest_shows(&a, &h, "a", "hang");
    uint32_t second = guest_shows(&b, &h, "b", "hang"), third = guest_shows(&c, &h, "c", "hang");
    expect(first < ADMISSION_PEERS && second < ADMISSION_PEERS && third < ADMISSION_PEERS);
    expect(x->shown == first && !x->peers[first]->credential && x->peers[second]->credential);
    x->peers[third]->until_us = x->peers[second]->until_us - 1;
    x->checker.until_us = 0; /* of the first, for too long */
    host_step(&h);
    expect(x->shown == third && !x->peers[first] && !x->peers[third]->credential);
    expect(host_logs(&h, " a: MUNGE: munged does not answer\n"));
    /* Who leaves meanwhile is forgotten, and the answer is for nobody. */
    guest_close(&c);
    for (int64_t until_us = patience_us(); x->peers[third] && clock_now_us() < until_us;)
        host_step(&h);
    expect(!x->peers[third] && x->shown == ADMISSION_PEERS && x->checker.busy);
    x->checker.until_us = 0;
    host_step(&h);
    expect(x->shown == second && x->peers[second]);
    /* One whose turn does not come in time goes. */
    uint32_t last = guest_shows(&c, &h, "c", "hang");
    expect(last < ADMISSION_PEERS && x->shown == second);
    x->peers[last]->until_us = clock_now_us();
    host_step(&h);
    expect(!x->peers[last] && host_logs(&h, " c: MUNGE has not answered for too long\n"));
    guest_close(&a);
    guest_close(&b);
    guest_close(&c);
    host_ends(&h);
}

/* The clocks say why a credential is not good. */
TEST(admission_says_whose_clock_spoils_a_credential)
{
    struct host h;
    struct guest g;
    struct packet m;

    host_judges(&h);
    guest_open(&g, &h, "one");
    g.hello.credential = "forged";
    g.hello.clock_us = ((int64_t)time(NULL) - 7200) * 1000000;
    expect(guest_says_hello(&g, &m) == PACKET_REFUSED && m.u.refused.for_good);
    expect(strncmp(m.u.refused.text, "MUNGE: forged; its clock is 72", 30) == 0);
    expect(strstr(m.u.refused.text, " s behind the coordinator's"));
    guest_close(&g);
    host_ends(&h);
}

/* What cannot be judged is not the agent's fault: it may come again. */
TEST(admission_lets_go_whom_it_cannot_judge)
{
    struct host h;
    struct guest g;
    int64_t count = 0;

    host_judges(&h);
    guest_open(&g, &h, "one");
    g.hello.credential = "good";
    sys_plan_set(&(struct sys_plan){
        .mode = SYS_PLAN_FAIL, .at = 1, .error = ENOMEM, .count = &count, .call = "fork"});
    expect(guest_says_hello(&g, NULL) == 0); /* without a word */
    sys_plan_set(NULL);
    expect(count == 1 && host_logs(&h, " one: Cannot allocate memory\n"));
    expect(strcmp(h.coordinator->why, "Cannot allocate memory") == 0 && h.coordinator->untold);
    guest_close(&g);
    guest_open(&g, &h, "one");
    g.hello.credential = "good";
    expect(guest_says_hello(&g, NULL) == PACKET_WELCOME);
    guest_close(&g);
    host_ends(&h);
}

/* Packets of agents do not wait for others; one that cannot be waited for is not kept. */
TEST(admission_drops_whom_it_cannot_wait_for)
{
    struct host h;
    struct guest g;
    int64_t count = 0, until_us = patience_us();
    int on = 0;
    socklen_t size = sizeof on;

    host_open(&h, false);
    int before = limits_open();
    guest_open(&g, &h, "one");
    sys_plan_set(&(struct sys_plan){
        .mode = SYS_PLAN_FAIL, .at = 1, .error = ENOSPC, .count = &count, .call = "epoll_ctl"});
    while (count == 0 && clock_now_us() < until_us) {
        frames_greet(&g.frames);
        host_step(&h);
    }
    sys_plan_set(NULL);
    guest_close(&g);
    expect(count > 0 && limits_open() == before);
    guest_joins(&g, &h, "one");
    expect(getsockopt(h.coordinator->links[0]->frames.fd, IPPROTO_TCP, TCP_NODELAY, &on, &size) ==
               0 &&
           on);
    guest_close(&g);
    host_close(&h);
}

/* ---- places ---- */

/* Who has come just now keeps its place; the next waits outside, for a moment. */
TEST(admission_keeps_those_who_have_just_come)
{
    static struct guest g[ADMISSION_PEERS + 1];
    struct host h;

    host_open(&h, false);
    struct coordinator *x = h.coordinator;
    for (int i = 0; i <= ADMISSION_PEERS; i++) {
        guest_open(&g[i], &h, "x");
        uint32_t taken = 0;
        int64_t until_us = patience_us();
        while (taken <= (uint32_t)i && x->deaf_until_us == 0 && clock_now_us() < until_us) {
            ssize_t n = send(g[i].frames.fd, "\x16", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
            (void)n; /* once it is connected */
            taken = 0;
            for (uint32_t k = 0; k < ADMISSION_PEERS; k++) {
                taken += x->peers[k] != NULL;
                if (x->peers[k])
                    x->peers[k]->until_us = clock_now_us() + 5000000;
            }
            host_step(&h);
        }
    }
    expect(x->deaf_until_us > 0 && x->deaf_until_us <= clock_now_us() + 10000);
    expect(!host_logs(&h, "while others waited"));
    for (int i = 0; i <= ADMISSION_PEERS; i++)
        guest_close(&g[i]);
    host_close(&h);
}

/* Two are welcome where there is one place: the first that is ready has it. Later, whoever left
 * first makes room. */
TEST(admission_gives_a_place_to_the_first_that_is_ready)
{
    struct host h;
    struct guest one, two, three;
    struct packet m;

    host_open(&h, false);
    guest_joins(&one, &h, "one");
    guest_open(&two, &h, "two");
    guest_open(&three, &h, "three");
    expect(guest_says_hello(&two, NULL) == PACKET_WELCOME);
    expect(guest_says_hello(&three, NULL) == PACKET_WELCOME);
    guest_says(&two, (struct packet){.type = PACKET_READY});
    expect(h.presence[1] == RUNNER_HERE);
    m = (struct packet){.type = PACKET_READY};
    frames_send(&three.frames, &m);
    expect(guest_hears(&three, &m) == PACKET_REFUSED && !m.u.refused.for_good);
    expect(strcmp(m.u.refused.text, "the maximum number of agents is connected") == 0);
    guest_close(&one);
    guest_close(&two);
    guest_close(&three);
    expect(host_finds(&h, 0, RUNNER_AWAY) && host_finds(&h, 1, RUNNER_AWAY));
    h.coordinator->links[0]->heard_us = 5;
    h.coordinator->links[1]->heard_us = 3;
    guest_joins(&three, &h, "three");
    expect(strcmp(h.coordinator->links[1]->info.name, "three") == 0);
    guest_close(&three);
    host_close(&h);
}

/* ---- what is said ---- */

TEST(admission_says_how_commands_run)
{
    struct host h;
    struct guest g;
    struct packet m;
    char here[PATH_MAX];

    for (int i = 0; i < 3; i++) {
        host_open(&h, false);
        struct runner_options *o = &h.coordinator->links[0]->options;
        o->workdir = i == 0 ? NULL : i == 1 ? "/no/such/folder" : "/usr/../";
        o->shell = i == 2 ? "/bin/sh" : NULL;
        o->nice = i;
        guest_open(&g, &h, "one");
        expect(guest_says_hello(&g, &m) == PACKET_WELCOME && m.u.welcome.nice == i);
        expect(strcmp(m.u.welcome.shell, i == 2 ? "/bin/sh" : "") == 0);
        expect(getcwd(here, sizeof here));
        expect(strcmp(m.u.welcome.workdir, i == 0 ? here : i == 1 ? "" : "/") == 0);
        expect(strcmp(m.u.welcome.probe, "agents.probe") == 0);
        expect(strcmp(m.u.welcome.token, h.coordinator->token) == 0 && !m.u.welcome.keep);
        guest_close(&g);
        host_close(&h);
    }
}

/* A hello is said once; a reason that cannot be printed, or comes too soon, is none. */
TEST(admission_refuses_what_comes_out_of_order)
{
    struct host h;
    struct guest g;
    struct packet m;

    for (int i = 0; i < 4; i++) {
        host_open(&h, false);
        h.coordinator->options.sees = i == 3;
        guest_open(&g, &h, "one");
        if (i != 1)
            expect(guest_says_hello(&g, NULL) == PACKET_WELCOME);
        if (i == 3) { /* and nothing is wrong with one that sees the folder, as it has to */
            guest_says(&g, (struct packet){.type = PACKET_READY, .u.ready.shared = 1});
            expect(h.presence[0] == RUNNER_HERE);
        } else {
            m = (struct packet){.type = PACKET_FATAL, .u.text = i == 1 ? "no disk" : "\033[m"};
            if (i == 0)
                m = (struct packet){.type = PACKET_HELLO, .u.hello = g.hello};
            frames_send(&g.frames, &m);
            expect(guest_hears(&g, &m) == PACKET_REFUSED && m.u.refused.for_good);
            expect(strcmp(m.u.refused.text, "it sent an invalid packet") == 0);
        }
        guest_close(&g);
        host_close(&h);
    }
}
