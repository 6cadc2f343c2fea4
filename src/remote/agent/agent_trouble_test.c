/* What an agent does when something around it fails or is killed, with a test in the role of the
 * coordinator. */

#include "tests/unit/test.h"

#include "base/mem.h"
#include "exec/process/sys.h"
#include "remote/agent/agent_post_test.h"
#include "remote/fleet/fleet.h"
#include "remote/wire/identity.h"
#include "remote/wire/identity_munged_test.h"

/* ---- processes that are killed ---- */

/* Has an attempt kill the session. */
static void post_is_killed(struct post *p, int number)
{
    struct packet m;
    char dir[32];

    snprintf(dir, sizeof dir, "attempts/%d", number);
    post_launches(p, 7, "kill -9 $PPID", dir);
    while (post_hears(p, &m) != 0)
        ;
}

/* One session that is killed is replaced; the fifth in a row is the last. */
TEST(agent_gives_up_when_its_sessions_are_killed)
{
    struct post p;

    post_open(&p);
    post_start(&p);
    for (int i = 0; i < 5; i++) {
        expect(post_welcomes(&p, NULL));
        post_is_killed(&p, i);
    }
    expect(post_ends(&p) == 1);
    expect(strstr(p.said, "it was killed by signal 9, again and again"));
    post_close(&p);
}

/* A session that ends by itself is no failure: those before it do not count any more. */
TEST(agent_goes_on_after_sessions_that_are_killed_now_and_then)
{
    struct post p;

    post_open(&p);
    post_start(&p);
    for (int i = 0; i < 8; i++) {
        expect(post_welcomes(&p, NULL));
        post_is_killed(&p, i);
        if (i == 3) {
            expect(post_welcomes(&p, NULL));
            frames_fini(&p.frames); /* the connection ends */
        }
    }
    expect(post_welcomes(&p, NULL));
    post_dismisses(&p);
    post_close(&p);
}

static void post_keeps(struct post *p)
{
    post_open(p);
    p->welcome.pull = p->welcome.keep = 1;
    p->welcome.store = "0123456789abcdef0123456789abcdef";
    p->welcome.store_length = sizeof(struct secret);
}

/* Without the process that hands out what stays here, others would wait for it in vain. */
TEST(agent_session_ends_when_the_process_that_hands_out_outputs_does)
{
    static const char why[] = "its process that hands out outputs has ended";
    struct post p;
    struct packet m;

    if (access("/proc/thread-self/children", R_OK) < 0) {
        test_skip("the system does not list the children of processes");
        return;
    }
    post_keeps(&p);
    post_start(&p);
    expect(post_welcomes(&p, NULL));
    /* It is the other child of the process above the session. */
    post_launches(&p, 7,
                  "set -- $(sed 's/.*) //' /proc/$PPID/stat); exec sleep 1000 &"
                  " for c in $(cat /proc/$2/task/$2/children); do"
                  " [ $c = $PPID ] || kill -9 $c; done; wait",
                  "attempts/7");
    uint8_t heard;
    do /* it may notice the death before it says that the attempt runs, or after */
        heard = post_hears(&p, &m);
    while (heard == PACKET_CORES || heard == PACKET_PRESSURE || heard == PACKET_STARTED);
    expect(heard == PACKET_FATAL && strcmp(m.u.text, why) == 0);
    expect(post_ends(&p) == 1 && strcmp(p.said, why) == 0);
    post_close(&p);
}

/* ---- what cannot be made ---- */

/* Waits for the agent to come again. False: it has ended instead. */
static bool post_sees(struct post *p)
{
    struct pollfd fds[2] = {{.fd = p->listen_fd, .events = POLLIN},
                            {.fd = p->said_fd, .events = POLLIN}};

    frames_fini(&p->frames);
    return poll(fds, 2, POST_PATIENCE_MS) > 0 && fds[0].revents;
}

/* Whichever of its descriptors it cannot watch: it tries again while it may, or says why it ends,
 * and never waits for what it does not watch. */
