/* scenario.c - draws a world from a seed.
 *
 * Swarm testing: each feature is on in about half of the seeds, independently, so that every
 * pair of features meets and so do their absences; a run with every fault at once hides as much as
 * a run with none. Parameters are drawn from the extremes as often as from the middle, because
 * limits break at 0, at 1 and at equality. Each part has its own stream (draw.h), so that a change
 * to one keeps the others of old seeds. */
#include "tests/swarm/scenario.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/swarm/draw.h"

#define SECOND 1e6

/* Generous: no run of the swarm should come near. */
enum { TURNS_MAX = 3000000, INSTANT_TURNS_MAX = 100000 };
#define TIME_US_MAX INT64_C(10000000000000)

static void draw_cluster(struct scenario *s)
{
    struct rng r = draw_stream(s->seed, DRAW_CLUSTER, 0);
    uint32_t count = draw_chance(&r, 0.1) ? 1 : draw_between(&r, 1, 40);
    uint32_t slots_max = draw_between(&r, 1, 8);
    bool memory = draw_chance(&r, 0.5), mixed = draw_chance(&r, 0.5), slow = draw_chance(&r, 0.5);

    s->cluster = cluster_plain(count, slots_max);
    for (uint32_t i = 0; i < count; i++) {
        struct cluster_node *n = &s->cluster->nodes[i];
        uint32_t slots = mixed ? draw_between(&r, 1, slots_max) : slots_max;
        n->capacity.v[RES_CPU] = (int32_t)slots * RES_SLOT;
        if (memory)
            n->capacity.v[RES_MEM] = (int32_t)(slots * draw_between(&r, 512, 4096));
        if (slow && draw_chance(&r, 0.2))
            n->speed = draw_real(&r, 0.3, 1);
    }
}

static void draw_jobs(struct scenario *s)
{
    struct rng r = draw_stream(s->seed, DRAW_JOBS, UINT64_MAX);

    s->jobs = (struct job_draw){.seed = s->seed, .cluster = s->cluster};
    s->jobs.jobs = 1 + (uint32_t)(60 * pow(rng_unit(&r), 2));
    s->jobs.gap_us = draw_chance(&r, 0.2) ? 0 : draw_log(&r, 1e4, 30 * SECOND);
    s->misfits = draw_chance(&r, 0.03) ? 1 : 0;
    s->jobs.misfits_from = s->jobs.jobs - s->misfits;
}

static void draw_luck(struct scenario *s)
{
    struct rng r = draw_stream(s->seed, DRAW_LUCK, 0);
    struct luck *l = &s->cluster->luck;

    if (draw_chance(&r, 0.5))
        l->startup_us = (int64_t)draw_log(&r, 1, SECOND);
    if (draw_chance(&r, 0.5))
        l->noise = draw_real(&r, 0, 0.5);
    if (draw_chance(&r, 0.5)) {
        l->slow_p = draw_real(&r, 0, 0.4);
        l->slow_factor = draw_real(&r, 1, 5);
    }
    if (draw_chance(&r, 0.25))
        l->pareto = draw_real(&r, 1.5, 3);
    if (draw_chance(&r, 0.5)) {
        l->stall_p = draw_real(&r, 0, 0.4);
        l->stall_us = (int64_t)draw_log(&r, 1, 60 * SECOND);
        l->stall_noise = draw_real(&r, 0, 1);
        l->stall_at = draw_real(&r, 0.2, 3);
    }
    if (draw_chance(&r, 0.5)) {
        l->bad_share = draw_real(&r, 0, 0.5);
        l->bad_factor = draw_real(&r, 1, 3);
        l->good_factor = draw_real(&r, 0, 1);
        l->window_us = (int64_t)draw_log(&r, SECOND, 3600 * SECOND);
    }
}

static double draw_fault(struct rng *r)
{
    return draw_chance(r, 0.5) ? draw_log(r, 0.001, 0.3) : 0;
}

static int64_t draw_lag(struct rng *r)
{
    return draw_chance(r, 0.5) ? (int64_t)draw_log(r, 1, 60 * SECOND) : 0;
}

/* A cluster that loses outputs faster than it makes them never finishes, and that is nobody's
 * fault. So some node fails every minute at most, and the fewer nodes there are, the longer they
 * last in comparison with the work of all jobs. */
static int64_t draw_mtbf(struct rng *r, const struct scenario *s)
{
    double nodes = s->cluster->node_count;
    double slots = (double)cluster_capacity(s->cluster).v[RES_CPU] / RES_SLOT;
    double work = job_draw_work_us(&s->jobs) / slots;
    double least = fmax(60 * SECOND * nodes, work / nodes);

    return (int64_t)(least * draw_log(r, 1, 30));
}

