/* raw_syscall.h - system calls without the C library, for a process that borrows our memory.
 *
 * Such a process shares errno with us, and everything else the library keeps; so its calls must
 * leave no trace. An answer below zero is the negative errno. */
#ifndef RUNNER_RAW_SYSCALL_H
#define RUNNER_RAW_SYSCALL_H

#include <sys/syscall.h>

#if defined(__x86_64__) && !defined(__ILP32__)

#define BARE_CALLS 1
static inline long bare_call(long number, long a, long b, long c, long d)
{
    register long r10 __asm__("r10") = d;

    __asm__ volatile("syscall"
                     : "+a"(number)
                     : "D"(a), "S"(b), "d"(c), "r"(r10)
                     : "rcx", "r11", "memory");
    return number;
}

#elif defined(__aarch64__)

#define BARE_CALLS 1
static inline long bare_call(long number, long a, long b, long c, long d)
{
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = a;
    register long x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c;
    register long x3 __asm__("x3") = d;

    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
    return x0;
}

#else /* for whoever borrows our memory while we sleep, and may change errno */

#include <errno.h>
#include <unistd.h>

#define BARE_CALLS 0
static inline long bare_call(long number, long a, long b, long c, long d)
{
    long answer = syscall(number, a, b, c, d);
    return answer < 0 ? -errno : answer;
}

#endif

#endif
