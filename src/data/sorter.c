/* sorter.c - sorts records in any order into a sorted file.
 *
 * One block of memory is filled from both ends: forms of records from the bottom, entries that
 * refer to them from the top. When they meet, the block is full, whatever the sizes of records. The
 * system has to find memory only for the parts of the block that are touched. A block that fills
 * uses large pages if there are any: records are read in the order of their keys, which is random
 * to the page tables. */
#include "data/sorter.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/os/path.h"
#include "base/vec.h"
#include "data/entry_sort.h"
#include "data/merge.h"
#include "data/record_form.h"

enum {
    AHEAD = 16,            /* how many records ahead the next are asked for from memory */
    LINE_BYTES = 64,       /* that the processor fetches at once */
    SMALL_BYTES = 1 << 20, /* records that small pages are good enough for */
    FEW_SPILLS = 64,       /* that are read at once in large blocks */
};

struct sorter {
    struct sorter_options options;
    uint8_t *block;
    uint64_t used;            /* bytes of forms */
    bool is_large;            /* large pages have been asked for */
    struct record_entry *top; /* the end of the block */
    uint32_t count;           /* entries below it */
    uint32_t *starts;         /* of partitions, while sorted */
    VEC(char *) spills;       /* paths */
    uint32_t spills_max;      /* of these, before they are merged */
    uint32_t written;         /* spills so far, also those that are gone */
    uint32_t full;            /* how often the block was */
    bool failed;              /* the last spill */
    struct sorted_file_form spill_form;
};

struct sorter *sorter_create(const struct sorter_options *options)
{
    struct sorter *s = mem_zalloc(1, sizeof *s);

