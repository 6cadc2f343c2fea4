/* What an agent says to its coordinator, and does for it. */

#include "tests/unit/test.h"

#include "exec/folder/run_lock.h"
#include "remote/agent/agent_post_test.h"
#include "remote/fleet/fleet.h"

#define NO_COORDINATOR "the coordinator sent an invalid packet"

/* ---- joining ---- */

TEST(agent_session_says_who_it_is_and_leaves_when_told_to)
{
    struct post p;
    struct packet m;
    char scratch[128];

    post_open(&p);
    p.agent.cores = 1;
    post_start(&p);
    expect(post_meets(&p, &m));
    expect(m.u.hello.version == PACKET_VERSION && strlen(m.u.hello.program) == 16);
    expect(strcmp(m.u.hello.name, "n") == 0 && m.u.hello.host[0] && m.u.hello.boot[0]);
    expect(m.u.hello.cores_milli == 1000 && m.u.hello.memory_mib > 0 && !*m.u.hello.credential);
    expect(m.u.hello.clock_us > INT64_C(1500000000) * 1000000);
    snprintf(scratch, sizeof scratch, "%s/dolly-agent.n.", p.scratch);
    expect(strncmp(m.u.hello.scratch, scratch, strlen(scratch)) == 0);
    post_says(&p, (struct packet){.type = PACKET_WELCOME, .u.welcome = p.welcome});
    expect(post_hears(&p, &m) == PACKET_READY && m.u.ready.shared && m.u.ready.port == 0);
    post_dismisses(&p);
    post_close(&p);
}

/* It takes the folder for shared only if it sees what the coordinator has put there, and may. */
TEST(agent_session_joins_without_the_folder_of_the_run)
{
    struct post p;
    struct packet m;

    for (int i = 0; i < 2; i++) {
        post_open(&p);
        if (i == 0)
            p.welcome.token = "other";
        else
            p.welcome.pull = 1;
        post_start(&p);
        expect(post_welcomes(&p, &m) && !m.u.ready.shared);
        post_dismisses(&p);
        post_close(&p);
    }
}

TEST(agent_session_says_why_it_was_refused)
{
    struct post p;

    for (uint8_t for_good = 0; for_good < 2; for_good++) {
        post_open(&p);
        post_start(&p);
        expect(post_meets(&p, NULL));
        post_says(&p, (struct packet){.type = PACKET_REFUSED, .u.refused = {"too many", for_good}});
        expect(post_hears(&p, NULL) == 0);
        expect(post_ends(&p) == (for_good ? FLEET_STATUS_NEVER : 1));
        expect(strstr(p.said, p.at) && strstr(p.said, " refused this agent: too many"));
        post_close(&p);
    }
}

TEST(agent_session_never_works_where_commands_cannot_run)
{
    struct post p;
    struct packet m;

    post_open(&p);
    p.welcome.workdir = "/no/such/folder";
    post_start(&p);
    expect(post_meets(&p, NULL));
    post_says(&p, (struct packet){.type = PACKET_WELCOME, .u.welcome = p.welcome});
    expect(post_hears(&p, &m) == PACKET_FATAL);
    expect(strstr(m.u.text, "does not see the working folder /no/such/folder: No such"));
    expect(post_ends(&p) == FLEET_STATUS_NEVER &&
           strstr(p.said, "does not see the working folder"));
    post_close(&p);
}

/* Whoever listens there without the key is not the coordinator, and will not be. */
TEST(agent_session_gives_up_where_its_key_does_not_fit)
{
    struct post p;
    struct secret other;
    struct err err;

    post_open(&p);
    memset(&other, 'o', sizeof other);
    tls_side_destroy(p.side);
    p.side = tls_side_create(&other, true, &err);
    post_start(&p);
    expect(!post_meets(&p, NULL));
    expect(post_ends(&p) == 1 && strstr(p.said, p.at) == p.said);
    expect(strstr(p.said, " does not have the key of this agent: "));
    post_close(&p);
}

/* Until it has joined, it tries again; once it had, another session does, even where the key does
 * not fit for a while. */
