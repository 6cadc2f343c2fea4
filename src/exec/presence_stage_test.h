/* presence_stage_test.h - runs on two runners that come, fall silent, leave and lie as a test wants
 * it, seen from the events that the brain is told. They start no processes: they write the outputs
 * themselves. Include tests/unit/test.h before it. */
#pragma once

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "base/os/tree.h"
#include "core/brain/brain.h"
#include "core/engine/engine.h"
#include "core/policy/policy.h"
#include "exec/exec.h"
#include "exec/process/runner_link.h"
#include "exec/scene_test.h"
#include "record/journal/journal.h"

enum { GROUPS = 2, TASKS = 6 };
static const int64_t HOUR_US = 3600 * 1000000LL - 1;

struct presence_stage;

/* A runner of one node with one slot. */
struct fake {
    struct runner_link link; /* first */
    struct runner_options options;
    struct presence_stage *stage;
    uint32_t index;
    int step;         /* how far its script is */
    bool here, works; /* works: its attempt ends well in its next turn */
    bool broken;      /* it cannot do its part for an attempt */
    bool busy;        /* it has an attempt ... */
    uint32_t handle;  /* ... this one */
    uint32_t launches, refused;
    int64_t over_us; /* reported when it left */
};

struct presence_stage {
    struct scene_job one;
    struct fake fakes[GROUPS];
    struct exec *exec;
    void (*script)(struct fake *f);
    int (*decide)(struct presence_stage *s); /* in place of the brain */
    bool no_refuse, any_refusal, all_full, sets_timer, falls_silent;
    /* What the brain was told. */
    uint32_t up[GROUPS], down[GROUPS], suspect[GROUPS], drained[GROUPS];
    uint32_t timers, started, ended, lost, lost_early, full, launch_failed, committed[TASKS];
    uint32_t warned, faults, pressed[GROUPS];
    uint32_t cores_told;
    int32_t spare[2], each[2]; /* of the first reports of cores */
    uint32_t lost_in_time;     /* took as long as there was between launch and loss, at most */
    int64_t launch_us[GROUPS]; /* of the newest attempt */
    int result;
    struct err err;
};

/* ---- the runner ---- */

static inline struct fake *fake_of(struct runner_link *r)
{
    return (struct fake *)(void *)r;
}

static inline void fake_report(struct fake *f, uint8_t type)
{
    struct packet p = {.type = type, .handle = f->handle};
    f->options.on_packet(f->options.ctx, &p);
}

static inline void fake_is(struct fake *f, enum runner_presence presence, int64_t over_in_us)
{
    f->here = presence == RUNNER_HERE;
    f->busy &= presence != RUNNER_AWAY;
    f->over_us = clock_now_us() + over_in_us;
    f->options.on_presence(f->options.ctx, presence, f->over_us, "cut");
}

static inline void fake_write(const char *dir)
{
    char path[4096];

    expect(mkdir(dir, 0700) == 0);
    snprintf(path, sizeof path, "%s/stdout", dir);
    FILE *f = fopen(path, "w");
    fputs("done\n", f);
    fclose(f);
}

static inline int fake_order(struct runner_link *r, const struct packet *p)
{
    struct fake *f = fake_of(r);

    if (p->type == PACKET_KILL && !f->here)
        return 0; /* silent */
    expect(f->here);
    if (p->type == PACKET_KILL) {
        f->busy = false;
        fake_report(f, PACKET_KILLED);
        return 0;
    }
    expect(p->type == PACKET_LAUNCH && !f->busy);
    f->handle = p->handle;
    f->launches++;
    if (f->broken) {
        struct packet failed = {.type = PACKET_LAUNCH_FAILED, .handle = p->handle};
        failed.u.error = EROFS;
        failed.u.ours = 1;
        f->options.on_packet(f->options.ctx, &failed);
        return 0;
    }
    f->busy = true;
    fake_write(p->u.launch.dir);
    fake_report(f, PACKET_STARTED);
    return 0;
}

static inline void fake_event(struct runner_link *r, uint32_t source)
{
    (void)r;
    (void)source;
}

static inline int64_t fake_turn(struct runner_link *r)
{
    struct fake *f = fake_of(r);

    f->stage->script(f);
    if (f->busy && f->works) {
        f->busy = false;
        fake_report(f, PACKET_EXITED);
    }
    return clock_now_us() + 1000;
}

static inline void fake_refuse(struct runner_link *r, const char *why)
{
    struct fake *f = fake_of(r);

    expect(f->stage->any_refusal ||
           strstr(why, "a runner sent an invalid report (packet 7, attempt 4294967295)") != NULL);
    f->refused++;
    fake_is(f, RUNNER_AWAY, HOUR_US);
}

static inline void fake_close(struct runner_link *r)
{
    (void)r;
}

