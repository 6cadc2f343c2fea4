/* Sorting within little memory, held to a plain sort of everything. */
#include "data/sorter.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/rng.h"
#include "data/merge.h"
#include "tests/unit/test.h"

enum { PARTITIONS = 3, RECORDS = 6000 };

struct made {
    char key[40], value[240];
    uint32_t key_length, value_length, partition, number;
};

static int made_order(const void *a, const void *b)
{
    const struct made *x = a, *y = b;

    if (x->partition != y->partition)
        return x->partition < y->partition ? -1 : 1;
    int order = record_compare(x->key, x->key_length, y->key, y->key_length);
    return order ? order : (x->number > y->number) - (x->number < y->number);
}

/* Few letters, zeros among them, so that many keys are equal or begin alike, far beyond a prefix.
 */
static struct made make(struct rng *r, uint32_t number)
{
    static const char letters[] = {'a', 'b', 0, (char)0xff};
    uint32_t kinds = 1 + (uint32_t)rng_below(r, 4), long_one = (uint32_t)rng_below(r, 3);
    struct made m = {.number = number, .partition = (uint32_t)rng_below(r, PARTITIONS)};

    m.key_length = (uint32_t)rng_below(r, long_one == 0 ? sizeof m.key : 10);
    for (uint32_t i = 0; i < m.key_length; i++)
        m.key[i] = letters[rng_below(r, kinds)];
    m.value_length = (uint32_t)snprintf(m.value, sizeof m.value, "%u", number);
    return m;
}

static struct data_record record_of(const struct made *m)
{
    return (struct data_record){m->key, m->value, m->key_length, m->value_length};
}

struct sorter_stage {
    char folder[64], path[80];
    struct made all[RECORDS];
    struct sorted_file_form form; /* plain */
    uint32_t spills;
};

/* All of them; blocks are small, so that there are many and records lie across them. */
static const struct sorted_file_form forms[] = {{0}, {CODEC_LZ4, 1024}, {CODEC_ZSTD, 4096}};
enum { FORMS = sizeof forms / sizeof *forms };

/* Sorts the records of the stage into the file at its path. */
static int stage_sort(struct sorter_stage *s, uint32_t count, uint64_t memory,
                      sorter_combine *combine, void *ctx, struct err *err)
{
    struct sorter *sorter = sorter_create(
        &(struct sorter_options){PARTITIONS, memory, s->folder, combine, ctx, s->form});
    int fd = open(s->path, O_WRONLY | O_CREAT | O_TRUNC, 0600), result = 0;

    expect(fd >= 0);
    for (uint32_t i = 0; i < count && result == 0; i++) {
        struct data_record r = record_of(&s->all[i]);
        result = sorter_add(sorter, s->all[i].partition, &r, err);
    }
    if (result == 0)
        result = sorter_finish(sorter, fd, s->path, err);
    s->spills = sorter_spills(sorter);
    sorter_destroy(sorter);
    close(fd);
    return result;
}

