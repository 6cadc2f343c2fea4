/* match.c - how fast tasks and servers are matched, beside the loops that one would write first.
 *
 *     match [SEED]    prints milliseconds of each, or fails when they do not agree
 *
 * 1000 jobs with 25 tasks and a demand each in 16 ranks, 30 000 servers of three sizes: empty, or
 * each in use up to a random share; demands and what is in use in round numbers or in thousandths.
 * CPU time, the best of several for the fast ways. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/rng.h"
#include "core/match/match.h"
#include "tests/unit/match_naive.h"

enum { JOBS = 1000, TASKS = 25, RANKS = 16, SERVERS = 30000, REPEAT = 5 };

static const struct res sizes[] = {
    {{8000, 16384, 0, 0}}, {{16000, 49152, 0, 0}}, {{24000, 49152, 0, 0}}};
static const struct res largest = {{24000, 49152, 0, 0}};

struct scene {
    struct match_naive_phase phases[JOBS];
    struct res free[SERVERS];
};

struct placement {
    uint32_t phase, server;
};

struct result {
    struct placement at[JOBS * TASKS];
    uint32_t count;
    double ms;
};

static void scene_draw(struct scene *s, uint64_t seed, bool used, bool round)
{
    struct rng r = rng_branch(seed, used, round);
    for (uint32_t i = 0; i < JOBS; i++) {
        int32_t cpu = 100 + (int32_t)rng_below(&r, 3900), mem = 64 + (int32_t)rng_below(&r, 8000);
        if (round) {
            cpu = (cpu + 499) / 500 * 500;
            mem = (mem + 511) / 512 * 512;
        }
        s->phases[i] =
            (struct match_naive_phase){(int64_t)rng_below(&r, RANKS), {{cpu, mem, 0, 0}}, TASKS};
    }
    for (uint32_t i = 0; i < SERVERS; i++) {
        s->free[i] = sizes[rng_below(&r, 3)];
        for (int k = RES_CPU; used && k <= RES_MEM; k++) {
            int32_t unit = !round ? 1 : k == RES_CPU ? 500 : 512;
            s->free[i].v[k] -= (int32_t)rng_below(&r, (uint64_t)(s->free[i].v[k] / unit)) * unit;
        }
    }
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void place(struct scene *s, struct result *out, uint32_t phase, uint32_t server)
{
    out->at[out->count++] = (struct placement){phase, server};
    res_sub(&s->free[server], &s->phases[phase].demand);
    s->phases[phase].waiting--;
}

/* ---- servers in their order, each takes what suits it best ---- */

/* As Algorithm 2 is written: on each server that has something free, rank by rank, the best of the
 * rank until none fits. */
static uint32_t best_of_rank(const struct scene *s, int64_t rank, const struct res *free)
{
    uint32_t best = MATCH_NAIVE_NONE;
    double most = 0;
    for (uint32_t p = 0; p < JOBS; p++) {
        const struct match_naive_phase *one = &s->phases[p];
        if (one->key != rank || one->waiting == 0 || !res_fits(&one->demand, free))
            continue;
        double score = match_score(&one->demand, free, &largest);
        if (best != MATCH_NAIVE_NONE && score <= most)
            continue;
        best = p;
        most = score;
    }
    return best;
}

static void server_loop_on(struct scene *s, struct result *out, uint32_t i)
{
    for (int64_t rank = 0; rank < RANKS; rank++)
        for (uint32_t p; (p = best_of_rank(s, rank, &s->free[i])) != MATCH_NAIVE_NONE;)
            place(s, out, p, i);
}

static void server_loop(struct scene *s, struct result *out)
{
    for (uint32_t i = 0; i < SERVERS; i++)
        server_loop_on(s, out, i);
}

/* What the paper does not say: when nothing waits any more, it is over. */
static void server_loop_until_done(struct scene *s, struct result *out)
{
    for (uint32_t i = 0; i < SERVERS && out->count < JOBS * TASKS; i++)
        server_loop_on(s, out, i);
}

