/* entry_sort.c - the order of records in memory.
 *
 * Records are not moved; entries of 16 bytes are. First to their partitions, then, partition by
 * partition, by the next eight bytes of their keys as one number: the span between the smallest and
 * the largest is cut into up to 256 equal pieces, each entry is moved to the pile of its piece, and
 * piles are sorted in the same way until they are small. Keys of text use a part of the values that
 * a byte can have, so pieces of the span are filled better than values of a byte.
 *
 * Large piles are made in place, by swapping each entry to its position, so sorting takes no
 * further memory; those that fit on the stack by way of a copy, in order and without a mispredicted
 * branch. Few entries are sorted by insertion.
 *
 * Entries whose eight bytes are equal are sorted by the next eight. Keys that have ended by then
 * are all equal except for zeros at their end, so their length and then their age decide. */
#include "data/entry_sort.h"

#include <stdbool.h>
#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "data/record_form.h"

enum {
    FEW = 12,     /* entries that insertion sorts fastest */
    COPIED = 512, /* entries that are copied: 8 KiB of stack */
    PILES = 256,
};

static void swap(struct record_entry *a, struct record_entry *b)
{
    struct record_entry kept = *a;

    *a = *b;
    *b = kept;
}

/* Which pile an entry belongs to. */
typedef uint32_t entry_pile(const void *ctx, const struct record_entry *e);

/* Moves entries to their piles; `next` is where each begins. Goes over what is not in its place of
 * each pile, again and again: each entry there is sent to the end of what its pile has, and the one
 * that comes back for it is looked at in the next round. So no step waits for the one before, as
 * it would if what comes back were sent on at once. */
__attribute__((always_inline)) static inline void
move_in_place(struct record_entry *at, uint32_t piles, uint32_t *next, const uint32_t *ends,
              entry_pile *pile_of, const void *ctx)
{
    bool again = true;

    while (again) {
        again = false;
        for (uint32_t pile = 0; pile < piles; pile++) {
            uint32_t end = ends[pile];
            for (uint32_t i = next[pile]; i < end; i++)
                swap(&at[i], &at[next[pile_of(ctx, &at[i])]++]);
            again = again || next[pile] < end;
        }
    }
}

/* ---- by prefix ---- */

static void sort_few(struct record_entry *at, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        struct record_entry e = at[i];
        uint32_t to = i;
        for (; to > 0 && at[to - 1].prefix > e.prefix; to--)
            at[to] = at[to - 1];
        at[to] = e;
    }
}

/* How prefixes are dealt out to piles. */
struct entry_deal {
    uint64_t least;
    int shift;
    uint32_t piles;
};

static inline uint32_t pile_of(const void *ctx, const struct record_entry *e)
{
    const struct entry_deal *d = ctx;

    return (uint32_t)((e->prefix - d->least) >> d->shift);
}

/* Chooses the pieces of the span: about as many as there are entries. False: all are equal. */
static bool deal(const struct record_entry *at, uint32_t count, struct entry_deal *d)
{
    uint64_t least = at[0].prefix, most = least;

    for (uint32_t i = 1; i < count; i++) {
        least = at[i].prefix < least ? at[i].prefix : least;
        most = at[i].prefix > most ? at[i].prefix : most;
    }
    if (least == most)
        return false;
    int span_bits = 64 - __builtin_clzll(most - least);
    int pile_bits = count >= PILES ? 8 : 32 - __builtin_clz(count - 1);
    d->least = least;
    d->shift = span_bits > pile_bits ? span_bits - pile_bits : 0;
    d->piles = (uint32_t)((most - least) >> d->shift) + 1;
    return true;
}

/* A function of its own, because a copy must not lie on the stack of all piles above. */
__attribute__((noinline)) static void move_by_copy(struct record_entry *at, uint32_t count,
                                                   const struct entry_deal *d, uint32_t *next)
{
    struct record_entry copy[COPIED];

    memcpy(copy, at, count * sizeof *copy);
    for (uint32_t i = 0; i < count; i++)
        at[next[pile_of(d, &copy[i])]++] = copy[i];
}