static void stage_init(struct sorter_stage *s, uint64_t seed)
{
    struct rng r = rng_stream(seed, RNG_TEST, 2, 0, 0, 0);

    snprintf(s->folder, sizeof s->folder, "%s/dolly-sorter.XXXXXX",
             getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    expect(mkdtemp(s->folder) != NULL);
    snprintf(s->path, sizeof s->path, "%s/out", s->folder);
    for (uint32_t i = 0; i < RECORDS; i++)
        s->all[i] = make(&r, i);
}

/* The folder is empty but for the file: spills are gone. */
static void stage_fini(struct sorter_stage *s)
{
    unlink(s->path);
    expect(rmdir(s->folder) == 0);
    mem_free(s);
}

static void expect_sorted(struct sorter_stage *s, uint32_t count)
{
    struct sorted_file f;
    struct err err;
    uint32_t seen = 0;

    qsort(s->all, count, sizeof *s->all, made_order);
    expect(sorted_file_open(&f, s->path, &err) == 0 && f.partitions == PARTITIONS);
    for (uint32_t p = 0; p < PARTITIONS; p++) {
        struct sorted_file_cursor c;
        struct data_record r;
        expect(sorted_file_begin(&f, p, &c, &err) == 0);
        while (sorted_file_next(&c, &r, &err) > 0) {
            const struct made *m = &s->all[seen++];
            expect(seen <= count && m->partition == p);
            expect(record_compare(r.key, r.key_length, m->key, m->key_length) == 0);
            expect(r.value_length == m->value_length &&
                   memcmp(r.value, m->value, r.value_length) == 0);
        }
        sorted_file_end(&c);
    }
    expect(seen == count);
    sorted_file_close(&f);
}

TEST(sorter_is_a_stable_sort_by_partition_and_key)
{
    for (uint32_t seed = 0; seed < 6 * FORMS; seed++) {
        struct sorter_stage *s = mem_zalloc(1, sizeof *s);
        struct err err;
        uint32_t count = seed < FORMS ? 0 : RECORDS / (seed / FORMS);
        s->form = forms[seed % FORMS];
        stage_init(s, seed);
        expect(stage_sort(s, count, 1 << 20, NULL, NULL, &err) == 0 && s->spills == 0);
        expect_sorted(s, count);
        stage_fini(s);
    }
}

TEST(sorter_spills_when_memory_is_full)
{
    for (uint32_t i = 0; i < FORMS; i++) {
        struct sorter_stage *s = mem_zalloc(1, sizeof *s);
        struct err err;
        s->form = forms[i];
        stage_init(s, 7);
        expect(stage_sort(s, RECORDS, SORTER_MEMORY_MIN, NULL, NULL, &err) == 0 && s->spills > 2);
        expect_sorted(s, RECORDS);
        stage_fini(s);
    }
}

/* A block of each packed spill has to have room: 4 KiB each, so 16 in the least memory. */
TEST(sorter_joins_packed_spills_when_there_are_many)
{
    for (uint32_t i = 1; i < FORMS; i++) {
        struct sorter_stage *s = mem_zalloc(1, sizeof *s);
        struct err err;
        s->form = forms[i];
        stage_init(s, 14);
        for (uint32_t k = 0; k < RECORDS; k++)
            s->all[k].value_length += 200;
        expect(stage_sort(s, RECORDS, SORTER_MEMORY_MIN, NULL, NULL, &err) == 0 && s->spills > 17);
        expect_sorted(s, RECORDS);
        stage_fini(s);
    }
}

/* Records of many blocks, beside small ones. */
TEST(sorted_file_records_may_be_larger_than_blocks)
{
    for (uint32_t i = 0; i < FORMS; i++) {
        struct sorter_stage *s = mem_zalloc(1, sizeof *s);
        struct sorter_options options = {PARTITIONS, 1 << 20, s->folder, NULL, NULL, forms[i]};
        struct rng random = rng_stream(i, RNG_TEST, 3, 0, 0, 0);
        char *large = mem_zalloc(1, 300000);
        struct sorted_file f;
        struct sorted_file_cursor c;
        struct data_record r;
        struct err err;
        stage_init(s, 15);
        for (uint32_t k = 0; k < 200000; k += 8) /* then zeros: packed and not */
            *(uint64_t *)(void *)(large + k) = rng_u64(&random);
        struct sorter *sorter = sorter_create(&options);
        expect(sorter_add(sorter, 1, &(struct data_record){"b", large, 1, 300000}, &err) == 0);
        expect(sorter_add(sorter, 1, &(struct data_record){"a", "1", 1, 1}, &err) == 0);
        expect(sorter_add(sorter, 1, &(struct data_record){large, "2", 250000, 1}, &err) == 0);
        int fd = open(s->path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        expect(sorter_finish(sorter, fd, s->path, &err) == 0);
        close(fd);
        sorter_destroy(sorter);
        expect(sorted_file_open_partition(&f, AT_FDCWD, s->path, 1, PARTITIONS, &err) == 0);
        expect(sorted_file_begin(&f, 1, &c, &err) == 0 && c.left == 3);
        for (uint32_t k = 0; k < 3; k++) {
            expect(sorted_file_next(&c, &r, &err) == 1);
            if (r.key_length > 1)
                expect(r.key_length == 250000 && memcmp(r.key, large, 250000) == 0 &&
                       r.value[0] == '2');
            else if (r.key[0] == 'b')
                expect(r.value_length == 300000 && memcmp(r.value, large, 300000) == 0);
            else
                expect(r.value_length == 1 && r.value[0] == '1');
        }
        expect(sorted_file_next(&c, &r, &err) == 0 && sorted_file_next(&c, &r, &err) == 0);
        sorted_file_end(&c);
        sorted_file_close(&f);
        mem_free(large);
        stage_fini(s);
    }
}

/* What an earlier call has counted, or one. Nothing ends a value but its length. */
static uint64_t count_of(const struct data_record *r)
{
    char text[24] = "";

    if (r->value_length == 0 || r->value_length >= sizeof text || r->value[0] != '=')
        return 1;
    memcpy(text, r->value + 1, r->value_length - 1);
    return strtoull(text, NULL, 10);
}

/* Writes each key once, with the number of its records so far. */
static int count_keys(void *ctx, struct record_stream in, uint32_t partition,
                      struct sorted_writer *out, struct err *err)
{
    char text[24], key[sizeof((struct made *)0)->key];
    struct data_record r, first = {.key = key};
    uint64_t sum = 0;
    int n;

    do {
        n = record_stream_next(in, &r, err);
        if (sum > 0 &&
            (n == 0 || record_compare(r.key, r.key_length, first.key, first.key_length))) {
            first.value = text;
            first.value_length =
                (uint32_t)snprintf(text, sizeof text, "=%llu", (unsigned long long)sum);
            sorted_writer_add(out, partition, &first);
            sum = 0;
        }
        if (n <= 0)
            break;
        if (sum == 0) {
            memcpy(key, r.key, r.key_length);
            first.key_length = r.key_length;
        }
        sum += count_of(&r);
    } while (true);
    (*(uint32_t *)ctx)++;
    return n;
}

static void combine_as(struct sorted_file_form form)
{
    struct sorter_stage *s = mem_zalloc(1, sizeof *s);
    struct sorted_file f;
    struct err err;
    uint32_t calls = 0, seen = 0;

    s->form = form;
    stage_init(s, 8);
    expect(stage_sort(s, RECORDS, SORTER_MEMORY_MIN, count_keys, &calls, &err) == 0);
    expect(s->spills > 2 && calls == (s->spills + 1) * PARTITIONS);
    qsort(s->all, RECORDS, sizeof *s->all, made_order);
    expect(sorted_file_open(&f, s->path, &err) == 0);
    for (uint32_t p = 0; p < PARTITIONS; p++) {
        struct sorted_file_cursor c;
        struct data_record r;
        expect(sorted_file_begin(&f, p, &c, &err) == 0);
        while (sorted_file_next(&c, &r, &err) > 0) {
            uint32_t first = seen;
            char want[24];
            while (seen < RECORDS && s->all[seen].partition == p &&
                   record_compare(s->all[seen].key, s->all[seen].key_length, r.key, r.key_length) ==
                       0)
                seen++;
            snprintf(want, sizeof want, "=%u", seen - first);
            expect(r.value_length == strlen(want) && memcmp(r.value, want, r.value_length) == 0);
        }
        sorted_file_end(&c);
    }
    expect(seen == RECORDS);
    sorted_file_close(&f);
    stage_fini(s);
}

TEST(sorter_combines_in_spills_and_in_their_merge)
{
    for (uint32_t i = 0; i < FORMS; i++)
        combine_as(forms[i]);
}

TEST(sorter_refuses_a_record_that_never_fits)
{
    struct sorter_stage *s = mem_zalloc(1, sizeof *s);
    struct err err;
    char *large = mem_zalloc(1, SORTER_MEMORY_MIN);

    stage_init(s, 9);
    struct sorter *sorter = sorter_create(
        &(struct sorter_options){PARTITIONS, SORTER_MEMORY_MIN, s->folder, NULL, NULL, {0}});
    struct data_record r = {large, large, 1, SORTER_MEMORY_MIN - 20},
                       most = {large, large, 1, 60000};
    expect(sorter_add(sorter, 0, &most, &err) == 0 && sorter_add(sorter, 0, &most, &err) == 0);
    expect(sorter_spills(sorter) == 1);
    expect(sorter_add(sorter, 0, &r, &err) < 0 && strstr(err.text, "65517 bytes does not fit"));
    sorter_destroy(sorter);
    mem_free(large);
    stage_fini(s);
}

TEST(sorter_says_where_a_spill_cannot_go)
{
    struct sorter_stage *s = mem_zalloc(1, sizeof *s);
    struct err err;
    char folder[64];

    stage_init(s, 10);
    snprintf(folder, sizeof folder, "%s", s->folder);
    snprintf(s->folder, sizeof s->folder, "/nonexistent");
    expect(stage_sort(s, RECORDS, SORTER_MEMORY_MIN, NULL, NULL, &err) < 0);
    expect(strstr(err.text, "/nonexistent/spill.0: No such file"));
    snprintf(s->folder, sizeof s->folder, "%s", folder);
    stage_fini(s);
}

/* Opens each partition by itself. */
static int open_parts(const char *path, struct err *err)
{
    int result = 0;

    for (uint32_t p = 0; p < PARTITIONS && result == 0; p++) {
        struct sorted_file f;
        result = sorted_file_open_partition(&f, AT_FDCWD, path, p, PARTITIONS, err);
        if (result == 0)
            sorted_file_close(&f);
    }
    return result;
}

/* Small partitions are read and large ones mapped: both have the same records. */
TEST(sorted_file_of_one_partition_has_what_all_have)
{
    static const uint32_t counts[] = {0, 40, RECORDS};
    struct sorter_stage *s = mem_zalloc(1, sizeof *s);
    struct err err;
    bool mapped = false, read = false;

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct sorted_file all, one;
        stage_init(s, 13);
        expect(stage_sort(s, counts[i], 1 << 24, NULL, NULL, &err) == 0);
        expect(sorted_file_open(&all, s->path, &err) == 0);
        for (uint32_t p = 0; p < PARTITIONS; p++) {
            struct sorted_file_cursor a, b;
            expect(sorted_file_open_partition(&one, AT_FDCWD, s->path, p, PARTITIONS, &err) == 0);
            expect(sorted_file_begin(&all, p, &a, &err) == 0 &&
                   sorted_file_begin(&one, p, &b, &err) == 0);
            expect(a.left == b.left && a.end - a.at == b.end - b.at);
            expect(memcmp(a.at, b.at, (size_t)(a.end - a.at)) == 0);
            expect(sorted_file_partition(&one, p).checksum ==
                   sorted_file_partition(&all, p).checksum);
            mapped = mapped || one.map;
            read = read || !one.map;
            sorted_file_close(&one);
        }
        expect(sorted_file_open_partition(&one, AT_FDCWD, s->path, 1, PARTITIONS - 1, &err) < 0);
        expect(strstr(err.text, "3 partitions, not 2"));
        sorted_file_close(&all);
        stage_fini(s);
        s = mem_zalloc(1, sizeof *s);
    }
    expect(mapped && read);
    mem_free(s);
}

/* Whether those who read a partition look there: at the head they do not, nor at the checksum of an
 * index of which they want a row. */
static bool is_seen(struct sorted_file_form form, off_t at, off_t size)
{
    return at >= SORTED_FILE_HEAD && (form.block > 0 || at < size - 16 || at >= size - 8);
}

static void change_bytes(struct sorted_file_form form)
{
    struct sorter_stage *s = mem_zalloc(1, sizeof *s);
    struct err err;
    uint8_t byte;

    s->form = form;
    stage_init(s, 11);
    expect(stage_sort(s, 40, 1 << 20, NULL, NULL, &err) == 0);
    int fd = open(s->path, O_RDWR);
    off_t size = lseek(fd, 0, SEEK_END);
    for (off_t at = 0; at < size; at++) {
        struct sorted_file f;
        int result;
        expect(pread(fd, &byte, 1, at) == 1);
        byte ^= 0x10;
        expect(pwrite(fd, &byte, 1, at) == 1);
        result = sorted_file_open(&f, s->path, &err);
        for (uint32_t p = 0; p < PARTITIONS && result == 0; p++) {
            struct sorted_file_cursor c;
            result = sorted_file_begin(&f, p, &c, &err);
            sorted_file_end(&c);
        }
        expect(result < 0 && strstr(err.text, s->path) == err.text);
        sorted_file_close(&f);
        expect(is_seen(form, at, size)
                   ? open_parts(s->path, &err) < 0 && strstr(err.text, s->path) == err.text
                   : open_parts(s->path, &err) == 0);
        byte ^= 0x10;
        expect(pwrite(fd, &byte, 1, at) == 1);
    }
    while (size-- > 0) {
        struct sorted_file f;
        expect(ftruncate(fd, size) == 0 && sorted_file_open(&f, s->path, &err) < 0);
        expect(open_parts(s->path, &err) < 0);
    }
    close(fd);
    stage_fini(s);
}

/* Every byte of a sorted file is held by a checksum, stands there twice, or has one value only. */
TEST(sorted_file_with_any_byte_changed_is_refused)
{
    for (uint32_t i = 0; i < FORMS; i++)
        change_bytes(forms[i]);
}

/* Of the second partition the last byte is changed; then the codec, which stands in the head. */
TEST(sorted_file_that_is_damaged_is_named_with_the_damage)
{
    struct sorter_stage *s = mem_zalloc(1, sizeof *s);
    struct sorted_file f;
    struct sorted_file_cursor c;
    struct err err;
    char want[200];

    stage_init(s, 14);
    expect(stage_sort(s, 40, 1 << 20, NULL, NULL, &err) == 0);
    expect(sorted_file_open(&f, s->path, &err) == 0);
    struct sorted_file_partition part = sorted_file_partition(&f, 1);
    int fd = open(s->path, O_RDWR);
    uint8_t byte = (uint8_t)(f.map[part.offset + part.bytes - 1] ^ 1);
    expect(pwrite(fd, &byte, 1, (off_t)(part.offset + part.bytes - 1)) == 1);
    for (uint32_t p = 0; p < PARTITIONS; p++) {
        expect(sorted_file_begin(&f, p, &c, &err) == (p == 1 ? -1 : 0));
        sorted_file_end(&c);
    }
    snprintf(want, sizeof want, "%s: partition 1 has a wrong checksum", s->path);
    expect(strcmp(err.text, want) == 0 && err.kind == ERR_INPUT);
    sorted_file_close(&f);
    byte = CODEC_COUNT;
    expect(pwrite(fd, &byte, 1, 12) == 1 && sorted_file_open(&f, s->path, &err) == -1);
    snprintf(want, sizeof want,
             "%s: this sorted file is packed by codec %d, which this dolly does not have", s->path,
             CODEC_COUNT);
    expect(strcmp(err.text, want) == 0 && !f.path && !f.map);
    byte = CODEC_COUNT - 1; /* which has blocks, and the file has none */
    expect(pwrite(fd, &byte, 1, 12) == 1 && sorted_file_open(&f, s->path, &err) == -1);
    expect(strstr(err.text, "the blocks of this sorted file have no length that is possible"));
    close(fd);
    stage_fini(s);
}

TEST(merge_needs_the_partition_in_every_file)
{
    struct sorter_stage *s = mem_zalloc(1, sizeof *s);
    struct sorted_file f;
    struct err err;

    stage_init(s, 12);
    expect(stage_sort(s, 10, 1 << 20, NULL, NULL, &err) == 0);
    expect(sorted_file_open(&f, s->path, &err) == 0);
    expect(merge_create(&f, 1, PARTITIONS, &err) == NULL && strstr(err.text, "only 3 partitions"));
    sorted_file_close(&f);
    stage_fini(s);
}

/* The last records do not get to the disk. */
TEST(sorter_fails_when_the_last_spill_has_no_place)
{
    struct sorter_stage *s = mem_zalloc(1, sizeof *s);
    char gone[80], spill[100];
    struct err err;
    uint32_t i = 0;

    stage_init(s, 16);
    struct sorter *sorter = sorter_create(
        &(struct sorter_options){PARTITIONS, SORTER_MEMORY_MIN, s->folder, NULL, NULL, {0}});
    for (; i < RECORDS && sorter_spills(sorter) == 0; i++) {
        struct data_record r = record_of(&s->all[i]);
        expect(sorter_add(sorter, s->all[i].partition, &r, &err) == 0);
    }
    snprintf(gone, sizeof gone, "%s.gone", s->folder);
    int fd = open(s->path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    expect(i < RECORDS && fd >= 0 && rename(s->folder, gone) == 0);
    expect(sorter_finish(sorter, fd, s->path, &err) < 0 && strstr(err.text, "/spill.1: No such"));
    expect(rename(gone, s->folder) == 0);
    sorter_destroy(sorter);
    close(fd);
    snprintf(spill, sizeof spill, "%s/spill.0", s->folder);
    expect(access(spill, F_OK) < 0);
    stage_fini(s);
}

/* As many packed spills as have a block in memory at once: then they are joined. */
TEST(sorter_keeps_no_more_packed_spills_than_it_can_read)
{
    struct sorter_stage *s = mem_zalloc(1, sizeof *s);
    char *large = mem_zalloc(1, 60000), spill[100];
    struct err err;

    stage_init(s, 17);
    struct sorter *sorter = sorter_create(
        &(struct sorter_options){PARTITIONS, SORTER_MEMORY_MIN, s->folder, NULL, NULL, forms[1]});
    for (uint32_t i = 0; i < 25; i++) {
        uint32_t there = 0;
        expect(sorter_add(sorter, 0, &(struct data_record){"k", large, 1, 60000}, &err) == 0);
        expect(sorter_spills(sorter) == i);
        for (uint32_t k = 0; k < 60; k++) {
            snprintf(spill, sizeof spill, "%s/spill.%u", s->folder, k);
            there += access(spill, F_OK) == 0;
        }
        expect(there < 16 && (i == 0 || there > 0));
    }
    sorter_destroy(sorter);
    mem_free(large);
    stage_fini(s);
}
