/* Playing whole, cut and growing journals. */
#include "record/journal/journal_play.h"

#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/journal/journal.h"
#include "record/journal/journal_file.h"
#include "record/journal/journal_sample_test.h"
#include "tests/unit/test.h"

enum { SEED = 5, TURNS = 50 };

/* Writes down again what is played. */
struct copy {
    struct journal *to;
    struct record run;
    uint64_t turns, objected_at;
};

static int copy_run(void *ctx, const struct record *record, struct err *err)
{
    struct copy *c = ctx;
    c->run = *record;
    c->to = journal_create(&(struct journal_options){0}, record->u.run.seed, record->u.run.policy,
                           record->u.run.body, err);
    return c->to ? 0 : -1;
}

static int copy_turn(void *ctx, const struct turn *turn, struct err *err)
{
    struct copy *c = ctx;
    if (++c->turns == c->objected_at)
        return err_set(err, "this is another run");
    return journal_tap(c->to).turn(c->to, turn, err);
}

static void copy_intent(void *ctx, const struct record *record)
{
    struct copy *c = ctx;
    struct err err;
    expect(journal_intent(c->to, record->u.intent.at, record->u.intent.checksum,
                          record->u.intent.bytes, &err) == 0);
}

/* Plays into *c and returns the digest of the copy; *c is used up. */
static int play_copy(const char *path, const struct journal_follow *follow, struct copy *c,
                     uint64_t *digest, struct journal_played *played, struct err *err)
{
    struct tap tap = {.ctx = c, .turn = copy_turn};
    struct journal_play play = {&tap, 1, c, copy_run, copy_intent, follow};
    struct err ignored;
    int status = journal_play(path, &play, played, err);
    *digest = c->to ? journal_digest(c->to) : 0;
    journal_close(c->to, false, &ignored);
    return status;
}

TEST(journal_play_shows_what_was_written)
{
    static const uint32_t turns[] = {0, 1, 7, 20000}; /* the last is more than one window */
    for (int i = 0; i < 4; i++) {
        char path[SAMPLE_PATH_MAX];
        struct journal_played played;
        struct copy c = {0};
        struct err err;
        uint64_t digest;
        journal_sample_path(path, "play");
        uint64_t written = journal_sample_write(path, 0, SEED, turns[i]);
        expect(play_copy(path, NULL, &c, &digest, &played, &err) == 0 && digest == written);
        expect(played.turns == turns[i] && played.begun && played.complete && !played.torn_bytes);
        expect(c.run.u.run.seed == SEED && c.turns == turns[i]);
        unlink(path);
    }
}

TEST(journal_play_stops_where_a_tap_objects)
{
    char path[SAMPLE_PATH_MAX];
    struct copy c = {.objected_at = 3};
    struct journal_played played;
    struct err err;
    uint64_t digest;
    journal_sample_path(path, "object");
    journal_sample_write(path, 0, SEED, TURNS);
    expect(play_copy(path, NULL, &c, &digest, &played, &err) == -1 && err.kind == ERR_INPUT);
    /* RUN, turn 1 of three records and an intent, turn 2, TURN. */
    expect(strstr(err.text, path) && strstr(err.text, ": record 9: this is another run"));
    expect(c.turns == 3);
    unlink(path);
}

TEST(journal_continue_needs_the_file)
{
    char path[SAMPLE_PATH_MAX];
    struct journal_played played;
    struct err err = {0};
    journal_sample_path(path, "gone");
    journal_sample_write(path, 0, SEED, 3);
    struct journal_reader *r = journal_reader_open(path, NULL, &err);
    expect(r && journal_play_on(r, &(struct journal_play){0}, &played, &err) == 0);
    unlink(path);
    expect(!journal_continue(&(struct journal_options){.path = path}, r, &err));
    expect(err.kind == ERR_SYSTEM && strstr(err.text, "cannot open: No such file or directory"));
    expect(!journal_continue(&(struct journal_options){.path = "/dev/full"}, r, &err));
    expect(err.kind == ERR_SYSTEM && strstr(err.text, "cannot truncate it"));
    journal_reader_close(r);
}

