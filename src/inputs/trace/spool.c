/* spool.c - external merge sort.
 *
 * Memory holds records back to back and an index of 24 bytes for each: its rank and the first bytes
 * of its key decide nearly every comparison without touching the record. When the memory is full
 * the index is sorted and the records are appended to the file as one piece. If there are more
 * pieces than a reader could have buffers for, the first ones are merged into one until there are
 * not. Rows that fit in memory are never written to a file.
 *
 * Rejected: sorting through an embedded database. It would be a library more, and several times
 * slower for something that is written once and read in order. */
#include "inputs/trace/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/os/path.h"
#include "base/vec.h"

enum { WINDOW_MIN = 64 * 1024, HELD = 4 * WINDOW_MIN };
enum { HEAD = 16 }; /* bytes before each record, see put_head */

struct spool_item {
    uint64_t rank, first; /* first: eight bytes of the key */
    uint64_t from;        /* where its head is in the memory */
};

struct spool_piece {
    uint64_t from, to; /* bytes of the file */
};

struct spool {
    size_t memory;
    char *bytes; /* records with their heads */
    size_t used, cap;
    VEC(struct spool_item) items;
    FILE *file; /* NULL: nothing was written */
    char *held; /* its buffer */
    uint64_t end;
    VEC(struct spool_piece) pieces;
    bool is_sorted;
};

struct spool *spool_create(size_t memory)
{
    struct spool *s = mem_zalloc(1, sizeof *s);
    s->memory = memory > 4 * WINDOW_MIN ? memory : 4 * WINDOW_MIN;
    return s;
}

void spool_destroy(struct spool *s)
{
    if (!s)
        return;
    if (s->file)
        fclose(s->file);
    mem_free(s->held);
    mem_free(s->bytes);
    vec_free(&s->items);
    vec_free(&s->pieces);
    mem_free(s);
}

/* ---- records ---- */

static void put_head(char *at, const struct spool_record *r)
{
    memcpy(at, &r->rank, 8);
    memcpy(at + 8, &r->length, 4);
    memcpy(at + 12, &r->key, 4);
}

static struct spool_record record_at(const char *at)
{
    struct spool_record r = {.at = at + HEAD};
    memcpy(&r.rank, at, 8);
    memcpy(&r.length, at + 8, 4);
    memcpy(&r.key, at + 12, 4);
    return r;
}

static uint64_t first_of(const struct spool_record *r)
{
    uint64_t v = 0;
    for (uint32_t i = 0; i < 8; i++)
        v = v << 8 | (i < r->key ? (uint8_t)r->at[i] : 0);
    return v;
}

static int compare(const struct spool_record *a, const struct spool_record *b)
{
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    int c = memcmp(a->at, b->at, a->key < b->key ? a->key : b->key);
    return c ? c : (a->key > b->key) - (a->key < b->key);
}

static int by_order(const void *a, const void *b, void *bytes)
{
    const struct spool_item *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    struct spool_record r = record_at((char *)bytes + x->from);
    struct spool_record t = record_at((char *)bytes + y->from);
    int c = compare(&r, &t);
    return c ? c : (x->from > y->from) - (x->from < y->from);
}

/* ---- the file ---- */

static int open_file(struct spool *s, struct err *err)
{
    const char *folder = getenv("TMPDIR");
    struct path path = path_of("%s/dolly-spool-XXXXXX", folder && *folder ? folder : "/tmp");
    int fd = mkostemp(path.text, O_CLOEXEC);
    if (fd < 0)
        return err_system(err, "%s: %s", path.text, strerror(errno));
    unlink(path.text);
    s->file = fdopen(fd, "w");
    check(s->file);                /* else there is no memory */
    s->held = mem_zalloc(1, HELD); /* without one glibc takes the size of a disk's block */
    setvbuf(s->file, s->held, _IOFBF, HELD);
    return 0;
}

static int cannot_write(struct err *err)
{
    return err_system(err, "cannot write to the spool in $TMPDIR: %s", strerror(errno));
}

/* Appends a record, before which its head lies, to the last piece. */
static int put(struct spool *s, const struct spool_record *r, struct err *err)
{
    size_t length = HEAD + (size_t)r->length;
    s->end += length;
    return fwrite_unlocked(r->at - HEAD, 1, length, s->file) == length ? 0 : cannot_write(err);
}

/* ---- adding ---- */

static void sort_items(struct spool *s)
{
    if (s->items.count)
        qsort_r(s->items.at, s->items.count, sizeof *s->items.at, by_order, s->bytes);
}

