/* worlds.c - does a policy do harm? Runs it beside none in random worlds (harm_world.h).
 *
 *     build/worlds [--policy POLICY] [--base POLICY] [--seeds FIRST-LAST] [--kinds KIND,KIND...]
 *                  [--jobs N] [--write DIR] [--selftest]
 *
 * A world fails if the mean time of its jobs is more than 1 % above that under the base. The table
 * has for each kind the mean and the worst of these ratios, and the share of single jobs that take
 * over 5 % longer. --write leaves the worlds as files for `dolly sim`. Closes with
 * `N passed, N failed`; the status is 1 if any failed. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "core/policy/policy.h"
#include "inputs/cluster/cluster.h"
#include "inputs/workload/workload.h"
#include "record/run/run.h"
#include "sim/sim.h"
#include "tests/worlds/harm_world.h"

#define RATIO_MAX 1.01     /* mean time over that of the base */
#define JOB_RATIO_MAX 1.05 /* the same of one job, which is counted */

struct options {
    const char *policy, *base, *write;
    uint64_t first, last;
    uint32_t jobs, kinds; /* a bit for each */
    bool selftest;
};

/* ---- one run ---- */

struct job_times {
    uint32_t count, done;
    int64_t *came_us, *took_us;
};

static int times_turn(void *ctx, const struct turn *turn, struct err *err)
{
    struct job_times *t = ctx;
    for (uint32_t i = 0; i < turn->event_count; i++) {
        const struct event *e = &turn->events[i];
        if (e->type == EV_JOB_SUBMITTED && e->at.job.v < t->count)
            t->came_us[e->at.job.v] = turn->now_us;
    }
    for (uint32_t i = 0; i < turn->decision_count; i++) {
        const struct decision *d = &turn->decisions[i];
        if (d->type == DO_JOB_FAILED)
            return err_set(err, "job %u failed, in a world without faults", d->at.job.v);
        if (d->type == DO_JOB_DONE && d->at.job.v < t->count) {
            t->took_us[d->at.job.v] = turn->now_us - t->came_us[d->at.job.v];
            t->done++;
        }
    }
    return 0;
}

static int run_policy(const struct cluster *cluster, const char *text, const char *name,
                      uint64_t seed, struct job_times *t, struct err *err)
{
    struct policy *policy = policy_create(name, err);
    struct workload *workload =
        policy ? workload_file_read_text("world", text, cluster, err) : NULL;
    struct run *run =
        workload ? run_create(&(struct run_options){.policy = policy, .seed = seed}, err) : NULL;
    int rc = -1;
    if (run) {
        struct tap tap = {.ctx = t, .turn = times_turn};
        struct sim *sim = sim_create(&(struct sim_options){.cluster = cluster,
                                                           .workload = workload,
                                                           .seed = seed,
                                                           .reports = policy_reads_progress(policy),
                                                           .samples = policy_reads_links(policy)});
        rc = run_drive(run, (struct body){&sim_body, sim}, &tap, 1, err);
        if (rc == 0 && t->done != t->count)
            rc = err_set(err, "%u jobs of %u are done", t->done, t->count);
        sim_destroy(sim);
        rc = run_close(run, rc, err);
    }
    if (workload)
        workload->destroy(workload);
    policy_destroy(policy);
    return rc;
}

/* ---- one world ---- */

struct verdict {
    double ratio;   /* of the means */
    uint32_t worse; /* jobs that take over 5 % longer */
};

static struct verdict judge(const struct job_times *base, const struct job_times *policy)
{
    struct verdict v = {0};
    double sum[2] = {0, 0};
    for (uint32_t j = 0; j < base->count; j++) {
        sum[0] += (double)base->took_us[j];
        sum[1] += (double)policy->took_us[j];
        v.worse += (double)policy->took_us[j] > JOB_RATIO_MAX * (double)base->took_us[j];
    }
    v.ratio = sum[1] / sum[0];
    return v;
}

static int world_judge(const struct harm_world *w, const struct options *o, uint64_t seed,
                       struct verdict *out, struct err *err)
{
    struct cluster *cluster = cluster_file_read_text(w->cluster.text, "world", err);
    if (!cluster)
        return -1;
    int64_t *us = mem_zalloc(4 * (size_t)o->jobs, sizeof *us);
    struct job_times base = {o->jobs, 0, us, us + o->jobs};
    struct job_times policy = {o->jobs, 0, us + 2 * (size_t)o->jobs, us + 3 * (size_t)o->jobs};
    int rc = run_policy(cluster, w->workload.text, o->base, seed, &base, err);
    if (rc == 0)
        rc = run_policy(cluster, w->workload.text, o->policy, seed, &policy, err);
    if (rc == 0)
        *out = judge(&base, &policy);
    mem_free(us);
    cluster_destroy(cluster);
    return rc;
}

