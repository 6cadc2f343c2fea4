/* Sorting where files cannot grow beyond any byte, and where descriptors run out: a clear error or
 * a whole file, and no descriptor left. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/sorted_file.h"
#include "data/sorter.h"
#include "tests/unit/limits.h"
#include "tests/unit/test.h"

enum { PARTITIONS = 2, RECORDS = 5000, VALUE = 60, SPILLS_MAX = 64 };

struct sorter_fault_stage {
    char folder[64], path[80];
    struct sorted_file_form form;
};

static void stage_open(struct sorter_fault_stage *s)
{
    snprintf(s->folder, sizeof s->folder, "%s/dolly-sorter.XXXXXX",
             getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    expect(mkdtemp(s->folder) != NULL);
    snprintf(s->path, sizeof s->path, "%s/out", s->folder);
}

/* A spill that could not be written stays: that is all that may be left. */
static void stage_close(const struct sorter_fault_stage *s)
{
    char path[96];

    unlink(s->path);
    for (int i = 0; i < SPILLS_MAX; i++) {
        snprintf(path, sizeof path, "%s/spill.%d", s->folder, i);
        unlink(path);
    }
    expect(rmdir(s->folder) == 0);
}

static int stage_sort(const struct sorter_fault_stage *s, struct err *err)
{
    char key[16], value[VALUE] = {0};
    int fd = open(s->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), result = 0;
    struct sorter *sorter = sorter_create(
        &(struct sorter_options){PARTITIONS, SORTER_MEMORY_MIN, s->folder, NULL, NULL, s->form});

    if (fd < 0)
        result = err_set(err, "no file");
    for (uint32_t i = 0; i < RECORDS && result == 0; i++) {
        uint32_t n = (uint32_t)snprintf(key, sizeof key, "%u", i * 7919 % RECORDS);
        memcpy(value, key, n);
        result = sorter_add(sorter, i % PARTITIONS,
                            &(struct data_record){key, value, n, sizeof value}, err);
    }
    if (result == 0)
        result = sorter_finish(sorter, fd, s->path, err);
    sorter_destroy(sorter);
    if (fd >= 0)
        close(fd);
    return result;
}

static void expect_whole(const char *path)
{
    struct sorted_file f;
    struct err err;
    uint64_t records = 0;

    expect(sorted_file_open(&f, path, &err) == 0);
    for (uint32_t p = 0; p < PARTITIONS; p++)
        records += sorted_file_partition(&f, p).records;
    expect(records == RECORDS);
    sorted_file_close(&f);
}

static const struct sorted_file_form forms[] = {{0}, {CODEC_LZ4, 4096}, {CODEC_ZSTD, 4096}};

TEST(sorter_fault_at_any_byte_of_its_files)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        int failures = 0, result = -1;
        for (rlim_t bytes = 0; result < 0; bytes += 9973) {
            struct sorter_fault_stage s = {.form = forms[i]};
            struct err err = {0};
            int before = limits_open();

            stage_open(&s);
            struct rlimit limit = limits_bytes(bytes);
            result = stage_sort(&s, &err);
            setrlimit(RLIMIT_FSIZE, &limit);
            expect(result == 0 || strstr(err.text, "File too large"));
            expect(limits_open() == before);
            if (result == 0)
                expect_whole(s.path);
            failures += result < 0;
            stage_close(&s);
        }
        expect(failures > 1);
    }
}

TEST(sorter_fault_without_descriptors)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        int failures = 0, result = -1;
        for (int more = 0; result < 0; more++) {
            struct sorter_fault_stage s = {.form = forms[i]};
            struct err err = {0};
            int before = limits_open();

            stage_open(&s);
            struct rlimit limit = limits_descriptors(more);
            result = stage_sort(&s, &err);
            setrlimit(RLIMIT_NOFILE, &limit);
            expect(result == 0 || strstr(err.text, more ? "Too many open files" : "no file"));
            expect(limits_open() == before);
            if (result == 0)
                expect_whole(s.path);
            failures += result < 0;
            stage_close(&s);
        }
        expect(failures > 1);
    }
}