TEST(agent_session_comes_again)
{
    struct post p;
    struct secret other;
    struct err err;
    struct packet first, m;
    char boot[64];

    post_open(&p);
    post_start(&p);
    expect(post_meets(&p, &first));
    snprintf(boot, sizeof boot, "%s", first.u.hello.boot);
    expect(post_meets(&p, &m) && strcmp(m.u.hello.boot, boot) == 0);
    expect(post_welcomes(&p, NULL));
    struct tls_side *side = p.side;
    memset(&other, 'o', sizeof other);
    p.side = tls_side_create(&other, true, &err);
    expect(!post_meets(&p, NULL));
    tls_side_destroy(p.side);
    p.side = side;
    expect(post_welcomes(&p, NULL));
    post_dismisses(&p);
    post_close(&p);
}

TEST(agent_session_gives_up_when_it_has_lingered)
{
    struct post p;

    post_open(&p);
    p.agent.linger_us = 1;
    close(p.listen_fd);
    p.listen_fd = -1;
    post_start(&p);
    expect(post_ends(&p) == 1 && strstr(p.said, "cannot join a run at "));
    post_close(&p);
}

/* The name says where it runs, if it is to. */
TEST(agent_session_has_its_host_in_its_name)
{
    static const char *const names[] = {NULL, "%h", "a.%h-b", "a-%h%h"};
    struct post p;
    struct packet m;
    char want[512], host[256] = "";

    gethostname(host, sizeof host - 1);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        post_open(&p);
        p.agent.name = names[i];
        post_start(&p);
        expect(post_meets(&p, &m));
        snprintf(want, sizeof want, "%s%s%s%s",
                 i < 2    ? ""
                 : i == 2 ? "a."
                          : "a-",
                 m.u.hello.host, i == 3 ? m.u.hello.host : "", i == 2 ? "-b" : "");
        expect(strcmp(m.u.hello.name, want) == 0 &&
               (getenv("SLURMD_NODENAME") || strcmp(m.u.hello.host, host) == 0));
        kill(p.pid, SIGTERM);
        expect(post_ends(&p) == 0);
        post_close(&p);
    }
}

/* Where it works if nobody says where: Slurm's folder for the job comes first. */
TEST(agent_session_works_in_the_folder_for_temporary_files)
{
    static const char *const names[] = {"TMPDIR", "SLURM_TMPDIR"};
    struct post p;
    struct packet m;
    char scratch[128], left[128];

    for (int i = 0; i < 2; i++) {
        const char *was = getenv(names[i]);
        char *kept = was ? strdup(was) : NULL;
        post_open(&p);
        p.agent.scratch = NULL;
        setenv(names[i], p.scratch, 1);
        if (i == 0)
            setenv("SLURM_TMPDIR", "", 1);
        /* What an agent has left that was killed goes. */
        snprintf(left, sizeof left, "%s/dolly-agent.x.123456", p.scratch);
        expect(mkdir(left, 0700) == 0);
        struct err err;
        int lock = run_lock_new(left, &err);
        expect(lock >= 0 && close(lock) == 0);
        post_start(&p);
        expect(post_meets(&p, &m));
        snprintf(scratch, sizeof scratch, "%s/dolly-agent.n.", p.scratch);
        expect(strncmp(m.u.hello.scratch, scratch, strlen(scratch)) == 0);
        expect(access(left, F_OK) < 0);
        kill(p.pid, SIGTERM);
        expect(post_ends(&p) == 0);
        post_close(&p);
        if (kept)
            setenv(names[i], kept, 1);
        else
            unsetenv(names[i]);
        free(kept);
        unsetenv(i == 0 ? "SLURM_TMPDIR" : "");
    }
}

/* A beat each second and no more, also when attempts end. */
TEST(agent_session_beats_once_a_second)
{
    struct post p;
    struct packet m;

    post_open(&p);
    p.welcome.pull = 1;
    post_start(&p);
    expect(post_welcomes(&p, NULL));
    expect(post_beats(&p));
    int64_t last_us = p.beat.u.beat.sent_us;
    post_launches(&p, 7, "echo hi", "attempts/7");
    expect(post_beats(&p) && p.beat.u.beat.sent_us - last_us >= LEASE_BEAT_US);
    post_launches(&p, 8, "true", "attempts/8");
    do
        expect(post_hears(&p, &m) != 0);
    while (m.type != PACKET_EXITED || m.handle != 8);
    post_dismisses(&p);
    post_close(&p);
}