static void server_fast(struct scene *s, struct result *out)
{
    struct match_list l = {0};
    match_list_measure(&l, &largest);
    for (uint32_t i = 0; i < JOBS; i++) {
        struct match_naive_phase *p = &s->phases[i];
        match_list_insert(&l, &(struct match_entry){p->key, i, p->demand, p});
    }
    for (uint32_t i = 0; i < SERVERS && l.count > 0; i++)
        for (struct match_naive_phase *p; (p = match_list_best(&l, &s->free[i]));) {
            place(s, out, (uint32_t)(p - s->phases), i);
            if (p->waiting == 0)
                match_list_remove(
                    &l, &(struct match_entry){p->key, (uint64_t)(p - s->phases), p->demand, p});
        }
    match_list_fini(&l);
}

/* ---- phases in their order, each task takes the server that suits it best ---- */

static void task_loop(struct scene *s, struct result *out)
{
    for (int64_t rank = 0; rank < RANKS; rank++)
        for (uint32_t p = 0; p < JOBS; p++)
            while (s->phases[p].key == rank && s->phases[p].waiting > 0) {
                uint32_t i = match_naive_server(s->free, SERVERS, &s->phases[p].demand, &largest);
                if (i == MATCH_NAIVE_NONE)
                    break;
                place(s, out, p, i);
            }
}

static void task_fast(struct scene *s, struct result *out)
{
    struct match_nodes m = {0};
    match_nodes_measure(&m, &largest);
    for (uint32_t i = 0; i < SERVERS; i++)
        match_nodes_set(&m, i, &s->free[i]);
    for (int64_t rank = 0; rank < RANKS; rank++)
        for (uint32_t p = 0; p < JOBS; p++)
            while (s->phases[p].key == rank && s->phases[p].waiting > 0) {
                uint32_t i = match_nodes_best(&m, &s->phases[p].demand);
                if (i == MATCH_NODES_NONE)
                    break;
                place(s, out, p, i);
                match_nodes_set(&m, i, &s->free[i]);
            }
    match_nodes_fini(&m);
}

/* ---- measuring ---- */

static struct result *measure(void (*match)(struct scene *, struct result *),
                              const struct scene *scene, int repeat)
{
    struct result *out = mem_zalloc(1, sizeof *out);
    struct scene *s = mem_zalloc(1, sizeof *s);
    for (int i = 0; i < repeat; i++) {
        *s = *scene;
        out->count = 0;
        double begun = now_ms();
        match(s, out);
        double ms = now_ms() - begun;
        out->ms = i == 0 || ms < out->ms ? ms : out->ms;
    }
    mem_free(s);
    return out;
}

typedef void way(struct scene *, struct result *);

static void agree(const char *name, const struct result *a, const struct result *b)
{
    if (a->count == b->count && memcmp(a->at, b->at, a->count * sizeof *a->at) == 0)
        return;
    fprintf(stderr, "match: %s: the fast way does not agree with the loop\n", name);
    exit(1);
}

static void compare(const char *name, const char *goal, const struct scene *s, way *loop,
                    way *loop_until_done, way *fast)
{
    struct result *quick = measure(fast, s, REPEAT), *slow = measure(loop, s, 1);
    struct result *done = loop_until_done ? measure(loop_until_done, s, 1) : NULL;
    double done_ms = done ? done->ms : slow->ms;
    agree(name, slow, quick);
    agree(name, done ? done : slow, quick);
    printf("   %-28s %9.0f %9.0f %9.2f %7.0f %7.0f  %s\n", name, slow->ms, done_ms, quick->ms,
           slow->ms / quick->ms, done_ms / quick->ms, goal);
    mem_free(slow);
    mem_free(done);
    mem_free(quick);
}

/* (The loop of `task` goes over what waits.) */
static void compare_on(struct scene *s, uint64_t seed, bool used, bool round)
{
    char name[64];
    const char *state = used ? "in use" : "empty", *numbers = round ? "round" : "thousandths";
    scene_draw(s, seed, used, round);
    snprintf(name, sizeof name, "server, %s, %s", state, numbers);
    compare(name, "3 ms, 100 x", s, server_loop, server_loop_until_done, server_fast);
    snprintf(name, sizeof name, "task, %s, %s", state, numbers);
    compare(name, "10 ms, 150 x", s, task_loop, NULL, task_fast);
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    struct scene *s = mem_zalloc(1, sizeof *s);
    for (int used = 0; used < 2; used++)
        for (int round = 1; round >= 0; round--)
            compare_on(s, seed, used, round);
    mem_free(s);
    return 0;
}