/* All records of a piece are written: it can be read. */
static int end_piece(struct spool *s, uint64_t from, struct err *err)
{
    vec_push(&s->pieces, ((struct spool_piece){from, s->end}));
    return fflush(s->file) == 0 ? 0 : cannot_write(err);
}

/* Writes what is in memory as a piece. */
static int spill(struct spool *s, struct err *err)
{
    uint64_t from = s->end;
    int bad = s->file ? 0 : open_file(s, err);
    sort_items(s);
    for (uint32_t i = 0; i < s->items.count && bad == 0; i++) {
        struct spool_record r = record_at(s->bytes + s->items.at[i].from);
        bad = put(s, &r, err);
    }
    vec_clear(&s->items);
    s->used = 0;
    return bad == 0 ? end_piece(s, from, err) : -1;
}

static void grow(struct spool *s, size_t need)
{
    size_t cap = s->cap ? s->cap : WINDOW_MIN;
    while (cap < need)
        cap = cap + cap / 2;
    s->bytes = mem_resize(s->bytes, cap, 1);
    s->cap = cap;
}

int spool_add(struct spool *s, const struct spool_record *r, struct err *err)
{
    check(!s->is_sorted && r->key <= r->length);
    size_t need = s->used + HEAD + r->length + (s->items.count + 1) * sizeof *s->items.at;
    if (s->items.count > 0 && (need > s->memory || s->items.count == UINT32_MAX / 4) &&
        spill(s, err) < 0)
        return -1;
    if (s->used + HEAD + r->length > s->cap)
        grow(s, s->used + HEAD + r->length);
    put_head(s->bytes + s->used, r);
    if (r->length)
        memcpy(s->bytes + s->used + HEAD, r->at, r->length);
    vec_push(&s->items, ((struct spool_item){r->rank, first_of(r), s->used}));
    s->used += HEAD + r->length;
    return 0;
}

/* ---- reading ---- */

/* A piece that is read through a window of the file. */
struct spool_stream {
    uint64_t at, to; /* of the file, not read yet */
    char *window;
    size_t size, from, filled;
    struct spool_record now; /* in the window */
};

struct spool_reader {
    struct spool *spool;
    uint32_t item;                /* without pieces: the next one in memory */
    struct spool_stream *streams; /* one for each piece */
    uint32_t *heap, heap_count;   /* of streams that have a record, the least first */
    uint32_t count;               /* of streams */
    uint32_t last;                /* the stream whose record was handed out; UINT32_MAX: none */
    bool is_begun;
};