static int write_text(const char *dir, const char *name, uint64_t seed, const char *kind,
                      const struct str *text, struct err *err)
{
    struct str path = {0};
    str_addf(&path, "%s/%s-%llu.%s", dir, name, (unsigned long long)seed, kind);
    FILE *f = fopen(path.text, "w");
    bool fine = f && fputs(text->text, f) >= 0;
    if (f && fclose(f) != 0)
        fine = false;
    int rc = fine ? 0 : err_set(err, "cannot write %s; is the folder there?", path.text);
    str_free(&path);
    return rc;
}

/* ---- all of a kind ---- */

struct sums {
    uint64_t worlds, failed, jobs, worse, worst_seed;
    double ratios, worst;
};

static int judge_kind(const struct options *o, enum harm_kind kind, struct sums *all,
                      struct err *err)
{
    for (uint64_t seed = o->first; seed <= o->last; seed++) {
        struct harm_world w = harm_world_draw(kind, seed, o->jobs);
        struct verdict v = {0};
        int rc = 0;
        if (o->write) {
            const char *name = harm_world_name(kind);
            rc = write_text(o->write, name, seed, "workload", &w.workload, err);
            if (rc == 0)
                rc = write_text(o->write, name, seed, "cluster", &w.cluster, err);
        }
        if (rc == 0)
            rc = world_judge(&w, o, seed, &v, err);
        harm_world_free(&w);
        if (rc < 0)
            return -1;
        all->worlds++;
        all->jobs += o->jobs;
        all->worse += v.worse;
        all->ratios += v.ratio;
        if (all->worlds == 1 || v.ratio > all->worst) {
            all->worst = v.ratio;
            all->worst_seed = seed;
        }
        all->failed += !(v.ratio <= RATIO_MAX);
        if (!(v.ratio <= RATIO_MAX) && !o->selftest)
            printf("not ok %s %llu: %.4f of %s; --write DIR --kinds %s --seeds %llu-%llu "
                   "--jobs %u leaves its files\n",
                   harm_world_name(kind), (unsigned long long)seed, v.ratio, o->base,
                   harm_world_name(kind), (unsigned long long)seed, (unsigned long long)seed,
                   o->jobs);
    }
    return 0;
}

static int judge_all(const struct options *o, struct sums kinds[HARM_KINDS], struct err *err)
{
    for (int k = 0; k < HARM_KINDS; k++)
        if (o->kinds >> k & 1 && judge_kind(o, (enum harm_kind)k, &kinds[k], err) < 0) {
            struct err why = *err;
            return err_set(err, "%s: %s", harm_world_name((enum harm_kind)k), why.text);
        }
    return 0;
}

/* Prints the table; returns how many worlds failed. */
static uint64_t print_all(const struct options *o, const struct sums kinds[HARM_KINDS])
{
    uint64_t worlds = 0, failed = 0;
    printf("%-9s %7s %7s %7s %9s  jobs over 5 %% worse   (%s over %s)\n", "kind", "worlds", "mean",
           "worst", "its seed", o->policy, o->base);
    for (int k = 0; k < HARM_KINDS; k++) {
        const struct sums *s = &kinds[k];
        if (s->worlds == 0)
            continue;
        printf("%-9s %7llu %7.4f %7.4f %9llu  %.2f %%\n", harm_world_name((enum harm_kind)k),
               (unsigned long long)s->worlds, s->ratios / (double)s->worlds, s->worst,
               (unsigned long long)s->worst_seed, 100 * (double)s->worse / (double)s->jobs);
        worlds += s->worlds;
        failed += s->failed;
    }
    printf("%llu passed, %llu failed\n", (unsigned long long)(worlds - failed),
           (unsigned long long)failed);
    return failed;
}

/* ---- can it fail? ---- */

/* Counts the worlds of some kinds in which a policy does harm. */
static int harmed(struct options o, const char *policy, uint64_t *failed, struct err *err)
{
    struct sums kinds[HARM_KINDS] = {0};
    o.policy = policy;
    if (judge_all(&o, kinds, err) < 0)
        return -1;
    *failed = 0;
    for (int k = 0; k < HARM_KINDS; k++)
        *failed += kinds[k].failed;
    return 0;
}

/* A policy that kills without care, and copies that stay, must fail where copies are not luckier;
 * none itself, and copies that yield to first attempts, must not. */
