/* scenario.c - draws a world from a seed.
 *
 * Swarm testing: each feature is on in about half of the seeds, independently, so that every
 * pair of features meets and so do their absences; a run with every fault at once hides as much as
 * a run with none. Parameters are drawn from the extremes as often as from the middle, because
 * limits break at 0, at 1 and at equality. One seed in seven is a storm: a few nodes that fail all
 * the time under jobs whose phases start early, because what waits for what is most tangled there.
 * Each part has its own stream (draw.h), so that a change to one keeps the others of old seeds. */
#include "tests/swarm/scenario.h"

#include <stdio.h>

#include "base/mem.h"
#include "tests/swarm/draw.h"
#include "tests/swarm/policy_draw.h"

#define SECOND 1e6

/* Generous: no run of the swarm should come near. */
enum { TURNS_MAX = 3000000, INSTANT_TURNS_MAX = 100000 };

enum { WORK_TURNS = 16 }; /* rule work walks over all jobs */

enum { STORM_EVERY = 7 }; /* and not 8: every 8th journal is re-fed */
#define TIME_US_MAX INT64_C(10000000000000)

static void draw_cluster(struct scenario *s)
{
    struct rng r = draw_stream(s->seed, DRAW_CLUSTER, 0);
    uint32_t count = draw_chance(&r, 0.1) ? 1 : draw_between(&r, 1, s->storm ? 8 : 40);
    uint32_t slots_max = draw_between(&r, 1, s->storm ? 3 : 8);
    bool memory = draw_chance(&r, 0.5), mixed = draw_chance(&r, 0.5), slow = draw_chance(&r, 0.5);

    uint32_t racks = draw_chance(&r, 0.5) ? draw_between(&r, 2, 5) : 1;

    s->cluster = cluster_plain(count, slots_max);
    for (uint32_t i = 1; i < racks; i++) {
        char name[16];
        snprintf(name, sizeof name, "r%u", i);
        cluster_add_rack(s->cluster, name);
    }
    for (uint32_t i = 0; i < count; i++) {
        struct cluster_node *n = &s->cluster->nodes[i];
        uint32_t slots = mixed ? draw_between(&r, 1, slots_max) : slots_max;
        n->capacity.v[RES_CPU] = (int32_t)slots * RES_SLOT;
        if (memory)
            n->capacity.v[RES_MEM] = (int32_t)(slots * draw_between(&r, 512, 4096));
        if (slow && draw_chance(&r, 0.2))
            n->speed = draw_real(&r, 0.3, 1);
        n->rack = (uint32_t)rng_below(&r, racks);
    }
}

/* Some clusters have the spare resources, too. All nodes have as much of them, so that whatever
 * fits a node without them fits it with them. The stream is their own: clusters without them are as
 * they were before there were any. */
static void draw_units(struct scenario *s)
{
    struct rng r = draw_stream(s->seed, DRAW_UNITS, 0);

    if (!draw_chance(&r, 0.2))
        return;
    int32_t x = (int32_t)draw_between(&r, 0, 4), y = 0;
    if (draw_chance(&r, 0.5))
        y = (int32_t)draw_between(&r, 1, 4);
    for (uint32_t i = 0; i < s->cluster->node_count; i++) {
        s->cluster->nodes[i].capacity.v[RES_X] = x;
        s->cluster->nodes[i].capacity.v[RES_Y] = y;
    }
    for (int i = RES_X; i <= RES_Y; i++)
        if (draw_chance(&r, 0.5))
            s->cluster->resources[i] = (struct cluster_resource){
                mem_strdup(i == RES_X ? "map" : "reduce"), draw_chance(&r, 0.8) ? RES_SLOTS : 0};
}

/* Links that make reading about as long as work, or much shorter, or much longer. */
static void draw_network(struct scenario *s)
{
    struct rng r = draw_stream(s->seed, DRAW_NETWORK, 0);
    struct wires *w = &s->cluster->wires;

    w->is_simulated = draw_chance(&r, 0.5) || s->storm;
    w->up = (int64_t)draw_log(&r, 1e7, 1e11);
    w->down = (int64_t)draw_log(&r, 1e7, 1e11);
    w->disk = (int64_t)draw_log(&r, 1e7, 1e11);
    if (draw_chance(&r, 0.5))
        w->oversubscription = draw_real(&r, 1, 20);
    if (draw_chance(&r, 0.5))
        w->background = draw_real(&r, 0, 0.9);
    if (draw_chance(&r, 0.5))
        w->streams = (uint32_t)draw_log(&r, 1, 20);
    if (draw_chance(&r, 0.3))
        w->stream = (int64_t)draw_log(&r, 1e7, 1e9);
    if (draw_chance(&r, 0.3))
        w->input = 1 + (uint32_t)rng_below(&r, 3);
}

