/* Traces: each format on bytes that need not be of it, rows of any kind for the assembler, records
 * of any size for the spool, and packed blocks. */
#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "inputs/formats/formats.h"
#include "inputs/trace/assemble.h"
#include "inputs/trace/java_blocks.h"
#include "inputs/trace/job_pack.h"
#include "inputs/trace/spool.h"
#include "tests/fuzz/fuzz.h"

/* ---- formats ---- */

/* NULL: whichever is detected. The jobs come twice: from the spool, and once more as streams do.
 * Their inputs lie on three nodes. */
static void read_trace(const struct import_format *format, const uint8_t *at, size_t length)
{
    const char *path = fuzz_file(at, length);
    struct err err;
    struct cluster *cluster = cluster_plain(3, 1);
    struct import_view view = IMPORT_VIEW_ALL;
    view.cluster = cluster;
    for (int sorted = 0; sorted < 2; sorted++) {
        struct import_options o = {.formats = formats_table,
                                   .format = format,
                                   .paths = &path,
                                   .path_count = 1,
                                   .assume = assume_defaults(),
                                   .memory = IMPORT_MEMORY_MIN,
                                   .is_sorted = sorted > 0};
        struct import *m = import_open(&o, &err);
        struct workload *w = m ? import_jobs(m, &view, &err) : NULL;
        for (struct workload_job *job; w && (job = w->next(w));)
            workload_job_free(job);
        if (w)
            w->destroy(w);
        import_close(m);
    }
    cluster_destroy(cluster);
}

#define TRACE(name, format)                                                                        \
    void fuzz_trace_##name(const uint8_t *at, size_t length)                                       \
    {                                                                                              \
        read_trace(format, at, length);                                                            \
    }

TRACE(any, NULL)
TRACE(google_attempts, &google_attempts_format)
TRACE(google_events, &google_events_format)
TRACE(alibaba2018_task, &alibaba_2018_task_format)
TRACE(alibaba2018_instance, &alibaba_2018_instance_format)
TRACE(alibaba2018_dag, &alibaba_2018_dag_format)
TRACE(alibaba2017_task, &alibaba_2017_task_format)
TRACE(alibaba2017_instance, &alibaba_2017_instance_format)
TRACE(swim, &swim_format)
TRACE(coflow, &coflow_format)
TRACE(hawk, &hawk_format)
TRACE(swf, &swf_format)
TRACE(nextflow, &nextflow_format)
TRACE(spark, &spark_format)
TRACE(wfcommons, &wfcommons_format)
TRACE(rumen, &rumen_format)
TRACE(journal, &dolly_journal_format)

/* ---- the assembler ---- */

enum { ROW_BYTES_EACH = 12 };

/* One of a few short names. */
static struct row_text name_of(uint8_t byte)
{
    static const char names[] = "0123456789abcdef";
    return (struct row_text){names + byte % 16, (size_t)(byte / 16 % 2) + (byte % 16 < 15)};
}

static struct row row_of(const uint8_t *b)
{
    static const char parents[] = "0\n1\n2\na\nb\n";
    struct row row = row_blank(b[0] % (ROW_ATTEMPT + 1), name_of(b[1] % 4));
    row.phase = name_of(b[2]);
    row.task = name_of(b[3]);
    row.end = b[4] % ROW_END_COUNT;
    row.parents = (struct row_text){parents, (size_t)(b[5] % 6) * 2};
    row.tasks_are_parents = b[5] / 128 > 0;
    row.hosts = (struct row_text){parents, (size_t)(b[4] / ROW_END_COUNT % 6) * 2};
    row.submit_us = b[6] ? b[6] : ROW_UNKNOWN;
    row.start_us = b[7] ? (int64_t)b[7] << b[8] % 40 : ROW_UNKNOWN;
    row.end_us = b[9] ? (int64_t)b[9] << b[8] % 40 : ROW_UNKNOWN;
    row.mean_us = b[10] % 3 ? ROW_UNKNOWN : b[10];
    row.tasks = b[11] % 4 ? ROW_UNKNOWN : b[11];
    row.input_bytes = b[10] % 5 ? ROW_UNKNOWN : (int64_t)b[10] << b[11] % 50;
    row.cpu = b[11] % 7 ? -1 : b[11];
    return row;
}

