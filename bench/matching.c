#include "bench/matching.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/match/match.h"

static volatile sig_atomic_t watched, depth; /* depth: src/core/match calls itself, too */
static volatile long seen, matching;

static void look(int signal)
{
    (void)signal;
    seen += watched;
    matching += watched && depth > 0;
}

static void start_timer(void)
{
    static timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    struct itimerspec every = {{0, 200000}, {0, 200000}};
    struct sigaction action = {.sa_handler = look, .sa_flags = SA_RESTART};
    if (sigaction(SIGALRM, &action, NULL) < 0 ||
        timer_create(CLOCK_MONOTONIC, &event, &timer) < 0 ||
        timer_settime(timer, 0, &every, NULL) < 0) {
        perror("timer");
        exit(1);
    }
}

void matching_watch(bool on)
{
    static bool started;
    if (on && !started)
        start_timer();
    started |= on;
    watched = on;
}

double matching_share(void)
{
    double share = seen > 0 ? (double)matching / (double)seen : 0;
    seen = matching = 0;
    return share;
}

/* A line each: bench/parts/55-decide makes --wrap of the names. */
#define WRAP(type, name, parameters, arguments)                                                    \
    type __real_##name parameters;                                                                 \
    type __wrap_##name parameters;                                                                 \
    type __wrap_##name parameters                                                                  \
    {                                                                                              \
        depth++;                                                                                   \
        type result = __real_##name arguments;                                                     \
        depth--;                                                                                   \
        return result;                                                                             \
    }
#define WRAP_VOID(name, parameters, arguments)                                                     \
    void __real_##name parameters;                                                                 \
    void __wrap_##name parameters;                                                                 \
    void __wrap_##name parameters                                                                  \
    {                                                                                              \
        depth++;                                                                                   \
        __real_##name arguments;                                                                   \
        depth--;                                                                                   \
    }

/* clang-format off */
WRAP(uint32_t, fit_index_find, (const struct fit_index *x, uint32_t d, uint32_t from), (x, d, from))
WRAP(uint32_t, fit_index_next, (const struct fit_index *x, uint32_t d, uint32_t from), (x, d, from))
WRAP(const uint32_t *, fit_index_few, (const struct fit_index *x, uint32_t d, uint32_t *n), (x, d, n))
WRAP(bool, fit_index_any_by_search, (const struct fit_index *x, uint32_t d), (x, d))
WRAP_VOID(fit_index_set, (struct fit_index *x, uint32_t i, const struct res *free), (x, i, free))
WRAP(struct demand_queue *, demand_queues_hold, (struct demand_queues *s, uint32_t g, const struct res *need), (s, g, need))
WRAP_VOID(demand_queues_drop, (struct demand_queues *s, struct demand_queue *l), (s, l))
WRAP_VOID(demand_queues_put, (struct demand_queues *s, struct demand_queue *l, enum queue_side x, int64_t k, uint64_t t, uint32_t *p), (s, l, x, k, t, p))
WRAP_VOID(demand_queues_rekey, (struct demand_queues *s, struct demand_queue *l, enum queue_side x, int64_t k, uint32_t *p), (s, l, x, k, p))
WRAP_VOID(demand_queues_take, (struct demand_queues *s, struct demand_queue *l, enum queue_side x, uint32_t *p), (s, l, x, p))
WRAP_VOID(demand_queues_begin_far, (struct demand_queues *s), (s))
WRAP(const struct heap_item *, demand_queues_next, (struct demand_queues *s, enum queue_side *x), (s, x))
WRAP_VOID(demand_queues_pass_over, (struct demand_queues *s, struct demand_queue *l, enum queue_side x), (s, l, x))
WRAP_VOID(node_walk_add, (struct node_walk *s, const struct match_entry *e, uint32_t fit), (s, e, fit))
WRAP_VOID(node_walk_remove, (struct node_walk *s, const struct match_entry *e), (s, e))
WRAP_VOID(node_walk_rekey, (struct node_walk *s, const struct match_entry *e, int64_t key), (s, e, key))
WRAP(bool, node_walk_begin, (struct node_walk *s), (s))
WRAP(uint32_t, node_walk_next, (struct node_walk *s, const struct fit_index *fit, uint32_t from), (s, fit, from))
WRAP(void *, match_list_best, (struct match_list *l, const struct res *free), (l, free))
WRAP_VOID(match_nodes_set, (struct match_nodes *m, uint32_t i, const struct res *free), (m, i, free))
WRAP_VOID(match_nodes_set_all, (struct match_nodes *m, struct node_set *n, const struct res *free), (m, n, free))
WRAP(uint32_t, match_nodes_best, (struct match_nodes *m, const struct res *need), (m, need))
WRAP(uint32_t, match_nodes_best_of, (const uint32_t *at, uint32_t n, const struct res *free, const struct res *l, const struct res *need), (at, n, free, l, need))
/* clang-format on */
