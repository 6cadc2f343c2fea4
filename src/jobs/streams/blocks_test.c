#include "jobs/streams/blocks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/tree.h"
#include "jobs/streams/bytes.h"
#include "tests/unit/deny.h"
#include "tests/unit/limits.h"
#include "tests/unit/test.h"

/* A folder with the file `in`, and blocks of it. */
struct cut {
    char dir[64], in[80];
    struct options o;
    struct blocks b;
    struct err err;
};

/* Cuts the text as these options say, among 2 slots. */
static int cut(struct cut *c, const char *text, int argc, const char **words)
{
    char *argv[16] = {"map", "-a", c->in};

    *c = (struct cut){.dir = "/tmp/dolly-blocks-XXXXXX"};
    expect(mkdtemp(c->dir) != NULL);
    snprintf(c->in, sizeof c->in, "%s/in", c->dir);
    FILE *f = fopen(c->in, "we");
    expect(f && fputs(text, f) >= 0 && fclose(f) == 0);
    for (int i = 0; i < argc; i++)
        argv[3 + i] = (char *)(uintptr_t)words[i];
    argv[3 + argc] = "cat";
    expect(options_parse(&c->o, 4 + argc, argv, &c->err) == 0);
    c->b.dir = mem_strdup(c->dir);
    return blocks_open(&c->b, &c->o, 2, &c->err);
}

#define CUT(c, text, ...)                                                                          \
    cut(c, text, (int)(sizeof(const char *[]){__VA_ARGS__} / sizeof(char *)),                      \
        (const char *[]){__VA_ARGS__})

static bool block_is(struct cut *c, uint64_t seq, const char *want)
{
    struct str path = {0};
    bool ok = blocks_path(&c->b, &c->o, seq, &path, &c->err) == 0;
    struct bytes b = bytes_open(path.text);

    ok = ok && b.length == strlen(want) && memcmp(b.at, want, b.length) == 0;
    bytes_close(b);
    str_free(&path);
    return ok;
}

/* No other user may read the block. */
static bool is_private(struct cut *c, uint64_t seq)
{
    struct str path = {0};
    struct stat st = {0};
    bool ok = blocks_path(&c->b, &c->o, seq, &path, &c->err) == 0 && stat(path.text, &st) == 0;

    str_free(&path);
    return ok && (st.st_mode & 07777) == 0600;
}

static void fini(struct cut *c)
{
    blocks_fini(&c->b);
    options_fini(&c->o);
    tree_remove(c->dir);
}

TEST(blocks_are_whole_records)
{
    struct cut c;

    expect(CUT(&c, "a\nbb\nccc\ndddd\n", "--pipe", "--block", "6") == 0);
    expect(c.b.count == 3 && block_is(&c, 1, "a\nbb\n") && block_is(&c, 2, "ccc\n"));
    expect(block_is(&c, 3, "dddd\n"));
    fini(&c);
    expect(CUT(&c, "1 2 3 4 5", "--pipe", "-N2", "--recend", " ", "--rrs") == 0);
    expect(c.b.count == 3 && block_is(&c, 1, "12") && block_is(&c, 3, "5"));
    fini(&c);
}

TEST(blocks_begin_with_the_header)
{
    struct cut c;

    expect(CUT(&c, "h\n1\n2\n3\n", "--pipe", "-N2", "--header", ":") == 0);
    expect(c.b.count == 2 && block_is(&c, 1, "h\n1\n2\n") && block_is(&c, 2, "h\n3\n"));
    fini(&c);
    expect(CUT(&c, "%x\n%y\n1\n2\n", "--pipe", "-N1", "--header", "(%.*\n)*") == 0);
    expect(c.b.count == 2 && block_is(&c, 2, "%x\n%y\n2\n"));
    fini(&c);
}

TEST(blocks_are_dealt_out_among_slots)
{
    struct cut c;

    expect(CUT(&c, "1\n2\n3\n4\n5\n", "--pipe", "--round-robin", "-N1") == 0);
    expect(c.b.count == 2 && block_is(&c, 1, "1\n3\n5\n") && block_is(&c, 2, "2\n4\n"));
    fini(&c);
}

/* All of them, and with --tee the only one; parts of a file are synced when they are copied. */
TEST(blocks_are_synced_if_they_are_there)
{
    static const struct {
        const char *words[3];
        int count;
        const char *lost; /* after which this cannot be synced; NULL: nothing is */
    } rows[] = {{{"--pipe", "-N1"}, 2, "0"},
                {{"--pipe", "-N1"}, 2, "1"},
                {{"--tee", "--pipe"}, 2, "all"},
                {{"--pipepart", "--block", "2"}, 3, NULL}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct cut c;
        struct str path = {0};
        int open_before = limits_open();
        bool tee = strcmp(rows[i].words[0], "--tee") == 0;
        int opened = cut(&c, "1\n2\n", rows[i].count, (const char **)(uintptr_t)rows[i].words);
        str_addf(&path, "%s/%s", c.dir, rows[i].lost ? rows[i].lost : "0");
        if (tee) { /* as blocks_open_tee leaves it */
            FILE *f = fopen(path.text, "we");
            expect(f && fclose(f) == 0);
        }
        expect((tee || opened == 0) && blocks_sync(&c.b, &c.o, &c.err) == 0);
        expect((unlink(path.text) == 0) == (rows[i].lost != NULL));
        expect((blocks_sync(&c.b, &c.o, &c.err) < 0) == (rows[i].lost != NULL));
        str_add(&path, ": No such file or directory");
        expect(!rows[i].lost || strcmp(c.err.text, path.text) == 0);
        str_free(&path);
        fini(&c);
        expect(limits_open() == open_before);
    }
}

