/* harm_world.c - draws worlds as texts.
 *
 * Texts, and not structures: a world that shows harm is then two files, which `dolly sim` runs
 * under any policy and a person can cut down. Every time of every attempt stands in them
 * (attempts=), so that no luck is drawn but the world's: both policies meet the same.
 *
 * Worlds differ in what most often decides whether copies pay: the length of tasks, how much tasks
 * of a phase differ, the load, the size of the cluster, and what the policy is told of them:
 * nothing, a mean, or one that is far off; bytes that explain the times, bytes that do not, or
 * none. */
#include "tests/worlds/harm_world.h"

#include <math.h>
#include <stdbool.h>

#include "tests/swarm/draw.h"

enum harm_law { LAW_SKEW, LAW_ANTI, LAW_ANTILUCK, LAW_LUCK, LAW_MIX, LAWS, LAW_ANY };
enum { APPS = 4, TASKS_MAX = 100, SLOTS_PER_NODE = 4, US = 1000000 };
enum bytes_mean { BYTES_NONE, BYTES_EXPLAIN, BYTES_MISLEAD };

static const struct kind {
    const char *name;
    enum harm_law law;
    double load_min;           /* up to 2 */
    double scale_s, scale_max; /* seconds; log-uniform */
} kinds[HARM_KINDS] = {
    [HARM_SKEW] = {"skew", LAW_SKEW, 0.1, 0.01, 3000},
    [HARM_ANTI] = {"anti", LAW_ANTI, 0.1, 0.01, 3000},
    [HARM_ANTILUCK] = {"antiluck", LAW_ANTILUCK, 0.1, 0.01, 3000},
    [HARM_LUCK] = {"luck", LAW_LUCK, 0.1, 0.01, 3000},
    [HARM_LOAD] = {"load", LAW_LUCK, 0.9, 0.01, 3000},
    [HARM_TINY] = {"tiny", LAW_LUCK, 0.1, 0.01, 0.1},
    [HARM_MIX] = {"mix", LAW_MIX, 0.1, 0.01, 3000},
    [HARM_LAG] = {"lag", LAW_ANY, 0.1, 0.1, 3000},
    [HARM_WIRES] = {"wires", LAW_ANY, 0.1, 0.1, 3000},
    [HARM_DAG] = {"dag", LAW_ANY, 0.1, 0.01, 3000},
    [HARM_FORK] = {"fork", LAW_ANY, 0.1, 0.01, 3000},
};

/* What holds for all of a world. */
struct plan {
    enum harm_law law;
    double load, sigma, scale_s;
    uint32_t slots;
    int bytes;          /* enum bytes_mean */
    double bytes_per_s; /* of a task's time */
    double told;        /* factor on the mean that is told; 0: nothing is */
    uint32_t phases_max;
    bool forks;
};

const char *harm_world_name(enum harm_kind kind)
{
    return kinds[kind].name;
}

void harm_world_free(struct harm_world *w)
{
    str_free(&w->workload);
    str_free(&w->cluster);
}

static void add_us(struct str *out, double s)
{
    double us = fmax(500, s * US);
    str_addf(out, "%lldus", (long long)us);
}

/* One attempt in five takes 2 to 12 times as long. */
static double lucky(struct rng *r, double s)
{
    double whether = rng_unit(r), factor = draw_real(r, 2, 12);
    return whether < 0.2 ? s * factor : s;
}

/* The times of a task's attempts, of which the last one repeats. */
static void add_attempts(struct str *out, struct rng *r, enum harm_law law, uint32_t app, double s)
{
    bool straggles = law == LAW_LUCK || law == LAW_ANTILUCK || (law == LAW_MIX && app % 2);
    str_add(out, " attempts=");
    add_us(out, straggles ? lucky(r, s) : s);
    if (law == LAW_ANTI) {
        double factor = draw_real(r, 1.5, 5);
        str_add(out, ",");
        add_us(out, s * factor);
    }
    for (int i = 0; straggles && i < 3; i++) {
        str_add(out, ",");
        add_us(out, lucky(r, s) + (law == LAW_ANTILUCK ? 2 * s : 0));
    }
}

static void add_input(struct str *out, struct rng *r, const struct plan *p, double s)
{
    if (p->bytes == BYTES_NONE)
        return;
    double other = p->scale_s * exp(p->sigma * rng_normal(r));
    double bytes = p->bytes_per_s * (p->bytes == BYTES_EXPLAIN ? s : other);
    str_addf(out, " input=%lld", (long long)fmin(fmax(bytes, 1), 1e15));
}

