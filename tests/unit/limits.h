/* limits.h - for tests: writes that fail at any byte, and descriptors that run out.
 *
 *     limits_bytes(n)            no file may have more than n bytes
 *     limits_descriptors(n)      no more than n more may be open
 *     limits_open()              how many are
 *
 * Both return the limit before, which is to be set again. */
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

enum { LIMITS_LOOK = 512 };

static inline int limits_open(void)
{
    int count = 0;

    for (int fd = 0; fd < LIMITS_LOOK; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

/* Sets a limit, and returns the one before. */
static inline struct rlimit limits_set(unsigned which, rlim_t n)
{
    struct rlimit before, now;

    getrlimit(which, &before);
    now = before;
    now.rlim_cur = n < before.rlim_max ? n : before.rlim_max;
    setrlimit(which, &now);
    return before;
}

static inline struct rlimit limits_bytes(rlim_t n)
{
    signal(SIGXFSZ, SIG_IGN); /* so that the call fails instead */
    return limits_set(RLIMIT_FSIZE, n);
}

static inline struct rlimit limits_descriptors(int n)
{
    int fd = 0;

    for (; n > 0 || fcntl(fd, F_GETFD) >= 0; fd++)
        n -= fcntl(fd, F_GETFD) < 0;
    return limits_set(RLIMIT_NOFILE, (rlim_t)fd);
}