static void sort_prefixes(struct record_entry *at, uint32_t count)
{
    uint32_t next[PILES], ends[PILES], sum = 0;
    struct entry_deal d;

    if (count <= FEW) {
        sort_few(at, count);
        return;
    }
    if (!deal(at, count, &d))
        return;
    memset(next, 0, d.piles * sizeof *next);
    for (uint32_t i = 0; i < count; i++)
        next[pile_of(&d, &at[i])]++;
    for (uint32_t i = 0; i < d.piles; i++) {
        uint32_t size = next[i];
        next[i] = sum;
        sum += size;
        ends[i] = sum;
    }
    if (count <= COPIED)
        move_by_copy(at, count, &d, next);
    else
        move_in_place(at, d.piles, next, ends, pile_of, &d);
    for (uint32_t i = 0, from = 0; d.shift > 0 && i < d.piles; from = ends[i++])
        if (ends[i] - from > 1)
            sort_prefixes(at + from, ends[i] - from);
}

/* ---- by whole keys ---- */

static struct data_record record_of(struct entry_bytes bytes, const struct record_entry *e)
{
    struct data_record r;

    check(record_form_read(bytes.at + e->at, bytes.end, &r));
    return r;
}

/* Sorts entries whose keys have ended. */
static void sort_ended(struct record_entry *at, uint32_t count, struct entry_bytes bytes)
{
    for (uint32_t i = 0; i < count; i++)
        at[i].prefix = (uint64_t)record_of(bytes, &at[i]).key_length << 32 | at[i].at;
    sort_prefixes(at, count);
}

/* Moves entries to the front whose keys have no more than `depth` bytes, and tells how many there
 * are; the others get the prefix of what is behind these. */
static uint32_t go_deeper(struct record_entry *at, uint32_t count, struct entry_bytes bytes,
                          uint32_t depth)
{
    uint32_t ended = 0;

    for (uint32_t i = 0; i < count; i++) {
        struct data_record r = record_of(bytes, &at[i]);
        if (r.key_length > depth)
            at[i].prefix = record_prefix(r.key + depth, r.key_length - depth);
        else
            swap(&at[i], &at[ended++]);
    }
    return ended;
}

static uint32_t equal_run(const struct record_entry *at, uint32_t count)
{
    uint32_t n = 1;

    while (n < count && at[n].prefix == at[0].prefix)
        n++;
    return n;
}

/* Sorts entries whose keys are equal up to `depth`, and whose prefixes are of what follows. The
 * longest run of equal prefixes is left for the next turn of the loop, so that the stack holds
 * keys of any length. */
static void sort_keys_from(struct record_entry *at, uint32_t count, struct entry_bytes bytes,
                           uint32_t depth)
{
    while (count > 1) {
        struct record_entry *longest = at;
        uint32_t longest_count = 0;

        sort_prefixes(at, count);
        depth += RECORD_PREFIX_BYTES;
        for (uint32_t i = 0, n; i < count; i += n) {
            n = equal_run(at + i, count - i);
            if (n == 1)
                continue;
            uint32_t ended = go_deeper(at + i, n, bytes, depth);
            sort_ended(at + i, ended, bytes);
            struct record_entry *rest = at + i + ended;
            uint32_t rest_count = n - ended;
            if (rest_count > longest_count) {
                sort_keys_from(longest, longest_count, bytes, depth);
                longest = rest;
                longest_count = rest_count;
            } else {
                sort_keys_from(rest, rest_count, bytes, depth);
            }
        }
        at = longest;
        count = longest_count;
    }
}

/* ---- by partition ---- */

static inline uint32_t partition_of(const void *ctx, const struct record_entry *e)
{
    (void)ctx;
    return e->partition;
}

void entry_sort(struct record_entry *at, uint32_t count, struct entry_bytes bytes,
                uint32_t partitions, uint32_t *starts)
{
    uint32_t *next = mem_zalloc(partitions, sizeof *next), sum = 0;

    for (uint32_t i = 0; i < count; i++)
        next[at[i].partition]++;
    for (uint32_t i = 0; i < partitions; i++) {
        starts[i] = sum;
        sum += next[i];
        next[i] = starts[i];
    }
    starts[partitions] = sum;
    if (partitions > 1)
        move_in_place(at, partitions, next, starts + 1, partition_of, NULL);
    mem_free(next);
    for (uint32_t i = 0; i < partitions; i++)
        sort_keys_from(at + starts[i], starts[i + 1] - starts[i], bytes, 0);
}