TEST(blocks_of_a_file_are_copied_when_they_are_needed)
{
    struct cut c;

    expect(CUT(&c, "1\n22\n\n\n333\n", "--pipepart", "--block", "2") == 0);
    expect(c.b.count == 2 && c.b.from.at[0] == 0 && c.b.from.at[2] == 11);
    expect(block_is(&c, 1, "1\n22\n") && block_is(&c, 2, "\n\n333\n"));
    expect(is_private(&c, 1));
    fini(&c);
    expect(CUT(&c, "h\n1\n2\n", "--pipepart", "--block", "1", "--header", ":") == 0);
    expect(block_is(&c, 1, "h\n1\n") && block_is(&c, c.b.count, "h\n2\n"));
    fini(&c);
}

/* Returns true if there is no block, and no part of one, for this reason behind the file's name. */
static bool has_no_block(struct cut *c, uint64_t seq, const char *why)
{
    struct str path = {0}, part = {0};
    struct err err = {0};
    size_t length = strlen(c->in);
    int before = limits_open(), result = blocks_path(&c->b, &c->o, seq, &path, &err);

    str_addf(&part, "%s.new", path.text);
    bool ok = result < 0 && strncmp(err.text, c->in, length) == 0 && strstr(err.text, why) &&
              access(path.text, F_OK) < 0 && access(part.text, F_OK) < 0;
    expect(limits_open() == before);
    str_free(&path);
    str_free(&part);
    return ok;
}

/* A part of a block must never be taken for it, by a task that is run later. */
TEST(blocks_of_a_file_are_copied_whole_or_not_at_all)
{
    struct cut c;
    char want[160];
    struct rlimit limit;

    expect(CUT(&c, "h\n1\n2\n", "--pipepart", "--block", "1", "--header", ":") == 0);
    snprintf(want, sizeof want, ": cannot be copied to %s/0: File too large", c.dir);
    for (rlim_t bytes = 0; bytes < 4; bytes++) {
        limit = limits_bytes(bytes);
        bool none = has_no_block(&c, 1, want);
        setrlimit(RLIMIT_FSIZE, &limit);
        expect(none);
    }
    limit = limits_bytes(4);
    bool whole = block_is(&c, 1, "h\n1\n");
    setrlimit(RLIMIT_FSIZE, &limit);
    expect(whole && truncate(c.in, 5) == 0);
    expect(has_no_block(&c, c.b.count, ": has become shorter since the run began"));
    expect(unlink(c.in) == 0 && block_is(&c, 1, "h\n1\n")); /* it is there already */
    expect(has_no_block(&c, c.b.count, ": No such file or directory"));
    fini(&c);
}

/* After a loss of power a block that has its name must have its bytes. */
static bool kept_parts_are_synced(void)
{
    struct cut c;

    bool good = CUT(&c, "1\n2\n", "--pipepart", "--block", "1") == 0 && block_is(&c, 1, "1\n");
    c.b.kept = true;
    good = good && deny_call(SYS_fsync, EIO) && has_no_block(&c, 2, ": Input/output error");
    fini(&c);
    return good;
}

static bool written_blocks_are_synced(void)
{
    struct cut c;
    char want[160];

    bool good = CUT(&c, "1\n2\n", "--pipe", "-N1") == 0 && blocks_sync(&c.b, &c.o, &c.err) == 0;
    snprintf(want, sizeof want, "%s/0: Input/output error", c.dir);
    good = good && deny_call(SYS_fsync, EIO) && blocks_sync(&c.b, &c.o, &c.err) < 0 &&
           strcmp(c.err.text, want) == 0;
    fini(&c);
    return good;
}

TEST(blocks_that_are_kept_are_on_the_disk)
{
    deny_test(kept_parts_are_synced);
    deny_test(written_blocks_are_synced);
}

static char tee_dir[] = "/tmp/dolly-blocks-XXXXXX";

/* Quotas of other machines may speak up as late as that. */
static bool tee_reports_a_failed_close(void)
{
    struct blocks b = {.dir = tee_dir};
    struct err err = {0};
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

    return dup2(null, STDIN_FILENO) == STDIN_FILENO && deny_call(SYS_close, EDQUOT) &&
           blocks_open_tee(&b, &err) < 0 && err.kind == ERR_SYSTEM &&
           strstr(err.text, "/all: Disk quota exceeded");
}

TEST(blocks_tee_checks_that_its_file_is_whole)
{
    expect(mkdtemp(tee_dir) != NULL);
    deny_test(tee_reports_a_failed_close);
    tree_remove(tee_dir);
}

TEST(blocks_tee_says_where_stdin_goes)
{
    struct blocks b = {.dir = (char *)"/nowhere"};
    struct err err;

    expect(blocks_open_tee(&b, &err) < 0 && err.kind == ERR_SYSTEM);
    expect(!strncmp(err.text, "standard input cannot be copied to /nowhere/", 44));
    expect(strstr(err.text, ": No such file or directory") != NULL);
}
