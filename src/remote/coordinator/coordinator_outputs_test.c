/* What agents send of the outputs of attempts, and whether it is believed. */
#include <xxhash.h>

#include "tests/unit/test.h"

#include "remote/coordinator/coordinator_stage_test.h"

static void host_launches_with(struct host *h, uint32_t handle, bool control, uint8_t keep,
                               char dir[128])
{
    struct packet m = {.type = PACKET_LAUNCH,
                       .handle = handle,
                       .u.launch.control = control,
                       .u.launch.keep = keep};

    snprintf(dir, 128, "%s/attempts/0.0.%u.0", h->dir, handle);
    m.u.launch.command = "true";
    m.u.launch.dir = dir;
    m.u.launch.stdin_path = m.u.launch.reuse = m.u.launch.env = "";
    expect(h->links[0]->order(h->links[0], &m) == 0);
}

static void host_launches(struct host *h, uint32_t handle, char dir[128])
{
    host_launches_with(h, handle, false, PACKET_KEEP_NOT, dir);
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
    end.u.output_end.checksum = EROFS;
    guest_says(&g, end);
    guest_says(&g, (struct packet){.type = PACKET_EXITED, .handle = 3});
    expect(h.seen_count == 1 && h.presence[0] == RUNNER_HERE);
    expect(h.seen[0].u.end.unseen == EROFS && h.seen[0].u.end.faulty);
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
    guest_says(&g, (struct packet){.type = PACKET_READY, .u.ready.shared = 1});
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

/* An attempt with a control socket is told what to read, as a path in the folder of the run, and
 * says itself what it leaves: that is compared by its size, and read by nobody. */
TEST(agents_pass_on_what_attempts_read_and_leave)
{
    struct host h;
    struct guest g;
    struct packet m;
    char dir[128], path[160];

    host_open(&h, false);
    guest_open(&g, &h, "one");
    expect(guest_says_hello(&g, NULL) == PACKET_WELCOME);
    guest_says(&g, (struct packet){.type = PACKET_READY, .u.ready.shared = 1});
    host_launches_with(&h, 3, true, PACKET_KEEP_NOT, dir);
    expect(guest_hears(&g, &m) == PACKET_LAUNCH && m.u.launch.control);
    snprintf(path, sizeof path, "%s/out/0/map", h.dir);
    m = (struct packet){.type = PACKET_READ,
                        .handle = 3,
                        .u.read = {.phase = 1, .task = 5, .path = path, .slow_us = 9}};
    expect(h.links[0]->order(h.links[0], &m) == 0);
    expect(guest_hears(&g, &m) == PACKET_READ && strcmp(m.u.read.path, "out/0/map") == 0);
    expect(m.u.read.task == 5 && m.u.read.slow_us == 9);
    for (uint8_t type = PACKET_FETCH_STARTED; type <= PACKET_FETCH_FAILED; type++)
        guest_says(&g, (struct packet){.type = type, .handle = 3, .u.fetch.bytes = type});
    expect(h.seen_count == 3 && h.seen[1].type == PACKET_FETCH_DONE);
    expect(h.seen[1].u.fetch.bytes == PACKET_FETCH_DONE);
    expect(mkdir(dir, 0700) == 0);
    snprintf(path, sizeof path, "%s/stdout", dir);
    FILE *f = fopen(path, "w");
    guest_says(&g, (struct packet){.type = PACKET_RESULT, .handle = 3, .u.result = {4, 77}});
    guest_says(&g, (struct packet){.type = PACKET_EXITED, .handle = 3});
    expect(h.seen_count == 4 && h.seen[3].type == PACKET_RESULT); /* it does not show yet */
    fputs("late", f);
    fclose(f);
    for (int64_t until_us = patience_us(); h.seen_count < 5 && clock_now_us() < until_us;) {
        host_step(&h);
        usleep(1000);
    }
    expect(h.seen_count == 5 && h.seen[4].type == PACKET_EXITED && !h.seen[4].u.end.seen);
    guest_close(&g);
    host_close(&h);
}

TEST(agents_have_no_results_of_attempts_that_are_not_told_what_to_read)
{
    struct host h;
    struct guest g;
    char dir[128];

    host_open(&h, false);
    guest_open(&g, &h, "one");
    expect(guest_says_hello(&g, NULL) == PACKET_WELCOME);
    guest_says(&g, (struct packet){.type = PACKET_READY, .u.ready.shared = 1});
    host_launches(&h, 3, dir);
    guest_says(&g, (struct packet){.type = PACKET_RESULT, .handle = 3, .u.result = {4, 77}});
    expect(host_finds(&h, 0, RUNNER_AWAY) && h.seen_count == 0);
    expect(strstr(h.why, "it may not report an output") != NULL);
    guest_close(&g);
    host_close(&h);
}

/* ---- outputs that stay with agents ---- */

static void keep_begins(struct host *h, struct guest *g, char dir[128])
{
    struct packet m;

    host_open(h, true);
    guest_joins(g, h, "one");
    host_launches_with(h, 3, true, PACKET_KEEP_SORTED, dir);
    expect(guest_hears(g, &m) == PACKET_LAUNCH && m.u.launch.keep == PACKET_KEEP_SORTED);
    guest_says(g, (struct packet){.type = PACKET_STARTED, .handle = 3});
}

/* Twelve bytes, of which only the first two and the last three travel. */
static struct packet keep_told(void)
{
    struct packet m = told(3, "hetai");

    m.u.output_end.bytes = 12;
    return m;
}

TEST(agents_that_keep_an_output_leave_one_with_a_hole)
{
    struct host h;
    struct guest g;
    char dir[128], path[160], got[16];

    keep_begins(&h, &g, dir);
    guest_says(&g, (struct packet){.type = PACKET_RESULT, .handle = 3, .u.result = {12, 77}});
    guest_says(&g, piece(3, 0, "he"));
    guest_says(&g, piece(3, 9, "tai"));
    guest_says(&g, keep_told());
    guest_says(&g, (struct packet){.type = PACKET_EXITED, .handle = 3});
    expect(h.seen_count == 3 && h.seen[1].type == PACKET_RESULT &&
           h.seen[2].type == PACKET_EXITED && !h.seen[2].u.end.seen);
    snprintf(path, sizeof path, "%s/stdout", dir);
    FILE *f = fopen(path, "re");
    expect(f && fread(got, 1, sizeof got, f) == 12 && memcmp(got, "he\0\0\0\0\0\0\0tai", 12) == 0);
    fclose(f);
    guest_close(&g);
    host_close(&h);
}

/* Each ends the conversation: a piece from before, another length than the result's, no result. */
TEST(agents_that_keep_another_output_than_they_say_are_not_believed)
{
    for (int i = 0; i < 3; i++) {
        struct host h;
        struct guest g;
        char dir[128];
        keep_begins(&h, &g, dir);
        if (i < 2)
            guest_says(&g, (struct packet){.type = PACKET_RESULT,
                                           .handle = 3,
                                           .u.result = {i == 1 ? 13 : 12, 77}});
        guest_says(&g, piece(3, 0, "he"));
        guest_says(&g, piece(3, i == 0 ? 1 : 9, "tai"));
        guest_says(&g, keep_told());
        expect(h.presence[0] == RUNNER_AWAY);
        guest_close(&g);
        host_close(&h);
    }
}

TEST(agents_that_say_nothing_of_what_they_keep_leave_none)
{
    struct host h;
    struct guest g;
    char dir[128], path[160];

    keep_begins(&h, &g, dir);
    guest_says(&g, (struct packet){.type = PACKET_EXITED, .handle = 3});
    snprintf(path, sizeof path, "%s/stdout", dir);
    expect(access(path, F_OK) < 0 && h.seen_count == 2 && h.seen[1].type == PACKET_EXITED);
    guest_close(&g);
    host_close(&h);
}

/* ---- agents that can be ended from outside (exec/process/doubt.h) ---- */

static void host_doubts(struct host *h, struct guest *g, char dir[128])
{
    host_open(h, true);
    h->coordinator->doubts = true;
    guest_joins(g, h, "one");
    host_launches(h, 3, dir);
    guest_says(g, (struct packet){.type = PACKET_STARTED, .handle = 3});
    guest_says(g, piece(3, 0, "half"));
    guest_says(g, told(3, "half"));
    guest_says(g, (struct packet){.type = PACKET_EXITED, .handle = 3});
    expect(h->ended == 1 && h->seen_count == 1); /* it has started */
}

TEST(agents_ends_count_when_their_agent_has_lived_on)
{
    struct host h;
    struct guest g;
    char dir[128];

    host_doubts(&h, &g, dir);
    guest_says(&g, (struct packet){.type = PACKET_SETTLED, .u.settled = 0});
    expect(h.seen_count == 1);
    guest_says(&g, (struct packet){.type = PACKET_SETTLED, .u.settled = 1});
    expect(h.seen_count == 2 && h.seen[1].type == PACKET_EXITED && h.seen[1].u.end.seen);
    guest_says(&g, (struct packet){.type = PACKET_SETTLED, .u.settled = 2}); /* of one */
    expect(h.presence[0] == RUNNER_AWAY && h.seen_count == 2);
    guest_close(&g);
    host_close(&h);
}

/* A fleet that gave its node back now would lose them. */
TEST(agents_with_ends_in_doubt_are_busy)
{
    struct host h;
    struct guest g;
    char dir[128];

    host_doubts(&h, &g, dir);
    coordinator_turn(h.coordinator);
    expect(still_busy == 1);
    guest_says(&g, (struct packet){.type = PACKET_SETTLED, .u.settled = 1});
    coordinator_turn(h.coordinator);
    expect(still_busy == 0);
    guest_close(&g);
    host_close(&h);
}

TEST(agents_that_leave_take_ends_in_doubt_along)
{
    for (int fatal = 0; fatal < 2; fatal++) {
        struct host h;
        struct guest g;
        char dir[128];

        host_doubts(&h, &g, dir);
        if (fatal)
            guest_says(&g, (struct packet){.type = PACKET_FATAL, .u.text = "a signal"});
        guest_close(&g);
        expect(host_finds(&h, 0, RUNNER_AWAY));
        guest_joins(&g, &h, "one"); /* another life, whose ends are counted anew */
        guest_says(&g, (struct packet){.type = PACKET_SETTLED, .u.settled = 0});
        expect(h.seen_count == 1 && h.presence[0] == RUNNER_HERE);
        guest_close(&g);
        host_close(&h);
    }
}

TEST(agents_kill_of_an_attempt_in_doubt_is_answered_at_once)
{
    struct host h;
    struct guest g;
    struct packet kill = {.type = PACKET_KILL, .handle = 3};
    char dir[128];

    host_doubts(&h, &g, dir);
    expect(h.links[0]->order(h.links[0], &kill) == 0);
    expect(h.seen_count == 2 && h.seen[1].type == PACKET_KILLED);
    guest_says(&g, (struct packet){.type = PACKET_SETTLED, .u.settled = 1});
    expect(h.seen_count == 2 && h.presence[0] == RUNNER_HERE);
    guest_close(&g);
    host_close(&h);
}

/* An attempt that reads from the folder of the run cannot run where that is not seen. */
TEST(agents_that_do_not_see_the_run_get_nothing_that_reads_it)
{
    struct host h;
    struct guest g;
    char dir[128], in[128];
    struct packet m = {.type = PACKET_LAUNCH, .handle = 3};

    host_open(&h, false);
    guest_joins(&g, &h, "one");
    snprintf(dir, sizeof dir, "%s/attempts/0.0.3.0", h.dir);
    snprintf(in, sizeof in, "%s/out/0/map/1", h.dir);
    m.u.launch.command = "true";
    m.u.launch.dir = dir;
    m.u.launch.stdin_path = in;
    m.u.launch.reuse = m.u.launch.env = "";
    expect(h.links[0]->order(h.links[0], &m) == 0);
    host_step(&h);
    expect(h.seen_count == 1 && h.seen[0].type == PACKET_LAUNCH_FAILED && h.seen[0].handle == 3);
    expect(h.seen[0].u.error == EREMOTE && host_logs(&h, "does not see: use a folder"));
    guest_close(&g);
    host_close(&h);
}

/* Those that keep outputs get the key to each other's doors. */
TEST(agents_that_keep_outputs_get_the_key_to_them)
{
    struct host h;
    struct guest g;
    struct packet m;

    host_open(&h, true);
    guest_open(&g, &h, "one");
    expect(guest_says_hello(&g, &m) == PACKET_WELCOME);
    expect(!m.u.welcome.keep && m.u.welcome.store_length == 0);
    guest_close(&g);
    h.coordinator->options.plan = "plan";
    guest_open(&g, &h, "two");
    expect(guest_says_hello(&g, &m) == PACKET_WELCOME && m.u.welcome.keep);
    expect(m.u.welcome.store_length == sizeof h.coordinator->store.bytes);
    expect(memcmp(m.u.welcome.store, h.coordinator->store.bytes, m.u.welcome.store_length) == 0);
    guest_close(&g);
    host_close(&h);
}
