/* Agents and coordinators that show each other by MUNGE whose processes they are. */
#include "tests/unit/test.h"

#include "base/os/tree.h"
#include "remote/agent/agent_post_test.h"
#include "remote/coordinator/coordinator_stage_test.h"
#include "remote/wire/identity_munged_test.h"

/* ---- the agent ---- */

/* What an end of the conversation shows; free with mem_free. */
static char *show(struct identity *b, struct frames *f, enum identity_role role)
{
    unsigned char number[TLS_NUMBER];
    char why[IDENTITY_WHY];

    expect(tls_number(f->tls, number));
    return identity_make(b, role, number, why);
}

/* Whether what the other end has shown is good. */
static bool judge(struct identity *b, struct frames *f, enum identity_role role,
                  const char *credential)
{
    unsigned char number[TLS_NUMBER];
    char why[IDENTITY_WHY];
    bool wrong;

    return tls_number(f->tls, number) && identity_check(b, role, credential, number, why, &wrong);
}

/* It runs nothing for whoever has the key alone, and looks for its coordinator again. */
TEST(agent_session_works_for_processes_of_its_user)
{
    char why[IDENTITY_WHY];
    struct munged munged;
    struct post p;
    struct packet m;

    if (!munged_open(&munged))
        return;
    struct identity *b = identity_open(munged.socket, why);
    post_open(&p);
    p.agent.munge = munged.socket;
    post_start(&p);
    expect(post_meets(&p, &m) && judge(b, &p.frames, IDENTITY_AGENT, m.u.hello.credential));
    post_says(&p, (struct packet){.type = PACKET_WELCOME, .u.welcome = p.welcome});
    expect(post_hears(&p, NULL) == 0);
    for (int i = 0; i < 2; i++) {
        expect(post_meets(&p, NULL));
        char *own = show(b, &p.frames, i == 0 ? IDENTITY_AGENT : IDENTITY_COORDINATOR);
        p.welcome.credential = own;
        post_says(&p, (struct packet){.type = PACKET_WELCOME, .u.welcome = p.welcome});
        expect(post_hears(&p, NULL) == (i == 0 ? 0 : PACKET_READY));
        mem_free(own);
    }
    post_dismisses(&p);
    post_close(&p);
    identity_close(b);
    munged_close(&munged);
}

TEST(agent_session_does_not_join_without_munged)
{
    struct post p;

    if (test_lacks_subreaper())
        return;
    post_open(&p);
    p.agent.munge = "/no/such/socket";
    p.agent.linger_us = 1000000;
    post_start(&p);
    struct pollfd fds[] = {{.fd = p.said_fd, .events = POLLIN},
                           {.fd = p.listen_fd, .events = POLLIN}};
    while (poll(fds, 2, POST_PATIENCE_MS) > 0 && !fds[0].revents)
        expect(!post_meets(&p, NULL));
    expect(post_ends(&p) == 1 && strstr(p.said, "cannot join a run at 127.0.0.1:"));
    expect(strstr(p.said, "MUNGE: ") || strstr(p.said, "libmunge"));
    post_close(&p);
}

/* ---- the coordinator ---- */

static void munged_is_at(const char *socket)
{
    still_way.munge = socket != NULL;
    if (socket)
        setenv("DOLLY_MUNGE_SOCKET", socket, 1);
    else
        unsetenv("DOLLY_MUNGE_SOCKET");
}

