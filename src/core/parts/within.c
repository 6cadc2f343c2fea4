/* within.c - which task of a phase next: by index, or the one with the most input first, so that
 * the longest does not start last. */
#include "base/sort.h"
#include "core/parts/parts.h"

const struct within_ops within_index = {
    .part = {.name = "index", .help = "tasks in their own order"},
    .rank = NULL,
};

static bool is_larger(const void *a, const void *b, const void *phase)
{
    return phase_task_bytes(phase, *(const uint32_t *)a) >
           phase_task_bytes(phase, *(const uint32_t *)b);
}

static void rank_largest(const struct phase *p, uint32_t *by_rank)
{
    for (uint32_t i = 0; i < p->count; i++)
        by_rank[i] = i;
    sort_stable(by_rank, p->count, sizeof *by_rank, is_larger, p);
}

const struct within_ops within_largest = {
    .part = {.name = "largest-first", .help = "the task with the most input first"},
    .rank = rank_largest,
};