/* ---- through a tunnel ---- */

/* What stays with an agent could not be had by others; the socket, which sshd leaves, goes. */
TEST(agent_session_through_a_tunnel_hands_out_nothing)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    struct post p;
    struct packet m;

    post_open(&p);
    snprintf(at.sun_path, sizeof at.sun_path, "%s/tunnel", p.dir);
    close(p.listen_fd);
    p.listen_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    expect(bind(p.listen_fd, (struct sockaddr *)&at, sizeof at) == 0 &&
           listen(p.listen_fd, 8) == 0);
    p.agent.tunnel = at.sun_path;
    p.welcome.keep = 1;
    p.welcome.store = "0123456789abcdef0123456789abcdef";
    p.welcome.store_length = sizeof(struct secret);
    post_start(&p);
    expect(post_meets(&p, NULL));
    post_says(&p, (struct packet){.type = PACKET_WELCOME, .u.welcome = p.welcome});
    expect(post_hears(&p, &m) == PACKET_FATAL && strstr(m.u.text, "it was reached through ssh"));
    expect(post_ends(&p) == FLEET_STATUS_NEVER && access(at.sun_path, F_OK) < 0);
    post_close(&p);
}

/* ---- attempts ---- */

TEST(agent_session_runs_attempts_in_the_folder_of_the_run)
{
    struct post p;
    struct packet m;
    char path[128], text[16] = "";

    post_open(&p);
    post_start(&p);
    expect(post_welcomes(&p, NULL));
    post_launches(&p, 7, "echo hi", "attempts/7");
    expect(post_hears_of(&p, 7, &m) == PACKET_STARTED);
    for (int i = 0; i < PACKET_COUNTERS; i++)
        expect(post_hears_of(&p, 7, &m) == PACKET_OUTPUT_END && m.u.output_end.file == i &&
               m.u.output_end.bytes == (i == PACKET_STDOUT ? 3 : 0));
    expect(post_hears_of(&p, 7, &m) == PACKET_EXITED && m.u.end.status == 0);
    expect(post_hears_of(&p, 0, &m) == PACKET_SETTLED && m.u.settled == 1);
    snprintf(path, sizeof path, "%s/attempts/7/stdout", p.dir);
    FILE *f = fopen(path, "re");
    expect(f && fgets(text, sizeof text, f) && strcmp(text, "hi\n") == 0 && fclose(f) == 0);
    /* One that takes part itself has said what it leaves; ends are counted. */
    post_says(&p, (struct packet){.type = PACKET_LAUNCH,
                                  .handle = 8,
                                  .u.launch = {.command = "exit 3",
                                               .stdin_path = "",
                                               .dir = "attempts/8",
                                               .reuse = "",
                                               .env = "",
                                               .control = 1}});
    expect(post_hears_of(&p, 8, &m) == PACKET_STARTED);
    expect(post_hears_of(&p, 8, &m) == PACKET_EXITED && WEXITSTATUS(m.u.end.status) == 3);
    expect(post_hears_of(&p, 0, &m) == PACKET_SETTLED && m.u.settled == 2);
    /* One that is killed is not in doubt. */
    post_launches(&p, 9, "sleep 1000", "attempts/9");
    expect(post_hears_of(&p, 9, &m) == PACKET_STARTED);
    post_says(&p, (struct packet){.type = PACKET_KILL, .handle = 9});
    expect(post_hears_of(&p, 9, &m) == PACKET_KILLED);
    /* Nothing is left of them: the number can be taken again. */
    for (uint32_t handle = 7; handle < 10; handle++) {
        snprintf(path, sizeof path, "attempts/again%u", handle);
        post_launches(&p, handle, "sleep 1000", path);
        expect(post_hears_of(&p, handle, &m) == PACKET_STARTED);
    }
    expect(post_beats(&p) && p.beat.u.beat.running == 3);
    post_dismisses(&p);
    post_close(&p);
}

