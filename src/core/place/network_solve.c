/* network_solve.c - chooses racks: exactly where that is cheap, greedily with improvement
 * elsewhere.
 *
 * The usual reduce phase has tasks that are all alike: each reads an equal part of every output.
 * Then only the number of tasks per rack matters, and for a given time T each rack has a least
 * number (its own data must not take longer than T to leave, and what its own tasks read does not
 * leave) and a greatest one (the rest must not take longer than T to arrive). T is feasible if the
 * sums of these bounds enclose the number of tasks, so halving finds the least T at any size.
 * Within the bounds tasks are spread so that the links down are equally busy.
 *
 * Tasks that differ (one-to-one, many-to-one) make it a partition problem. Where there are few
 * plans all are tried, depth first, equal tasks only in rising order of racks, and no further than
 * a branch whose links are already busier than the best plan. Beyond that: largest tasks first,
 * each where the worst link grows least; then single tasks are taken out and put where they cost
 * least, and pairs exchanged, until nothing improves or the work is as much as WORK_MAX.
 *
 * Finding the best rack for a task costs as many steps as there are racks: adding its input to the
 * links up of all racks first, only the chosen rack differs from that. */
#include "core/place/network_solve.h"

#include <math.h>
#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "base/sort.h"

enum { WORK_MAX = 5 * 1000 * 1000, EXCHANGE_TASKS_MAX = 64, HALVINGS = 200 };

#define BETTER (1 - 1e-9) /* less than this part of it is an improvement */

/* ---- loads ---- */

static double row_sum(const double *input, uint32_t racks)
{
    double sum = 0;
    for (uint32_t r = 0; r < racks; r++)
        sum += input[r];
    return sum;
}

void network_solve_load_add(struct network_load *l, const double *input, uint32_t rack, double sign)
{
    double sum = row_sum(input, l->racks);
    for (uint32_t r = 0; r < l->racks; r++)
        if (r != rack)
            l->out[r] += sign * input[r];
    l->in[rack] += sign * (sum - input[rack]);
}

static double rack_cost(const struct network_load *l, uint32_t r)
{
    return fmax(l->out[r] / l->up[r], l->in[r] / l->down[r]);
}

static double load_cost(const struct network_load *l)
{
    double worst = 0;
    for (uint32_t r = 0; r < l->racks; r++)
        worst = fmax(worst, rack_cost(l, r));
    return worst;
}

uint32_t network_solve_best_rack(const struct network_load *l, const double *input, uint32_t start,
                                 const bool *allowed)
{
    /* The two worst racks if this task were nowhere, and so read all its input over links. */
    double first = -1, second = -1, sum = row_sum(input, l->racks);
    uint32_t who = 0, best = UINT32_MAX;
    for (uint32_t r = 0; r < l->racks; r++) {
        double cost = fmax((l->out[r] + input[r]) / l->up[r], l->in[r] / l->down[r]);
        if (cost > first) {
            second = first;
            first = cost;
            who = r;
        } else if (cost > second) {
            second = cost;
        }
    }
    double best_cost = 0, best_moved = 0;
    for (uint32_t i = 0; i < l->racks; i++) {
        uint32_t r = (start + i) % l->racks;
        if (allowed && !allowed[r])
            continue;
        double own = fmax(l->out[r] / l->up[r], (l->in[r] + sum - input[r]) / l->down[r]);
        double cost = fmax(r == who ? second : first, own), moved = sum - input[r];
        if (best == UINT32_MAX || cost < best_cost * BETTER ||
            (cost * BETTER <= best_cost && moved < best_moved * BETTER)) {
            best = r;
            best_cost = cost;
            best_moved = moved;
        }
    }
    return best;
}

static struct network_load load_create(const struct network_problem *p)
{
    return (struct network_load){p->racks, mem_zalloc(p->racks, sizeof(double)),
                                 mem_zalloc(p->racks, sizeof(double)), p->up, p->down};
}

static void load_destroy(struct network_load *l)
{
    mem_free(l->out);
    mem_free(l->in);
}

double network_solve_cost(const struct network_problem *p, const uint32_t *plan)
{
    struct network_load l = load_create(p);
    for (uint32_t k = 0; k < p->rows; k++)
        for (uint32_t r = 0; r < p->racks; r++)
            if (plan[k * p->racks + r])
                network_solve_load_add(&l, &p->input[k * p->racks], r, plan[k * p->racks + r]);
    double cost = load_cost(&l);
    load_destroy(&l);
    return cost;
}

/* ---- tasks that are all alike ---- */

