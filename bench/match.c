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
#include "fit/match_list.h"
#include "tests/match_naive.h"

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

static void server_loop(struct scene *s, struct result *out)
{
    for (uint32_t i = 0; i < SERVERS && out->count < JOBS * TASKS; i++)
        for (uint32_t p;
             (p = match_naive_phase(s->phases, JOBS, &s->free[i], &largest)) != MATCH_NAIVE_NONE;)
            place(s, out, p, i);
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
                match_list_remove(&l, p->key, (uint32_t)(p - s->phases));
        }
    match_list_fini(&l);
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

static void compare(const char *name, const struct scene *s,
                    void (*loop)(struct scene *, struct result *),
                    void (*fast)(struct scene *, struct result *))
{
    struct result *slow = measure(loop, s, 1), *quick = measure(fast, s, REPEAT);
    bool same = slow->count == quick->count &&
                memcmp(slow->at, quick->at, slow->count * sizeof *slow->at) == 0;
    printf("   %-34s %9.0f %9.2f %9.0f %9u\n", name, slow->ms, quick->ms, slow->ms / quick->ms,
           quick->count);
    if (!same) {
        fprintf(stderr, "match: %s: the fast way does not agree with the loop\n", name);
        exit(1);
    }
    mem_free(slow);
    mem_free(quick);
}

int main(int argc, char **argv)
{
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    struct scene *s = mem_zalloc(1, sizeof *s);
    printf("   %-34s %9s %9s %9s %9s\n", "", "loop ms", "fast ms", "x", "placed");
    for (int used = 0; used < 2; used++)
        for (int round = 1; round >= 0; round--) {
            char name[64];
            scene_draw(s, seed, used, round);
            snprintf(name, sizeof name, "server, %s, %s", used ? "in use" : "empty",
                     round ? "round" : "thousandths");
            compare(name, s, server_loop, server_fast);
        }
    mem_free(s);
    return 0;
}