/* At least `need` bytes from `from` on; false with *err. */
static int fill(struct spool_stream *st, int fd, size_t need, struct err *err)
{
    if (st->filled - st->from >= need)
        return 0;
    memmove(st->window, st->window + st->from, st->filled - st->from);
    st->filled -= st->from;
    st->from = 0;
    if (need > st->size) {
        st->window = mem_resize(st->window, need, 1);
        st->size = need;
    }
    while (st->filled < st->size && st->at < st->to) {
        size_t want = st->size - st->filled;
        if (want > st->to - st->at)
            want = (size_t)(st->to - st->at);
        ssize_t n = pread(fd, st->window + st->filled, want, (off_t)st->at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return err_system(err, "cannot read the spool in $TMPDIR: %s",
                              n < 0 ? strerror(errno) : "it has become shorter");
        st->filled += (size_t)n;
        st->at += (uint64_t)n;
    }
    check(st->filled >= need);
    return 0;
}

/* 1: st->now is the next record; 0: the piece is over. */
static int advance(struct spool_stream *st, int fd, struct err *err)
{
    if (st->filled == st->from && st->at == st->to)
        return 0;
    if (fill(st, fd, HEAD, err) < 0)
        return -1;
    struct spool_record head = record_at(st->window + st->from);
    if (fill(st, fd, HEAD + (size_t)head.length, err) < 0)
        return -1;
    st->now = record_at(st->window + st->from);
    st->from += HEAD + st->now.length;
    return 1;
}

static bool is_before(const struct spool_reader *r, uint32_t a, uint32_t b)
{
    int c = compare(&r->streams[a].now, &r->streams[b].now);
    return c ? c < 0 : a < b;
}

static void sink(struct spool_reader *r, uint32_t i)
{
    for (;;) {
        uint32_t least = i;
        for (uint32_t k = 2 * i + 1; k <= 2 * i + 2 && k < r->heap_count; k++)
            if (is_before(r, r->heap[k], r->heap[least]))
                least = k;
        if (least == i)
            return;
        uint32_t swap = r->heap[i];
        r->heap[i] = r->heap[least];
        r->heap[least] = swap;
        i = least;
    }
}

/* A reader of the first `count` pieces. */
static struct spool_reader *open_pieces(struct spool *s, uint32_t count)
{
    struct spool_reader *r = mem_zalloc(1, sizeof *r);
    r->spool = s;
    r->count = count;
    r->last = UINT32_MAX;
    r->streams = mem_zalloc(r->count, sizeof *r->streams);
    r->heap = mem_zalloc(r->count, sizeof *r->heap);
    for (uint32_t i = 0; i < r->count; i++) {
        size_t size = s->memory / (r->count + 1);
        const struct spool_piece *piece = &s->pieces.at[i];
        size = size > 16 * WINDOW_MIN ? 16 * WINDOW_MIN : size;
        if (size > piece->to - piece->from)
            size = (size_t)(piece->to - piece->from) + HEAD;
        r->streams[i] = (struct spool_stream){
            .at = piece->from, .to = piece->to, .window = mem_zalloc(1, size), .size = size};
    }
    return r;
}

struct spool_reader *spool_read(struct spool *s)
{
    check(s->is_sorted);
    return open_pieces(s, s->pieces.count);
}

void spool_reader_destroy(struct spool_reader *r)
{
    if (!r)
        return;
    for (uint32_t i = 0; i < r->count; i++)
        mem_free(r->streams[i].window);
    mem_free(r->streams);
    mem_free(r->heap);
    mem_free(r);
}

static int begin(struct spool_reader *r, struct err *err)
{
    for (uint32_t i = 0; i < r->count; i++) {
        int got = advance(&r->streams[i], fileno(r->spool->file), err);
        if (got < 0)
            return -1;
        if (got > 0)
            r->heap[r->heap_count++] = i;
    }
    for (uint32_t i = r->heap_count; i-- > 0;)
        sink(r, i);
    r->is_begun = true;
    return 0;
}

/* The stream at the top has handed out its record: on to the next one. */
static int pass(struct spool_reader *r, struct err *err)
{
    int got = advance(&r->streams[r->last], fileno(r->spool->file), err);
    if (got == 0)
        r->heap[0] = r->heap[--r->heap_count];
    if (got >= 0)
        sink(r, 0);
    return got < 0 ? -1 : 0;
}

int spool_next(struct spool_reader *r, struct spool_record *out, struct err *err)
{
    const struct spool *s = r->spool;
    if (r->count == 0) {
        if (r->item == s->items.count)
            return 0;
        *out = record_at(s->bytes + s->items.at[r->item++].from);
        return 1;
    }
    if (!r->is_begun && begin(r, err) < 0)
        return -1;
    if (r->last != UINT32_MAX && pass(r, err) < 0)
        return -1;
    r->last = r->heap_count ? r->heap[0] : UINT32_MAX;
    if (r->heap_count == 0)
        return 0;
    *out = r->streams[r->last].now;
    return 1;
}

/* ---- sorting ---- */

/* Replaces the first pieces by one. */
static int merge_first(struct spool *s, uint32_t count, struct err *err)
{
    struct spool_reader *r = open_pieces(s, count);
    struct spool_record record;
    uint64_t from = s->end;
    int got;
    while ((got = spool_next(r, &record, err)) > 0 && (got = put(s, &record, err)) == 0)
        continue;
    spool_reader_destroy(r);
    s->pieces.count -= count;
    memmove(s->pieces.at, s->pieces.at + count, s->pieces.count * sizeof *s->pieces.at);
    return got == 0 ? end_piece(s, from, err) : -1;
}

int spool_sort(struct spool *s, struct err *err)
{
    uint32_t most = (uint32_t)(s->memory / WINDOW_MIN) - 1;
    s->is_sorted = true;
    if (s->pieces.count == 0) {
        sort_items(s);
        return 0;
    }
    if (spill(s, err) < 0)
        return -1;
    mem_free(s->bytes);
    s->bytes = NULL;
    s->cap = 0;
    vec_free(&s->items);
    while (s->pieces.count > most)
        if (merge_first(s, s->pieces.count - most + 1 < most ? s->pieces.count - most + 1 : most,
                        err) < 0)
            return -1;
    return 0;
}
