/* clock.h - the clocks of the executor, in microseconds; all its times are of the monotonic one. */
#pragma once

#include <stdint.h>
#include <time.h>

/* The time of one of the system's clocks. */
static inline int64_t clock_read_us(clockid_t which)
{
    struct timespec t;

    clock_gettime(which, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* The time now. */
static inline int64_t clock_now_us(void)
{
    return clock_read_us(CLOCK_MONOTONIC);
}

/* The time by a clock that advances while the machine sleeps. */
static inline int64_t clock_boot_us(void)
{
    return clock_read_us(CLOCK_BOOTTIME);
}

/* The CPU time that this process has taken so far: it does not grow while others keep it waiting.
 */
static inline int64_t clock_cpu_us(void)
{
    return clock_read_us(CLOCK_PROCESS_CPUTIME_ID);
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
