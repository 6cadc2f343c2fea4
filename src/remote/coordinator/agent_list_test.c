#include "remote/coordinator/agent_list.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/test.h"

#include "remote/coordinator/agent_info.h"
#include "remote/coordinator/coordinator_stage_test.h"

TEST(agent_list_a_line_is_read_back)
{
    char line[] = "n1\there\thost\t4\t2\t150\tshared\t/tmp/a b\t127.0.0.1:1\n";
    struct agent_list_row r;

    expect(agent_list_parse(line, &r));
    expect(strcmp(r.name, "n1") == 0 && strcmp(r.state, "here") == 0);
    expect(r.cores == 4 && r.running == 2 && r.heard_ms == 150);
    expect(strcmp(r.scratch, "/tmp/a b") == 0 && strcmp(r.address, "127.0.0.1:1") == 0);
}

TEST(agent_list_other_lines_are_not)
{
    static const char *const bad[] = {"",
                                      "\n",
                                      "n1\n",
                                      "n1\there\thost\tx\t2\t150\tshared\t/tmp\ta\n",
                                      "n1\there\thost\t4\t2\t150\tshared\t/tmp\ta\tmore\n",
                                      "n1\there\thost\t4\t2\t150\tshared\t/t\033[mp\ta\n",
                                      "n1\t\thost\t4\t2\t150\tshared\t/tmp\ta\n"};
    struct agent_list_row r;
    char line[128];

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(line, sizeof line, "%s", bad[i]);
        expect(!agent_list_parse(line, &r));
    }
}

TEST(agents_are_listed_for_whoever_asks)
{
    struct host h;
    struct guest g;
    struct agent_list_row r;
    struct stat st;
    char path[128], line[AGENT_LIST_LINE] = "";

    host_open(&h, false);
    guest_open(&g, &h, "one");
    g.hello.cores_milli = 1999;
    expect(guest_says_hello(&g, NULL) == PACKET_WELCOME);
    guest_says(&g, (struct packet){.type = PACKET_READY, .u.ready.shared = 1});
    agent_list_write(h.coordinator);
    snprintf(path, sizeof path, "%s/agents", h.dir);
    expect(stat(path, &st) == 0 && (st.st_mode & 07777) == 0600); /* the user's alone */
    FILE *f = fopen(path, "re");
    expect(f && fgets(line, sizeof line, f) && agent_list_parse(line, &r));
    expect(strcmp(r.name, "one") == 0 && strcmp(r.state, "here") == 0);
    expect(strcmp(r.host, "host") == 0 && r.cores == 1 && r.running == 0);
    expect(r.heard_ms >= 0 && strcmp(r.files, "shared") == 0 && strcmp(r.scratch, "/scratch") == 0);
    expect(strncmp(r.address, "127.0.0.1:", 10) == 0 && !fgets(line, sizeof line, f));
    fclose(f);
    agent_list_remove(h.coordinator);
    expect(access(path, F_OK) < 0);
    guest_close(&g);
    host_close(&h);
}

/* Once a second, while the coordinator has its turns. */
TEST(agents_are_listed_once_a_second)
{
    enum { EACH_US = 1000000 };
    struct host h;
    struct guest g;
    struct stat st;
    char path[128];

    host_open(&h, false);
    guest_joins(&g, &h, "one");
    snprintf(path, sizeof path, "%s/agents", h.dir);
    expect(stat(path, &st) == 0); /* from the first turn on */
    agent_list_remove(h.coordinator);
    h.coordinator->listed_us = clock_now_us() + 60 * EACH_US;
    host_step(&h);
    expect(stat(path, &st) < 0);
    int64_t before_us = clock_now_us();
    h.coordinator->listed_us = before_us;
    host_step(&h);
    expect(stat(path, &st) == 0 && st.st_size > 0);
    expect(h.coordinator->listed_us >= before_us + EACH_US);
    expect(h.coordinator->listed_us <= clock_now_us() + EACH_US);
    guest_close(&g);
    host_close(&h);
}

/* An agent that is away, whose outputs are pulled, and how long ago it was heard. */
TEST(agents_that_are_away_are_listed_as_such)
{
    struct host h;
    struct guest g;
    struct agent_list_row r;
    char path[128], line[AGENT_LIST_LINE] = "";

    host_open(&h, false);
    guest_joins(&g, &h, "one");
    guest_close(&g);
    expect(host_finds(&h, 0, RUNNER_AWAY));
    h.coordinator->links[0]->heard_us = clock_now_us() - 5000000;
    agent_list_write(h.coordinator);
    snprintf(path, sizeof path, "%s/agents", h.dir);
    FILE *f = fopen(path, "re");
    expect(f && fgets(line, sizeof line, f) && agent_list_parse(line, &r));
    expect(strcmp(r.state, "away") == 0 && strcmp(r.files, "pulled") == 0);
    expect(r.heard_ms >= 5000 && r.heard_ms < 5000000);
    if (f)
        fclose(f);
    host_close(&h);
}

TEST(agents_may_say_what_can_be_printed)
{
    static char text[4098];
    char clock[64];

    memset(text, 'x', 4096);
    expect(agent_info_is_plain(text) && agent_info_is_plain("") && agent_info_is_plain(" ~\200"));
    text[4096] = 'x';
    expect(!agent_info_is_plain(text));
    expect(!agent_info_is_plain("a\037") && !agent_info_is_plain("\177"));
    agent_info_clock(90999999, clock);
    expect(strcmp(clock, "90 s ahead of") == 0);
    agent_info_clock(-90999999, clock);
    expect(strcmp(clock, "90 s behind") == 0);
    agent_info_clock(0, clock);
    expect(strcmp(clock, "0 s ahead of") == 0);
}
