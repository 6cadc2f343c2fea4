#include "exec/chaos.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/test.h"

TEST(chaos_hits_its_share_and_the_same_ones_again)
{
    struct chaos c = {
        .seed = 5, .slow_p = 0.2, .slow_factor = 8, .kill_p = 0.1, .kill_within_us = 1000};
    uint32_t slow = 0, killed = 0;

    for (uint32_t t = 0; t < 10000; t++) {
        struct attempt_ref at = {{0}, t, 0, 1};
        uint32_t milli = chaos_slow_milli(&c, at, (struct node_id){0});
        int64_t us = chaos_kill_us(&c, at);
        expect(milli == 1000 || milli == 8000);
        expect(us >= -1 && us <= 1000);
        expect(chaos_slow_milli(&c, at, (struct node_id){0}) == milli &&
               chaos_kill_us(&c, at) == us);
        slow += milli == 8000;
        killed += us >= 0;
    }
    expect(slow > 1850 && slow < 2150);
    expect(killed > 880 && killed < 1120);
}

TEST(chaos_of_none_is_none)
{
    struct chaos c = {.seed = 5, .slow_factor = 8, .kill_within_us = 1};
    struct attempt_ref at = {{0}, 3, 0, 0};

    expect(chaos_slow_milli(&c, at, (struct node_id){0}) == 1000 && chaos_kill_us(&c, at) == -1);
    expect(chaos_node_us(&c, (struct node_id){0}, 0) == INT64_MAX);
}

TEST(chaos_slows_the_first_nodes_and_attempts_on_them_once_more)
{
    struct chaos c = {.seed = 5, .slow_factor = 8, .slow_nodes = 2, .slow_nodes_factor = 3};
    struct attempt_ref at = {{0}, 3, 0, 0};

    expect(chaos_slow_milli(&c, at, (struct node_id){1}) == 3000);
    expect(chaos_slow_milli(&c, at, (struct node_id){2}) == 1000);
    c.slow_p = 1;
    expect(chaos_slow_milli(&c, at, (struct node_id){1}) == 24000);
    expect(chaos_slow_milli(&c, at, (struct node_id){2}) == 8000);
}

TEST(chaos_nodes_fail_and_return_by_their_means)
{
    struct chaos c = {.seed = 5, .node_mtbf_us = 1000000, .node_repair_us = 10000};
    double up = 0, down = 0;

    for (uint32_t n = 0; n < 2000; n++) {
        up += (double)chaos_node_us(&c, (struct node_id){n}, 0) / 2000;
        down += (double)chaos_node_us(&c, (struct node_id){n}, 1) / 2000;
    }
    expect(up > 900000 && up < 1100000 && down > 9000 && down < 11000);
}

TEST(chaos_fetches_are_slow_by_reader_and_source)
{
    struct chaos c = {.seed = 5, .fetch_p = 0.25, .fetch_us = 70, .lose_p = 0.5};
    uint32_t slow = 0, alike = 0, lost = 0;

    for (uint32_t t = 0; t < 2000; t++) {
        struct attempt_ref reader = {{1}, t, 1, 0}, other = {{1}, t, 1, 1}, source = {{1}, 3, 0, 0};
        int64_t us = chaos_fetch_us(&c, reader, source);
        expect(us == 0 || us == 70);
        slow += us > 0;
        alike += us == chaos_fetch_us(&c, other, source);
        lost += chaos_loses(&c, reader);
    }
    expect(slow > 400 && slow < 600 && alike > 1100 && alike < 1400 && lost > 900 && lost < 1100);
}

static struct chaos parsed;

static bool bad(const char *text)
{
    struct err err;
    return chaos_parse(text, 7, &parsed, &err) < 0;
}

TEST(chaos_parse_reads_each_kind_of_trouble)
{
    expect(!bad("slow=0.2x8,kill=0.05,node_mtbf=60s,node_repair=250ms,kill_within=2"));
    expect(parsed.seed == 7 && parsed.slow_p == 0.2 && parsed.slow_factor == 8 &&
           parsed.kill_p == 0.05);
    expect(parsed.node_mtbf_us == 60000000 && parsed.node_repair_us == 250000 &&
           parsed.kill_within_us == 2000000);
    expect(!bad("slow_nodes=3x1.5") && parsed.slow_nodes == 3 && parsed.slow_nodes_factor == 1.5);
    expect(!bad("slow_fetch=0.1x2s,lose_outputs=0.3") && parsed.fetch_p == 0.1 &&
           parsed.fetch_us == 2000000 && parsed.lose_p == 0.3);
    expect(!bad("kill=1") && parsed.lose_p == 1 && parsed.kill_p == 1 && parsed.slow_p == 0 &&
           parsed.node_mtbf_us == 0);
}

TEST(chaos_parse_refuses_the_rest)
{
    expect(bad("") && bad("slow") && bad("slow=0.2") && bad("slow=2x8") && bad("slow=0.2x0.5"));
    expect(bad("slow=0.2x1001") && !bad("slow=0.2x1000"));
    expect(bad("slow_nodes=1") && bad("slow_nodes=0.5x8") && bad("slow_nodes=-1x8"));
    expect(bad("kill=1.1") && bad("kill=-1") && bad("node_mtbf=0") && bad("fire=1"));
    expect(bad("kill_within=0") && bad("node_repair=0") && !bad("slow_nodes=0x1"));
    expect(!bad("kill_within=1us") && !bad("node_repair=1us") && !bad("node_mtbf=1us"));
    expect(bad("slow_fetch=0.1") && bad("slow_fetch=2x1s") && bad("slow_fetch=0.1x0"));
    expect(bad("lose_outputs=2") && bad("lose_outputs="));
    expect(bad("kill=0.1,") && bad("kill=0.1,,"));
}

/* A word has at most 63 bytes, and the message has at most 100 of what was given. */
TEST(chaos_parse_names_what_it_refuses)
{
    static const struct {
        const char *text, *why;
        int shown;
    } rows[] = {
        {"kill=0.1,fire=1,kill=0.1", "fire=1", 6},
        {"kill=0.1,", "", 0},
        {"kill=0.00000000000000000000000000000000000000000000000000000001", NULL, 0},
        {"kill=0.000000000000000000000000000000000000000000000000000000001",
         "kill=0.000000000000000000000000000000000000000000000000000000001", 64},
        {"kill=0.00000000000000000000000000000000000000000000000000000000000000000000000000000000"
         "00000000000000001",
         "kill=0.00000000000000000000000000000000000000000000000000000000000000000000000000000000"
         "00000000000000001",
         100},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char want[400];
        struct err err = {.text = ""};
        snprintf(want, sizeof want,
                 "--chaos: expected a list of slow=SHARExFACTOR, slow_nodes=NUMBERxFACTOR, "
                 "kill=SHARE, kill_within=TIME, node_mtbf=TIME, node_repair=TIME, "
                 "lose_outputs=SHARE, slow_fetch=SHARExTIME, not '%.*s'",
                 rows[i].shown, rows[i].why ? rows[i].why : "");
        expect(chaos_parse(rows[i].text, 7, &parsed, &err) == (rows[i].why ? -1 : 0));
        expect(strcmp(err.text, rows[i].why ? want : "") == 0 && err.kind == ERR_INPUT);
    }
}
