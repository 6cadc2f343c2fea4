/* res.h - resource vectors: cpu in thousandths of a core, memory in MiB, and two spare dimensions.
 *
 * A slot cluster is the special case in which only cpu is used and every demand is one core. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { RES_CPU, RES_MEM, RES_X, RES_Y, RES_COUNT };

#define RES_SLOT 1000 /* thousandths of cpu that make one slot */

/* The kind of a resource: an amount, or slots, each of which runs one attempt. By default cores are
 * slots, and no other resource is. */
enum res_kind { RES_AMOUNT, RES_SLOTS, RES_KIND_END };

struct res_kinds {
    uint8_t v[RES_COUNT]; /* enum res_kind */
};
#define RES_KINDS_PLAIN ((struct res_kinds){{[RES_CPU] = RES_SLOTS}})

/* The name of a kind in files and output; "?" for numbers out of range. */
static inline const char *res_kind_name(uint8_t kind)
{
    return kind == RES_SLOTS ? "slots" : kind == RES_AMOUNT ? "amount" : "?";
}

/* The number of units that make one: cpu is counted in thousandths. */
static inline int32_t res_unit(int resource)
{
    return resource == RES_CPU ? RES_SLOT : 1;
}

/* The name of a resource in files and output. */
static inline const char *res_name(int resource)
{
    static const char *const names[RES_COUNT] = {"cpu", "mem", "x", "y"};
    return names[resource];
}

/* The resources of a node, or the need of an attempt. */
struct res {
    int32_t v[RES_COUNT];
};

/* A sum over many nodes or attempts. */
struct res_sum {
    int64_t v[RES_COUNT];
};

/* All four as a vector: searches mostly compare. */
typedef int32_t res_vector __attribute__((vector_size(4 * RES_COUNT)));
typedef int64_t res_halves __attribute__((vector_size(4 * RES_COUNT)));

/* Returns true if none of the four, which are 0 or -1, is -1. */
static inline bool res_vector_is_zero(res_vector v)
{
#ifdef __SSE2__
    typedef char bytes __attribute__((vector_size(4 * RES_COUNT)));
    return __builtin_ia32_pmovmskb128((bytes)v) == 0;
#else
    res_halves h = (res_halves)v;
    return (h[0] | h[1]) == 0;
#endif
}

/* Returns a bit for each of the four that is -1; all are 0 or -1. */
static inline uint32_t res_vector_bits(res_vector v)
{
#ifdef __SSE2__
    typedef float floats __attribute__((vector_size(4 * RES_COUNT)));
    return (uint32_t)__builtin_ia32_movmskps((floats)v);
#else
    uint32_t bits = 0;
    for (uint32_t i = 0; i < RES_COUNT; i++)
        bits |= (uint32_t)(v[i] != 0) << i;
    return bits;
#endif
}

/* Returns true if no entry of `need` exceeds that of `available`. */
static inline bool res_fits(const struct res *need, const struct res *available)
{
    res_vector a, b;
    memcpy(&a, need, sizeof a);
    memcpy(&b, available, sizeof b);
    return res_vector_is_zero(a > b);
}

/* Returns true if all entries are equal. */
static inline bool res_equal(const struct res *a, const struct res *b)
{
    return a->v[0] == b->v[0] && a->v[1] == b->v[1] && a->v[2] == b->v[2] && a->v[3] == b->v[3];
}

/* a += b. */
static inline void res_add(struct res *a, const struct res *b)
{
    for (int i = 0; i < RES_COUNT; i++)
        a->v[i] += b->v[i];
}

/* a -= b. */
static inline void res_sub(struct res *a, const struct res *b)
{
    for (int i = 0; i < RES_COUNT; i++)
        a->v[i] -= b->v[i];
}

/* sum += one. */
static inline void res_sum_plus(struct res_sum *sum, const struct res *one)
{
    for (int i = 0; i < RES_COUNT; i++)
        sum->v[i] += one->v[i];
}

/* sum -= one. */
static inline void res_sum_minus(struct res_sum *sum, const struct res *one)
{
    for (int i = 0; i < RES_COUNT; i++)
        sum->v[i] -= one->v[i];
}

/* The number of slots of all kinds: cores, and slots for maps and reduces if the cluster has
 * them. */
static inline double res_sum_slots(const struct res_kinds *kinds, const struct res_sum *sum)
{
    double slots = 0;
    for (int i = 0; i < RES_COUNT; i++)
        if (kinds->v[i] == RES_SLOTS)
            slots += (double)sum->v[i] / res_unit(i);
    return slots;
}

/* The thousandths of slots of all kinds. */
static inline int64_t res_slots(const struct res_kinds *kinds, const struct res *r)
{
    int64_t slots = 0;
    for (int i = 0; i < RES_COUNT; i++)
        if (kinds->v[i] == RES_SLOTS)
            slots += (int64_t)r->v[i] * (RES_SLOT / res_unit(i));
    return slots;
}

/* The dominant share: the greatest share of any resource of `whole` that `held` has. */
static inline double res_sum_dominant(const struct res_sum *held, const struct res_sum *whole)
{
    double most = 0;
    for (int i = 0; i < RES_COUNT; i++) {
        double share = whole->v[i] > 0 ? (double)held->v[i] / (double)whole->v[i] : 0;
        most = share > most ? share : most;
    }
    return most;
}

/* sum += times * one; `times` may be negative. Mostly it is 1 or -1. */
static inline void res_sum_add(struct res_sum *sum, const struct res *one, int64_t times)
{
    if (times == 1)
        res_sum_plus(sum, one);
    else if (times == -1)
        res_sum_minus(sum, one);
    else
        for (int i = 0; i < RES_COUNT; i++)
            sum->v[i] += times * one->v[i];
}
