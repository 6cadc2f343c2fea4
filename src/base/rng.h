/* rng.h - counter-based random numbers keyed by meaning, never by the order of events.
 *
 * A stream is a pure function of its key: (seed, purpose, a, b, c, d), where a..d are usually job,
 * phase, task and attempt. Attempt k of a task therefore has the same luck under every policy, and
 * adding a draw for one purpose moves no other. There is no global generator.
 */
#pragma once

#include <stdint.h>

struct rng {
    uint64_t key;
    uint64_t counter;
};

/* The odd number nearest to 2^64 / golden ratio: its multiples are spread evenly. */
#define RNG_GOLDEN UINT64_C(0x9e3779b97f4a7c15)

/* A bijection of 64 bits in which every input bit moves every output bit about half of the time:
 * the finaliser of splitmix64. */
static inline uint64_t rng_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Each word of a key is mixed together with its position before it meets the others, so that (1, 2)
 * and (2, 1), or (0, 3) and (1, 2), have nothing in common. */
static inline uint64_t rng_fold(uint64_t key, uint64_t position, uint64_t word)
{
    return rng_mix(key ^ rng_mix(word + position * RNG_GOLDEN));
}

/* The stream of a key. `purpose` is a small constant of the caller; see enum rng_purpose. */
struct rng rng_stream(uint64_t seed, uint32_t purpose, uint64_t a, uint64_t b, uint64_t c,
                      uint64_t d);

/* Computes rng_stream in two steps, for drawing from many streams whose keys begin alike:
 * rng_stream(seed, purpose, a, b, c, d) is rng_branch(rng_trunk(seed, purpose, a, b), c, d). */
uint64_t rng_trunk(uint64_t seed, uint32_t purpose, uint64_t a, uint64_t b);
/* The stream of a trunk and the rest of its key. */
static inline struct rng rng_branch(uint64_t trunk, uint64_t c, uint64_t d)
{
    return (struct rng){.key = rng_fold(rng_fold(trunk, 5, c), 6, d)};
}

/* The uses of random numbers. Append only: a number is part of what a seed means. */
enum rng_purpose {
    RNG_PLACE = 1,    /* where the search for a node begins */
    RNG_NOISE,        /* an attempt's small variation */
    RNG_STALL,        /* whether, when and how long an attempt stalls */
    RNG_NODE_LUCK,    /* a node's mood in a window */
    RNG_NODE_FAIL,    /* when a node fails and for how long */
    RNG_LAG,          /* answers that are late */
    RNG_LAUNCH_FAIL,  /* launches that do not succeed */
    RNG_REPORT,       /* progress reports that are late or lost */
    RNG_ATTEMPT_FAIL, /* attempts that fail by themselves */
    RNG_COMMIT_FAIL,  /* commits that fail */
    RNG_WORKLOAD,     /* generated jobs */
    RNG_ARRIVAL,      /* generated arrivals */
    RNG_TEST,         /* tests */
    RNG_OUTPUT,       /* checksums, and whether the attempts of a task agree about its output */
    RNG_CHAOS,        /* faults injected on purpose */
    RNG_SLOW,         /* how slow a slow attempt is */
    RNG_BUSY,         /* when the whole cluster is busy */
    RNG_SPOIL_NODE,   /* when a node loses outputs without going down */
    RNG_SPOIL_OUTPUT, /* which outputs those are */
    RNG_INPUT,        /* where input is, and which copy of it is read */
    RNG_SKEW,         /* how far the reports of a task are ahead of it or behind */
    RNG_FURTHER,      /* which recorded time a further attempt of a task takes */
    RNG_TELL,         /* error of the told times of tasks */
    RNG_RECORDED,     /* durations of attempts that a trace does not record */
    RNG_CENSORED,     /* durations that attempts would have had which a trace saw cut short */
    RNG_REPLICAS,     /* the nodes that hold the inputs of a trace's tasks */
    RNG_SINGLE,       /* durations of copies of tasks that are alone in their phase in a trace */
    RNG_SHOWN,        /* which of equally long attempts a report shows */
    RNG_SPOIL_PART,   /* which parts of a spoilt output are damaged */
};

/* Draws 64 uniform bits. */
static inline uint64_t rng_u64(struct rng *r)
{
    r->counter++;
    return rng_mix(r->key + r->counter * RNG_GOLDEN);
}

/* Draws from the uniform distribution on [0, 1). */
static inline double rng_unit(struct rng *r)
{
    return (double)(rng_u64(r) >> 11) * 0x1p-53;
}

/* Draws uniformly from 0..n-1; n > 0. */
uint64_t rng_below(struct rng *r, uint64_t n);

/* Draws from the standard normal distribution. */
double rng_normal(struct rng *r);

/* Draws from the exponential distribution with mean 1. */
double rng_exponential(struct rng *r);

/* Draws from the Pareto distribution with minimum 1 and the given shape (> 0). */
double rng_pareto(struct rng *r, double shape);