TEST(agent_session_sends_what_attempts_leave_in_its_scratch)
{
    struct post p;
    struct packet m;

    post_open(&p);
    p.welcome.pull = 1;
    p.welcome.shell = "/bin/sh";
    post_start(&p);
    expect(post_welcomes(&p, NULL));
    post_launches(&p, 7, "pwd; echo $DOLLY_TMPDIR >&2", "attempts/7");
    expect(post_hears_of(&p, 7, &m) == PACKET_STARTED);
    expect(post_hears_of(&p, 7, &m) == PACKET_OUTPUT && m.u.output.file == PACKET_STDOUT);
    expect(m.u.output.length == 2 && memcmp(m.u.output.bytes, "/\n", 2) == 0);
    expect(post_hears_of(&p, 7, &m) == PACKET_OUTPUT_END && m.u.output_end.bytes == 2);
    expect(post_hears_of(&p, 7, &m) == PACKET_OUTPUT && m.u.output.file == PACKET_STDERR);
    expect(memcmp(m.u.output.bytes, p.scratch, strlen(p.scratch)) == 0);
    expect(post_hears_of(&p, 7, &m) == PACKET_OUTPUT_END && m.u.output_end.file == PACKET_STDERR);
    expect(post_hears_of(&p, 7, &m) == PACKET_EXITED && m.u.end.status == 0);
    expect(post_hears_of(&p, 0, &m) == PACKET_SETTLED && m.u.settled == 1);
    post_dismisses(&p);
    post_close(&p);
}

/* The shell and the folder are those of the user who has started the run. */
TEST(agent_session_runs_commands_as_the_coordinator_would)
{
    struct post p;
    struct packet m;
    char shell[128], want[128];

    post_open(&p);
    snprintf(shell, sizeof shell, "%s/shell", p.dir);
    FILE *f = fopen(shell, "we");
    expect(f && fputs("#!/bin/sh\nOF=theirs exec /bin/sh \"$@\"\n", f) >= 0 && fclose(f) == 0 &&
           chmod(shell, 0700) == 0);
    p.welcome.pull = 1;
    p.welcome.shell = shell;
    p.welcome.workdir = p.dir;
    post_start(&p);
    expect(post_welcomes(&p, NULL));
    post_launches(&p, 7, "echo $OF; pwd", "attempts/7");
    expect(post_hears_of(&p, 7, &m) == PACKET_STARTED);
    expect(post_hears_of(&p, 7, &m) == PACKET_OUTPUT && m.u.output.file == PACKET_STDOUT);
    snprintf(want, sizeof want, "theirs\n%s\n", p.dir);
    expect(m.u.output.length == strlen(want) &&
           memcmp(m.u.output.bytes, want, strlen(want)) == 0);
    kill(p.pid, SIGTERM);
    expect(post_ends(&p) == 0);
    post_close(&p);
}

/* The launch is at fault, or the node is. */
TEST(agent_session_says_whose_fault_it_is_that_an_attempt_cannot_start)
{
    static char dir[8192];
    struct post p;
    struct packet m;

    memset(dir, 'd', sizeof dir - 1);
    post_open(&p);
    post_start(&p);
    expect(post_welcomes(&p, NULL));
    post_launches(&p, 5, "true", "../out");
    expect(post_hears_of(&p, 5, &m) == PACKET_LAUNCH_FAILED);
    expect(m.u.error == EINVAL && !m.u.ours);
    post_launches(&p, 5, "true", dir);
    expect(post_hears_of(&p, 5, &m) == PACKET_LAUNCH_FAILED);
    expect(m.u.error == ENAMETOOLONG && m.u.ours);
    post_dismisses(&p);
    post_close(&p);
    post_open(&p);
    p.welcome.pull = 1;
    post_start(&p);
    expect(post_welcomes(&p, NULL));
    post_says(&p, (struct packet){.type = PACKET_LAUNCH,
                                  .handle = 6,
                                  .u.launch = {.command = "cat",
                                               .stdin_path = "input",
                                               .dir = "attempts/6",
                                               .reuse = "",
                                               .env = ""}});
    expect(post_hears_of(&p, 6, &m) == PACKET_LAUNCH_FAILED);
    expect(m.u.error == EREMOTE && !m.u.ours);
    post_dismisses(&p);
    post_close(&p);
}

