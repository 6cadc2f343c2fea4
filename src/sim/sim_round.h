/* sim_round.h - attempts that report at the same moment, in the order in which that was planned.
 *
 * A member is all that a report is drawn from, so that a round is read from front to back and only
 * struct sim_attempt has to be looked for. A running attempt is in one round at a time: 12 bytes
 * for most, whose life is start-up and work. The plan of one that stalls, or works for more than an
 * hour, is kept separately; it belongs to the member and is freed with it.
 *
 * Rounds are lists of chunks that they hand on to each other. An array for each was rejected: every
 * moment with a report kept the memory of its largest round. */
#pragma once

#include <stdint.h>

#include "base/pool.h"
#include "sim/luck.h"

enum member_plan {
    MEMBER_NO_PLAN, /* to be worked out */
    MEMBER_WORKS,   /* `what` us of work */
    MEMBER_STARTS,  /* ... after the cluster's start-up */
    MEMBER_KEEPS,   /* `what` is the number of a plan that is kept */
};

struct round_member {
    uint32_t attempt;
    uint32_t generation : 28; /* of the attempt */
    uint32_t plan : 4;        /* enum member_plan */
    uint32_t what;
};

enum { ROUND_CHUNK = 63 };

struct round_chunk {
    uint32_t next; /* of the round, or of the free list; 0: none */
    uint32_t count;
    struct round_member at[ROUND_CHUNK];
};

struct sim_round {
    int64_t at_us;
    uint32_t first, last; /* chunks; 0: it has no members */
};

enum { SIM_ROUNDS = 1024 };

struct sim_rounds {
    struct sim_round at[SIM_ROUNDS]; /* by time */
    POOL(struct round_chunk) chunks; /* the first is never used */
    POOL(struct luck_plan) plans;    /* the same; a free one holds the next in startup_us */
    uint32_t chunk_free, plan_free;
    int64_t startup_us; /* of the cluster */
};

struct sim_rounds *sim_rounds_create(int64_t startup_us);
void sim_rounds_destroy(struct sim_rounds *r); /* NULL is fine */

/* Frees the chunk, and returns the next one of its round. */
uint32_t sim_rounds_drop(struct sim_rounds *r, uint32_t chunk);

/* Appends an empty chunk to the round. */
void sim_rounds_extend(struct sim_rounds *r, struct sim_round *round);

/* Makes a member for this attempt with its plan. */
struct round_member sim_rounds_member(struct sim_rounds *r, uint32_t attempt, uint32_t generation,
                                      const struct luck_plan *plan);

/* Frees the plan of a member that is in no round any more. */
static inline void sim_rounds_forget(struct sim_rounds *r, struct round_member m)
{
    if (m.plan == MEMBER_KEEPS) {
        r->plans.at[m.what].startup_us = r->plan_free;
        r->plan_free = m.what;
    }
}

static inline void sim_rounds_add(struct sim_rounds *r, struct sim_round *round,
                                  struct round_member m)
{
    if (round->last == 0 || r->chunks.at[round->last].count == ROUND_CHUNK)
        sim_rounds_extend(r, round);
    struct round_chunk *c = &r->chunks.at[round->last];
    c->at[c->count++] = m;
}

/* The plan of a member that has one. */
static inline struct luck_plan sim_rounds_plan(const struct sim_rounds *r, struct round_member m)
{
    if (m.plan == MEMBER_KEEPS)
        return r->plans.at[m.what];
    return (struct luck_plan){.startup_us = m.plan == MEMBER_STARTS ? r->startup_us : 0,
                              .work_us = m.what};
}