static void draw_faults(struct scenario *s)
{
    struct rng r = draw_stream(s->seed, DRAW_FAULTS, 0);
    struct faults *f = &s->cluster->faults;
    struct meddler_habits *m = &s->meddling;

    s->reports = draw_chance(&r, 0.5);
    f->report_every_us = (int64_t)draw_log(&r, SECOND, 60 * SECOND);
    if (!draw_chance(&r, 0.25)) {
        if (draw_chance(&r, 0.5)) {
            f->node_mtbf_us = draw_mtbf(&r, s);
            f->node_repair_us = (int64_t)draw_log(&r, 1, 600 * SECOND);
        }
        f->attempt_fail_p = draw_fault(&r);
        f->launch_fail_p = draw_fault(&r);
        f->commit_fail_p = draw_fault(&r);
        f->nondeterministic_p = draw_chance(&r, 0.5) ? draw_real(&r, 0, 1) : 0;
        f->kill_lag_us = draw_lag(&r);
        f->launch_lag_us = draw_lag(&r);
        f->commit_lag_us = draw_lag(&r);
        f->report_lag_us = draw_lag(&r);
        f->report_loss_p = draw_fault(&r);
    }
    if (draw_chance(&r, 0.5)) {
        m->cancel_p = draw_chance(&r, 0.5) ? 0.003 : 0;
        m->change_p = draw_chance(&r, 0.5) ? 0.01 : 0;
        m->withhold_p = draw_chance(&r, 0.5) ? 0.02 : 0;
        m->shrink_p = draw_chance(&r, 0.5) ? 0.02 : 0;
    }
    s->nothing_fails = f->attempt_fail_p <= 0 && f->launch_fail_p <= 0 && f->commit_fail_p <= 0 &&
                       m->cancel_p <= 0 && m->shrink_p <= 0;
}

/* Appends ";key=value" and returns the value as the policy will read it. */
static double set_real(struct str *policy, const char *key, double value)
{
    char text[32];

    snprintf(text, sizeof text, "%.6g", value);
    str_addf(policy, ";%s=%s", key, text);
    return strtod(text, NULL);
}

static void set_text(struct str *policy, const char *key, const char *value)
{
    str_addf(policy, ";%s=%s", key, value);
}

static void draw_dolly(struct rng *r, struct scenario *s)
{
    static const double shares[] = {0, 0.01, 0.05, 0.1, 0.2, 0.5, 1};
    static const double ceilings[] = {0, 0.3, 0.8, 0.8, 1, 1};
    static const double epsilons[] = {1e-6, 0.01, 0.05, 0.05, 0.5, 0.99};
    static const double priors[] = {0.01, 0.15, 0.15, 0.5, 0.9};
    static const char *const admits[] = {"all", "all", "partial", "preempt", "fcfs"};
    static const char *const windows[] = {"1s", "60s", "3600s"};
    bool odd = draw_chance(r, 0.3); /* numbers that are not round */

    s->rules.clones = true;
    s->rules.budget_idle = draw_chance(r, 0.25);
    s->rules.beta = set_real(&s->policy, "beta", odd ? rng_unit(r) : draw_of(r, shares));
    s->rules.tau = set_real(&s->policy, "tau", odd ? rng_unit(r) : draw_of(r, ceilings));
    set_real(&s->policy, "eps", odd ? draw_real(r, 0.001, 0.9) : draw_of(r, epsilons));
    set_real(&s->policy, "p_prior", draw_of(r, priors));
    set_text(&s->policy, "p_window", draw_of(r, windows));
    set_text(&s->policy, "admit", draw_of(r, admits));
    set_text(&s->policy, "charge", draw_chance(r, 0.3) ? "literal" : "extra");
    set_text(&s->policy, "hold", draw_chance(r, 0.3) ? "job" : "phase");
    set_text(&s->policy, "budget", s->rules.budget_idle ? "idle" : "cluster");
}

static void draw_policy(struct scenario *s)
{
    struct rng r = draw_stream(s->seed, DRAW_POLICY, 0);
    bool dolly = draw_chance(&r, 0.9);

    s->rules = (struct referee_rules){.beta = 0,
                                      .tau = 0,
                                      .turns_max = TURNS_MAX,
                                      .instant_turns_max = INSTANT_TURNS_MAX,
                                      .time_us_max = TIME_US_MAX};
    str_addf(&s->policy, "order=%s", draw_chance(&r, 0.5) ? "fifo" : "fair");
    str_addf(&s->policy, ",within=%s", draw_chance(&r, 0.5) ? "index" : "largest-first");
    str_addf(&s->policy, ",mitigate=%s", dolly ? "dolly" : "none");
    if (dolly)
        draw_dolly(&r, s);
}

void scenario_init(struct scenario *s, uint64_t seed)
{
    *s = (struct scenario){.seed = seed};
    draw_cluster(s);
    draw_jobs(s);
    draw_luck(s);
    draw_faults(s);
    draw_policy(s);
}

void scenario_fini(struct scenario *s)
{
    cluster_destroy(s->cluster);
    str_free(&s->policy);
}

void scenario_describe(const struct scenario *s, struct str *out)
{
    const struct faults *f = &s->cluster->faults;

    str_addf(out, "%u nodes, %u jobs, policy %s", s->cluster->node_count, s->jobs.jobs,
             s->policy.text);
    str_addf(out, "; mtbf %.0f s, fail %.3f, launch_fail %.3f, commit_fail %.3f",
             (double)f->node_mtbf_us / SECOND, f->attempt_fail_p, f->launch_fail_p,
             f->commit_fail_p);
    str_addf(out, "; lags kill %.3f launch %.3f commit %.3f report %.3f s",
             (double)f->kill_lag_us / SECOND, (double)f->launch_lag_us / SECOND,
             (double)f->commit_lag_us / SECOND, (double)f->report_lag_us / SECOND);
    str_addf(out, "; meddling cancel %.3f change %.3f withhold %.3f shrink %.3f",
             s->meddling.cancel_p, s->meddling.change_p, s->meddling.withhold_p,
             s->meddling.shrink_p);
}