static double slowest_link(const struct wires *w)
{
    double link = fmin((double)w->up, (double)w->down) * (1 - w->background) / w->oversubscription;
    if (w->stream > 0)
        link = fmin(link, (double)w->stream);
    return fmin(link, (double)w->disk);
}

static double slots(const struct scenario *s)
{
    return (double)cluster_capacity(s->cluster).v[RES_CPU] / RES_SLOT;
}

static void draw_jobs(struct scenario *s)
{
    struct rng r = draw_stream(s->seed, DRAW_JOBS, UINT64_MAX);

    s->jobs = (struct job_draw){.seed = s->seed, .cluster = s->cluster};
    s->jobs.storm = s->storm;
    s->jobs.jobs = 1 + (uint32_t)((s->storm ? 20 : 60) * pow(rng_unit(&r), 2));
    s->jobs.gap_us = draw_chance(&r, 0.2) ? 0 : draw_log(&r, 1e4, 30 * SECOND);
    s->misfits = draw_chance(&r, 0.03) ? 1 : 0;
    s->jobs.misfits_from = s->jobs.jobs - s->misfits;
    s->work = job_draw_work(&s->jobs);
    s->span_us = s->work.time_us / slots(s);
    if (s->cluster->wires.is_simulated) {
        s->span_us += s->work.bytes / slowest_link(&s->cluster->wires) * SECOND;
        s->read_us = s->work.bytes_most / slowest_link(&s->cluster->wires) * SECOND;
    }
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
    if (draw_chance(&r, 0.5) && !s->storm) {
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

static int64_t draw_lag(struct rng *r, const struct scenario *s)
{
    return draw_chance(r, 0.5) ? (int64_t)draw_log(r, 1, (s->storm ? 1 : 60) * SECOND) : 0;
}

/* A cluster that loses outputs faster than it makes and reads them never finishes, and that is
 * nobody's fault. So between two failures anywhere there is time for the longest attempt with some
 * bad luck, or for half of the largest read; the fewer nodes there are, the longer they last in
 * comparison with the work of all jobs; and a node lasts twice as long as any job that has the
 * cluster to itself, as narrow jobs take long. At most a few nodes are down at a time. */
static void draw_node_failures(struct rng *r, struct scenario *s)
{
    struct faults *f = &s->cluster->faults;
    const struct luck *l = &s->cluster->luck;
    double nodes = s->cluster->node_count;
    double bad_luck = s->work.time_us_most + (l->stall_p > 0 ? (double)l->stall_us : 0);
    double lags = (double)(f->kill_lag_us + f->launch_lag_us + f->commit_lag_us + f->doubt_us);
    double apart = fmax(fmax((s->storm ? 0.5 : 5) * SECOND, s->read_us / 2), bad_luck + lags);
    double span = s->span_us + (double)s->work.tasks * lags / slots(s);
    double mtbf = fmax(apart * nodes, 2 * span / nodes) * draw_log(r, 1, 10);

    mtbf = fmax(mtbf, 2 * s->work.job_us_most);
    f->node_mtbf_us = (int64_t)mtbf;
    f->node_repair_us = (int64_t)fmin(draw_log(r, 1, 600 * SECOND), mtbf / 8) + 1;
}

/* Some nodes lose outputs without a word, as rarely as nodes fail: each loss is met by a reader,
 * and costs it and its phase as much. */
static void draw_losses(struct rng *r, struct scenario *s)
{
    struct faults *f = &s->cluster->faults;
    struct faults nodes = *f; /* as if they failed */
    double apart_us;

    draw_node_failures(r, s);
    apart_us = (double)f->node_mtbf_us;
    *f = nodes;
    f->lose_window_us = (int64_t)draw_log(r, 10 * SECOND, 1000 * SECOND);
    f->lose_share = draw_chance(r, 0.3) ? 1 : draw_real(r, 0.1, 1);
    for (uint32_t i = 0; i < s->cluster->node_count; i++)
        if (draw_chance(r, 0.5))
            s->cluster->nodes[i].lose = fmin(0.9, (double)f->lose_window_us / apart_us);
    struct rng parts = draw_stream(s->seed, DRAW_PARTS, 0);
    if (draw_chance(&parts, 0.5))
        f->lose_parts = draw_real(&parts, 0.05, 1);
}

static void draw_faults(struct scenario *s)
{
    struct rng r = draw_stream(s->seed, DRAW_FAULTS, 0);
    struct faults *f = &s->cluster->faults;
    struct meddler_habits *m = &s->meddling;

    s->reports = draw_chance(&r, 0.5);
    f->report_every_us = (int64_t)draw_log(&r, SECOND, 60 * SECOND);
    struct rng beats = draw_stream(s->seed, DRAW_BEATS, 0);
    if (draw_chance(&beats, 0.25))
        f->report_by = REPORT_BY_LIFE;
    if (!draw_chance(&r, 0.25) || s->storm) {
        f->attempt_fail_p = draw_fault(&r);
        f->launch_fail_p = draw_fault(&r);
        f->commit_fail_p = draw_fault(&r);
        f->nondeterministic_p = draw_chance(&r, 0.5) ? draw_real(&r, 0, 1) : 0;
        f->kill_lag_us = draw_lag(&r, s);
        f->launch_lag_us = draw_lag(&r, s);
        f->commit_lag_us = draw_lag(&r, s);
        f->report_lag_us = draw_lag(&r, s);
        f->report_loss_p = draw_fault(&r);
        if (draw_chance(&r, 0.6) || s->storm)
            draw_node_failures(&r, s);
        if (draw_chance(&r, 0.5))
            draw_losses(&r, s);
    }
    if (draw_chance(&r, 0.5)) {
        m->cancel_p = draw_chance(&r, 0.5) ? 0.003 : 0;
        m->change_p = draw_chance(&r, 0.5) ? 0.01 : 0;
        m->withhold_p = draw_chance(&r, 0.5) ? 0.02 : 0;
        m->shrink_p = draw_chance(&r, 0.5) ? 0.02 : 0;
        m->cores_p = draw_chance(&r, 0.5) ? 0.05 : 0;
        m->pressure_p = draw_chance(&r, 0.5) ? 0.1 : 0;
    }
    s->nothing_fails = f->attempt_fail_p <= 0 && f->launch_fail_p <= 0 && f->commit_fail_p <= 0 &&
                       m->cancel_p <= 0 && m->shrink_p <= 0 && !s->storm;
}

/* Whether a node that stays has all that this one has. */
static bool is_covered(const struct cluster *c, const bool *leaves, uint32_t node)
{
    for (uint32_t i = 0; i < c->node_count; i++)
        if (i != node && !leaves[i] && res_fits(&c->nodes[node].capacity, &c->nodes[i].capacity))
            return true;
    return false;
}

/* Nodes that come late, leave for a while, or leave for good, with their capacity, and restarts of
 * the coordinator. Not so many that a task which fits somewhere would fit nowhere in the end. */
static void draw_outages(struct scenario *s)
{
    struct rng r = draw_stream(s->seed, DRAW_OUTAGES, 0);
    struct cluster *c = s->cluster;

    if (!draw_chance(&r, 0.25) || s->storm)
        return;
    bool *leaves = mem_zalloc(c->node_count, sizeof *leaves);
    for (uint32_t i = 0; i < c->node_count; i++) {
        double what = rng_unit(&r), at = draw_real(&r, 0, 1), length = draw_log(&r, 0.01, 1);
        struct cluster_outage o = {i, 1 + (int64_t)(at * s->span_us),
                                   1 + (int64_t)(length * s->span_us), what >= 0.9};
        if (what < 0.2) {
            o.at_us = 1;
        } else if (what < 0.4) {
            leaves[i] = is_covered(c, leaves, i);
            o.for_us = leaves[i] ? CLUSTER_FOR_GOOD : o.for_us;
        }
        if (o.restart)
            o.for_us = 1;
        if (what < 0.5 || o.restart)
            vec_push(&c->outages, o);
    }
    mem_free(leaves);
}

/* Ends of attempts may come from outside, a moment before their node goes. */
static void draw_doubt(struct scenario *s)
{
    struct rng r = draw_stream(s->seed, DRAW_DOUBT, 0);

    if (!draw_chance(&r, 0.25))
        return;
    s->cluster->faults.doubt_us = (int64_t)draw_log(&r, 1, 10 * SECOND);
    s->rules.doubt_us = s->cluster->faults.doubt_us;
}

/* Nodes may come back with their outputs, which others could read meanwhile. */
static void draw_keep(struct scenario *s)
{
    struct rng r = draw_stream(s->seed, DRAW_KEEP, 0);
    bool some = draw_chance(&r, 0.2);
    double share = draw_chance(&r, 0.3) ? 1 : draw_real(&r, 0, 1);

    s->cluster->faults.node_keep_p = some ? share : 0;
}

/* Failures may be blamed on the disks of nodes. */
static void draw_disks(struct scenario *s)
{
    struct rng r = draw_stream(s->seed, DRAW_DISKS, 0);

    if (!draw_chance(&r, 0.25))
        return;
    str_add(&s->policy, ";disks=own");
    s->rules.disks_own = true;
    s->meddling.full_p = draw_real(&r, 0, 1);
}

static void draw_policy(struct scenario *s)
{
    struct policy_draw p = {.span_us = s->span_us, .generous = s->storm};

    policy_draw(&p, s->seed, &s->policy, &s->rules);
    s->nothing_fails &= !p.hasty;
    s->rules.network = s->cluster->wires.is_simulated;
    s->rules.work_turns = WORK_TURNS;
    s->rules.turns_max = TURNS_MAX;
    s->rules.instant_turns_max = INSTANT_TURNS_MAX;
    s->rules.time_us_max = TIME_US_MAX;
}

void scenario_init(struct scenario *s, uint64_t seed)
{
    *s = (struct scenario){.seed = seed, .storm = seed % STORM_EVERY == 0};
    draw_cluster(s);
    draw_units(s);
    draw_network(s);
    draw_jobs(s);
    draw_luck(s);
    draw_doubt(s);
    draw_faults(s);
    draw_keep(s);
    draw_outages(s);
    draw_policy(s);
    draw_disks(s);
}

void scenario_fini(struct scenario *s)
{
    cluster_destroy(s->cluster);
    str_free(&s->policy);
}

void scenario_describe(const struct scenario *s, struct str *out)
{
    const struct faults *f = &s->cluster->faults;

    str_addf(out, "%s%u nodes, %u jobs, policy %s", s->storm ? "storm: " : "",
             s->cluster->node_count, s->jobs.jobs, s->policy.text);
    str_addf(out, "; mtbf %.0f s, fail %.3f, launch_fail %.3f, commit_fail %.3f",
             (double)f->node_mtbf_us / SECOND, f->attempt_fail_p, f->launch_fail_p,
             f->commit_fail_p);
    if (s->cluster->wires.is_simulated)
        str_addf(out, "; network %.0f up %.0f down %.0f disk MB/s, racks %u, oversubscription %.1f",
                 (double)s->cluster->wires.up / 1e6, (double)s->cluster->wires.down / 1e6,
                 (double)s->cluster->wires.disk / 1e6, s->cluster->rack_count,
                 s->cluster->wires.oversubscription);
    str_addf(out, "; lags kill %.3f launch %.3f commit %.3f report %.3f s",
             (double)f->kill_lag_us / SECOND, (double)f->launch_lag_us / SECOND,
             (double)f->commit_lag_us / SECOND, (double)f->report_lag_us / SECOND);
    for (uint32_t i = 0; i < s->cluster->outages.count; i++)
        str_addf(out, "; node %u %s at %.3f s", s->cluster->outages.at[i].node,
                 s->cluster->outages.at[i].restart                      ? "restarts"
                 : s->cluster->outages.at[i].for_us == CLUSTER_FOR_GOOD ? "leaves"
                                                                        : "goes",
                 (double)s->cluster->outages.at[i].at_us / SECOND);
    if (f->doubt_us > 0)
        str_addf(out, "; doubt %.6f s", (double)f->doubt_us / SECOND);
    str_addf(out,
             "; meddling cancel %.3f change %.3f withhold %.3f shrink %.3f cores "
             "%.3f pressure %.3f full %.3f",
             s->meddling.cancel_p, s->meddling.change_p, s->meddling.withhold_p,
             s->meddling.shrink_p, s->meddling.cores_p, s->meddling.pressure_p, s->meddling.full_p);
}
