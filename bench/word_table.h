/* word_table.h - how often each word comes, for `make bench`: the same table in a program by hand
 * and in functions that dolly calls, so that what differs is not how words are counted. */
#ifndef BENCH_WORD_TABLE_H
#define BENCH_WORD_TABLE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct word_slot {
    const char *at; /* NULL: free */
    uint32_t length, hash;
    uint64_t count;
};

struct word_table {
    struct word_slot *slots;
    uint32_t mask, used;
    char *room; /* for copies of words */
    size_t left;
};

static void word_table_init(struct word_table *t)
{
    *t = (struct word_table){.mask = (1 << 16) - 1};
    t->slots = calloc((size_t)t->mask + 1, sizeof *t->slots);
}

static inline uint32_t word_hash(const char *at, uint32_t length)
{
    uint64_t h = length * 0x9e3779b97f4a7c15, part = 0;

    for (; length >= 8; at += 8, length -= 8) {
        memcpy(&part, at, 8);
        h = (h ^ part) * 0xff51afd7ed558ccd;
        h ^= h >> 32;
    }
    part = 0;
    for (uint32_t i = 0; i < length; i++)
        part = part << 8 | (unsigned char)at[i];
    h = (h ^ part) * 0xff51afd7ed558ccd;
    return (uint32_t)(h >> 32);
}

static const char *word_keep(struct word_table *t, const char *at, uint32_t length)
{
    if (length > t->left) {
        t->left = length > (1 << 20) ? length : 1 << 20;
        t->room = malloc(t->left);
    }
    memcpy(t->room, at, length);
    t->room += length;
    t->left -= length;
    return t->room - length;
}

static void word_grow(struct word_table *t)
{
    struct word_slot *old = t->slots;
    uint32_t count = t->mask + 1;

    t->mask = 2 * count - 1;
    t->slots = calloc((size_t)t->mask + 1, sizeof *t->slots);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t to = old[i].hash & t->mask;
        while (old[i].at && t->slots[to].at)
            to = (to + 1) & t->mask;
        if (old[i].at)
            t->slots[to] = old[i];
    }
    free(old);
}

static inline void word_add(struct word_table *t, const char *at, uint32_t length, uint64_t n)
{
    uint32_t hash = word_hash(at, length), i = hash & t->mask;

    for (;; i = (i + 1) & t->mask) {
        struct word_slot *s = &t->slots[i];
        if (!s->at)
            break;
        if (s->hash == hash && s->length == length && memcmp(s->at, at, length) == 0) {
            s->count += n;
            return;
        }
    }
    t->slots[i] = (struct word_slot){word_keep(t, at, length), length, hash, n};
    if (++t->used > t->mask / 2)
        word_grow(t);
}

/* All words of a text: what is between spaces and newlines. */
static inline void word_add_all(struct word_table *t, const char *at, size_t length)
{
    const char *end = at + length;

    while (at < end) {
        const char *from = at;
        while (at < end && *at != ' ' && *at != '\n')
            at++;
        if (at > from)
            word_add(t, from, (uint32_t)(at - from), 1);
        at++;
    }
}

#endif
