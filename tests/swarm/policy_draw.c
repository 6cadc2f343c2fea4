/* policy_draw.c - any part of any seam with any other, and parameters from their ends.
 *
 * Each part that was chosen draws its own parameters. Those that are drawn as text or number are
 * read back the way the policy reads them, so that the referee judges by the same value. */
#include "tests/swarm/policy_draw.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/policy/policy.h"
#include "tests/swarm/draw.h"

#define SECOND 1e6

/* At most so many looks of a periodic policy per run, about. */
enum { TICKS_MAX = 3000 };
enum { FAILURES_MAX = 4, LAUNCHES_MAX = 1000 }; /* what policies have unless told */

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

static int64_t set_time(struct str *policy, const char *key, double us)
{
    str_addf(policy, ";%s=%lldus", key, (long long)us);
    return (int64_t)us;
}

static double draw_share(struct rng *r)
{
    static const double shares[] = {0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 1};
    return draw_chance(r, 0.3) ? rng_unit(r) : draw_of(r, shares);
}

/* Clones that fit into any budget: a stream of its own, as it came after the others. */
static void draw_least(uint64_t seed, struct str *policy, struct referee_rules *rules)
{
    static const uint32_t counts[] = {1, 1, 1, 2, 5, 100};
    struct rng r = draw_stream(seed, DRAW_LEAST, 0);

    if (!draw_chance(&r, 0.3))
        return;
    rules->least = draw_of(&r, counts);
    str_addf(policy, ";least=%u", rules->least);
}

static void draw_dolly(struct rng *r, uint64_t seed, struct str *policy,
                       struct referee_rules *rules, bool generous)
{
    static const double ceilings[] = {0, 0.3, 0.8, 0.8, 1, 1};
    static const double epsilons[] = {1e-6, 0.01, 0.05, 0.05, 0.5, 0.99};
    static const double priors[] = {0.01, 0.15, 0.15, 0.5, 0.9};
    static const char *const admits[] = {"all", "all", "partial", "preempt", "fcfs"};
    static const char *const windows[] = {"1s", "60s", "3600s"};
    bool odd = draw_chance(r, 0.3); /* numbers that are not round */

    rules->clones = true;
    rules->budget_idle = draw_chance(r, 0.25);
    double beta = draw_share(r), tau = odd ? rng_unit(r) : draw_of(r, ceilings);
    rules->beta = set_real(policy, "beta", generous ? 1 : beta);
    rules->tau = set_real(policy, "tau", generous ? 1 : tau);
    set_real(policy, "eps", odd ? draw_real(r, 0.001, 0.9) : draw_of(r, epsilons));
    set_real(policy, "p_prior", draw_of(r, priors));
    set_text(policy, "p_window", draw_of(r, windows));
    set_text(policy, "admit", draw_of(r, admits));
    set_text(policy, "charge", draw_chance(r, 0.3) ? "literal" : "extra");
    set_text(policy, "dolly.copies_max", draw_chance(r, 0.3) ? "2" : "16");
    set_text(policy, "budget", rules->budget_idle ? "idle" : "cluster");
    draw_least(seed, policy, rules);
}

static void draw_hotcloud(struct rng *r, struct str *policy, struct referee_rules *rules,
                          const struct policy_draw *p)
{
    rules->clones = rules->budget_idle = rules->hotcloud = true;
    rules->copies_max = draw_between(r, 1, 6);
    str_addf(policy, ";dolly-hotcloud.copies_max=%u", rules->copies_max);
    rules->tau = set_real(policy, "dolly-hotcloud.tau", draw_share(r));
    set_real(policy, "dolly-hotcloud.eps", draw_log(r, 1e-6, 0.99));
    set_real(policy, "dolly-hotcloud.p_prior", draw_share(r));
    set_text(policy, "walk", draw_chance(r, 0.5) ? "ascending" : "descending");
    double window = draw_log(r, SECOND, 100 * SECOND);
    set_time(policy, "dolly-hotcloud.window", fmin(fmax(window, p->span_us / TICKS_MAX), 1e12));
}

