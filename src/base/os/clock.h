/* clock.h - the one clock of the executor: monotonic, in microseconds. */
#pragma once

#include <stdint.h>
#include <time.h>

/* The time now. */
static inline int64_t clock_now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* The CPU time that this process has taken so far: it does not grow while others keep it waiting.
 */
static inline int64_t clock_cpu_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* The timeout in milliseconds with which epoll_wait returns at `at_us` or just after, at most an
 * hour; -1 (for ever) for INT64_MAX. */
static inline int clock_timeout_ms(int64_t now_us, int64_t at_us)
{
    if (at_us == INT64_MAX)
        return -1;
    if (at_us <= now_us)
        return 0;
    int64_t ms = (at_us - now_us + 999) / 1000;
    return ms > 3600 * 1000 ? 3600 * 1000 : (int)ms;
}
