/* node_set.h - a set of nodes, iterated in the order of their numbers. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

#define NODE_SET_END UINT32_MAX

/* Zero-initialise; free with node_set_fini. */
struct node_set {
    VEC(uint64_t) words; /* a bit per node */
    VEC(uint64_t) sums;  /* a bit per word that is not 0 */
};

static inline void node_set_fini(struct node_set *s)
{
    vec_free(&s->words);
    vec_free(&s->sums);
}

/* Reserves memory for nodes up to this one. */
static inline void node_set_reach(struct node_set *s, uint32_t node)
{
    while (s->words.count <= node / 64)
        vec_push(&s->words, 0);
    while (s->sums.count <= node / 64 / 64)
        vec_push(&s->sums, 0);
}

/* Returns true if the node, which the set can hold, is in the set. */
static inline bool node_set_has(const struct node_set *s, uint32_t node)
{
    return s->words.at[node / 64] >> (node % 64) & 1;
}

/* Removes a node, which the set can hold, or adds it if it is not there. Returns true if it is
 * in the set now. */
static inline bool node_set_flip(struct node_set *s, uint32_t node)
{
    uint32_t w = node / 64;
    uint64_t bit = UINT64_C(1) << (node % 64), sum = UINT64_C(1) << (w % 64);
    uint64_t now = s->words.at[w] ^= bit;
    if (now == 0 || now == bit) /* the word was the other of the two */
        s->sums.at[w / 64] ^= sum;
    return now & bit;
}

/* Adds a node, which may be in the set already. */
static inline void node_set_add(struct node_set *s, uint32_t node)
{
    uint32_t w = node / 64;
    node_set_reach(s, node);
    s->words.at[w] |= UINT64_C(1) << (node % 64);
    s->sums.at[w / 64] |= UINT64_C(1) << (w % 64);
}

/* Removes a node, which need not be in the set. */
static inline void node_set_remove(struct node_set *s, uint32_t node)
{
    uint32_t w = node / 64;
    if (w >= s->words.count)
        return;
    s->words.at[w] &= ~(UINT64_C(1) << (node % 64));
    if (s->words.at[w] == 0)
        s->sums.at[w / 64] &= ~(UINT64_C(1) << (w % 64));
}

/* The first node of the set at or after `from`, or NODE_SET_END. */
static inline uint32_t node_set_next(const struct node_set *s, uint32_t from)
{
    uint32_t w = from / 64;
    if (w >= s->words.count)
        return NODE_SET_END;
    uint64_t rest = s->words.at[w] & ~UINT64_C(0) << (from % 64);
    if (rest)
        return w * 64 + (uint32_t)__builtin_ctzll(rest);
    for (uint32_t k = ++w / 64; k < s->sums.count; k++, w = k * 64) {
        rest = s->sums.at[k] & ~UINT64_C(0) << (w % 64);
        if (!rest)
            continue;
        w = k * 64 + (uint32_t)__builtin_ctzll(rest);
        return w * 64 + (uint32_t)__builtin_ctzll(s->words.at[w]);
    }
    return NODE_SET_END;
}

/* Removes up to `max` nodes, in the order of their numbers, and writes them to `nodes`. Returns how
 * many. */
static inline uint32_t node_set_take(struct node_set *s, uint32_t *nodes, uint32_t max)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < s->sums.count; k++)
        while (s->sums.at[k]) {
            uint32_t w = k * 64 + (uint32_t)__builtin_ctzll(s->sums.at[k]);
            for (uint64_t *bits = &s->words.at[w]; *bits; *bits &= *bits - 1) {
                if (count == max)
                    return count;
                nodes[count++] = w * 64 + (uint32_t)__builtin_ctzll(*bits);
            }
            s->sums.at[k] &= s->sums.at[k] - 1;
        }
    return count;
}
