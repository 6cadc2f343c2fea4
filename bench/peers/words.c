/* words - how often each word of a file comes, by two threads: what somebody would write who has an
 * afternoon for it. For `make bench`.
 *
 *     words FILE >COUNTS */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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

struct half {
    const char *at;
    size_t length;
    struct word_table table;
};

static void *count(void *arg)
{
    struct half *h = arg;

    word_table_init(&h->table);
    word_add_all(&h->table, h->at, h->length);
    return NULL;
}

int main(int argc, char **argv)
{
    int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
    struct stat st;

    if (fd < 0 || fstat(fd, &st) < 0 || st.st_size == 0)
        return 2;
    const char *text = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (text == MAP_FAILED)
        return 1;
    size_t size = (size_t)st.st_size, middle = size / 2;
    while (middle < size && text[middle] != '\n')
        middle++;
    struct half halves[] = {{.at = text, .length = middle},
                            {.at = text + middle, .length = size - middle}};
    pthread_t other;
    if (pthread_create(&other, NULL, count, &halves[1]) != 0)
        return 1;
    count(&halves[0]);
    pthread_join(other, NULL);
    struct word_table *all = &halves[0].table, *more = &halves[1].table;
    for (uint32_t i = 0; i <= more->mask; i++)
        if (more->slots[i].at)
            word_add(all, more->slots[i].at, more->slots[i].length, more->slots[i].count);
    for (uint32_t i = 0; i <= all->mask; i++)
        if (all->slots[i].at)
            printf("%.*s\t%" PRIu64 "\n", (int)all->slots[i].length, all->slots[i].at,
                   all->slots[i].count);
    return fclose(stdout) == 0 ? 0 : 1;
}
