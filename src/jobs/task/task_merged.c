/* task_merged.c - a partition of everything that the phase above has left, in order of keys. */
#include "base/mem.h"
#include "data/merge.h"
#include "jobs/task/task_state.h"

struct merged {
    struct task_input input; /* first */
    const struct task_attempt *task;
    struct sorted_file *files;
    uint32_t count;
    uint64_t records;
    struct merge *merge;
    struct task_lines lines;
};

static int64_t fetch(void *ctx, uint32_t at, int folder, const char *path, struct err *err)
{
    struct merged *m = ctx;
    struct sorted_file *f = &m->files[at];

    sorted_file_close(f);
    uint32_t partitions = m->task->plan->phases.at[m->task->phase->above].partitions;
    if (sorted_file_open_partition(f, folder, path, m->task->number, partitions, err) < 0)
        return -1;
    return (int64_t)sorted_file_partition(f, m->task->number).bytes;
}

static int64_t take(void *ctx, uint32_t at, const struct fetched *what, struct err *err)
{
    struct merged *m = ctx;
    const struct packet_partition *p = &what->found;
    struct sorted_file_partition row = {0, (uint64_t)p->bytes, (uint64_t)p->records, p->checksum};

    sorted_file_close(&m->files[at]);
    if (p->partitions != m->task->plan->phases.at[m->task->phase->above].partitions ||
        p->index_checksum != what->checksum)
        return err_set(err, "%s: the output changed since it was committed", what->name);
    if (sorted_file_open_fetched(&m->files[at], what->name, what->fd, p->form, &row,
                                 m->task->number, p->partitions, err) < 0)
        return -1;
    return p->bytes;
}

static int open_files(struct merged *m, struct err *err)
{
    const struct task_attempt *t = m->task;

    m->count = t->last - t->first + 1;
    m->files = mem_zalloc(m->count, sizeof *m->files);
    if (task_reads_gather(t, &(struct task_reader){m, fetch, take, t->number}, err) < 0)
        return -1;
    for (uint32_t i = 0; i < m->count; i++)
        m->records += sorted_file_partition(&m->files[i], t->number).records;
    m->merge = merge_create(m->files, m->count, t->number, err);
    return m->merge ? 0 : -1;
}

static int64_t feed(void *ctx, const char **at, struct err *err)
{
    struct merged *m = ctx;

    task_env_progress(m->task, m->lines.done, m->records);
    int64_t count = task_lines_feed(&m->lines, at, err);
    m->input.read = m->lines.done;
    return count;
}

static int next_record(void *ctx, struct data_record *r, struct err *err)
{
    struct merged *m = ctx;
    int n = record_stream_next(merge_stream(m->merge), r, err);

    if ((m->lines.done++ & 0xfff) == 0)
        task_env_progress(m->task, m->lines.done, m->records);
    m->input.read += n > 0;
    return n;
}

static void close_merged(struct task_input *in)
{
    struct merged *m = (struct merged *)in;

    vec_free(&m->lines.piece);
    merge_destroy(m->merge);
    for (uint32_t i = 0; i < m->count; i++)
        sorted_file_close(&m->files[i]);
    mem_free(m->files);
    mem_free(m);
}

struct task_input *task_merged_open(const struct task_attempt *t, struct err *err)
{
    struct merged *m = mem_zalloc(1, sizeof *m);

    /* Checksums are compared before the first record is read: nothing is left to check. */
    m->input = (struct task_input){.feed = feed, .close = close_merged};
    m->task = t;
    if (open_files(m, err) < 0) {
        close_merged(&m->input);
        return NULL;
    }
    m->input.records = (struct record_stream){next_record, m};
    m->lines.in = merge_stream(m->merge);
    m->lines.of = &t->plan->phases.at[t->phase->above];
    return &m->input;
}
