#include "remote/coordinator/agent_pulls.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/os/tree.h"
#include "tests/unit/test.h"

enum { AGAIN_US = 50000, PATIENCE_US = 10000000 };

struct pulls_stage {
    char dir[TEST_FOLDER], at[TEST_FOLDER + 16]; /* at: of attempt 1 */
    struct agent_pulls p;
};

static void stage_open(struct pulls_stage *s, bool pull)
{
    *s = (struct pulls_stage){.p.pull = pull};
    test_folder(s->dir);
    snprintf(s->at, sizeof s->at, "%s/0.1.2.3", s->dir);
}

static void stage_close(struct pulls_stage *s)
{
    agent_pulls_clear(&s->p);
    expect(agent_pulls_count(&s->p) == 0);
    tree_remove(s->dir);
}

/* A file of the attempt; valid until the next call. */
static const char *stage_file(const struct pulls_stage *s, const char *name)
{
    static char path[128];

    snprintf(path, sizeof path, "%s/%s", s->at, name);
    return path;
}

static void stage_write(const char *path, const char *text)
{
    FILE *f = fopen(path, "we");
    expect(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static bool stage_holds(const char *path, const char *text)
{
    char have[64] = "";
    FILE *f = fopen(path, "re");
    size_t n = f ? fread(have, 1, sizeof have - 1, f) : 0;

    return f && fclose(f) == 0 && n == strlen(text) && memcmp(have, text, n) == 0;
}

static struct packet launch_of(const struct pulls_stage *s)
{
    return (struct packet){.type = PACKET_LAUNCH,
                           .handle = 1,
                           .u.launch = {.dir = s->at, .reuse = "", .env = "", .stdin_path = ""}};
}

static void stage_launch(struct pulls_stage *s, uint8_t control, uint8_t keep)
{
    struct packet m = launch_of(s);

    m.u.launch.control = control;
    m.u.launch.keep = keep;
    expect(agent_pulls_launch(&s->p, &m) == 0 && agent_pulls_count(&s->p) == 1);
}

static const char *stage_piece(struct pulls_stage *s, uint8_t file, int64_t offset,
                               const char *text)
{
    struct packet m = {.type = PACKET_OUTPUT,
                       .handle = 1,
                       .u.output = {file, offset, text, (uint32_t)strlen(text)}};
    return agent_pulls_take(&s->p, &m);
}

static const char *stage_over(struct pulls_stage *s, uint8_t file, int64_t bytes, uint64_t checksum)
{
    struct packet m = {
        .type = PACKET_OUTPUT_END, .handle = 1, .u.output_end = {file, bytes, checksum}};
    return agent_pulls_take(&s->p, &m);
}

static uint64_t checksum_of(const char *text)
{
    return XXH3_64bits(text, strlen(text));
}

static struct packet exited(void)
{
    return (struct packet){.type = PACKET_EXITED, .handle = 1};
}

static bool says(const char *wrong, const char *text)
{
    return wrong && strstr(wrong, text);
}

/* ---- through the stream ---- */

TEST(agent_pulls_make_the_folder_and_write_pieces_one_behind_the_other)
{
    struct pulls_stage s;
    struct packet end = exited();
    mode_t before = umask(0); /* all is for its user alone */

    stage_open(&s, true);
    stage_launch(&s, 0, PACKET_KEEP_NOT);
    umask(before);
    expect(test_mode(stage_file(&s, ".")) == 0700 && test_mode(stage_file(&s, "tmp")) == 0700);
    expect(test_mode(stage_file(&s, "stdout")) == 0600);
    expect(test_mode(stage_file(&s, "stderr")) == 0600);
    expect(stage_holds(stage_file(&s, "stdout"), "") && stage_holds(stage_file(&s, "stderr"), ""));
    expect(!stage_piece(&s, PACKET_STDOUT, 0, "ab") && !stage_piece(&s, PACKET_STDERR, 0, "x"));
    expect(says(stage_piece(&s, PACKET_STDOUT, 1, "c"), "out of order"));
    expect(says(stage_piece(&s, PACKET_STDOUT, 3, "c"), "out of order"));
    expect(says(stage_piece(&s, PACKET_STDOUT, 2, ""), "out of order"));
    expect(!stage_piece(&s, PACKET_STDOUT, 2, "cd"));
    expect(
        says(stage_piece(&s, PACKET_COUNTERS, 0, "c"), "does not exist")); /* nothing is counted */
    expect(says(stage_piece(&s, PACKET_FILE_END, 0, "c"), "does not exist"));
    expect(says(stage_over(&s, PACKET_FILE_END, 0, 0), "does not exist"));
    expect(!stage_over(&s, PACKET_STDOUT, 4, checksum_of("abcd")));
    expect(says(stage_over(&s, PACKET_STDOUT, 4, checksum_of("abcd")), "already complete"));
    expect(says(stage_piece(&s, PACKET_STDOUT, 4, "e"), "out of order"));
    expect(!stage_over(&s, PACKET_STDERR, 1, checksum_of("x")));
    expect(stage_holds(stage_file(&s, "stdout"), "abcd"));
    expect(stage_holds(stage_file(&s, "stderr"), "x"));
    expect(agent_pulls_end(&s.p, &end, 0) && agent_pulls_count(&s.p) == 0);
    expect(end.u.end.seen && end.u.end.seen_bytes == 4 && !end.u.end.unseen);
    expect(end.u.end.seen_checksum == checksum_of("abcd"));
    /* It is over; an end of an attempt that nothing is known of is the owner's. */
    expect(says(stage_piece(&s, PACKET_STDOUT, 4, "e"), "attempt does not exist"));
    end = exited();
    expect(agent_pulls_end(&s.p, &end, 0) && !end.u.end.seen);
    stage_close(&s);
}

TEST(agent_pulls_believe_no_length_and_no_checksum)
{
    static const struct {
        int64_t bytes;
        const char *text, *wrong;
    } cases[] = {{2, "ab", NULL},
                 {1, "ab", "does not have the reported length"},
                 {3, "ab", "does not have the reported length"},
                 {2, "aB", "differs from the sent bytes"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pulls_stage s;
        stage_open(&s, true);
        stage_launch(&s, 0, PACKET_KEEP_NOT);
        expect(!stage_piece(&s, PACKET_STDOUT, 0, "ab"));
        const char *wrong =
            stage_over(&s, PACKET_STDOUT, cases[i].bytes, checksum_of(cases[i].text));
        expect(cases[i].wrong ? says(wrong, cases[i].wrong) : !wrong);
        stage_close(&s);
    }
}

TEST(agent_pulls_put_what_attempts_count_beside_them)
{
    struct pulls_stage s;
    char counters[TEST_FOLDER + 16], path[TEST_FOLDER + 32];

    stage_open(&s, true);
    snprintf(counters, sizeof counters, "%s/counters", s.dir);
    s.p.counters = counters;
    stage_launch(&s, 0, PACKET_KEEP_NOT);
    mode_t before = umask(0);
    expect(!stage_piece(&s, PACKET_COUNTERS, 0, "{}"));
    umask(before);
    expect(test_mode(counters) == 0700);
    expect(!stage_over(&s, PACKET_COUNTERS, 2, checksum_of("{}")));
    snprintf(path, sizeof path, "%s/1.2.3", counters);
    expect(stage_holds(path, "{}") && test_mode(path) == 0600);
    stage_close(&s);
}

TEST(agent_pulls_reuse_bare_folders_and_leave_none_that_they_cannot_use)
{
    struct pulls_stage s;
    char bare[TEST_FOLDER + 16];

    stage_open(&s, true);
    snprintf(bare, sizeof bare, "%s/bare", s.dir);
    expect(mkdir(bare, 0700) == 0);
    struct packet m = launch_of(&s);
    m.u.launch.reuse = bare;
    expect(agent_pulls_launch(&s.p, &m) == 0 && access(bare, F_OK) < 0);
    expect(stage_holds(stage_file(&s, "stdout"), "") && access(stage_file(&s, "tmp"), F_OK) < 0);
    agent_pulls_clear(&s.p);
    m.u.launch.reuse = s.at; /* it has the right name already */
    expect(agent_pulls_launch(&s.p, &m) == 0);
    agent_pulls_clear(&s.p);
    m.u.launch.reuse = bare; /* gone: another one is made, */
    tree_remove(s.at);
    expect(agent_pulls_launch(&s.p, &m) == 0 && access(stage_file(&s, "tmp"), F_OK) == 0);
    agent_pulls_clear(&s.p);
    m.u.launch.reuse = ""; /* but not where there is one, ... */
    expect(agent_pulls_launch(&s.p, &m) < 0 && errno == EEXIST && agent_pulls_count(&s.p) == 0);
    /* ... nor without its files. */
    expect(mkdir(s.at, 0700) == 0 && mkdir(stage_file(&s, "stderr"), 0700) == 0);
    m.u.launch.reuse = s.at;
    expect(agent_pulls_launch(&s.p, &m) < 0 && errno == EISDIR && agent_pulls_count(&s.p) == 0);
    expect(access(s.at, F_OK) < 0);
    stage_close(&s);
}

/* It is not the node that fails where the coordinator cannot write. */
TEST(agent_pulls_spoil_what_they_cannot_write)
{
    for (int i = 0; i < 3; i++) {
        struct rlimit was, tight;
        struct pulls_stage s;
        struct packet end = exited();
        stage_open(&s, true);
        stage_launch(&s, 1, i == 2 ? PACKET_KEEP_WHOLE : PACKET_KEEP_NOT);
        expect(getrlimit(RLIMIT_FSIZE, &was) == 0);
        tight = (struct rlimit){i == 0 ? was.rlim_cur : 2, was.rlim_max};
        signal(SIGXFSZ, SIG_IGN);
        expect(setrlimit(RLIMIT_FSIZE, &tight) == 0);
        if (i == 0)
            expect(unlink(stage_file(&s, "stdout")) == 0 &&
                   symlink("stderr", stage_file(&s, "stdout")) == 0);
        if (i == 2) {
            struct packet result = {.type = PACKET_RESULT, .handle = 1, .u.result.bytes = 4};
            expect(!agent_pulls_take(&s.p, &result));
        } else {
            expect(!stage_piece(&s, PACKET_STDOUT, 0, "abcd"));
        }
        expect(!stage_over(&s, PACKET_STDOUT, 4, checksum_of(i == 2 ? "" : "abcd")));
        setrlimit(RLIMIT_FSIZE, &was);
        signal(SIGXFSZ, SIG_DFL);
        expect(agent_pulls_end(&s.p, &end, 0) && !end.u.end.seen && !end.u.end.faulty);
        expect(end.u.end.unseen == (i == 0 ? ELOOP : EFBIG));
        expect(access(stage_file(&s, "stdout"), F_OK) < 0 &&
               stage_holds(stage_file(&s, "stderr"), ""));
        stage_close(&s);
    }
}

/* ---- what could not be read there, or stays there ---- */

TEST(agent_pulls_blame_the_node_for_what_it_cannot_read)
{
    static const struct {
        uint64_t said;
        int error;
    } cases[] = {{ENOENT, ENOENT}, {1, 1}, {0, EIO}, {4095, 4095}, {4096, EIO}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int pull = 0; pull < 2; pull++) {
            struct pulls_stage s;
            struct packet end = exited();
            stage_open(&s, pull);
            stage_launch(&s, 0, PACKET_KEEP_NOT);
            expect(!stage_over(&s, PACKET_STDOUT, -1, cases[i].said));
            expect(agent_pulls_end(&s.p, &end, 0) && !end.u.end.seen && end.u.end.faulty);
            expect(end.u.end.unseen == cases[i].error);
            stage_close(&s);
        }
}

TEST(agent_pulls_stretch_what_stays_elsewhere)
{
    struct packet result = {.type = PACKET_RESULT, .handle = 1, .u.result.bytes = 100};
    struct pulls_stage s;
    struct packet end;
    struct stat st;

    for (int64_t bytes = 99; bytes <= 101; bytes++) {
        end = exited();
        stage_open(&s, true);
        stage_launch(&s, 1, PACKET_KEEP_SORTED);
        expect(!agent_pulls_take(&s.p, &result));
        expect(!stage_piece(&s, PACKET_STDOUT, 0, "head") &&
               !stage_piece(&s, PACKET_STDOUT, 90, "tail"));
        expect(says(stage_piece(&s, PACKET_STDOUT, 93, "x"), "out of order"));
        const char *wrong = stage_over(&s, PACKET_STDOUT, bytes, 0);
        expect(bytes == 100 ? !wrong || says(wrong, "differs") : says(wrong, "is kept elsewhere"));
        if (bytes == 100)
            expect(stat(stage_file(&s, "stdout"), &st) == 0 && st.st_size == 100);
        stage_close(&s);
    }
    /* Without a piece, and with its checksum, it counts; it is not read here. */
    stage_open(&s, true);
    stage_launch(&s, 1, PACKET_KEEP_WHOLE);
    expect(!agent_pulls_take(&s.p, &result) &&
           !stage_over(&s, PACKET_STDOUT, 100, checksum_of("")));
    end = exited();
    expect(agent_pulls_end(&s.p, &end, 0) && !end.u.end.unseen && !end.u.end.seen);
    expect(stat(stage_file(&s, "stdout"), &st) == 0 && st.st_size == 100);
    stage_close(&s);
    /* Of one that says nothing nothing is known. */
    stage_open(&s, true);
    stage_launch(&s, 1, PACKET_KEEP_WHOLE);
    end = exited();
    expect(agent_pulls_end(&s.p, &end, 0) && end.u.end.unseen == ENOENT && end.u.end.faulty);
    stage_close(&s);
}

TEST(agent_pulls_take_results_of_those_who_may_give_them)
{
    struct packet result = {.type = PACKET_RESULT, .handle = 1, .u.result.bytes = 0};
    struct pulls_stage s;

    for (uint8_t control = 0; control < 2; control++) {
        stage_open(&s, false);
        stage_launch(&s, control, PACKET_KEEP_NOT);
        result.u.result.bytes = 0;
        expect(!agent_pulls_take(&s.p, &result) == (control == 1));
        result.u.result.bytes = -1;
        expect(says(agent_pulls_take(&s.p, &result), "may not report an output"));
        stage_close(&s);
    }
}

/* ---- in a folder that both see ---- */

TEST(agent_pulls_wait_for_what_is_not_to_be_seen_yet)
{
    struct pulls_stage s;
    struct packet end, m = {0};
    int64_t next_us = 0;

    for (int late = 0; late < 2; late++) {
        end = exited();
        end.u.end.wall_us = 17;
        stage_open(&s, false);
        stage_launch(&s, 0, PACKET_KEEP_NOT);
        expect(access(s.at, F_OK) < 0); /* the agent makes it */
        expect(mkdir(s.at, 0700) == 0);
        stage_write(stage_file(&s, "stdout"), "aX"); /* an older one, as long */
        expect(
            says(stage_piece(&s, PACKET_STDOUT, 0, "ab"), "not sent where the folder is shared"));
        expect(!stage_over(&s, PACKET_STDOUT, 2, checksum_of("ab")));
        expect(!agent_pulls_next(&s.p, 1000, &m, &next_us) && next_us == INT64_MAX);
        expect(!agent_pulls_end(&s.p, &end, 1000) && agent_pulls_count(&s.p) == 1);
        expect(
            says(stage_over(&s, PACKET_STDERR, 0, 0), "attempt does not exist")); /* it is over */
        expect(!agent_pulls_next(&s.p, 1000, &m, &next_us) && next_us == 1000 + AGAIN_US);
        expect(!agent_pulls_next(&s.p, 1000 + AGAIN_US, &m, &next_us));
        expect(next_us == 1000 + 2 * AGAIN_US);
        if (!late)
            stage_write(stage_file(&s, "stdout"), "ab");
        expect(!agent_pulls_next(&s.p, 1000 + 2 * AGAIN_US - 1, &m, &next_us)); /* nobody looks */
        expect(next_us == 1000 + 2 * AGAIN_US);
        if (late) {
            expect(!agent_pulls_next(&s.p, 1000 + PATIENCE_US - 1, &m, &next_us));
            expect(agent_pulls_next(&s.p, 1000 + PATIENCE_US, &m, &next_us));
            expect(m.u.end.unseen == ESTALE && m.u.end.faulty && !m.u.end.seen);
            expect(access(stage_file(&s, "stdout"), F_OK) < 0);
        } else {
            expect(agent_pulls_next(&s.p, 1000 + 2 * AGAIN_US, &m, &next_us));
            expect(!m.u.end.unseen && m.u.end.seen && m.u.end.seen_bytes == 2);
            expect(m.u.end.seen_checksum == checksum_of("ab"));
        }
        expect(m.type == PACKET_EXITED && m.handle == 1 && m.u.end.wall_us == 17);
        expect(agent_pulls_count(&s.p) == 0 && s.p.held == 0);
        stage_close(&s);
    }
}

/* Sizes and checksums have to be right at once for an end that does not wait; a kill never does. */
TEST(agent_pulls_look_at_all_that_an_attempt_has_written)
{
    static const struct {
        const char *out, *error;
        uint8_t type;
        bool waits;
    } cases[] = {{"ab", "", PACKET_EXITED, false}, {"abc", "", PACKET_EXITED, true},
                 {"aB", "", PACKET_EXITED, true},  {NULL, "", PACKET_EXITED, true},
                 {"ab", "e", PACKET_EXITED, true}, {"ab", NULL, PACKET_EXITED, true},
                 {"aB", "", PACKET_KILLED, false}, {NULL, "", PACKET_LAUNCH_FAILED, false}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pulls_stage s;
        struct packet end = exited();
        end.type = cases[i].type;
        stage_open(&s, false);
        stage_launch(&s, 0, PACKET_KEEP_NOT);
        expect(mkdir(s.at, 0700) == 0);
        if (cases[i].out)
            stage_write(stage_file(&s, "stdout"), cases[i].out);
        if (cases[i].error)
            stage_write(stage_file(&s, "stderr"), cases[i].error);
        expect(!stage_over(&s, PACKET_STDOUT, 2, checksum_of("ab")));
        expect(!stage_over(&s, PACKET_STDERR, 0, checksum_of("")));
        expect(agent_pulls_end(&s.p, &end, 5) == !cases[i].waits);
        expect(s.p.held == cases[i].waits && !end.u.end.unseen);
        expect(end.u.end.seen == (!cases[i].waits && cases[i].type == PACKET_EXITED));
        stage_close(&s);
    }
}

/* One that waits is not in the way of another, and both are given back. */
TEST(agent_pulls_give_back_each_that_waits)
{
    struct pulls_stage s;
    struct packet end = exited(), m;
    int64_t next_us;

    stage_open(&s, false);
    for (uint32_t handle = 1; handle <= 3; handle++) {
        struct packet launch = launch_of(&s), over = {.type = PACKET_OUTPUT_END, .handle = handle};
        launch.handle = end.handle = handle;
        over.u.output_end.bytes = 1;
        expect(agent_pulls_launch(&s.p, &launch) == 0 && !agent_pulls_take(&s.p, &over));
        expect(handle == 1 || !agent_pulls_end(&s.p, &end, handle));
    }
    expect(s.p.held == 2 && agent_pulls_count(&s.p) == 3);
    expect(!agent_pulls_next(&s.p, 3, &m, &next_us) && next_us == 2 + AGAIN_US);
    expect(agent_pulls_next(&s.p, PATIENCE_US + 2, &m, &next_us) && m.handle == 2);
    expect(!agent_pulls_next(&s.p, PATIENCE_US + 2, &m, &next_us));
    expect(agent_pulls_next(&s.p, PATIENCE_US + 3, &m, &next_us) && m.handle == 3);
    expect(s.p.held == 0 && agent_pulls_count(&s.p) == 1);
    stage_close(&s);
}