/* The mitigation, shepherd in one of twelve: a stream of its own, as it came after the others. */
static const char *draw_shepherd(uint64_t seed, const char *mitigate)
{
    struct rng r = draw_stream(seed, DRAW_SHEPHERD, 0);

    if (!draw_chance(&r, 1.0 / 12))
        return mitigate;
    return draw_chance(&r, 0.2) ? "shepherd+late" : "shepherd";
}

static void draw_dollymp(struct rng *r, struct str *policy, struct referee_rules *rules)
{
    rules->clones = rules->offers = true;
    rules->beta = rules->tau = 1e9; /* there is no budget */
    rules->copies_max = draw_between(r, 1, 4);
    str_addf(policy, ";dollymp.clones=%u", rules->copies_max - 1);
    set_text(policy, "dollymp.copies", draw_chance(r, 0.5) ? "fixed" : "corollary");
    set_text(policy, "gate", draw_chance(r, 0.7) ? "off" : "demand");
    rules->budget_idle = draw_chance(r, 0.3);
    rules->yields = !rules->budget_idle && draw_chance(r, 0.5);
    set_text(policy, "when", rules->budget_idle ? "idle" : rules->yields ? "yield" : "after");
}

static void draw_job_clone(struct rng *r, struct str *policy, struct referee_rules *rules)
{
    rules->clones = rules->job_clone = true;
    rules->beta = 1e9; /* there is no budget */
    rules->tau = set_real(policy, "job-clone.tau", draw_chance(r, 0.5) ? 1 : draw_share(r));
    str_addf(policy, ";job-clone.copies_max=%u", draw_between(r, 1, 6));
    set_real(policy, "job-clone.eps", draw_log(r, 1e-6, 0.99));
    set_real(policy, "job-clone.p_prior", draw_share(r));
    if (draw_chance(r, 0.2))
        str_addf(policy, ";tasks_max=%u", draw_between(r, 1, 20));
}

static int64_t draw_floor(struct rng *r, struct str *policy, const char *key)
{
    return set_time(policy, key, draw_chance(r, 0.3) ? 0 : draw_log(r, 1e4, 60 * SECOND));
}

static void draw_scan(struct rng *r, struct str *policy, const char *key,
                      const struct policy_draw *p)
{
    double scan = draw_log(r, 0.1 * SECOND, 5 * SECOND);
    set_time(policy, key, fmin(fmax(scan, p->span_us / TICKS_MAX), 3600 * SECOND));
}

static void draw_late(struct rng *r, struct str *policy, struct referee_rules *rules)
{
    rules->cap = set_real(policy, "late.cap", draw_share(r));
    set_real(policy, "late.slow_task", draw_share(r));
    set_real(policy, "late.slow_node", draw_share(r));
    rules->early = draw_chance(r, 0.5);
    set_text(policy, "late.early", rules->early ? "yes" : "no");
    draw_floor(r, policy, "late.floor");
}

static void draw_mantri(struct rng *r, struct str *policy, struct referee_rules *rules)
{
    rules->duplicates_max = draw_between(r, 1, 5);
    rules->restarts_max = draw_between(r, 0, 4);
    str_addf(policy, ";mantri.copies_max=%u;mantri.gamma=%u;mantri.alpha=%u", rules->duplicates_max,
             rules->restarts_max, draw_between(r, 1, 4));
    set_text(policy, "mantri.careful", rules->restarts_max % 2 ? "no" : "yes"); /* draws nothing */
    set_real(policy, "mantri.chance", draw_share(r));
    set_real(policy, "mantri.rho", draw_chance(r, 0.3) ? 0 : draw_log(r, 0.1, 10));
    rules->duplicate_after_us = draw_floor(r, policy, "mantri.delta");
}