/* ---- where outputs stay ---- */

static void post_keeps(struct post *p)
{
    post_open(p);
    p->welcome.pull = 1;
    p->welcome.keep = 1;
    p->welcome.store = "0123456789abcdef0123456789abcdef";
    p->welcome.store_length = sizeof(struct secret);
}

TEST(agent_session_keeps_outputs_and_the_plan)
{
    struct post p;
    struct packet m;

    post_keeps(&p);
    post_start(&p);
    expect(post_welcomes(&p, &m) && !m.u.ready.shared && m.u.ready.port > 0);
    post_says(&p, (struct packet){.type = PACKET_FILE, .u.file = {0, "pl", 2}});
    post_says(&p, (struct packet){.type = PACKET_FILE, .u.file = {2, "an", 2}});
    post_launches(&p, 7, "cat $DOLLY_PLAN", "attempts/7");
    expect(post_hears_of(&p, 7, &m) == PACKET_STARTED);
    expect(post_hears_of(&p, 7, &m) == PACKET_OUTPUT && m.u.output.length == 4);
    expect(memcmp(m.u.output.bytes, "plan", 4) == 0);
    for (int i = 0; i < PACKET_COUNTERS; i++)
        expect(post_hears_of(&p, 7, &m) == PACKET_OUTPUT_END);
    expect(post_hears_of(&p, 7, &m) == PACKET_EXITED && m.u.end.status == 0);
    expect(post_hears_of(&p, 0, &m) == PACKET_SETTLED);
    /* A piece that is not the next one. */
    post_says(&p, (struct packet){.type = PACKET_FILE, .u.file = {2, "an", 2}});
    expect(post_hears_of(&p, 0, &m) == PACKET_FATAL);
    expect(strstr(m.u.text, "cannot write the plan of the job to its scratch: Invalid"));
    expect(post_ends(&p) == 1);
    post_close(&p);
}

/* Nothing of a session is left to the next. */
TEST(agent_session_begins_with_nothing)
{
    static const char *const names[] = {"attempts", "kept", "plan", "attempts/0.0.7.0"};
    struct post p;
    struct packet m;
    char dir[256], path[320];

    post_keeps(&p);
    post_start(&p);
    expect(post_meets(&p, &m));
    snprintf(dir, sizeof dir, "%s", m.u.hello.scratch);
    post_says(&p, (struct packet){.type = PACKET_WELCOME, .u.welcome = p.welcome});
    expect(post_hears(&p, NULL) == PACKET_READY);
    post_says(&p, (struct packet){.type = PACKET_FILE, .u.file = {0, "pl", 2}});
    post_launches(&p, 7, "sleep 1000", "attempts/7");
    expect(post_hears_of(&p, 7, &m) == PACKET_STARTED);
    for (int again = 0; again < 2; again++) {
        for (int i = 0; i < 4; i++) {
            snprintf(path, sizeof path, "%s/%s", dir, names[i]);
            expect((access(path, F_OK) == 0) == (!again || i == 0));
        }
        if (!again)
            expect(post_meets(&p, NULL)); /* and ends the conversation before */
    }
    kill(p.pid, SIGTERM);
    expect(post_ends(&p) == 0);
    post_close(&p);
}

/* ---- coordinators that are none ---- */

