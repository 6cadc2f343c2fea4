/* sort - sorts the lines of a file by what stands before their first tab, by two threads, in memory:
 * what somebody would write who has a day for it. For `make bench`.
 *
 *     sort FILE SORTED
 *
 * Each thread makes entries of half of the lines, on both sides of a median that was guessed from a
 * sample; each sorts a side, by radix, and writes it to its place. Equal keys keep their order. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct entry {
    uint64_t prefix;
    uint64_t at;
};

struct list {
    struct entry *at;
    size_t count, room;
};

struct worker {
    size_t from, to;      /* its half of the file */
    struct list sides[2]; /* of the lines there */
    struct entry *all;    /* of the side that it sorts ... */
    size_t count, bytes;  /* ... and how long that is */
    off_t place;
};

static const char *text;
static size_t size;
static uint64_t median;
static int out;
static struct worker workers[2];
static pthread_barrier_t barrier;

static const char *line_end(const char *at)
{
    const char *end = memchr(at, '\n', size - (size_t)(at - text));
    return end ? end : text + size;
}

static size_t key_length(const char *at)
{
    const char *end = line_end(at), *tab = memchr(at, '\t', (size_t)(end - at));
    return (size_t)((tab ? tab : end) - at);
}

static uint64_t prefix_of(const char *at)
{
    size_t length = key_length(at);
    uint64_t prefix = 0;

    memcpy(&prefix, at, length < 8 ? length : 8);
    return __builtin_bswap64(prefix);
}

static bool before(const struct entry *a, const struct entry *b)
{
    if (a->prefix != b->prefix)
        return a->prefix < b->prefix;
    size_t m = key_length(text + a->at), n = key_length(text + b->at);
    int order = memcmp(text + a->at, text + b->at, m < n ? m : n);
    return order ? order < 0 : m != n ? m < n : a->at < b->at;
}

static void insertion(struct entry *at, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct entry e = at[i];
        size_t to = i;
        for (; to > 0 && before(&e, &at[to - 1]); to--)
            at[to] = at[to - 1];
        at[to] = e;
    }
}

static int compare(const void *a, const void *b)
{
    return before(a, b) ? -1 : 1;
}

static void radix(struct entry *at, struct entry *scratch, size_t count, int shift)
{
    size_t places[257] = {0};

    if (count <= 48) {
        insertion(at, count);
        return;
    }
    if (shift < 0) {
        qsort(at, count, sizeof *at, compare);
        return;
    }
    for (size_t i = 0; i < count; i++)
        places[(at[i].prefix >> shift & 0xff) + 1]++;
    for (int i = 0; i < 256; i++)
        places[i + 1] += places[i];
    for (size_t i = 0; i < count; i++)
        scratch[places[at[i].prefix >> shift & 0xff]++] = at[i];
    memcpy(at, scratch, count * sizeof *at);
    for (size_t i = 0, from = 0; i < 256; from = places[i++])
        radix(at + from, scratch, places[i] - from, shift - 8);
}

static void add(struct list *l, struct entry e)
{
    if (l->count == l->room) {
        l->room = l->room ? 2 * l->room : 1 << 16;
        l->at = realloc(l->at, l->room * sizeof *l->at);
    }
    l->at[l->count++] = e;
}

static void make_entries(struct worker *w)
{
    for (const char *at = text + w->from; at < text + w->to; at = line_end(at) + 1) {
        struct entry e = {prefix_of(at), (uint64_t)(at - text)};
        add(&w->sides[e.prefix >= median], e);
    }
}

static void put(const char *buffer, size_t count, off_t *place)
{
    for (size_t done = 0; done < count;) {
        ssize_t n = pwrite(out, buffer + done, count - done, *place);
        if (n <= 0)
            exit(1);
        done += (size_t)n;
        *place += n;
    }
}

static void write_side(const struct worker *w)
{
    enum { BUFFER = 1 << 20 };
    char *buffer = malloc(BUFFER);
    size_t used = 0;
    off_t place = w->place;

    for (size_t i = 0; i < w->count; i++) {
        const char *at = text + w->all[i].at;
        if (i + 16 < w->count) {
            __builtin_prefetch(text + w->all[i + 16].at);
            __builtin_prefetch(text + w->all[i + 16].at + 64);
        }
        size_t length = (size_t)(line_end(at) - at);
        if (used + length + 1 > BUFFER) {
            put(buffer, used, &place);
            used = 0;
        }
        if (length + 1 > BUFFER)
            exit(1); /* not for such lines */
        memcpy(buffer + used, at, length);
        buffer[used + length] = '\n';
        used += length + 1;
    }
    put(buffer, used, &place);
    free(buffer);
}

static void *work(void *arg)
{
    struct worker *w = arg;
    int side = w == &workers[1];

    make_entries(w);
    pthread_barrier_wait(&barrier);
    const struct list *a = &workers[0].sides[side], *b = &workers[1].sides[side];
    w->count = a->count + b->count;
    w->all = malloc((w->count + 1) * sizeof *w->all);
    memcpy(w->all, a->at, a->count * sizeof *a->at);
    memcpy(w->all + a->count, b->at, b->count * sizeof *b->at);
    struct entry *scratch = malloc((w->count + 1) * sizeof *scratch);
    radix(w->all, scratch, w->count, 56);
    free(scratch);
    for (size_t i = 0; side == 0 && i < w->count; i++)
        w->bytes += (size_t)(line_end(text + w->all[i].at) - text) - w->all[i].at + 1;
    pthread_barrier_wait(&barrier);
    w->place = side ? (off_t)workers[0].bytes : 0;
    write_side(w);
    return NULL;
}

static int by_prefix(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void guess_median(void)
{
    enum { SAMPLE = 1001 };
    static uint64_t sample[SAMPLE];

    for (size_t i = 0; i < SAMPLE; i++) {
        const char *at = line_end(text + size / SAMPLE * i) + 1;
        sample[i] = at < text + size ? prefix_of(at) : 0;
    }
    qsort(sample, SAMPLE, sizeof *sample, by_prefix);
    median = sample[SAMPLE / 2];
}

int main(int argc, char **argv)
{
    int fd = argc == 3 ? open(argv[1], O_RDONLY) : -1;
    struct stat st;
    pthread_t other;

    if (fd < 0 || fstat(fd, &st) < 0 || st.st_size == 0)
        return 2;
    size = (size_t)st.st_size;
    text = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd, 0);
    out = open(argv[2], O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (text == MAP_FAILED || out < 0)
        return 1;
    guess_median();
    size_t middle = (size_t)(line_end(text + size / 2) - text) + 1;
    middle = middle < size ? middle : size;
    workers[0].to = workers[1].from = middle;
    workers[1].to = size;
    if (pthread_barrier_init(&barrier, NULL, 2) != 0 ||
        pthread_create(&other, NULL, work, &workers[1]) != 0)
        return 1;
    work(&workers[0]);
    pthread_join(other, NULL);
    return 0;
}