/* The least and the greatest number of tasks for a rack within T; false: there is none. */
static bool rack_bounds(const struct network_problem *p, uint32_t r, double t, uint32_t *least,
                        uint32_t *most)
{
    double n = p->count[0], own = p->input[r], sum = row_sum(p->input, p->racks);
    double low = own > 0 ? ceil(n - t * p->up[r] / own) : 0;
    double high = sum > own ? floor(t * p->down[r] / (sum - own)) : n;
    low = fmax(low, 0);
    high = fmin(high, n);
    *least = (uint32_t)low;
    *most = (uint32_t)fmax(high, 0);
    return low <= high;
}

static bool feasible(const struct network_problem *p, double t)
{
    uint64_t least = 0, most = 0;
    for (uint32_t r = 0; r < p->racks; r++) {
        uint32_t low, high;
        if (!rack_bounds(p, r, t, &low, &high))
            return false;
        least += low;
        most += high;
    }
    return least <= p->count[0] && most >= p->count[0];
}

/* Between the bounds of T: as many as keep the link down busy no longer than `level`. */
static uint32_t rack_fill(const struct network_problem *p, uint32_t r, double t, double level)
{
    uint32_t low, high, by_level, ignored;
    bool ok = rack_bounds(p, r, t, &low, &high);
    check(ok);
    (void)rack_bounds(p, r, level, &ignored, &by_level);
    return by_level < low ? low : by_level > high ? high : by_level;
}

static uint64_t fill_all(const struct network_problem *p, double t, double level, uint32_t *plan)
{
    uint64_t sum = 0;
    for (uint32_t r = 0; r < p->racks; r++)
        sum += plan[r] = rack_fill(p, r, t, level);
    return sum;
}

static struct network_result solve_alike(const struct network_problem *p, uint32_t start,
                                         uint32_t *plan)
{
    double low = 0, high = 1;
    if (row_sum(p->input, p->racks) <= 0) { /* nothing to read: evenly */
        for (uint32_t i = 0; i < p->racks; i++)
            plan[(start + i) % p->racks] = p->count[0] / p->racks + (i < p->count[0] % p->racks);
        return (struct network_result){0, true};
    }
    while (!feasible(p, high))
        high *= 2;
    for (int i = 0; i < HALVINGS && low < high; i++) {
        double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high)
            break;
        if (feasible(p, middle))
            high = middle;
        else
            low = middle;
    }
    double t = high, floor_level = 0, level = high;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = floor_level + (level - floor_level) / 2;
        if (middle <= floor_level || middle >= level)
            break;
        if (fill_all(p, t, middle, plan) >= p->count[0])
            level = middle;
        else
            floor_level = middle;
    }
    uint64_t sum = fill_all(p, t, level, plan);
    for (uint32_t i = 0; sum > p->count[0]; i++) { /* those that are at the level together */
        uint32_t r = (start + i) % p->racks, least = rack_fill(p, r, t, floor_level);
        if (plan[r] > least) {
            plan[r]--;
            sum--;
        }
    }
    return (struct network_result){network_solve_cost(p, plan), true};
}

/* ---- greedy, and what improves it ---- */

struct greedy {
    const struct network_problem *p;
    struct network_load load;
    uint32_t *plan;
    uint64_t work;
    uint32_t start;
};

static const double *input_of(const struct network_problem *p, uint32_t k)
{
    return &p->input[k * p->racks];
}

static void put(struct greedy *g, uint32_t k, uint32_t rack, int sign)
{
    network_solve_load_add(&g->load, input_of(g->p, k), rack, sign);
    g->plan[k * g->p->racks + rack] += (uint32_t)sign;
}

static bool has_more_input(const void *a, const void *b, const void *sum)
{
    return ((const double *)sum)[*(const uint32_t *)a] >
           ((const double *)sum)[*(const uint32_t *)b];
}

/* Kinds by falling input of a task. */
static uint32_t *by_size(const struct network_problem *p)
{
    uint32_t *order = mem_zalloc(p->rows, sizeof *order);
    double *sum = mem_zalloc(p->rows, sizeof *sum);
    for (uint32_t k = 0; k < p->rows; k++) {
        order[k] = k;
        sum[k] = row_sum(input_of(p, k), p->racks);
    }
    sort_stable(order, p->rows, sizeof *order, has_more_input, sum);
    mem_free(sum);
    return order;
}

/* Takes each task out and puts it where it costs least; true if the worst link got better. */
static bool move_all(struct greedy *g)
{
    const struct network_problem *p = g->p;
    double before = load_cost(&g->load);
    for (uint32_t k = 0; k < p->rows; k++)
        for (uint32_t r = 0; r < p->racks && g->work < WORK_MAX; r++) {
            if (g->plan[k * p->racks + r] == 0)
                continue;
            g->work += 3 * p->racks;
            put(g, k, r, -1);
            put(g, k, network_solve_best_rack(&g->load, input_of(p, k), r, NULL), 1);
        }
    return load_cost(&g->load) < before * BETTER;
}

