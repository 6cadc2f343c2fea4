/* key_table.c - values of one key brought together before records are sorted. See key_table.h.
 *
 * A key is within a few lines of the position of its hash, in the first that was free. Lines are
 * never free again, so a free one ends a search. The table is larger than the nearest caches, and
 * waiting for a line would cost more than sorting: so a line is prefetched when a record is added,
 * and read some records later. Long keys and values leave at once. If keys hardly repeat, the table
 * is a burden: then all values leave, and later records bypass it. */
#include "data/key_table.h"

#include <stdalign.h>
#include <string.h>
#include <sys/mman.h>

#include "base/mem.h"
#include "base/vec.h"
#include "data/record_form.h"

enum {
    LINE_BYTES = 64,
    LINE_DATA = LINE_BYTES - 8, /* for the key and values, each behind a byte with its length */
    KEY_MAX = 32,
    WINDOW = 8, /* lines that a key may be in */
    LINES_MIN = 1 << 6,
    LINES_FIRST = 1 << 12,
    LINES_MAX = 1 << 24,
    SMALL_PAGE = 1 << 16,
    LARGE_PAGE = 1 << 21,
    WAITING = 16,    /* records */
    TRIAL = 1 << 14, /* records after which its use is judged for the first time ... */
    ROUND = 1 << 17, /* ... and again and again */
};

struct key_line {
    alignas(LINE_BYTES) uint32_t tag; /* hash of the key; 0: free */
    uint8_t key_length, used, count;  /* bytes of the space, key and all; values */
    uint8_t data[LINE_DATA];
};

/* A record whose line is on its way from memory. */
struct key_waiting {
    uint32_t tag;
    uint8_t key_length, value_length;
    char bytes[LINE_DATA]; /* both */
};

struct key_table {
    struct key_waiting waiting[WAITING]; /* from `first` on, in a ring */
    uint32_t first, waits;
    struct key_table_calls calls;
    struct key_line *lines; /* and WINDOW more, so that none is searched for from the beginning */
    uint32_t mask, lines_max, keys, victim;
    uint32_t records, news; /* of this round; and those that did not meet their key */
    bool tried;             /* it is not the first one */
    bool passes;            /* records leave at once */
    bool combines;
    VEC(uint8_t) made; /* forms of the records that combining has given */
};

/* A few bytes, most often; a call would cost more than the copy. */
static inline void copy(void *to, const char *from, uint32_t length)
{
    uint64_t long_a, long_b;
    uint32_t a, b;

    if (length > 2 * sizeof long_a) {
        memcpy(to, from, length);
    } else if (length >= sizeof long_a) {
        memcpy(&long_a, from, sizeof long_a);
        memcpy(&long_b, from + length - sizeof long_b, sizeof long_b);
        memcpy(to, &long_a, sizeof long_a);
        memcpy((char *)to + length - sizeof long_b, &long_b, sizeof long_b);
    } else if (length >= sizeof a) {
        memcpy(&a, from, sizeof a);
        memcpy(&b, from + length - sizeof b, sizeof b);
        memcpy(to, &a, sizeof a);
        memcpy((char *)to + length - sizeof b, &b, sizeof b);
    } else {
        for (uint32_t i = 0; i < length; i++)
            ((char *)to)[i] = from[i];
    }
}

/* ---- lines ---- */

static size_t table_bytes(uint32_t lines)
{
    size_t bytes = mem_size(((uint64_t)lines + WINDOW) * sizeof(struct key_line));

    return bytes + -bytes % SMALL_PAGE;
}

/* In large pages where there are such: lines are met in no order. */
static struct key_line *table_create(uint32_t lines)
{
    size_t bytes = table_bytes(lines);
    char *at = mmap(NULL, bytes + LARGE_PAGE, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (at == MAP_FAILED)
        mem_out(1, bytes);
    size_t before = -(uintptr_t)at % LARGE_PAGE;
    if (before > 0)
        munmap(at, before);
    if (before < LARGE_PAGE)
        munmap(at + before + bytes, LARGE_PAGE - before);
    at += before;
    if (bytes >= LARGE_PAGE)
        madvise(at, bytes - bytes % LARGE_PAGE, MADV_HUGEPAGE); /* or not */
    return (struct key_line *)(void *)at;
}

struct key_table *key_table_create(uint64_t memory, const struct key_table_calls *calls)
{
    struct key_table *g = mem_zalloc(1, sizeof *g);
    uint32_t lines = LINES_MIN;

