/* entry_sort.c - the order of records in memory.
 *
 * Records stay where they are; entries of 16 bytes are moved. First to their partitions, then,
 * partition by partition, by the next eight bytes of their keys as one number: by its highest byte
 * into 256 piles, each pile by the next byte, and small piles by insertion. Piles are made in
 * place, by swapping each entry to where it belongs, so sorting takes no memory besides.
 *
 * Entries whose eight bytes are equal go on with the next eight. Keys that have ended by then are
 * all equal but for zeros at their end, so their length and then their age decide. */
#include "data/entry_sort.h"

#include "base/check.h"
#include "base/mem.h"
#include "data/record_form.h"

enum {
    SMALL = 24, /* entries that insertion sorts faster than piles */
    PILES = 256,
};

static void swap(struct record_entry *a, struct record_entry *b)
{
    struct record_entry kept = *a;

    *a = *b;
    *b = kept;
}

/* ---- by prefix ---- */

static void sort_small(struct record_entry *at, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        struct record_entry e = at[i];
        uint32_t to = i;
        for (; to > 0 && at[to - 1].prefix > e.prefix; to--)
            at[to] = at[to - 1];
        at[to] = e;
    }
}

/* Where the highest byte begins in which prefixes differ; -1: they are equal. */
static int differing_shift(const struct record_entry *at, uint32_t count)
{
    uint64_t differ = 0;

    for (uint32_t i = 1; i < count; i++)
        differ |= at[i].prefix ^ at[0].prefix;
    return differ ? (63 - __builtin_clzll(differ)) / 8 * 8 : -1;
}

static void sort_prefixes(struct record_entry *at, uint32_t count)
{
    uint32_t next[PILES], ends[PILES], sum = 0;
    uint32_t counts[PILES] = {0};

    if (count <= SMALL) {
        sort_small(at, count);
        return;
    }
    int shift = differing_shift(at, count);
    if (shift < 0)
        return;
    for (uint32_t i = 0; i < count; i++)
        counts[at[i].prefix >> shift & 0xff]++;
    for (int i = 0; i < PILES; i++) {
        next[i] = sum;
        sum += counts[i];
        ends[i] = sum;
    }
    for (uint32_t i = 0; i < PILES; i++)
        while (next[i] < ends[i]) {
            uint32_t pile = at[next[i]].prefix >> shift & 0xff;
            if (pile == i)
                next[i]++;
            else
                swap(&at[next[i]], &at[next[pile]++]);
        }
    for (int i = 0; shift > 0 && i < PILES; i++)
        sort_prefixes(at + ends[i] - counts[i], counts[i]);
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

/* `starts` are where each partition begins; `next` is scratch of the same size. */
static void sort_partitions(struct record_entry *at, uint32_t partitions, const uint32_t *starts,
                            uint32_t *next)
{
    for (uint32_t i = 0; i < partitions; i++)
        while (next[i] < starts[i + 1]) {
            uint32_t to = at[next[i]].partition;
            if (to == i)
                next[i]++;
            else
                swap(&at[next[i]], &at[next[to]++]);
        }
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
    sort_partitions(at, partitions, starts, next);
    mem_free(next);
    for (uint32_t i = 0; i < partitions; i++)
        sort_keys_from(at + starts[i], starts[i + 1] - starts[i], bytes, 0);
}
