/* sorted_writer.c - writing a sorted file. See sorted_writer.h. */
#include "data/sorted_writer.h"

#include <errno.h>
#include <xxhash.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/os/write_all.h"
#include "data/le.h"
#include "data/record_form.h"
#include "data/sorted_blocks.h"

enum { BUFFER_BYTES = 256 * 1024 };

struct sorted_writer {
    int fd, error; /* error: errno of the first write that failed */
    uint32_t partitions;
    uint32_t now;      /* the partition that is being written */
    uint64_t written;  /* bytes, without what is in the buffer */
    uint32_t used;     /* bytes in the buffer ... */
    uint32_t summed;   /* ... and of these, those that the checksum has */
    uint64_t records;  /* of the partition */
    XXH3_state_t *sum; /* of the partition */
    struct sorted_file_partition *rows;
    struct sorted_file_form form;
    uint8_t *block;    /* of a packed file: what is to be packed, and room for that behind it */
    uint32_t filled;   /* bytes of it */
    uint64_t unpacked; /* bytes of the blocks of the partition, before they were packed */
    uint8_t *buffer;   /* of BUFFER_BYTES */
};

static void sum_up(struct sorted_writer *w)
{
    XXH3_64bits_update(w->sum, w->buffer + w->summed, w->used - w->summed);
    w->summed = w->used;
}

static void write_out(struct sorted_writer *w, const uint8_t *at, size_t count)
{
    w->written += count;
    if (w->error == 0 && write_all(w->fd, at, count) < 0)
        w->error = errno;
}

static void flush(struct sorted_writer *w)
{
    sum_up(w);
    write_out(w, w->buffer, w->used);
    w->used = w->summed = 0;
}

static void put_bytes(struct sorted_writer *w, const void *at, size_t count)
{
    if (count > BUFFER_BYTES - w->used)
        flush(w);
    if (count > BUFFER_BYTES) {
        XXH3_64bits_update(w->sum, at, count);
        write_out(w, at, count);
        return;
    }
    if (count > 0)
        memcpy(w->buffer + w->used, at, count);
    w->used += (uint32_t)count;
}

/* ---- packing ---- */

static void pack_block(struct sorted_writer *w)
{
    uint8_t *packed = w->block + w->form.block, head[SORTED_BLOCKS_HEAD];
    uint32_t n = codec_pack(w->form.codec, w->block, w->filled, packed);

    le_put32(head, n > 0 ? n : w->filled | SORTED_BLOCKS_AS_IS);
    put_bytes(w, head, sizeof head);
    put_bytes(w, n > 0 ? packed : w->block, n > 0 ? n : w->filled);
    w->unpacked += w->filled;
    w->filled = 0;
}

static void put_in_blocks(struct sorted_writer *w, const uint8_t *at, size_t count)
{
    while (count > 0) {
        uint32_t left = w->form.block - w->filled, n = count < left ? (uint32_t)count : left;
        memcpy(w->block + w->filled, at, n);
        w->filled += n;
        at += n;
        count -= n;
        if (w->filled == w->form.block)
            pack_block(w);
    }
}

static void end_blocks(struct sorted_writer *w)
{
    uint8_t tail[SORTED_BLOCKS_TAIL];

    if (w->filled > 0)
        pack_block(w);
    if (w->unpacked == 0)
        return;
    le_put64(tail, w->unpacked);
    put_bytes(w, tail, sizeof tail);
    w->unpacked = 0;
}

/* Bytes of records. */
static inline void put(struct sorted_writer *w, const void *at, size_t count)
{
    if (w->block)
        put_in_blocks(w, at, count);
    else
        put_bytes(w, at, count);
}

/* ---- the file ---- */

static void put_head(struct sorted_writer *w)
{
    uint8_t head[SORTED_FILE_HEAD] = SORTED_FILE_MAGIC;

    le_put32(head + 8, SORTED_FILE_VERSION);
    le_put32(head + 12, sorted_file_form_word(w->form));
    put_bytes(w, head, sizeof head);
    w->summed = w->used;
}

