/* words_native - word count as functions that dolly calls: a mapper keeps a table and emits it at its
 * end, as a mapper in awk would. For `make bench`. */
#define _GNU_SOURCE
#include <inttypes.h>

#include <dolly.h>

#include "bench/word_table.h"

static int begin(struct dolly_task *t)
{
    t->state = malloc(sizeof(struct word_table));
    if (!t->state)
        return dolly_fail(t, "there is no memory for a table");
    word_table_init(t->state);
    return 0;
}

static int map(struct dolly_task *t, struct dolly_bytes line)
{
    word_add_all(t->state, line.at, line.length);
    return 0;
}

static int end(struct dolly_task *t)
{
    const struct word_table *words = t->state;

    for (uint32_t i = 0; i <= words->mask; i++) {
        const struct word_slot *s = &words->slots[i];
        char text[24];
        if (s->at)
            dolly_emit(t, dolly_slice(s->at, s->length),
                       dolly_slice(text, (size_t)sprintf(text, "%" PRIu64, s->count)));
    }
    return 0;
}

DOLLY_EXPORT const struct dolly_functions dolly_map = {
    .abi = DOLLY_ABI, .begin = begin, .map = map, .end = end};

static int reduce(struct dolly_task *t, struct dolly_bytes key, struct dolly_values *values)
{
    struct dolly_bytes value;
    uint64_t sum = 0;
    char text[24];

    while (dolly_next(values, &value)) {
        uint64_t n = 0;
        for (size_t i = 0; i < value.length; i++)
            n = 10 * n + (uint64_t)(value.at[i] - '0');
        sum += n;
    }
    dolly_emit(t, key, dolly_slice(text, (size_t)sprintf(text, "%" PRIu64, sum)));
    return 0;
}

DOLLY_EXPORT const struct dolly_functions dolly_reduce = {.abi = DOLLY_ABI, .reduce = reduce};