/* Rows in their order, as the spool would hand them out. */
void fuzz_rows(const uint8_t *at, size_t length)
{
    struct trouble trouble = {0};
    struct assume assume = assume_defaults();
    struct survey *survey = survey_create();
    struct job_fill fill = {.replicas = 2, .nodes = 3, .are_hosts_hashed = true};
    struct assemble *a = assemble_create((struct draft_context){&assume, &trouble, survey});
    struct spool *rows = spool_create(1);
    struct row_bytes bytes = {0}, made = {0};
    struct spool_record r;
    struct err err;
    int64_t arrived_us;
    VEC(char *) kept = {0};
    for (size_t i = 0; i + ROW_BYTES_EACH <= length; i += ROW_BYTES_EACH) {
        struct row row = row_of(at + i);
        vec_clear(&bytes.at);
        uint32_t key = (uint32_t)row_encode(&row, &bytes);
        r = (struct spool_record){0, bytes.at.count, key, bytes.at.at};
        check(spool_add(rows, &r, &err) == 0);
    }
    check(spool_sort(rows, &err) == 0);
    struct spool_reader *reader = spool_read(rows);
    while (spool_next(reader, &r, &err) > 0) {
        vec_push(&kept, mem_copy(r.at, r.length, 1));
        struct row row = row_decode(kept.at[kept.count - 1], r.length);
        assemble_row(a, &row);
    }
    if (assemble_job(a, &made, &arrived_us))
        workload_job_free(job_pack_read(made.at.at, made.at.count, &fill));
    for (uint32_t i = 0; i < kept.count; i++)
        mem_free(kept.at[i]);
    vec_free(&kept);
    spool_reader_destroy(reader);
    spool_destroy(rows);
    assemble_destroy(a);
    survey_destroy(survey);
    trouble_fini(&trouble);
    vec_free(&bytes.at);
    vec_free(&made.at);
}

/* ---- the spool ---- */

/* Four bytes are a record: its rank, how much of it is the key, and how long it is. */
void fuzz_spool(const uint8_t *at, size_t length)
{
    static char bytes[256 * 1024];
    struct spool *s = spool_create(1);
    struct spool_record r, last = {0};
    struct err err;
    uint64_t count = 0;
    for (size_t i = 0; i + 4 <= length; i += 4) {
        uint32_t size = (uint32_t)at[i + 2] << at[i + 3] % 11;
        memset(bytes, at[i + 1], size);
        r = (struct spool_record){at[i], size, size < at[i + 1] ? size : at[i + 1], bytes};
        check(spool_add(s, &r, &err) == 0);
        count++;
    }
    check(spool_sort(s, &err) == 0);
    struct spool_reader *reader = spool_read(s);
    for (; spool_next(reader, &r, &err) > 0; count--) {
        check(r.rank >= last.rank);
        last.rank = r.rank;
    }
    check(count == 0);
    spool_reader_destroy(reader);
    spool_destroy(s);
}

/* ---- packed blocks ---- */

static int no_more(void *ctx, const char **at, size_t *length, struct err *err)
{
    (void)ctx;
    (void)at;
    (void)length;
    (void)err;
    return 0;
}

void fuzz_blocks(const uint8_t *at, size_t length)
{
    struct err err;
    const char *block;
    size_t n;
    struct java_blocks *b = length < JAVA_BLOCKS_MAGIC ? NULL
                                                       : java_blocks_begin((const char *)at, length,
                                                                           "blocks", no_more, NULL);
    while (b && java_blocks_next(b, &block, &n, &err) > 0)
        check(n > 0);
    java_blocks_end(b);
}