struct sorted_writer *sorted_writer_create(int fd, uint32_t partitions,
                                           struct sorted_file_form form, struct err *err)
{
    check(partitions > 0 && partitions <= SORTED_FILE_PARTITIONS_MAX);
    if (codec_load(form.codec, err) < 0)
        return NULL;
    struct sorted_writer *w = mem_zalloc(1, sizeof *w);

    w->fd = fd;
    w->partitions = partitions;
    w->rows = mem_zalloc(partitions, sizeof *w->rows);
    w->buffer = mem_resize(NULL, BUFFER_BYTES, 1);
    w->sum = XXH3_createState();
    if (!w->sum)
        mem_out(1, 1024);
    w->form = form;
    if (form.block > 0)
        w->block = mem_resize(NULL, 2, form.block);
    put_head(w);
    w->rows[0].offset = SORTED_FILE_HEAD;
    XXH3_64bits_reset(w->sum);
    return w;
}

static uint64_t bytes_so_far(const struct sorted_writer *w)
{
    return w->written + w->used;
}

/* The partition is complete; the next one begins. */
static void next_partition(struct sorted_writer *w)
{
    struct sorted_file_partition *p = &w->rows[w->now++];

    end_blocks(w);
    sum_up(w);
    p->bytes = bytes_so_far(w) - p->offset;
    p->records = w->records;
    p->checksum = XXH3_64bits_digest(w->sum);
    w->records = 0;
    XXH3_64bits_reset(w->sum);
    if (w->now < w->partitions)
        p[1].offset = bytes_so_far(w);
}

static void begin_record(struct sorted_writer *w, uint32_t partition)
{
    check(partition >= w->now && partition < w->partitions);
    while (w->now < partition)
        next_partition(w);
    w->records++;
}

void sorted_writer_add(struct sorted_writer *w, uint32_t partition, const struct data_record *r)
{
    uint8_t head[RECORD_FORM_HEAD_MAX];

    begin_record(w, partition);
    put(w, head, record_form_head(head, r->key_length, r->value_length));
    put(w, r->key, r->key_length);
    put(w, r->value, r->value_length);
}

void sorted_writer_add_form(struct sorted_writer *w, uint32_t partition, const uint8_t *form,
                            size_t length)
{
    begin_record(w, partition);
    put(w, form, length);
}

/* The index and the tail; their checksum is of the rows and their number. */
static void put_index(struct sorted_writer *w)
{
    size_t rows = (size_t)w->partitions * SORTED_FILE_ROW;
    uint8_t *index = mem_zalloc(1, rows + SORTED_FILE_TAIL);

    for (uint32_t i = 0; i < w->partitions; i++) {
        const struct sorted_file_partition *p = &w->rows[i];
        uint8_t *row = index + (size_t)i * SORTED_FILE_ROW;
        le_put64(row, p->offset);
        le_put64(row + 8, p->bytes);
        le_put64(row + 16, p->records);
        le_put64(row + 24, p->checksum);
    }
    le_put32(index + rows, w->partitions);
    le_put32(index + rows + 4, sorted_file_form_word(w->form));
    le_put64(index + rows + 8, XXH3_64bits(index, rows + 8));
    memcpy(index + rows + 16, SORTED_FILE_MAGIC, 8);
    put_bytes(w, index, rows + SORTED_FILE_TAIL);
    mem_free(index);
}

int sorted_writer_finish(struct sorted_writer *w, const char *name, struct err *err)
{
    while (w->now < w->partitions)
        next_partition(w);
    put_index(w);
    flush(w);
    int error = w->error;
    sorted_writer_destroy(w);
    errno = error;
    return error ? err_system(err, "%s: %s", name, strerror(error)) : 0;
}

void sorted_writer_destroy(struct sorted_writer *w)
{
    if (!w)
        return;
    XXH3_freeState(w->sum);
    mem_free(w->block);
    mem_free(w->rows);
    mem_free(w->buffer);
    mem_free(w);
}
