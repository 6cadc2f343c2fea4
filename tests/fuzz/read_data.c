/* Data-parallel jobs: job files, plans, counters and sorted files. */
#include <fcntl.h>
#include <string.h>
#include <xxhash.h>

#include "base/mem.h"
#include "data/le.h"
#include "data/sorted_file.h"
#include "jobs/run/job_file.h"
#include "jobs/task/counters.h"
#include "jobs/task/plan.h"
#include "tests/fuzz/fuzz.h"

void fuzz_job(const uint8_t *at, size_t length)
{
    struct job_lines lines = {0};
    struct datajob job = {0};
    struct err err;

    job_file_read(&job, &lines, fuzz_file(at, length), &err);
    datajob_fini(&job);
    job_lines_fini(&lines);
}

void fuzz_plan(const uint8_t *at, size_t length)
{
    struct task_plan plan;
    struct plan_split split;
    struct err err;

    if (plan_read(&plan, fuzz_file(at, length), &err) < 0)
        return;
    for (uint32_t i = 0; i < plan.split_count && i < 100; i++)
        plan_read_split(&plan, i, &split, &err);
    plan_fini(&plan);
}

/* Twice: what a task has counted is added to what others have. */
void fuzz_counters(const uint8_t *at, size_t length)
{
    struct counters counters = {0};
    struct err err;

    for (int i = 0; i < 2; i++)
        counters_read(&counters, fuzz_file(at, length), &err);
    counters_fini(&counters);
}

static void walk_part(const struct sorted_file *f, uint32_t partition)
{
    struct sorted_file_cursor c;
    struct data_record r;
    struct err err;
    int began = sorted_file_begin(f, partition, &c, &err);

    while (began == 0 && sorted_file_next(&c, &r, &err) > 0)
        (void)XXH3_64bits(r.key, (size_t)r.key_length + r.value_length);
    sorted_file_end(&c);
}

static void walk(const char *path)
{
    struct sorted_file f;
    struct err err;

    for (uint32_t count = 1; count <= 3; count++)
        if (sorted_file_open_partition(&f, AT_FDCWD, path, count - 1, count, &err) == 0) {
            walk_part(&f, count - 1);
            sorted_file_close(&f);
        }
    if (sorted_file_open(&f, path, &err) < 0)
        return;
    for (uint32_t p = 0; p < f.partitions && p < 100; p++)
        walk_part(&f, p);
    sorted_file_close(&f);
}

/* Bytes as the only partition of a file whose checksums are right. */
static void walk_as(struct sorted_file_form form, const uint8_t *at, size_t bytes, uint8_t records)
{
    size_t size = SORTED_FILE_HEAD + bytes + SORTED_FILE_ROW + SORTED_FILE_TAIL;
    uint8_t *file = mem_zalloc(1, size), *row = file + SORTED_FILE_HEAD + bytes;

    memcpy(file, SORTED_FILE_MAGIC, 8);
    le_put32(file + 8, SORTED_FILE_VERSION);
    le_put32(file + 12, sorted_file_form_word(form));
    memcpy(file + SORTED_FILE_HEAD, at, bytes);
    le_put64(row, SORTED_FILE_HEAD);
    le_put64(row + 8, bytes);
    le_put64(row + 16, records);
    le_put64(row + 24, XXH3_64bits(at, bytes));
    le_put32(row + 32, 1);
    le_put32(row + 36, sorted_file_form_word(form));
    le_put64(row + 40, XXH3_64bits(row, SORTED_FILE_ROW + 8));
    memcpy(row + 48, SORTED_FILE_MAGIC, 8);
    walk(fuzz_file(file, size));
    mem_free(file);
}

/* The bytes as they are; and as a partition, plain and packed in blocks of 1 KiB. The first byte
 * says how many records there are said to be. */
void fuzz_sorted_file(const uint8_t *at, size_t length)
{
    static const struct sorted_file_form forms[] = {{0}, {CODEC_LZ4, 1024}, {CODEC_ZSTD, 1024}};

    walk(fuzz_file(at, length));
    for (size_t i = 0; i < sizeof forms / sizeof *forms && length > 0; i++)
        walk_as(forms[i], at + 1, length - 1, at[0]);
}
