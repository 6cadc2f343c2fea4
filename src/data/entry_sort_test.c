#include "data/entry_sort.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "data/record_form.h"
#include "tests/unit/test.h"

enum { MOST = 6000, KEY_MAX = 24 };

struct sort_scene {
    uint8_t bytes[MOST * (KEY_MAX + 2)];
    uint32_t used, count;
    struct record_entry at[MOST], want[MOST];
};

static struct sort_scene *scene; /* for qsort */

static void add(struct sort_scene *s, const char *key, uint32_t length, uint32_t partition)
{
    s->at[s->count++] = (struct record_entry){record_prefix(key, length), s->used, partition};
    s->used += (uint32_t)record_form_head(s->bytes + s->used, length, 0);
    memcpy(s->bytes + s->used, key, length);
    s->used += length;
}

static int by_definition(const void *a, const void *b)
{
    const struct record_entry *x = a, *y = b;
    struct data_record k = {0}, l = {0};

    if (x->partition != y->partition)
        return x->partition < y->partition ? -1 : 1;
    expect(record_form_read(scene->bytes + x->at, scene->bytes + scene->used, &k) != NULL);
    expect(record_form_read(scene->bytes + y->at, scene->bytes + scene->used, &l) != NULL);
    int order = record_compare(k.key, k.key_length, l.key, l.key_length);
    return order ? order : (x->at > y->at) - (x->at < y->at);
}

/* Keys of up to `longest` bytes, of `letters` that begin at `first`. */
static void sort_and_compare(uint32_t count, uint32_t longest, char first, uint32_t letters,
                             uint32_t partitions)
{
    struct rng rng = rng_stream(7, 0, count, longest, letters, partitions);
    uint32_t starts[10];
    bool same = true;

    scene->used = scene->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        char key[KEY_MAX];
        uint32_t length = (uint32_t)rng_below(&rng, longest + 1);
        for (uint32_t k = 0; k < length; k++)
            key[k] = (char)(first + (char)rng_below(&rng, letters));
        add(scene, key, length, (uint32_t)rng_below(&rng, partitions));
    }
    memcpy(scene->want, scene->at, sizeof scene->want);
    qsort(scene->want, count, sizeof *scene->want, by_definition);
    entry_sort(scene->at, count, (struct entry_bytes){scene->bytes, scene->bytes + scene->used},
               partitions, starts);
    for (uint32_t i = 0; i < count; i++)
        same = same && scene->at[i].at == scene->want[i].at &&
               scene->at[i].partition == scene->want[i].partition;
    expect(same && starts[0] == 0 && starts[partitions] == count);
    for (uint32_t p = 0; p < partitions; p++)
        for (uint32_t i = starts[p]; i < starts[p + 1]; i++)
            same = same && scene->at[i].partition == p;
    expect(same);
}

TEST(entry_sort_orders_as_defined)
{
    static const uint32_t counts[] = {0, 1, 2, 12, 13, 100, 255, 256, 257, 512, 513, MOST};

    scene = mem_zalloc(1, sizeof *scene);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        sort_and_compare(counts[i], 10, '!', 93, 1);        /* text */
        sort_and_compare(counts[i], KEY_MAX, '\0', 2, 3);   /* zeros, which keys end with, too */
        sort_and_compare(counts[i], KEY_MAX, (char)-128, 255, 9); /* any bytes */
        sort_and_compare(counts[i], 3, 'a', 1, 1);          /* few keys, often */
    }
    mem_free(scene);
}