TEST(agent_session_tries_again_or_ends_where_it_cannot_watch)
{
    enum { CALLS = 12 };
    uint32_t ran = 0, lost = 0;

    for (int at = 1; at <= CALLS; at++) {
        int64_t count = 0;
        struct sys_plan plan = {.mode = SYS_PLAN_FAIL,
                                .at = at,
                                .error = ENOSPC,
                                .count = &count,
                                .call = "epoll_ctl"};
        struct post p;
        struct packet m = {0};
        bool joined = false, started = false;

        post_open(&p);
        sys_plan_set(&plan);
        post_start(&p);
        sys_plan_set(NULL);
        while (!joined && post_sees(&p))
            joined = post_welcomes(&p, NULL);
        if (joined) {
            post_launches(&p, 7, "sleep 1000", "attempts/7");
            started = post_hears(&p, &m) == PACKET_STARTED;
        }
        if (m.type == PACKET_FATAL)
            lost += strstr(m.u.text, "cannot watch attempts: epoll_ctl: No space left") != NULL;
        ran += started;
        if (started)
            kill(p.pid, SIGTERM);
        expect(post_ends(&p) == !started);
        expect(started || strstr(p.said, strerror(ENOSPC)));
        post_close(&p);
    }
    expect(ran > 0 && lost == 1);
}

TEST(agent_session_says_that_it_cannot_prepare_for_attempts)
{
    struct post p;
    struct packet m;

    post_keeps(&p);
    post_start(&p);
    expect(post_meets(&p, &m));
    tree_remove(m.u.hello.scratch);
    post_says(&p, (struct packet){.type = PACKET_WELCOME, .u.welcome = p.welcome});
    expect(post_hears(&p, &m) == PACKET_FATAL);
    expect(strcmp(m.u.text, "cannot prepare for attempts: No such file or directory") == 0);
    expect(post_ends(&p) == 1 && strstr(p.said, "cannot prepare for attempts: No such file"));
    post_close(&p);
}

/* ---- what stays ---- */

TEST(agent_session_forgets_outputs_that_nobody_needs_any_more)
{
    struct post p;
    struct packet m;
    char kept[2][320];

    post_keeps(&p);
    post_start(&p);
    expect(post_meets(&p, &m));
    for (int i = 0; i < 2; i++)
        snprintf(kept[i], sizeof kept[i], "%s/kept/%d", m.u.hello.scratch, 7 + i);
    post_says(&p, (struct packet){.type = PACKET_WELCOME, .u.welcome = p.welcome});
    expect(post_hears(&p, NULL) == PACKET_READY);
    for (uint32_t i = 0; i < 2; i++) {
        char dir[32];
        snprintf(dir, sizeof dir, "attempts/%u", 7 + i);
        post_says(&p, (struct packet){.type = PACKET_LAUNCH,
                                      .handle = 7 + i,
                                      .u.launch = {.command = "echo hi",
                                                   .stdin_path = "",
                                                   .dir = dir,
                                                   .reuse = "",
                                                   .env = "",
                                                   .keep = PACKET_KEEP_WHOLE}});
        while (post_hears(&p, &m) != PACKET_EXITED && m.type != PACKET_LAUNCH_FAILED)
            ;
        expect(m.type == PACKET_EXITED && m.u.end.status == 0 && access(kept[i], F_OK) == 0);
    }
    post_says(&p, (struct packet){.type = PACKET_FORGET, .handle = 7});
    for (int i = 0; i < 60000 && access(kept[0], F_OK) == 0; i++)
        usleep(1000);
    expect(access(kept[0], F_OK) < 0 && access(kept[1], F_OK) == 0);
    post_dismisses(&p);
    post_close(&p);
}

/* ---- coordinators that are not there ---- */