    while (lines * UINT64_C(2) * sizeof(struct key_line) <= memory && lines < LINES_MAX)
        lines *= 2;
    g->calls = *calls;
    g->lines_max = lines;
    lines = lines < LINES_FIRST ? lines : LINES_FIRST;
    g->mask = lines - 1;
    g->lines = table_create(lines);
    return g;
}

void key_table_destroy(struct key_table *g)
{
    if (!g)
        return;
    munmap(g->lines, table_bytes(g->mask + 1));
    vec_free(&g->made);
    mem_free(g);
}

bool key_table_next(struct key_table_values *v, const char **value, uint32_t *length)
{
    if (v->at == v->end)
        return false;
    *length = *v->at++;
    *value = (const char *)v->at;
    v->at += *length;
    return true;
}

static struct key_table_values values_of(const struct key_line *l)
{
    return (struct key_table_values){l->data + l->key_length, l->data + l->used};
}

static bool has_space(const struct key_line *l, const struct data_record *r)
{
    return r->value_length < (uint32_t)LINE_DATA - l->used;
}

static void put_value(struct key_line *l, const struct data_record *r)
{
    uint8_t *at = l->data + l->used;

    *at++ = (uint8_t)r->value_length;
    copy(at, r->value, r->value_length);
    l->used = (uint8_t)(l->used + 1 + r->value_length);
    l->count++;
}

static void clear(struct key_line *l)
{
    l->used = l->key_length;
    l->count = 0;
}

/* ---- combining and leaving ---- */

/* What combining gives is kept until it has returned: handing it on may call it for other keys. */
static void keep_made(struct key_table *g, const struct data_record *r)
{
    vec_reserve(&g->made,
                g->made.count + (uint64_t)RECORD_FORM_HEAD_MAX + r->key_length + r->value_length);
    g->made.count = (uint32_t)(record_form_write(g->made.at + g->made.count, r) - g->made.at);
}

static int combine(struct key_table *g, const struct key_line *l, struct err *err)
{
    vec_clear(&g->made);
    g->combines = true;
    int result =
        g->calls.combine(g->calls.ctx, (const char *)l->data, l->key_length, values_of(l), err);
    g->combines = false;
    return result;
}

static int leave_made(struct key_table *g, struct err *err)
{
    const uint8_t *at = g->made.at, *end = at + g->made.count;
    struct data_record r;

    while (at < end) {
        at = record_form_read(at, end, &r);
        if (g->calls.leave(g->calls.ctx, &r, err) < 0)
            return -1;
    }
    return 0;
}

/* The values of a line, as few as can be made of them. The line keeps the key alone. */
static int leave(struct key_table *g, struct key_line *l, struct err *err)
{
    struct key_table_values values = values_of(l);
    struct data_record r = {.key = (const char *)l->data, .key_length = l->key_length};

    if (l->count > 1) {
        if (combine(g, l, err) < 0)
            return -1;
        clear(l);
        return leave_made(g, err);
    }
    while (key_table_next(&values, &r.value, &r.value_length))
        if (g->calls.leave(g->calls.ctx, &r, err) < 0)
            return -1;
    clear(l);
    return 0;
}

/* Whether what combining has given can take the place of the values: one of the key, with space for
 * others behind it. */
static bool is_one(const struct key_table *g, const struct key_line *l, struct data_record *r)
{
    const uint8_t *end = g->made.at + g->made.count;

    return g->made.count > 0 && record_form_read(g->made.at, end, r) == end &&
           r->key_length == l->key_length && memcmp(r->key, l->data, r->key_length) == 0 &&
           r->value_length < ((uint32_t)LINE_DATA - l->key_length) / 2;
}

/* Makes space in a full line. */
static int make_space(struct key_table *g, struct key_line *l, struct err *err)
{
    struct data_record r = {0};

    if (l->count < 2)
        return leave(g, l, err);
    if (combine(g, l, err) < 0)
        return -1;
    clear(l);
    if (!is_one(g, l, &r))
        return leave_made(g, err);
    put_value(l, &r);
    return 0;
}

/* ---- finding ---- */

/* Of a few bytes, the last ones twice rather than one by one. Any function will do: keys that were
 * chosen to meet cost a sort, as without. */
static inline uint32_t tag_of(const char *key, uint32_t length)
{
    uint64_t h = length * UINT64_C(0x9e3779b97f4a7c15), word = 0;
    uint32_t head = 0, tail = 0;

    for (uint32_t at = 0; at + sizeof word < length; at += (uint32_t)sizeof word) {
        memcpy(&word, key + at, sizeof word);
        h = (h ^ word) * UINT64_C(0xff51afd7ed558ccd);
        h ^= h >> 32;
    }
    if (length >= sizeof word) {
        memcpy(&word, key + length - sizeof word, sizeof word);
    } else if (length >= sizeof head) {
        memcpy(&head, key, sizeof head);
        memcpy(&tail, key + length - sizeof tail, sizeof tail);
        word = (uint64_t)head << 32 | tail;
    } else {
        word = (uint64_t)(unsigned char)key[0] << 16 |
               (uint64_t)(unsigned char)key[length / 2] << 8 | (unsigned char)key[length - 1];
    }
    h = (h ^ word) * UINT64_C(0xff51afd7ed558ccd);
    return (uint32_t)(h >> 32) | 1U << 31;
}

/* The line of the key, or a free one; NULL: the lines where it may be are taken by others. */
static inline struct key_line *find(struct key_table *g, uint32_t tag, const struct data_record *r)
{
    struct key_line *l = &g->lines[tag & g->mask];

    for (const struct key_line *end = l + WINDOW; l < end; l++)
        if (!l->tag || (l->tag == tag && l->key_length == r->key_length &&
                        memcmp(l->data, r->key, r->key_length) == 0))
            return l;
    return NULL;
}

static int grow(struct key_table *g, struct err *err)
{
    uint32_t lines = g->mask + 1;
    struct key_line *old = g->lines;
    int result = 0;

    g->lines = table_create(2 * lines);
    g->mask = 2 * lines - 1;
    g->keys = 0;
    for (uint32_t i = 0; i < lines + WINDOW && result == 0; i++) {
        struct data_record r = {.key = (char *)old[i].data, .key_length = old[i].key_length};
        if (old[i].count == 0)
            continue;
        struct key_line *to = find(g, old[i].tag, &r);
        if (to) {
            *to = old[i];
            g->keys++;
        } else {
            result = leave(g, &old[i], err);
        }
    }
    munmap(old, table_bytes(lines));
    return result;
}

/* The line becomes that of the key; whose it was leaves. */
static int take(struct key_table *g, struct key_line *l, uint32_t tag, const struct data_record *r,
                struct err *err)
{
    if (l->tag && leave(g, l, err) < 0)
        return -1;
    l->tag = tag;
    l->key_length = (uint8_t)r->key_length;
    memcpy(l->data, r->key, r->key_length);
    clear(l);
    return 0;
}

/* A key that is not there gets a line. */
static int begin(struct key_table *g, struct key_line **l, uint32_t tag,
                 const struct data_record *r, struct err *err)
{
    g->news++;
    if (g->keys > (g->mask + 1) / 8 * 5 && g->mask + 1 < g->lines_max) {
        if (grow(g, err) < 0)
            return -1;
        *l = find(g, tag, r);
    }
    if (*l)
        g->keys++;
    else
        *l = &g->lines[(tag & g->mask) + g->victim++ % WINDOW];
    return take(g, *l, tag, r, err);
}

/* ---- adding ---- */

static int add(struct key_table *g, uint32_t tag, const struct data_record *r, struct err *err)
{
    struct key_line *l = find(g, tag, r);

    if ((!l || !l->tag) && begin(g, &l, tag, r, err) < 0)
        return -1;
    if (!has_space(l, r) && make_space(g, l, err) < 0)
        return -1;
    if (!has_space(l, r) && leave(g, l, err) < 0) /* it came before */
        return -1;
    if (!has_space(l, r))
        return g->calls.leave(g->calls.ctx, r, err);
    put_value(l, r);
    return 0;
}

static int add_first(struct key_table *g, struct err *err)
{
    const struct key_waiting *w = &g->waiting[g->first++ % WAITING];

    g->waits--;
    return add(
        g, w->tag,
        &(struct data_record){w->bytes, w->bytes + w->key_length, w->key_length, w->value_length},
        err);
}

static int add_waiting(struct key_table *g, struct err *err)
{
    while (g->waits > 0)
        if (add_first(g, err) < 0)
            return -1;
    return 0;
}

int key_table_flush(struct key_table *g, struct err *err)
{
    if (add_waiting(g, err) < 0)
        return -1;
    for (uint32_t i = 0; i <= g->mask + WINDOW; i++)
        if (g->lines[i].tag && leave(g, &g->lines[i], err) < 0)
            return -1;
    return 0;
}

/* Is it of use? Most keys are new at first, whatever comes later; so the first round only finds out
 * where nearly all are. */
static int end_round(struct key_table *g, struct err *err)
{
    g->passes = g->news > (g->tried ? g->records / 2 : g->records / 16 * 15);
    g->tried = true;
    g->records = g->news = 0;
    return g->passes ? key_table_flush(g, err) : 0;
}

static void wait_for_line(struct key_table *g, uint32_t tag, const struct data_record *r)
{
    struct key_waiting *w = &g->waiting[(g->first + g->waits++) % WAITING];
    const struct key_line *l = &g->lines[tag & g->mask];

    __builtin_prefetch(l, 1);
    __builtin_prefetch(l + 1, 1);
    w->tag = tag;
    w->key_length = (uint8_t)r->key_length;
    w->value_length = (uint8_t)r->value_length;
    copy(w->bytes, r->key, r->key_length);
    copy(w->bytes + r->key_length, r->value, r->value_length);
}

int key_table_add(struct key_table *g, const struct data_record *r, struct err *err)
{
    if (g->combines) {
        keep_made(g, r);
        return 0;
    }
    bool here = !g->passes && r->key_length > 0 && r->key_length <= KEY_MAX;
    if (here && ++g->records == (g->tried ? ROUND : TRIAL) && end_round(g, err) < 0)
        return -1;
    if (g->passes || !here)
        return g->calls.leave(g->calls.ctx, r, err);
    uint32_t tag = tag_of(r->key, r->key_length);
    if (r->value_length > LINE_DATA - KEY_MAX)
        return add_waiting(g, err) < 0 ? -1 : add(g, tag, r, err);
    if (g->waits == WAITING && add_first(g, err) < 0)
        return -1;
    wait_for_line(g, tag, r);
    return 0;
}