/* Adds a phase that follows `after`, NULL: nothing. Returns its work in seconds. */
static double add_phase(struct str *out, struct rng *r, const struct plan *p, uint32_t app,
                        uint32_t phase, const char *after)
{
    static const double widths[] = {1, 3, 6};
    double width = draw_of(r, widths), many = width * rng_pareto(r, 0.8);
    uint32_t tasks = many < TASKS_MAX ? (uint32_t)fmax(1, many) : TASKS_MAX;
    double mean_s = p->scale_s * exp(0.8 * app - 1.2), work_s = 0;
    str_addf(out, "  phase p%u tasks=%u", phase, tasks);
    if (after)
        str_addf(out, " after=%s", after);
    if (p->told > 0) {
        str_add(out, " expect=");
        add_us(out, mean_s * p->told);
    }
    str_add(out, "\n");
    for (uint32_t t = 0; t < tasks; t++) {
        double s = mean_s * exp(p->sigma * rng_normal(r));
        str_addf(out, "    task %u", t);
        add_attempts(out, r, p->law, app, s);
        if (!after)
            add_input(out, r, p, s);
        str_add(out, "\n");
        work_s += s;
    }
    return work_s;
}

static double add_chain(struct str *out, struct rng *r, const struct plan *p, uint32_t app)
{
    static const char *const after[] = {NULL, "p0", "p1"};
    double work_s = 0;
    for (uint32_t phase = 0; phase < p->phases_max; phase++)
        work_s += add_phase(out, r, p, app, phase, after[phase]);
    return work_s;
}

/* One chain has a phase, the other one or two; tasks of each chain are of an application of its
 * own. */
static double add_fork(struct str *out, struct rng *r, const struct plan *p, uint32_t app)
{
    bool longer = rng_unit(r) < 0.5;
    uint32_t other = draw_between(r, 0, APPS - 1);
    double work_s = add_phase(out, r, p, app, 0, NULL);
    work_s += add_phase(out, r, p, other, 1, NULL);
    if (longer)
        work_s += add_phase(out, r, p, other, 2, "p1");
    return work_s + add_phase(out, r, p, app, 3, longer ? "p0,p2" : "p0,p1");
}

static struct plan draw_plan(struct rng *r, enum harm_kind kind)
{
    static const uint32_t sizes[] = {20, 80, 200};
    const struct kind *k = &kinds[kind];
    struct plan p = {.law = k->law};
    p.scale_s = draw_log(r, k->scale_s, k->scale_max);
    p.load = draw_real(r, k->load_min, 2);
    p.slots = draw_of(r, sizes);
    p.sigma = draw_real(r, 0, 1.2);
    p.bytes_per_s = draw_log(r, 1e3, 1e8);
    uint32_t law = draw_between(r, 0, LAWS - 1), bytes = draw_between(r, 0, 3);
    uint32_t told = draw_between(r, 0, 3), phases = draw_between(r, 2, 3);
    double wrong = draw_log(r, 0.1, 10);
    if (p.law == LAW_ANY)
        p.law = (enum harm_law)law;
    p.bytes = bytes == 2 ? BYTES_EXPLAIN : bytes == 3 ? BYTES_MISLEAD : BYTES_NONE;
    p.told = told == 2 ? exp(p.sigma * p.sigma / 2) : told == 3 ? wrong : 0;
    p.phases_max = kind == HARM_DAG ? phases : 1;
    p.forks = kind == HARM_FORK;
    return p;
}

/* Links and disks on which a task reads its input in 5 to 50 % of its time, if nothing else does.
 * */
static void add_wires(struct str *out, struct rng *r, struct plan *p)
{
    double share = draw_real(r, 0.05, 0.5), links = draw_log(r, 1e6, 1e9);
    uint32_t replicas = draw_between(r, 1, 3);
    if (p->bytes == BYTES_NONE)
        p->bytes = BYTES_EXPLAIN;
    p->bytes_per_s = share * links / SLOTS_PER_NODE;
    str_addf(out, "network up=%lld down=%lld disk=%lld input=%u\n", (long long)links,
             (long long)links, (long long)links, replicas);
}

struct harm_world harm_world_draw(enum harm_kind kind, uint64_t seed, uint32_t jobs)
{
    struct harm_world w = {0};
    struct rng r = draw_stream(seed, DRAW_WORLD, kind);
    struct plan p = draw_plan(&r, kind);
    str_addf(&w.cluster, "nodes n[1-%u] cpu=%d\n", p.slots / SLOTS_PER_NODE, SLOTS_PER_NODE);
    if (kind == HARM_WIRES)
        add_wires(&w.cluster, &r, &p);
    if (kind == HARM_LAG) { /* up to 1 % of a task of the shortest application */
        double share = draw_log(&r, 1e-4, 1e-2);
        str_add(&w.cluster, "faults kill_lag=");
        add_us(&w.cluster, share * p.scale_s * exp(-1.2));
        str_add(&w.cluster, "\n");
    }
    double at_s = 0;
    for (uint32_t j = 0; j < jobs; j++) {
        uint32_t app = draw_between(&r, 0, APPS - 1);
        double work_s;
        str_addf(&w.workload, "job j%u app=a%u at=%lldus\n", app, app, (long long)(at_s * US));
        if (p.forks)
            work_s = add_fork(&w.workload, &r, &p, app);
        else
            work_s = add_chain(&w.workload, &r, &p, app);
        at_s += rng_exponential(&r) * work_s / (p.load * p.slots);
    }
    return w;
}