TEST(agents_let_in_processes_of_their_user)
{
    char why[IDENTITY_WHY];
    struct munged munged;
    struct host h;
    struct guest g;
    struct packet m;
    struct secret key;
    struct err err;

    if (!munged_open(&munged))
        return;
    struct identity *b = identity_open(munged.socket, why);
    munged_is_at(munged.socket);
    host_open(&h, false);
    munged_is_at(NULL);
    /* The key is sealed for what Slurm shows to others. */
    expect(strcmp(still_options.munge, munged.socket) == 0 && still_options.sealed_file);
    int fd = open(still_options.sealed_file, O_RDONLY | O_CLOEXEC);
    expect(fd >= 0 && identity_read_key(&key, fd, munged.socket, &err) == 0);
    expect(memcmp(&key, &h.key, sizeof key) == 0);
    close(fd);
    expect(strncmp(still_options.sealed, "MUNGE:", 6) == 0);
    expect(host_logs(&h, "agents and coordinator prove their user by MUNGE"));
    /* One that shows nothing, and one that shows a credential of the other end. */
    for (int i = 0; i < 3; i++) {
        guest_open(&g, &h, "one");
        for (int64_t until_us = patience_us(); clock_now_us() < until_us; usleep(200)) {
            host_step(&h);
            if (frames_greet(&g.frames) > 0)
                break;
        }
        char *own = show(b, &g.frames, i == 1 ? IDENTITY_COORDINATOR : IDENTITY_AGENT);
        g.hello.credential = i == 0 ? "" : own;
        uint8_t heard = guest_says_hello(&g, &m);
        if (i < 2) {
            expect(heard == PACKET_REFUSED && m.u.refused.for_good);
            expect(strstr(m.u.refused.text,
                          i == 0 ? "it sent no MUNGE credential" : "another connection"));
        } else {
            expect(heard == PACKET_WELCOME);
            expect(judge(b, &g.frames, IDENTITY_COORDINATOR, m.u.welcome.credential));
            guest_says(&g, (struct packet){.type = PACKET_READY, .u.ready.shared = 1});
            expect(h.presence[0] == RUNNER_HERE);
        }
        mem_free(own);
        guest_close(&g);
    }
    /* It is not the agent's fault that munged has gone: it may come again. */
    guest_open(&g, &h, "two");
    munged_kill(&munged);
    g.hello.credential = "MUNGE:abc:";
    expect(guest_says_hello(&g, &m) == 0 && host_logs(&h, "MUNGE: "));
    guest_close(&g);
    host_close(&h);
    identity_close(b);
    munged_close(&munged);
}

static char munge_note[512];
static void on_munge_note(void *ctx, const char *text)
{
    (void)ctx;
    snprintf(munge_note, sizeof munge_note, "%s", text);
}

/* Opens and closes a coordinator; its note is in munge_note. Returns true if it opens. */
static bool opens(const char *socket, bool must, struct err *err)
{
    struct cluster *cluster = cluster_plain(LINKS, 1);
    char dir[TEST_FOLDER];

    test_folder(dir);
    munge_note[0] = '\0';
    munged_is_at(socket);
    struct coordinator_options options = {.way = &still_way,
                                          .dir = dir,
                                          .cluster = cluster,
                                          .munge_must = must,
                                          .on_note = on_munge_note};
    struct coordinator *a = coordinator_open(&options, err);
    munged_is_at(NULL);
    expect(!a || (!still_options.munge && !still_options.sealed && !still_options.sealed_file));
    coordinator_close(a);
    cluster_destroy(cluster);
    tree_remove(dir);
    return a != NULL;
}

TEST(agents_without_munged_are_noted_or_refused)
{
    struct err err;

    expect(opens("none", false, &err) && !munge_note[0]); /* as the user wants it */
    expect(!opens("none", true, &err));
    expect(strstr(err.text, "--munge must: DOLLY_MUNGE_SOCKET is 'none'"));
    expect(opens("/no/such/socket", false, &err));
    expect(strstr(munge_note, "without MUNGE, Slurm sends the key of the run to nodes in clear"));
    expect(strstr(munge_note, "can join: ") && strstr(munge_note, "can join: ")[10] != '\0');
    expect(!opens("/no/such/socket", true, &err));
    expect(strstr(err.text, "--munge must: without MUNGE: ") && !munge_note[0]);
}

static bool is_there(const char *dir, const char *name)
{
    char path[TEST_FOLDER + 32];

    snprintf(path, sizeof path, "%s/%s", dir, name);
    return access(path, F_OK) == 0;
}

/* No key lies about after a run, sealed or not. */
TEST(agents_leave_no_key_behind)
{
    static const char *const names[] = {"agents.key", "agents.at", "agents.sealed", "agents.held"};
    struct munged munged;
    struct err err;
    bool with = munged_open(&munged);

    for (int sealed = 0; sealed <= with; sealed++) {
        struct cluster *cluster = cluster_plain(LINKS, 1);
        char dir[TEST_FOLDER];
        test_folder(dir);
        struct coordinator_options options = {.way = &still_way, .dir = dir, .cluster = cluster};
        munged_is_at(sealed ? munged.socket : NULL);
        struct coordinator *a = coordinator_open(&options, &err);
        munged_is_at(NULL);
        expect(a && is_there(dir, "agents.key") && is_there(dir, "agents.at"));
        expect(is_there(dir, "agents.sealed") == sealed);
        coordinator_close(a);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            expect(!is_there(dir, names[i]));
        cluster_destroy(cluster);
        tree_remove(dir);
    }
    if (with)
        munged_close(&munged);
}