/* Whether backups yield to first attempts: of all such policies alike, and on a stream of its own,
 * as it came after the others. */
static void draw_careful(uint64_t seed, const char *name, struct str *policy,
                         struct referee_rules *rules)
{
    struct rng r = draw_stream(seed, DRAW_CAREFUL, 0);
    bool careful = draw_chance(&r, 0.7);

    rules->backups_yield = careful;
    str_addf(policy, ";%s.careful=%s", name, careful ? "yes" : "no");
}

/* A policy that launches backups; its parameters are named with it, as two of them may be there. */
static void draw_reactive(struct rng *r, uint64_t seed, const char *name,
                          const struct policy_draw *p, struct str *policy,
                          struct referee_rules *rules)
{
    char key[32];

    rules->backups = true;
    if (!strcmp(name, "late"))
        draw_late(r, policy, rules);
    if (!strcmp(name, "mantri"))
        draw_mantri(r, policy, rules);
    else if (strcmp(name, "shepherd"))
        draw_careful(seed, name, policy, rules);
    if (!strcmp(name, "hadoop")) {
        set_real(policy, "hadoop.gap", draw_share(r));
        draw_floor(r, policy, "hadoop.floor");
    }
    if (!strcmp(name, "mapreduce"))
        set_real(policy, "mapreduce.backup_at", draw_share(r));
    if (!strcmp(name, "dryad"))
        set_real(policy, "dryad.quantile", draw_share(r));
    snprintf(key, sizeof key, "%s.scan", name);
    draw_scan(r, policy, key, p);
}

static void draw_blacklist(struct rng *r, struct str *policy, const struct policy_draw *p)
{
    double window = draw_log(r, SECOND, 100 * SECOND);

    set_time(policy, "blacklist.window", fmin(fmax(window, p->span_us / TICKS_MAX), 1e12));
    set_real(policy, "p_b", draw_share(r));
    str_addf(policy, ";samples_min=%u", draw_between(r, 1, 5));
}

static void draw_protect(struct rng *r, struct str *policy, struct referee_rules *rules)
{
    static const double shares[] = {0, 0.1, 0.1, 1, 100};

    rules->protects = true;
    rules->replicate = set_real(policy, "mantri.replicate", draw_of(r, shares));
    rules->precompute = set_real(policy, "mantri.precompute", draw_share(r));
    str_addf(policy, ";mantri.after=%u", draw_between(r, 1, 3));
    draw_floor(r, policy, "mantri.quick");
    set_time(policy, "mantri.memory", draw_log(r, SECOND, 1e11));
    set_real(policy, "mantri.r_prior", draw_share(r));
    set_real(policy, "mantri.r_weight", draw_log(r, 0.01, 100));
    set_real(policy, "mantri.rate", draw_log(r, 1, 1e6));
}

/* What the seam `shuffle` promises: how long readers wait, and whether outputs are read in turn. */
static void draw_shuffle(struct rng *r, const char *name, struct str *policy,
                         struct referee_rules *rules)
{
    static const char *const windows[] = {"1s", "60s", "3600s"};

    if (!strcmp(name, "cac")) {
        rules->omega_us = REFEREE_OMEGA_NEVER;
        rules->reuse_off = true;
    }
    rules->deal = !strcmp(name, "deal");
    if (strcmp(name, "delay") && !rules->deal)
        return;
    if (!rules->deal) {
        rules->reuse_off = draw_chance(r, 0.5);
        set_text(policy, "reuse", rules->reuse_off ? "off" : "on");
    }
    set_text(policy, "omega_window", draw_of(r, windows));
    if (draw_chance(r, 0.25)) {
        rules->omega_us = REFEREE_OMEGA_AUTO;
        set_text(policy, "omega", "auto");
        set_time(policy, "omega_prior", draw_chance(r, 0.2) ? 0 : draw_log(r, 1, 60 * SECOND));
    } else if (draw_chance(r, 0.3)) {
        rules->omega_us = REFEREE_OMEGA_NEVER;
        set_text(policy, "omega", "inf");
    } else {
        double omega = draw_chance(r, 0.2) ? 0 : draw_log(r, 1, 1000 * SECOND);
        rules->omega_us = set_time(policy, "omega", omega);
    }
}

