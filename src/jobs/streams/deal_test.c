#include "jobs/streams/deal.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/limits.h"
#include "tests/unit/test.h"

enum { HANDS = 2, LARGE = 1 << 20 };

/* A stream, and tasks that read what they are dealt. */
struct table {
    char dir[TEST_FOLDER];
    int stream[2], stdins[HANDS];
    struct deal deal;
    char *block;
};

static void table_open(struct table *t)
{
    struct err err;
    static char large[LARGE];

    memset(large, 'x', sizeof large);
    t->block = large;
    test_folder(t->dir);
    expect(pipe(t->stream) == 0);
    expect(deal_init(&t->deal, t->dir, t->stream[0], HANDS, &err) == 0);
}

static void table_close(struct table *t)
{
    deal_fini(&t->deal);
    close(t->stream[0]);
    close(t->stream[1]);
    expect(rmdir(t->dir) == 0); /* no name of a pipe is left */
}

/* Deals out a block; returns who got it. */
static int64_t deal_block(struct table *t, const char *at, size_t length)
{
    struct err err;
    bool is_new;
    int64_t hand = deal_next(&t->deal, &is_new, &err);

    if (hand >= 0)
        deal_give(&t->deal, hand, at, length);
    deal_turn(&t->deal);
    return hand;
}

static void start(struct table *t, uint32_t hand)
{
    char path[TEST_FOLDER + 16];

    snprintf(path, sizeof path, "%s/%u", t->dir, hand);
    t->stdins[hand] = open(path, O_RDONLY | O_NONBLOCK);
    expect(t->stdins[hand] >= 0);
    deal_started(&t->deal, hand);
    expect(access(path, F_OK) < 0); /* nobody else reads the rest */
    deal_started(&t->deal, hand);   /* a clone */
    deal_started(&t->deal, HANDS);  /* not one of these */
}

/* Reads what is there; returns -1 if more may come, else the number of bytes that came. */
static int64_t take(const struct table *t, uint32_t hand, int64_t *taken)
{
    static char bytes[65536];
    ssize_t n;

    while ((n = read(t->stdins[hand], bytes, sizeof bytes)) > 0)
        *taken += n;
    return n == 0 ? *taken : -1;
}

TEST(deal_gives_each_task_a_block_and_then_who_has_taken_all)
{
    struct table t;
    int64_t taken = 0;

    table_open(&t);
    expect(deal_block(&t, t.block, LARGE) == 0); /* more than a pipe holds */
    expect(deal_block(&t, "b", 1) == 1);
    start(&t, 0);
    start(&t, 1);
    expect(deal_block(&t, "c", 1) == 1 && deal_block(&t, "d", 1) == 1);
    while (taken < LARGE) {
        expect(take(&t, 0, &taken) == -1);
        deal_turn(&t.deal);
    }
    expect(deal_block(&t, "e", 1) == 0 && deal_block(&t, "f", 1) == 1); /* in turn again */
    close(t.stdins[0]);
    close(t.stdins[1]);
    table_close(&t);
}

TEST(deal_leaves_the_stream_while_nobody_can_take_more)
{
    struct table t;
    int64_t taken = 0;

    table_open(&t);
    expect(!deal_stream_is_due(&t.deal) && write(t.stream[1], "x", 1) == 1);
    expect(deal_stream_is_due(&t.deal));
    deal_block(&t, t.block, LARGE);
    expect(deal_stream_is_due(&t.deal)); /* there may be another task */
    deal_block(&t, t.block, LARGE);
    expect(!deal_stream_is_due(&t.deal));
    start(&t, 1);
    while (taken < LARGE) {
        take(&t, 1, &taken);
        deal_turn(&t.deal);
    }
    expect(deal_stream_is_due(&t.deal));
    deal_left(&t.deal, 0);
    deal_left(&t.deal, 1);
    expect(!deal_stream_is_due(&t.deal) && deal_is_done(&t.deal) && deal_block(&t, "x", 1) == -1);
    close(t.stdins[1]);
    table_close(&t);
}

TEST(deal_ends_each_stdin_when_its_task_has_taken_all)
{
    struct table t;
    int64_t first = 0, second = 0;

    table_open(&t);
    deal_block(&t, t.block, LARGE);
    deal_block(&t, "b", 1);
    start(&t, 0);
    deal_end(&t.deal);
    expect(!deal_is_done(&t.deal));
    while (take(&t, 0, &first) < 0)
        deal_turn(&t.deal);
    expect(first == LARGE && !deal_is_done(&t.deal));
    start(&t, 1); /* later than the end of the stream */
    expect(take(&t, 1, &second) == 1 && deal_is_done(&t.deal));
    close(t.stdins[0]);
    close(t.stdins[1]);
    table_close(&t);
}

TEST(deal_goes_on_without_who_closed_its_stdin)
{
    struct table t;

    table_open(&t);
    deal_block(&t, "a", 1);
    deal_block(&t, "b", 1);
    start(&t, 0);
    start(&t, 1);
    close(t.stdins[0]);
    signal(SIGPIPE, SIG_IGN);
    expect(deal_block(&t, "c", 1) == 0); /* not known yet */
    signal(SIGPIPE, SIG_DFL);
    expect(deal_block(&t, "d", 1) == 1 && deal_block(&t, "e", 1) == 1);
    expect(!deal_is_done(&t.deal));
    close(t.stdins[1]);
    table_close(&t);
}

/* No pipe is made in part: neither a descriptor nor a name of it is left. */
TEST(deal_says_that_there_are_no_pipes)
{
    struct table t;
    struct deal none;
    struct err err = {0};
    char want[TEST_FOLDER + 64];
    bool is_new;

    table_open(&t);
    int before = limits_open();
    snprintf(want, sizeof want, "%s/0: cannot make a pipe: Too many open files", t.dir);
    for (int more = 0; more < 2; more++) {
        struct rlimit limit = limits_descriptors(more);
        int64_t hand = deal_next(&t.deal, &is_new, &err);
        int made = deal_init(&none, t.dir, t.stream[0], HANDS, more ? &(struct err){0} : &err);
        setrlimit(RLIMIT_NOFILE, &limit);
        expect(hand == -1 && is_new && made == (more ? 0 : -1));
        if (made == 0)
            deal_fini(&none);
        expect(!strcmp(err.text, more ? want : "cannot watch standard input: Too many open files"));
        expect(err.kind == ERR_SYSTEM && limits_open() == before);
    }
    expect(rmdir(t.dir) == 0 && deal_next(&t.deal, &is_new, &err) == -1 && is_new);
    snprintf(want, sizeof want, "%s/0: cannot make a pipe: No such file or directory", t.dir);
    expect(!strcmp(err.text, want) && mkdir(t.dir, 0700) == 0);
    expect(deal_block(&t, "a", 1) == 0); /* the first one still */
    table_close(&t);
}