/* Once joined, with an attempt: each of these ends the agent. */
TEST(agent_session_ends_when_the_coordinator_is_none)
{
    const struct packet wrong[] = {
        {.type = PACKET_WELCOME},
        {.type = PACKET_HELLO,
         .u.hello = {.program = "",
                     .name = "",
                     .host = "",
                     .rack = "",
                     .boot = "",
                     .scratch = "",
                     .credential = ""}},
        {.type = PACKET_BEAT, .u.beat = {.sent_us = 0, .lease_us = LEASE_US_MIN - 1}},
        {.type = PACKET_BEAT, .u.beat = {.sent_us = INT64_MAX / 2, .lease_us = LEASE_US}},
        {.type = PACKET_LEASE, .u.lease_us = LEASE_US_MAX + 1},
        {.type = PACKET_READ, .handle = 7, .u.read = {.path = "../out"}},
        {.type = PACKET_PLACE, .handle = 7, .u.place = {.where = "127.0.0.1:1"}},
        {.type = PACKET_STARTED, .handle = 7},
    };
    struct post p;
    struct packet m;

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        post_open(&p);
        post_start(&p);
        expect(post_welcomes(&p, NULL));
        post_launches(&p, 7, "sleep 1000", "attempts/7");
        expect(post_hears_of(&p, 7, &m) == PACKET_STARTED);
        /* What is said of attempts that have ended is nothing to complain about. */
        post_says(&p, (struct packet){.type = PACKET_READ, .handle = 9, .u.read.path = "../out"});
        post_says(&p, (struct packet){.type = PACKET_PLACE, .handle = 9, .u.place.where = "a:1"});
        post_says(&p, (struct packet){.type = PACKET_KILL, .handle = 9});
        post_says(&p, (struct packet){.type = PACKET_LEASE, .u.lease_us = LEASE_HELD_US});
        post_launches(&p, 8, "sleep 1000", "attempts/8");
        expect(post_hears_of(&p, 8, &m) == PACKET_STARTED);
        m = wrong[i];
        if (m.type == PACKET_WELCOME)
            m.u.welcome = p.welcome;
        post_says(&p, m);
        expect(post_hears_of(&p, 0, &m) == PACKET_FATAL && strcmp(m.u.text, NO_COORDINATOR) == 0);
        expect(post_ends(&p) == 1 && strcmp(p.said, NO_COORDINATOR) == 0);
        post_close(&p);
    }
}

TEST(agent_session_ends_when_it_is_welcomed_wrongly)
{
    struct post p;
    struct packet m;

    for (int i = 0; i < 4; i++) {
        post_keeps(&p);
        post_start(&p);
        expect(post_meets(&p, NULL));
        if (i == 0)
            p.welcome.store_length--; /* no key */
        if (i == 1)
            p.welcome.lease_us = LEASE_US_MIN - 1;
        if (i == 2)
            p.welcome.lease_us = LEASE_US_MAX + 1;
        if (i < 3)
            post_says(&p, (struct packet){.type = PACKET_WELCOME, .u.welcome = p.welcome});
        else
            post_launches(&p, 7, "true", "attempts/7"); /* before it has joined */
        expect(post_hears(&p, &m) == PACKET_FATAL && strcmp(m.u.text, NO_COORDINATOR) == 0);
        expect(post_ends(&p) == 1 && strcmp(p.said, NO_COORDINATOR) == 0);
        post_close(&p);
    }
}

/* An attempt learns where the outputs are that it reads; the key comes before the first place that
 * needs it, and once. */
