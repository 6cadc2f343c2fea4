/* deny.h - for tests: system calls that fail.
 *
 *     static bool reports_it(void)
 *     {
 *         return deny_call(SYS_fsync, EIO) && f(&err) == -1 && ...;
 *     }
 *     deny_test(reports_it);
 *
 * The call fails for the rest of a process, so each test of one runs in a child. */
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/test.h"

enum { DENY_CANNOT = 77 }; /* the status of a child that cannot make calls fail */

/* From now on the call with this number (SYS_...) fails with this errno. Ends the process where the
 * kernel, or what stands for it, cannot do that. Returns true. */
static inline bool deny_call(long number, int error)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
        _exit(DENY_CANNOT);
    return true;
}

/* Expects that the function returns true in a child. */
static inline void deny_test(bool (*body)(void))
{
    int status = -1;
    pid_t child = fork();

    if (child == 0)
        _exit(body() ? 0 : 1);
    expect(child > 0 && waitpid(child, &status, 0) == child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == DENY_CANNOT)
        test_skip("system calls cannot be made to fail here");
    else
        expect(status == 0);
}