/* The four queues that jobs name, and perhaps the one that the others are in. Where the four have
 * all that can be guaranteed, the rest has nothing. */
static void draw_capacity(struct rng *r, struct str *policy, struct referee_rules *rules)
{
    static const char *const names[] = {"q0", "q1", "q2", "q3", "default"};
    uint32_t count = draw_between(r, 4, 5);
    bool whole = draw_chance(r, 0.3);

    rules->queues = true;
    rules->queue_most[4] = 1;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t least = whole ? 100 / count : draw_between(r, 1, 100 / count);
        uint32_t most = draw_chance(r, 0.3) ? 100 : draw_between(r, least, 100);
        str_addf(policy, "%s%s:%u:%u", i ? "," : ";queues=", names[i], least, most);
        rules->queue_most[i] = most / 100.0;
    }
}

/* Two mitigations are "proactive+reactive", or whatever else somebody may think of. */
static void draw_mitigate(struct rng *r, uint64_t seed, const char *mitigate,
                          const struct policy_draw *p, struct str *policy,
                          struct referee_rules *rules)
{
    uint32_t count;
    const struct policy_part *const *parts = policy_parts(SEAM_MITIGATE, &count);

    if (strstr(mitigate, "job-clone"))
        draw_job_clone(r, policy, rules);
    else if (strstr(mitigate, "hotcloud"))
        draw_hotcloud(r, policy, rules, p);
    else if (strstr(mitigate, "shepherd")) {
        rules->clones = rules->budget_idle = rules->shepherd = true;
        rules->copies_max = 10;
    } else if (strstr(mitigate, "dollymp"))
        draw_dollymp(r, policy, rules);
    else if (strstr(mitigate, "dolly"))
        draw_dolly(r, seed, policy, rules, p->generous);
    for (uint32_t i = 0; i < count; i++)
        if (((const struct mitigate_ops *)parts[i])->backs_up && strstr(mitigate, parts[i]->name))
            draw_reactive(r, seed, parts[i]->name, p, policy, rules);
}

void policy_draw(struct policy_draw *p, uint64_t seed, struct str *policy,
                 struct referee_rules *rules)
{
    static const char *const mitigations[] = {
        "none",           "hadoop",
        "mapreduce",      "dryad",
        "late",           "mantri",
        "mantri",         "dolly",
        "dolly",          "dolly",
        "dolly",          "dolly",
        "dolly",          "dolly+late",
        "dolly+late",     "dolly+late",
        "dolly+hadoop",   "dolly+dryad",
        "late+dolly",     "dolly+mapreduce",
        "dolly+mantri",   "dolly+mantri",
        "late+dryad",     "hadoop+mapreduce",
        "dolly-hotcloud", "dolly-hotcloud+late",
        "job-clone",      "job-clone",
        "job-clone+late", "job-clone+mantri",
        "dollymp",        "dollymp",
        "dollymp",        "dollymp+late",
        "dollymp+mantri",
    };
    static const char *const shuffles[] = {"cc", "cac", "delay", "delay", "deal", "deal"};
    static const char *const places[] = {"tetris",   "any",      "locality", "network-aware",
                                         "best-fit", "best-fit", "graphene"};
    static const char *const orders[] = {"tetris", "capacity", "fifo", "fifo",    "fair",   "fair",
                                         "srpt",   "svf",      "drf",  "dollymp", "carbyne"};
    struct rng r = draw_stream(seed, DRAW_POLICY, 0);
    const char *mitigate = draw_shepherd(seed, draw_of(&r, mitigations));
    const char *shuffle = draw_of(&r, shuffles), *place = draw_of(&r, places);
    bool blacklist = draw_chance(&r, 0.3), protect = draw_chance(&r, 0.4);

