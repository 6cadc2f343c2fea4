/* decide.c - how long the brain takes to decide, and how much it remembers.
 *
 *     decide once POLICY     about 1000 jobs that come at once onto 30 000 empty servers:
 * milliseconds of the decide in which all 25 000 attempts are launched, the best of several: ranks,
 * matching, accounts and the decisions with their reasons decide queued POLICY   bytes of memory
 * for each of a million tasks that wait
 *
 * CPU time. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "bench/brain_world.h"
#include "core/policy/policy.h"

enum { SERVERS = 30000, REPEAT = 5 };

/* ---- once ---- */

/* Milliseconds of the decide, or -1 when it did not launch all. */
static double measure_once(const struct policy *policy)
{
    struct brain *b = brain_create(policy, 1);
    struct rng r = rng_branch(1, 2, 3);
    uint32_t launches = 0;
    tell_servers(b, &r, SERVERS);
    for (uint32_t i = 0; i < JOBS; i++)
        tell_job(b, &r, 1, i);
    double from = now_ms();
    struct decision_list out = brain_decide(b, 1);
    double took = now_ms() - from;
    for (uint32_t i = 0; i < out.count; i++)
        launches += out.at[i].type == DO_LAUNCH;
    brain_destroy(b);
    return launches >= JOBS * TASKS ? took : -1;
}

static int once(const struct policy *policy, const char *name)
{
    double best = measure_once(policy);
    for (int k = 1; k < REPEAT && best >= 0; k++) {
        double took = measure_once(policy);
        best = took < best ? took : best;
    }
    printf("   %-36s %9.2f  %s\n", name, best, strcmp(name, "dollymp0") ? "" : "12");
    return best < 0 ? -1 : 0;
}

/* ---- queued ---- */

static double peak_bytes(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (double)use.ru_maxrss * 1024;
}

static void queued(const struct policy *policy, const char *name)
{
    enum { MILLION = 1000000 };
    struct brain *b = brain_create(policy, 1);
    struct rng r = rng_branch(1, 2, 3);
    tell_servers(b, &r, 1);
    double before = peak_bytes();
    for (uint32_t i = 0; i < MILLION / TASKS; i++)
        tell_job(b, &r, 1, i);
    brain_decide(b, 1);
    printf("   %-36s %9.0f  %s\n", name, (peak_bytes() - before) / MILLION, "200 at most");
    brain_destroy(b);
}

int main(int argc, char **argv)
{
    struct err err;
    struct policy *policy = argc > 2 ? policy_create(argv[2], &err) : NULL;
    if (!policy)
        return 2;
    int status = 0;
    if (strcmp(argv[1], "once") == 0)
        status = once(policy, argv[2]) < 0;
    else
        queued(policy, argv[2]);
    policy_destroy(policy);
    return status;
}