/* Exchanges a task of kind k in rack r with one of kind j in rack q if that helps. */
static bool exchange(struct greedy *g, uint32_t k, uint32_t r, uint32_t j, uint32_t q)
{
    double before = load_cost(&g->load);
    put(g, k, r, -1);
    put(g, j, q, -1);
    put(g, k, q, 1);
    put(g, j, r, 1);
    if (load_cost(&g->load) < before * BETTER)
        return true;
    put(g, k, q, -1);
    put(g, j, r, -1);
    put(g, k, r, 1);
    put(g, j, q, 1);
    return false;
}

static bool exchange_any(struct greedy *g)
{
    const struct network_problem *p = g->p;
    for (uint32_t k = 0; k < p->rows; k++)
        for (uint32_t j = k + 1; j < p->rows; j++)
            for (uint32_t r = 0; r < p->racks; r++)
                for (uint32_t q = 0; q < p->racks && g->work < WORK_MAX; q++) {
                    if (q == r || !g->plan[k * p->racks + r] || !g->plan[j * p->racks + q])
                        continue;
                    g->work += 10 * p->racks;
                    if (exchange(g, k, r, j, q))
                        return true;
                }
    return false;
}

struct network_result network_solve_greedy(const struct network_problem *p, uint32_t start,
                                           uint32_t *plan)
{
    struct greedy g = {.p = p, .load = load_create(p), .plan = plan, .start = start};
    uint32_t *order = by_size(p);
    uint64_t tasks = 0;
    memset(plan, 0, (size_t)p->rows * p->racks * sizeof *plan);
    for (uint32_t i = 0; i < p->rows; i++)
        for (uint32_t n = 0; n < p->count[order[i]]; n++) {
            const double *input = input_of(p, order[i]);
            put(&g, order[i],
                network_solve_best_rack(&g.load, input, start + (uint32_t)tasks++, NULL), 1);
        }
    while (g.work < WORK_MAX && (move_all(&g) || (tasks <= EXCHANGE_TASKS_MAX && exchange_any(&g))))
        continue;
    mem_free(order);
    load_destroy(&g.load);
    return (struct network_result){network_solve_cost(p, plan), false};
}

/* ---- all plans ---- */

uint32_t network_solve_plans(const struct network_problem *p)
{
    double plans = 1;
    for (uint32_t k = 0; k < p->rows; k++)
        for (uint32_t i = 1; i < p->racks; i++) {
            plans *= ((double)p->count[k] + i) / i;
            if (plans > NETWORK_PLANS_MAX + 0.5)
                return NETWORK_PLANS_MAX + 1;
        }
    return (uint32_t)(plans + 0.5);
}

struct search {
    const struct network_problem *p;
    struct network_load load;
    uint32_t *plan, *best;
    double best_cost;
};

/* Puts the `left` last tasks of kind k, none below rack `from`, and then the other kinds. */
static void search_on(struct search *s, uint32_t k, uint32_t left, uint32_t from)
{
    const struct network_problem *p = s->p;
    double cost = load_cost(&s->load);
    if (cost >= s->best_cost * BETTER)
        return;
    if (left == 0 && k + 1 == p->rows) {
        s->best_cost = cost;
        memcpy(s->best, s->plan, (size_t)p->rows * p->racks * sizeof *s->best);
        return;
    }
    if (left == 0) {
        search_on(s, k + 1, p->count[k + 1], 0);
        return;
    }
    for (uint32_t r = from; r < p->racks; r++) {
        network_solve_load_add(&s->load, input_of(p, k), r, 1);
        s->plan[k * p->racks + r]++;
        search_on(s, k, left - 1, r);
        s->plan[k * p->racks + r]--;
        network_solve_load_add(&s->load, input_of(p, k), r, -1);
    }
}

struct network_result network_solve(const struct network_problem *p, uint32_t start, uint32_t *plan)
{
    check(p->racks > 0 && p->rows > 0);
    if (p->rows == 1)
        return solve_alike(p, start, plan);
    struct network_result result = network_solve_greedy(p, start, plan);
    if (network_solve_plans(p) > NETWORK_PLANS_MAX)
        return result;
    struct search s = {.p = p, .load = load_create(p), .best = plan, .best_cost = result.worst_s};
    s.plan = mem_zalloc((size_t)p->rows * p->racks, sizeof *s.plan);
    search_on(&s, 0, p->count[0], 0);
    mem_free(s.plan);
    load_destroy(&s.load);
    return (struct network_result){network_solve_cost(p, plan), true};
}
