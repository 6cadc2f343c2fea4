/* within.c - which task of a phase next: by index, or the one with the most input first, so that
 * the longest does not start last. */
#include "policy/parts.h"

const struct within_ops within_index = {
    .part = {.name = "index", .help = "tasks in their own order"},
    .rank = NULL,
};

/* Sorts by (bytes descending, task); bottom-up merge sort, because it needs no recursion, is stable
 * and never slow. */
static void rank_largest(const struct phase *p, uint32_t *by_rank)
{
    uint32_t n = p->count;
    uint32_t *from = by_rank, *to = mem_resize(NULL, n, sizeof *to), *spare = to;
    for (uint32_t i = 0; i < n; i++)
        by_rank[i] = i;
    for (uint64_t width = 1; width < n; width *= 2) {
        for (uint64_t low = 0; low < n; low += 2 * width) {
            uint64_t mid = low + width < n ? low + width : n;
            uint64_t high = mid + width < n ? mid + width : n;
            uint64_t i = low, k = mid;
            for (uint64_t out = low; out < high; out++) {
                bool left = k >= high || (i < mid && phase_task_bytes(p, from[i]) >=
                                                         phase_task_bytes(p, from[k]));
                to[out] = left ? from[i++] : from[k++];
            }
        }
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != by_rank)
        for (uint32_t i = 0; i < n; i++)
            by_rank[i] = from[i];
    mem_free(spare);
}

const struct within_ops within_largest = {
    .part = {.name = "largest-first", .help = "the task with the most input first"},
    .rank = rank_largest,
};