/* Somebody accepts the connection and says nothing: it is no use to wait for long. */
TEST(agent_session_does_not_wait_for_a_greeting_for_ever)
{
    struct post p;

    post_open(&p);
    p.agent.linger_us = 1000000;
    post_start(&p);
    struct pollfd fd = {.fd = p.listen_fd, .events = POLLIN};
    expect(poll(&fd, 1, POST_PATIENCE_MS) == 1);
    int silent = accept4(p.listen_fd, NULL, NULL, SOCK_CLOEXEC);
    expect(post_ends(&p) == 1);
    expect(strstr(p.said, "cannot join a run at ") && strstr(p.said, p.at) &&
           strstr(p.said, ": no answer"));
    close(silent);
    post_close(&p);
}

static int note_fd;

static void on_note(const char *text)
{
    dprintf(note_fd, "%s\n", text);
}

/* Who has started it reads that on its stderr (FLEET_UNREACHABLE), and needs to read it once. */
TEST(agent_session_says_once_that_it_reaches_nobody)
{
    struct post p;
    char said[512] = "", want[256];
    int fds[2];

    post_open(&p);
    close(p.listen_fd);
    p.listen_fd = -1;
    expect(pipe(fds) == 0);
    note_fd = fds[1];
    p.agent.note = on_note;
    p.agent.linger_us = 7000000; /* it complains after five seconds */
    post_start(&p);
    close(fds[1]);
    expect(post_ends(&p) == 1);
    ssize_t n = 0;
    for (ssize_t got; (got = read(fds[0], said + n, sizeof said - 1 - (size_t)n)) > 0;)
        n += got;
    snprintf(want, sizeof want, FLEET_UNREACHABLE "%s (127.0.0.1): Connection refused\n", p.at);
    expect(strcmp(said, want) == 0);
    close(fds[0]);
    post_close(&p);
}

/* ---- coordinators of others ---- */

/* With MUNGE both ends show whose they are: the agent in its hello, the coordinator in its
 * welcome. A coordinator that has the key alone may be anybody. */
TEST(agent_session_joins_only_a_coordinator_of_its_user)
{
    unsigned char number[TLS_NUMBER];
    struct munged munged;
    struct post p;
    struct packet m;
    char why[IDENTITY_WHY] = "";
    bool wrong = false;

    if (!munged_open(&munged))
        return;
    struct identity *b = identity_open(munged.socket, why);
    for (int i = 0; b && i < 3; i++) {
        post_open(&p);
        p.agent.munge = munged.socket;
        p.agent.linger_us = i == 0 ? 60000000 : 1000000;
        post_start(&p);
        for (bool joined = false; !joined && post_sees(&p);) {
            expect(post_meets(&p, &m) && tls_number(p.frames.tls, number));
            expect(identity_check(b, IDENTITY_AGENT, m.u.hello.credential, number, why, &wrong));
            number[0] ^= i == 2; /* of another connection */
            char *credential =
                i == 1 ? mem_strdup("") : identity_make(b, IDENTITY_COORDINATOR, number, why);
            p.welcome.credential = credential;
            post_says(&p, (struct packet){.type = PACKET_WELCOME, .u.welcome = p.welcome});
            mem_free(credential);
            joined = post_hears(&p, NULL) == PACKET_READY;
            expect(joined == (i == 0));
        }
        if (i == 0) {
            post_dismisses(&p);
        } else {
            expect(post_ends(&p) == 1);
            expect(strstr(p.said, "it did not prove that it is a coordinator of this user: "));
            expect(strstr(p.said, i == 1 ? "no MUNGE credential" : "another connection"));
        }
        post_close(&p);
    }
    expect(b != NULL);
    identity_close(b);
    munged_close(&munged);
}

/* It says why it cannot show whose it is, and comes again: munged may. */
TEST(agent_session_needs_munged_to_show_whose_it_is)
{
    struct post p;

    post_open(&p);
    p.agent.munge = "/no/such/socket";
    p.agent.linger_us = 1000000;
    post_start(&p);
    while (post_sees(&p))
        expect(!post_meets(&p, NULL));
    expect(post_ends(&p) == 1 && strstr(p.said, "cannot join a run at "));
    expect(strstr(p.said, "MUNGE") || strstr(p.said, "libmunge"));
    post_close(&p);
}
