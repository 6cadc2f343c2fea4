#include "inputs/trace/spool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "tests/unit/limits.h"
#include "tests/unit/test.h"

static void add(struct spool *s, uint64_t rank, const char *key, const char *rest)
{
    char text[256];
    struct err err;
    int n = snprintf(text, sizeof text, "%s%s", key, rest);
    struct spool_record r = {rank, (uint32_t)n, (uint32_t)strlen(key), text};
    expect(spool_add(s, &r, &err) == 0);
}

TEST(spool_sorts_by_rank_then_key_then_as_they_came)
{
    static const char *const want[] = {"a1", "ab2", "b3", "a4", "a5", "6"};
    struct spool *s = spool_create(1 << 20);
    struct spool_record r;
    struct err err;
    add(s, 7, "b", "3");
    add(s, 7, "a", "1");
    add(s, 9, "a", "4");
    add(s, UINT64_MAX, "", "6");
    add(s, 9, "a", "5");
    add(s, 7, "ab", "2");
    expect(spool_sort(s, &err) == 0);
    for (int pass = 0; pass < 2; pass++) { /* as often as one likes */
        struct spool_reader *reader = spool_read(s);
        for (int i = 0; i < 6; i++)
            expect(spool_next(reader, &r, &err) == 1 && r.length == strlen(want[i]) &&
                   !memcmp(r.at, want[i], r.length));
        expect(spool_next(reader, &r, &err) == 0);
        spool_reader_destroy(reader);
    }
    spool_destroy(s);
}

/* Many runs, more than can be merged at once (three windows fit into the least memory), and records
 * larger than all of it. */
TEST(spool_merges_what_does_not_fit)
{
    enum { COUNT = 20000, HUGE_EVERY = 5000, HUGE_BYTES = 600000 };
    struct spool *s = spool_create(1);
    struct rng random = rng_stream(1, RNG_TEST, 0, 0, 0, 0);
    char *huge = mem_zalloc(1, HUGE_BYTES);
    struct err err;
    uint64_t sum = 0, last = 0, seen = 0, found = 0;
    for (uint64_t i = 0; i < COUNT; i++) {
        bool large = i % HUGE_EVERY == 7;
        uint64_t rank = rng_below(&random, 1000000);
        struct spool_record r = {rank, large ? HUGE_BYTES : 100, 8, huge};
        memcpy(huge, &i, 8);
        sum += i;
        expect(spool_add(s, &r, &err) == 0);
    }
    expect(spool_sort(s, &err) == 0);
    struct spool_reader *reader = spool_read(s);
    for (struct spool_record r; spool_next(reader, &r, &err) > 0; seen++) {
        uint64_t i;
        memcpy(&i, r.at, 8);
        found += i;
        expect(r.rank >= last && r.length == (i % HUGE_EVERY == 7 ? HUGE_BYTES : 100));
        last = r.rank;
    }
    expect(seen == COUNT && found == sum);
    spool_reader_destroy(reader);
    spool_destroy(s);
    mem_free(huge);
}

TEST(spool_of_nothing_is_empty)
{
    struct spool *s = spool_create(1 << 20);
    struct spool_record r;
    struct err err;
    expect(spool_sort(s, &err) == 0);
    struct spool_reader *reader = spool_read(s);
    expect(spool_next(reader, &r, &err) == 0);
    spool_reader_destroy(reader);
    spool_destroy(s);
}

enum { PIECE = 100000, PIECES = 30 };

/* Adds records that do not fit; -1 with *err as soon as one cannot be written. */
static int add_many(struct spool *s, struct err *err)
{
    char *text = mem_zalloc(1, PIECE);
    struct spool_record r = {0, PIECE, 8, text};
    int bad = 0;
    for (; r.rank < PIECES && bad == 0; r.rank++)
        bad = spool_add(s, &r, err);
    mem_free(text);
    return bad == 0 ? spool_sort(s, err) : bad;
}

/* A disk that is full, now or a little later; or a folder that is not there. */
TEST(spool_reports_that_it_cannot_be_written)
{
    struct err err;
    char *before = mem_strdup(getenv("TMPDIR"));
    for (rlim_t bytes = 0; bytes <= 1000000; bytes += 1000000) {
        struct spool *s = spool_create(1);
        int open = limits_open();
        struct rlimit limit = limits_bytes(bytes);
        expect(add_many(s, &err) == -1 && err.kind == ERR_SYSTEM);
        setrlimit(RLIMIT_FSIZE, &limit);
        expect(!strcmp(err.text, "cannot write to the spool in $TMPDIR: File too large"));
        spool_destroy(s);
        expect(limits_open() == open);
    }
    struct spool *s = spool_create(1);
    setenv("TMPDIR", "/nonexistent", 1);
    expect(add_many(s, &err) == -1 && err.kind == ERR_SYSTEM);
    expect(strstr(err.text, "/nonexistent/dolly-spool-") == err.text);
    expect(strstr(err.text, ": No such file or directory"));
    spool_destroy(s);
    if (before)
        setenv("TMPDIR", before, 1);
    else
        unsetenv("TMPDIR");
    mem_free(before);
}

/* Its file, which is the descriptor that was free, becomes empty, or is not a file any more. */
TEST(spool_reports_that_it_cannot_be_read)
{
    static const char *const why[] = {
        "cannot read the spool in $TMPDIR: it has become shorter",
        "cannot read the spool in $TMPDIR: Is a directory",
    };
    for (int i = 0; i < 2; i++) {
        struct spool *s = spool_create(1);
        struct spool_record r;
        struct err err;
        int open_before = limits_open(), fd = open("/", O_RDONLY | O_CLOEXEC);
        close(fd);
        expect(add_many(s, &err) == 0);
        int folder = open("/", O_RDONLY | O_CLOEXEC);
        expect(i == 0 ? ftruncate(fd, 0) == 0 : dup2(folder, fd) == fd);
        close(folder);
        struct spool_reader *reader = spool_read(s);
        expect(spool_next(reader, &r, &err) == -1 && err.kind == ERR_SYSTEM);
        expect(!strcmp(err.text, why[i]));
        spool_reader_destroy(reader);
        spool_destroy(s);
        expect(limits_open() == open_before);
    }
}