TEST(agent_session_hands_on_places_and_the_key_to_them)
{
    struct post p;
    struct packet m;
    char want[64], text[64];

    post_keeps(&p);
    post_start(&p);
    expect(post_welcomes(&p, NULL));
    post_says(&p, (struct packet){.type = PACKET_LAUNCH,
                                  .handle = 7,
                                  .u.launch = {.command = "exec bash -c 'for ((i = 0; i < 4;)); do"
                                                          " n=$(dd bs=64K count=1 <&98 | wc -c);"
                                                          " if ((n)); then echo $n >&9; ((i++));"
                                                          " else sleep .01; fi;"
                                                          " done 9>&2 2>/dev/null'",
                                               .stdin_path = "",
                                               .dir = "attempts/7",
                                               .reuse = "",
                                               .env = "",
                                               .control = 1}});
    expect(post_hears_of(&p, 7, &m) == PACKET_STARTED);
    struct packet place = {.type = PACKET_PLACE, .handle = 7, .u.place.where = "127.0.0.1:1"};
    struct packet key = {.type = PACKET_KEY, .handle = 7, .u.key.length = SECRET_BYTES};
    for (int i = 0; i < 3; i++) {
        place.u.place.where = i == 0 ? "" : "127.0.0.1:1";
        post_says(&p, place);
    }
    expect(post_hears_of(&p, 7, &m) == PACKET_OUTPUT_END); /* it has no stdout */
    expect(post_hears_of(&p, 7, &m) == PACKET_OUTPUT && m.u.output.file == PACKET_STDERR);
    /* Its sizes: a path, which is longer than an address, the key, and twice the address. */
    snprintf(want, sizeof want, "\n%zu\n%zu\n%zu\n", packet_measure(&key), packet_measure(&place),
             packet_measure(&place));
    snprintf(text, sizeof text, "%.*s", (int)m.u.output.length, m.u.output.bytes);
    expect(strstr(text, want) && strtoul(text, NULL, 10) > packet_measure(&place));
    expect(post_hears_of(&p, 7, &m) == PACKET_OUTPUT_END);
    expect(post_hears_of(&p, 7, &m) == PACKET_EXITED && m.u.end.status == 0);
    post_dismisses(&p);
    post_close(&p);
}

/* ---- ends ---- */

/* Each beat says which answer was the last to arrive. Without any the lease runs out, and all that
 * ran ends before the agent comes again. */
TEST(agent_session_ends_what_it_runs_with_its_lease)
{
    struct post p;
    struct packet m;
    char path[128];

    post_open(&p);
    post_start(&p);
    expect(post_welcomes(&p, NULL));
    snprintf(path, sizeof path, "%s/alive", p.dir);
    expect(mkfifo(path, 0600) == 0);
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    snprintf(path, sizeof path, "exec sleep 1000 >%s/alive", p.dir);
    post_launches(&p, 7, path, "attempts/7");
    expect(post_hears_of(&p, 7, &m) == PACKET_STARTED);
    expect(post_beats(&p));
    int64_t answered_us = p.beat.u.beat.sent_us;
    expect(p.beat.u.beat.told_us < answered_us);
    while (p.beat.u.beat.told_us < answered_us && post_beats(&p))
        ;
    expect(p.beat.u.beat.told_us >= answered_us && p.beat.u.beat.sent_us > answered_us);
    expect(p.beat.u.beat.running == 1 && p.beat.u.beat.free_bytes != 0);
    p.lease_us = 0;
    post_says(&p, (struct packet){.type = PACKET_LEASE, .u.lease_us = LEASE_US_MIN});
    while (post_hears(&p, NULL) != 0)
        ;
    expect(post_meets(&p, NULL));
    struct pollfd end = {.fd = fd, .events = POLLIN};
    expect(poll(&end, 1, 0) == 1 && (end.revents & POLLHUP)); /* it is dead */
    close(fd);
    p.lease_us = LEASE_US;
    post_says(&p, (struct packet){.type = PACKET_WELCOME, .u.welcome = p.welcome});
    expect(post_hears(&p, NULL) == PACKET_READY);
    post_dismisses(&p);
    post_close(&p);
}

TEST(agent_session_says_that_it_leaves_by_a_signal)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct post p;
    struct packet m;

    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        post_open(&p);
        post_start(&p);
        expect(post_welcomes(&p, NULL));
        kill(p.pid, signals[i]);
        expect(post_hears_of(&p, 0, &m) == PACKET_FATAL);
        expect(strcmp(m.u.text, "its agent was asked to leave by a signal") == 0);
        expect(post_ends(&p) == 0 && !p.said[0]);
        post_close(&p);
    }
}

/* ... and before anybody knows it, without a word. */
TEST(agent_session_leaves_by_a_signal_while_it_waits)
{
    struct post p;

    post_open(&p);
    post_start(&p);
    expect(post_meets(&p, NULL));
    kill(p.pid, SIGINT);
    expect(post_hears(&p, NULL) == 0 && post_ends(&p) == 0 && !p.said[0]);
    post_close(&p);
}