static inline struct runner_link *fake_open(void *ctx, uint32_t group,
                                     const struct runner_options *options, struct err *err)
{
    struct presence_stage *s = ctx;
    struct fake *f = &s->fakes[group];

    (void)err;
    *f = (struct fake){.link = {fake_order, fake_event, fake_turn, fake_close, fake_refuse},
                       .options = *options,
                       .stage = s,
                       .index = group};
    if (s->no_refuse)
        f->link.refuse = NULL;
    return &f->link;
}

/* ---- the run ---- */

static inline void stage_dress(void *ctx, struct attempt_ref at, struct node_id node,
                        struct exec_dress *dress)
{
    (void)ctx;
    (void)at;
    (void)node;
    dress->command = "true";
}

static inline void stage_warn(void *ctx, const char *text)
{
    expect(text[0] != 0);
    ((struct presence_stage *)ctx)->warned++;
}

static inline int stage_turn(void *ctx, const struct turn *turn, struct err *err)
{
    struct presence_stage *s = ctx;

    (void)err;
    for (uint32_t i = 0; i < turn->event_count; i++) {
        const struct event *e = &turn->events[i];
        if (e->type == EV_NODE_UP)
            s->up[e->node.v]++;
        if (e->type == EV_NODE_DOWN)
            s->down[e->node.v]++;
        if (e->type == EV_NODE_SUSPECT)
            s->suspect[e->node.v]++;
        if (e->type == EV_NODE_DRAIN)
            s->drained[e->node.v]++;
        if (e->type == EV_PRESSURE)
            s->pressed[e->node.v] += e->u.pressure.disk == 700 && e->u.pressure.memory == 30;
        if (e->type == EV_CORES && s->cores_told < 2) {
            s->spare[s->cores_told] = e->u.cores.spare;
            s->each[s->cores_told++] = e->u.cores.each;
        }
        s->started += e->type == EV_ATTEMPT_STARTED;
        s->ended += e->type == EV_ATTEMPT_ENDED;
        s->full += e->type == EV_ATTEMPT_FAILED && e->cause == CAUSE_DISK_FULL;
        s->launch_failed += e->type == EV_ATTEMPT_LAUNCH_FAILED;
        s->faults += e->cause == CAUSE_NODE_FAULT && e->detail == EROFS;
        s->lost += e->type == EV_ATTEMPT_LOST;
        s->lost_in_time += e->type == EV_ATTEMPT_LOST && e->u.use.wall_us >= 0 &&
                           e->u.use.wall_us <= turn->now_us - s->launch_us[e->node.v];
        s->lost_early += e->type == EV_ATTEMPT_LOST && clock_now_us() < s->fakes[e->node.v].over_us;
        if (e->type == EV_COMMITTED)
            s->committed[e->at.task]++;
    }
    for (uint32_t i = 0; i < turn->decision_count; i++)
        if (turn->decisions[i].type == DO_LAUNCH)
            s->launch_us[turn->decisions[i].node.v] = turn->now_us;
    return 0;
}

static inline void stage_run(struct presence_stage *s, void (*script)(struct fake *f),
                             uint8_t clone)
{
    static const uint32_t of[] = {0, 1};
    struct exec_groups groups = {.ctx = s, .count = GROUPS, .of = of, .open = fake_open, .fd = -1};
    struct exec_hooks hooks = {.ctx = s, .dress = stage_dress, .warn = stage_warn};
    struct cluster *cluster = cluster_plain(GROUPS, 1);
    struct policy *policy = policy_create("none;failures_max=1;disks=own", &s->err);
    struct journal_options none = {0};
    struct journal *journal = journal_create(&none, 1, "none", "exec", &s->err);
    struct brain *brain = brain_create(policy, 1);
    char dir[] = "/tmp/dolly-presence-XXXXXX";

    expect(mkdtemp(dir) != NULL);
    struct exec_options options = {.cluster = cluster,
                                   .workload = &s->one.workload,
                                   .dir = dir,
                                   .journal = journal,
                                   .groups = &groups,
                                   .hooks = &hooks,
                                   .scratch = true,
                                   .failures_max = 1};
    s->script = script;
    scene_job_init(&s->one, TASKS);
    s->one.phase.clone = clone;
    s->exec = exec_create(&options, &s->err);
    expect(s->exec != NULL);
    struct tap tap = {.ctx = s, .turn = stage_turn};
    usleep(20000); /* so that the time of the run is not that of an attempt */
    s->result = s->decide ? s->decide(s) : engine_run(brain, &exec_body, s->exec, &tap, 1, &s->err);
    expect(s->lost_in_time == s->lost);
    exec_destroy(s->exec);
    tree_remove(dir);
    struct err ignored;
    journal_close(journal, true, &ignored);
    brain_destroy(brain);
    policy_destroy(policy);
    cluster_destroy(cluster);
}

static inline bool stage_complete(const struct presence_stage *s)
{
    for (int i = 0; i < TASKS; i++)
        if (s->committed[i] != 1)
            return false;
    return s->result == 0;
}

static inline uint32_t committed(const struct presence_stage *s)
{
    uint32_t sum = 0;
    for (int i = 0; i < TASKS; i++)
        sum += s->committed[i];
    return sum;
}