    check(options->memory >= SORTER_MEMORY_MIN && options->memory <= SORTER_MEMORY_MAX);
    s->options = *options;
    s->options.memory -= options->memory % sizeof(struct record_entry);
    void *block = mmap(NULL, mem_size(s->options.memory), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (block == MAP_FAILED)
        mem_out(s->options.memory, 1);
    s->block = block;
    s->top = (void *)(s->block + s->options.memory);
    s->spill_form = sorted_file_form(options->form.codec, options->memory, FEW_SPILLS);
    s->spills_max =
        s->spill_form.block > 0 ? (uint32_t)(options->memory / s->spill_form.block) : UINT32_MAX;
    s->starts = mem_zalloc((size_t)options->partitions + 1, sizeof *s->starts);
    return s;
}

void sorter_destroy(struct sorter *s)
{
    if (!s)
        return;
    munmap(s->block, (size_t)s->options.memory);
    for (uint32_t i = 0; i < s->spills.count; i++) {
        if (!s->failed)
            unlink(s->spills.at[i]);
        mem_free(s->spills.at[i]);
    }
    vec_free(&s->spills);
    mem_free(s->starts);
    mem_free(s);
}

uint32_t sorter_spills(const struct sorter *s)
{
    return s->full;
}

/* ---- writing what is in memory ---- */

/* Where a walk over a sorted partition is. */
struct sorter_walk {
    const struct sorter *sorter;
    const struct record_entry *at, *end;
};

/* Asks for a record whose like has a hundred bytes. */
static inline void fetch(const uint8_t *at)
{
    __builtin_prefetch(at);
    __builtin_prefetch(at + LINE_BYTES);
}

static int walk_next(void *ctx, struct data_record *r, struct err *err)
{
    struct sorter_walk *w = ctx;

    (void)err;
    if (w->at == w->end)
        return 0;
    const uint8_t *block = w->sorter->block;
    if (w->end - w->at > AHEAD)
        fetch(block + w->at[AHEAD].at);
    record_form_read(block + w->at->at, block + w->sorter->used, r);
    w->at++;
    return 1;
}

/* Records have their form already. */
static void write_plain(const struct sorter_walk *w, uint32_t partition, struct sorted_writer *out)
{
    const uint8_t *block = w->sorter->block;

    for (const struct record_entry *e = w->at; e < w->end; e++) {
        struct data_record r;
        if (w->end - e > AHEAD)
            fetch(block + e[AHEAD].at);
        const uint8_t *from = block + e->at;
        sorted_writer_add_form(
            out, partition, from,
            (size_t)(record_form_read(from, block + w->sorter->used, &r) - from));
    }
}

/* Sorts what is in memory, writes it to `out`, and forgets it. */
static int write_block(struct sorter *s, struct sorted_writer *out, struct err *err)
{
    const struct record_entry *entries = s->top - s->count;

    entry_sort(s->top - s->count, s->count, (struct entry_bytes){s->block, s->block + s->used},
               s->options.partitions, s->starts);
    for (uint32_t i = 0; i < s->options.partitions; i++) {
        struct sorter_walk w = {s, entries + s->starts[i], entries + s->starts[i + 1]};
        if (w.at == w.end)
            continue;
        if (!s->options.combine)
            write_plain(&w, i, out);
        else if (s->options.combine(s->options.ctx, (struct record_stream){walk_next, &w}, i, out,
                                    err) < 0)
            return -1;
    }
    s->count = 0;
    s->used = 0;
    return 0;
}

typedef int sorter_write(struct sorter *s, struct sorted_writer *out, struct err *err);

static int write_file(struct sorter *s, int fd, struct sorted_file_form form, sorter_write *write,
                      const char *name, struct err *err)
{
    struct sorted_writer *w = sorted_writer_create(fd, s->options.partitions, form, err);

    if (!w)
        return -1;
    if (write(s, w, err) == 0)
        return sorted_writer_finish(w, name, err);
    sorted_writer_destroy(w);
    return -1;
}

static int write_spill(struct sorter *s, sorter_write *write, struct err *err)
{
    struct path path = path_of("%s/spill.%" PRIu32, s->options.folder, s->written++);
    int fd = open(path.text, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    if (fd < 0)
        return err_system(err, "%s: %s", path.text, strerror(errno));
    int result = write_file(s, fd, s->spill_form, write, path.text, err);
    close(fd);
    s->failed = result < 0;
    if (result == 0)
        vec_push(&s->spills, mem_strdup(path.text));
    return result;
}

/* ---- merging spills ---- */

static int merge_partition(struct sorter *s, const struct sorted_file *files, uint32_t partition,
                           struct sorted_writer *out, struct err *err)
{
    struct merge *m = merge_create(files, s->spills.count, partition, err);
    struct data_record r;
    int n = -1;

    if (!m)
        return -1;
    struct record_stream in = merge_stream(m);
    if (s->options.combine)
        n = s->options.combine(s->options.ctx, in, partition, out, err);
    else
        while ((n = record_stream_next(in, &r, err)) > 0)
            sorted_writer_add(out, partition, &r);
    merge_destroy(m);
    return n;
}

static int merge_spills(struct sorter *s, struct sorted_writer *out, struct err *err)
{
    struct sorted_file *files = mem_zalloc(s->spills.count, sizeof *files);
    uint32_t opened = 0;
    int result = 0;

    if (s->spill_form.block > 0) /* blocks take the place of records */
        madvise(s->block, (size_t)s->options.memory, MADV_DONTNEED);
    while (opened < s->spills.count && result == 0) {
        result = sorted_file_open(&files[opened], s->spills.at[opened], err);
        opened += result == 0;
    }
    for (uint32_t i = 0; i < s->options.partitions && result == 0; i++)
        result = merge_partition(s, files, i, out, err);
    for (uint32_t i = 0; i < opened; i++)
        sorted_file_close(&files[i]);
    mem_free(files);
    return result;
}

/* All spills become one. */
static int join_spills(struct sorter *s, struct err *err)
{
    uint32_t count = s->spills.count;

    if (write_spill(s, merge_spills, err) < 0)
        return -1;
    for (uint32_t i = 0; i < count; i++) {
        unlink(s->spills.at[i]);
        mem_free(s->spills.at[i]);
    }
    s->spills.at[0] = s->spills.at[count];
    s->spills.count = 1;
    return 0;
}

static int spill(struct sorter *s, struct err *err)
{
    s->full++;
    if (write_spill(s, write_block, err) < 0)
        return -1;
    return s->spills.count < s->spills_max ? 0 : join_spills(s, err);
}

/* ---- adding ---- */

int sorter_add(struct sorter *s, uint32_t partition, const struct data_record *r, struct err *err)
{
    uint64_t most = (uint64_t)RECORD_FORM_HEAD_MAX + r->key_length + r->value_length;

    check(partition < s->options.partitions);
    if (s->used + most + (s->count + UINT64_C(1)) * sizeof *s->top > s->options.memory) {
        if (most + sizeof *s->top > s->options.memory)
            return err_set(err,
                           "a record of %" PRIu64 " bytes does not fit into the %" PRIu64
                           " bytes for sorting; expected more (sort_memory, io.sort.mb)",
                           (uint64_t)r->key_length + r->value_length, s->options.memory);
        if (spill(s, err) < 0)
            return -1;
    }
    if (s->used > SMALL_BYTES && !s->is_large) {
        madvise(s->block, (size_t)s->options.memory, MADV_HUGEPAGE); /* or not */
        s->is_large = true;
    }
    s->count++;
    s->top[-(int64_t)s->count] =
        (struct record_entry){record_prefix(r->key, r->key_length), (uint32_t)s->used, partition};
    s->used = (uint64_t)(record_form_write(s->block + s->used, r) - s->block);
    return 0;
}

/* ---- the end ---- */

int sorter_finish(struct sorter *s, int fd, const char *name, struct err *err)
{
    if (s->spills.count > 0 && s->count > 0 && spill(s, err) < 0)
        return -1;
    return write_file(s, fd, s->options.form, s->spills.count > 0 ? merge_spills : write_block,
                      name, err);
}
