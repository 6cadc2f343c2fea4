/* bare.c - how fast a simulation could be at best: FIFO tasks on hosts, a heap, and nothing else.
 *
 *     bare TASKS HOSTS        prints the seconds it took
 *
 * The same tasks as bench/gen and bench/peers/simgrid.cpp write, taken by hosts in turn as they
 * become free. No jobs, no policy, no random numbers, no records, no statistics: the distance from
 * here to a simulator is the price of all of those. */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct end {
    int64_t at_us;
    uint32_t host;
};

static int64_t size_us(uint32_t task)
{
    return 10000000 + (int64_t)((uint64_t)task * 7919 % 99991) * 900;
}

/* Gives the root a new value and lets it sink to its place. */
static void heap_replace_top(struct end *heap, uint32_t count, struct end e)
{
    uint32_t i = 0;

    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= count)
            break;
        if (child + 1 < count && heap[child + 1].at_us < heap[child].at_us)
            child++;
        if (e.at_us <= heap[child].at_us)
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = e;
}

static void heap_add(struct end *heap, uint32_t i, struct end e)
{
    for (; i > 0 && e.at_us < heap[(i - 1) / 2].at_us; i = (i - 1) / 2)
        heap[i] = heap[(i - 1) / 2];
    heap[i] = e;
}

/* The time at which the last task ends. */
static int64_t simulate(struct end *heap, uint32_t tasks, uint32_t hosts)
{
    int64_t now_us = 0;
    uint32_t next = 0, busy = 0;

    for (; busy < hosts && next < tasks; busy++, next++)
        heap_add(heap, busy, (struct end){size_us(next), busy});
    while (busy > 0) {
        now_us = heap[0].at_us;
        if (next < tasks) {
            heap_replace_top(heap, busy, (struct end){now_us + size_us(next++), heap[0].host});
        } else {
            busy--;
            heap_replace_top(heap, busy, heap[busy]);
        }
    }
    return now_us;
}

static int64_t clock_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int main(int argc, char **argv)
{
    uint32_t tasks = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 100000;
    uint32_t hosts = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 1000;
    struct end *heap = calloc(hosts ? hosts : 1, sizeof *heap);

    if (!heap)
        return 1;
    int64_t begun_us = clock_us();
    int64_t makespan_us = simulate(heap, tasks, hosts);
    double took_s = (double)(clock_us() - begun_us) / 1e6;
    printf("%.6f makespan %.3f\n", took_s, (double)makespan_us / 1e6);
    free(heap);
    return 0;
}
