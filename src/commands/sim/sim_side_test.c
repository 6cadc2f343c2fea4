#include "commands/sim/sim_run.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/deny.h"
#include "tests/unit/limits.h"

enum { RUNS = 3 };

/* Ends the process of a simulation before it has begun: by a signal, or by an exit if that is 0. */
static struct workload *leave(void *signo, uint8_t vary)
{
    (void)vary;
    if (*(int *)signo) {
        signal(*(int *)signo, SIG_DFL);
        raise(*(int *)signo);
    }
    _exit(0);
}

/* Returns true if three simulations, two at once, fail with this text. */
static bool fail_with(int signo, uint32_t policies, const char *why)
{
    static char *names[] = {"first", "second", "third"};
    static enum ideal yardsticks[] = {IDEAL_NO_STRAGGLERS, IDEAL_NO_STRAGGLERS,
                                      IDEAL_NO_STRAGGLERS};
    struct sim_recorded recorded = {.ctx = &signo, .jobs = leave};
    struct sim_args a = {
        .recorded = &recorded, .names = names, .count = policies, .yardsticks = yardsticks};
    struct sim_run results[RUNS] = {0};
    struct sim_side_run runs[RUNS];
    struct err err = {0};

    for (uint32_t i = 0; i < RUNS; i++)
        runs[i] = (struct sim_side_run){i, 0, &results[i]};
    bool failed = sim_side_runs(&a, runs, RUNS, 2, &err) < 0;
    bool same = failed && err.kind == ERR_SYSTEM && strcmp(err.text, why) == 0;
    if (!same)
        printf("%s, not %s\n", err.text, why);
    return same;
}

TEST(sim_side_reports_the_first_simulation_that_was_lost)
{
    expect(fail_with(0, RUNS, "the process that simulated first ended without a result"));
    expect(fail_with(0, 0, "the process that simulated no-stragglers ended without a result"));
    expect(fail_with(SIGTERM, RUNS, "the simulation of first was ended by signal 15"));
    expect(fail_with(SIGKILL, RUNS,
                     "the simulation of first was ended by signal 9; if memory is short, use "
                     "--parallel 1"));
}

TEST(sim_side_needs_descriptors)
{
    for (int n = 0; n < 2; n++) {
        struct rlimit before = limits_descriptors(n);
        bool refused = fail_with(0, RUNS, "cannot make a pipe: Too many open files");
        setrlimit(RLIMIT_NOFILE, &before);
        expect(refused);
    }
}

TEST(sim_side_needs_memory)
{
    if (test_lacks_memory_limits())
        return;
    struct rlimit before = limits_set(RLIMIT_AS, 1);
    bool refused = fail_with(0, RUNS, "cannot share memory: Cannot allocate memory");
    setrlimit(RLIMIT_AS, &before);
    expect(refused);
}

static bool reports_no_process(void)
{
    int opened = limits_open();

    deny_call(SYS_clone, EAGAIN);
#ifdef SYS_fork
    deny_call(SYS_fork, EAGAIN);
#endif
    return fail_with(0, RUNS, "cannot start a process: Resource temporarily unavailable") &&
           limits_open() == opened;
}

TEST(sim_side_needs_processes)
{
    deny_test(reports_no_process);
}