static int selftest(const struct options *o, struct err *err)
{
    static const struct {
        const char *policy;
        uint32_t kinds;
        bool harms;
    } cases[] = {
        {"none", (1u << HARM_KINDS) - 1, false},
        {"mantri;careful=no", 1u << HARM_SKEW, true},
        {"mantri;careful=no", 1u << HARM_ANTI, true},
        {"late;floor=0s;cap=1;careful=no", 1u << HARM_SKEW, true},
        {"late;floor=0s;cap=1", 1u << HARM_SKEW | 1u << HARM_ANTI, false},
    };
    uint32_t bad = 0, count = sizeof cases / sizeof *cases;
    for (uint32_t i = 0; i < count; i++) {
        struct options one = *o;
        uint64_t failed;
        one.kinds = cases[i].kinds;
        one.jobs = 40;
        one.first = 1;
        one.last = 12;
        if (harmed(one, cases[i].policy, &failed, err) < 0)
            return -1;
        bool fine = (failed > 0) == cases[i].harms;
        printf("%s %s %s harm: %llu worlds\n", fine ? "ok" : "not ok", cases[i].policy,
               cases[i].harms ? "does" : "does no", (unsigned long long)failed);
        bad += !fine;
    }
    struct harm_world a = harm_world_draw(HARM_MIX, 7, 5), b = harm_world_draw(HARM_MIX, 7, 5);
    struct harm_world c = harm_world_draw(HARM_MIX, 8, 5);
    bool same =
        !strcmp(a.workload.text, b.workload.text) && strcmp(a.workload.text, c.workload.text);
    printf("%s a seed is one world\n", same ? "ok" : "not ok");
    bad += !same;
    harm_world_free(&a);
    harm_world_free(&b);
    harm_world_free(&c);
    printf("%u passed, %u failed\n", count + 1 - bad, bad);
    return bad > 0;
}

/* ---- the command ---- */

static int parse_kinds(const char *text, uint32_t *out, struct err *err)
{
    *out = 0;
    while (*text) {
        size_t length = strcspn(text, ",");
        int k = 0;
        while (k < HARM_KINDS && (strncmp(harm_world_name((enum harm_kind)k), text, length) != 0 ||
                                  harm_world_name((enum harm_kind)k)[length] != 0))
            k++;
        if (k == HARM_KINDS)
            return err_set(err, "no kind of worlds is called '%.*s'", (int)length, text);
        *out |= 1u << k;
        text += length + (text[length] == ',');
    }
    return 0;
}

static int parse(int argc, char **argv, struct options *o, struct err *err)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        unsigned long long first, last;
        unsigned jobs;
        char rest;
        if (!strcmp(argv[i], "--selftest")) {
            o->selftest = true;
            continue;
        }
        if (!value)
            return err_set(err, "%s needs a value, or is unknown", argv[i]);
        i++;
        if (!strcmp(argv[i - 1], "--policy"))
            o->policy = value;
        else if (!strcmp(argv[i - 1], "--base"))
            o->base = value;
        else if (!strcmp(argv[i - 1], "--write"))
            o->write = value;
        else if (!strcmp(argv[i - 1], "--kinds") && parse_kinds(value, &o->kinds, err) < 0)
            return -1;
        else if (!strcmp(argv[i - 1], "--kinds"))
            continue;
        else if (!strcmp(argv[i - 1], "--seeds") &&
                 sscanf(value, "%llu-%llu%c", &first, &last, &rest) == 2 && first <= last)
            o->first = first, o->last = last;
        else if (!strcmp(argv[i - 1], "--jobs") && sscanf(value, "%u%c", &jobs, &rest) == 1 &&
                 jobs > 0 && jobs <= 100000)
            o->jobs = jobs;
        else
            return err_set(err, "%s %s is wrong; see the head of tests/worlds/worlds.c",
                           argv[i - 1], value);
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct options o = {.policy = "none",
                        .base = "none",
                        .first = 1,
                        .last = 20,
                        .jobs = 120,
                        .kinds = (1u << HARM_KINDS) - 1};
    struct sums kinds[HARM_KINDS] = {0};
    struct err err;
    int rc = parse(argc, argv, &o, &err);
    if (rc == 0 && o.selftest)
        rc = selftest(&o, &err);
    else if (rc == 0) {
        rc = judge_all(&o, kinds, &err);
        if (rc == 0)
            rc = print_all(&o, kinds) > 0;
    }
    if (rc < 0) {
        fprintf(stderr, "worlds: %s\n", err.text);
        return 2;
    }
    return rc;
}