    const char *order = draw_of(&r, orders);
    str_addf(policy, "order=%s", order);
    str_addf(policy, ",within=%s", draw_chance(&r, 0.5) ? "index" : "largest-first");
    str_addf(policy, ",place=%s", place);
    str_addf(policy, ",screen=%s", blacklist ? "blacklist" : "none");
    str_addf(policy, ",protect=%s", protect ? "mantri" : "none");
    str_addf(policy, ",mitigate=%s,shuffle=%s", mitigate, shuffle);
    if (!strcmp(place, "best-fit"))
        set_text(policy, "match", draw_chance(&r, 0.3) ? "task" : "server");
    rules->failures_max = FAILURES_MAX;
    if (draw_chance(&r, 0.2))
        str_addf(policy, ";failures_max=%u", rules->failures_max = draw_between(&r, 1, 6));
    rules->launches_max = LAUNCHES_MAX;
    p->hasty = draw_chance(&r, 0.1);
    if (p->hasty)
        str_addf(policy, ";launches_max=%u", rules->launches_max = draw_between(&r, 1, 8));
    if (draw_chance(&r, 0.25)) {
        rules->cost = set_real(policy, "policy.cap", draw_log(&r, 1e-4, 0.5));
        double window = fmax(draw_log(&r, SECOND, 600 * SECOND), 60 * p->span_us / TICKS_MAX);
        rules->cost_window_us = (int64_t)fmin(window, 1e12) / 60 * 60;
        set_time(policy, "cap_window", (double)rules->cost_window_us);
    }
    if (blacklist)
        draw_blacklist(&r, policy, p);
    draw_shuffle(&r, shuffle, policy, rules);
    rules->fifo = !strcmp(order, "fifo");
    if (!strcmp(order, "capacity"))
        draw_capacity(&r, policy, rules);
    if (protect)
        draw_protect(&r, policy, rules);
    draw_mitigate(&r, seed, mitigate, p, policy, rules);
    if (draw_chance(&r, 0.15)) {
        double tick = fmax(draw_log(&r, 1000, 10 * SECOND), p->span_us / TICKS_MAX);
        rules->tick_us = set_time(policy, "tick", fmin(tick, 1e11));
    }
}

/* Whether "...,seam=a+b,..." names the part. */
static bool draws(const char *policy, const char *seam, const char *part)
{
    char key[32];
    size_t length = strlen(part);

    snprintf(key, sizeof key, "%s=", seam);
    const char *at = strstr(policy, key) + strlen(key);
    for (size_t n; (n = strcspn(at, "+,;")), true; at += n + 1) {
        if (n == length && !strncmp(at, part, n))
            return true;
        if (at[n] != '+')
            return false;
    }
}

uint32_t policy_draw_missing(void)
{
    enum { SEEDS = 1000 };
    uint32_t count, missing = 0;
    struct str policies[SEEDS] = {0};

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct policy_draw p = {.span_us = SECOND};
        struct referee_rules rules = {0};
        policy_draw(&p, seed, &policies[seed], &rules);
    }
    for (enum seam seam = 0; seam < SEAM_COUNT; seam++) {
        const struct policy_part *const *parts = policy_parts(seam, &count);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t seed = 0;
            while (seed < SEEDS &&
                   !draws(policies[seed].text, policy_seam_name(seam), parts[i]->name))
                seed++;
            if (seed == SEEDS)
                printf("selftest: no seed draws %s=%s: see policy_draw.c\n", policy_seam_name(seam),
                       parts[i]->name);
            missing += seed == SEEDS;
        }
    }
    for (uint32_t seed = 0; seed < SEEDS; seed++)
        str_free(&policies[seed]);
    return missing;
}