/* Cut anywhere, only whole turns are shown, and a run that goes on there is whole again. */
TEST(journal_play_and_continue_a_journal_that_is_cut_anywhere)
{
    static unsigned char bytes[SAMPLE_FILE_MAX];
    enum { FEW = 12 };
    char path[SAMPLE_PATH_MAX];
    struct err err = {0};
    uint64_t last = 0;
    journal_sample_path(path, "continue");
    journal_sample_write(path, 0, SEED, FEW);
    size_t length = journal_sample_load(path, bytes);
    size_t run = JOURNAL_HEADER_BYTES + 1u + bytes[JOURNAL_HEADER_BYTES] + JOURNAL_CHECKSUM_BYTES;
    length -= 1u + 1 + 8 + JOURNAL_CHECKSUM_BYTES; /* END */
    for (size_t cut = run; cut <= length; cut++) {
        struct journal_played played, again;
        struct event e = {.type = EV_TIMER};
        journal_sample_store(path, bytes, cut);
        struct journal_reader *r = journal_reader_open(path, NULL, &err);
        expect(r && journal_play_on(r, &(struct journal_play){0}, &played, &err) == 0);
        expect(played.turns >= last && played.turns <= last + 1 && !played.complete);
        struct journal *j =
            journal_continue(&(struct journal_options){.path = path, .each_turn = true}, r, &err);
        expect(j);
        struct turn turn = {.now_us = played.last_us + 1, .events = &e, .event_count = 1};
        expect(journal_tap(j).turn(j, &turn, &err) == 0 && journal_close(j, true, &err) == 0);
        journal_reader_close(r);
        expect(journal_play(path, &(struct journal_play){0}, &again, &err) == 0);
        expect(again.complete && again.turns == played.turns + 1 && !again.torn_bytes);
        last = played.turns;
    }
    expect(last == FEW);
    unlink(path);
}

/* ---- a journal that is still being written ---- */

struct growing {
    char path[SAMPLE_PATH_MAX];
    unsigned char bytes[SAMPLE_FILE_MAX];
    size_t length, written, step;
    uint64_t digest;
    uint32_t asked;
};

static void grow(struct growing *g, size_t bytes)
{
    size_t n = g->length - g->written < bytes ? g->length - g->written : bytes;
    int fd = open(g->path, O_WRONLY | O_APPEND | O_CREAT, 0600);
    expect(fd >= 0 && write(fd, g->bytes + g->written, n) == (ssize_t)n && close(fd) == 0);
    g->written += n;
}

static void growing_init(struct growing *g, const char *name, size_t first, size_t step)
{
    *g = (struct growing){.step = step};
    journal_sample_path(g->path, name);
    g->digest = journal_sample_write(g->path, 0, SEED, TURNS);
    g->length = journal_sample_load(g->path, g->bytes);
    unlink(g->path);
    grow(g, first);
}

/* The writer goes on by a step, until all is there. */
static bool more_bytes(void *ctx)
{
    struct growing *g = ctx;
    g->asked++;
    if (g->written == g->length)
        return false;
    grow(g, g->step);
    return true;
}

TEST(journal_play_follows_a_journal_written_in_pieces)
{
    static struct growing g;
    static const size_t steps[] = {1, 7, 100, 3000};
    for (int i = 0; i < 4; i++) {
        struct journal_follow follow = {&g, more_bytes};
        struct journal_played played;
        struct copy c = {0};
        struct err err = {0};
        uint64_t digest;
        growing_init(&g, "pieces", i == 3 ? 100 : 0, steps[i]);
        expect(play_copy(g.path, &follow, &c, &digest, &played, &err) == 0);
        expect(digest == g.digest && played.complete && played.turns == TURNS);
        /* END was the last byte: nobody is asked for more. */
        expect(g.asked == (g.length - (i == 3 ? 100 : 0) + steps[i] - 1) / steps[i]);
        unlink(g.path);
    }
}

TEST(journal_play_follows_until_there_is_no_more)
{
    static struct growing g;
    struct journal_follow follow = {&g, more_bytes};
    struct journal_played played;
    struct err err = {0};
    growing_init(&g, "stops", 0, 50);
    g.length -= 5; /* END is torn */
    expect(journal_play(g.path, &(struct journal_play){.follow = &follow}, &played, &err) == 0);
    expect(!played.complete && played.turns == TURNS && played.torn_bytes == 14 - 5);
    expect(g.written == g.length);
    unlink(g.path);

    growing_init(&g, "header", 0, 1);
    g.length = JOURNAL_HEADER_BYTES - 1;
    expect(journal_play(g.path, &(struct journal_play){.follow = &follow}, &played, &err) == -1);
    expect(strstr(err.text, "not a journal"));
    unlink(g.path);
}

static bool wait_a_little(void *ctx)
{
    (void)ctx;
    usleep(500);
    return true; /* END ends it */
}

TEST(journal_play_follows_another_process)
{
    static struct growing g;
    struct journal_follow follow = {NULL, wait_a_little};
    struct journal_played played;
    struct copy c = {0};
    struct err err = {0};
    uint64_t digest;
    growing_init(&g, "process", 0, 0);
    pid_t writer = fork();
    expect(writer >= 0);
    if (writer == 0) {
        for (int i = 0; g.written < g.length; i++) {
            grow(&g, 1 + (size_t)(i * 37 % 211));
            usleep(100);
        }
        _exit(0);
    }
    expect(play_copy(g.path, &follow, &c, &digest, &played, &err) == 0);
    expect(digest == g.digest && played.complete && played.turns == TURNS);
    expect(waitpid(writer, NULL, 0) == writer);
    unlink(g.path);
}
