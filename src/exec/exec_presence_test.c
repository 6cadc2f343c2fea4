/* Runs on two runners that come, fall silent, leave and lie as a test wants it, seen from the
 * events that the brain is told. They start no processes: they write the outputs themselves. */
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
#include "tests/unit/test.h"

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
    bool here, works; /* works: what it has ends well in its next turn */
    bool broken;      /* it cannot do its part for an attempt */
    bool busy;        /* it has an attempt ... */
    uint32_t handle;  /* ... this one */
    uint32_t launches, refused;
    int64_t over_us; /* what it said when it left */
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
    int result;
    struct err err;
};

/* ---- the runner ---- */

static struct fake *fake_of(struct runner_link *r)
{
    return (struct fake *)(void *)r;
}

static void fake_report(struct fake *f, uint8_t type)
{
    struct packet p = {.type = type, .handle = f->handle};
    f->options.on_packet(f->options.ctx, &p);
}

static void fake_is(struct fake *f, enum runner_presence presence, int64_t over_in_us)
{
    f->here = presence == RUNNER_HERE;
    f->busy &= presence != RUNNER_AWAY;
    f->over_us = clock_now_us() + over_in_us;
    f->options.on_presence(f->options.ctx, presence, f->over_us, "cut");
}

static void fake_write(const char *dir)
{
    char path[4096];

    expect(mkdir(dir, 0700) == 0);
    snprintf(path, sizeof path, "%s/stdout", dir);
    FILE *f = fopen(path, "w");
    fputs("done\n", f);
    fclose(f);
}

static int fake_order(struct runner_link *r, const struct packet *p)
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

static void fake_event(struct runner_link *r, uint32_t source)
{
    (void)r;
    (void)source;
}

static int64_t fake_turn(struct runner_link *r)
{
    struct fake *f = fake_of(r);

    f->stage->script(f);
    if (f->busy && f->works) {
        f->busy = false;
        fake_report(f, PACKET_EXITED);
    }
    return clock_now_us() + 1000;
}

static void fake_refuse(struct runner_link *r, const char *why)
{
    struct fake *f = fake_of(r);

    expect(f->stage->any_refusal ||
           strstr(why, "a runner sent an invalid report (packet 7, attempt 4294967295)") != NULL);
    f->refused++;
    fake_is(f, RUNNER_AWAY, HOUR_US);
}

static void fake_close(struct runner_link *r)
{
    (void)r;
}

static struct runner_link *fake_open(void *ctx, uint32_t group,
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

static void stage_dress(void *ctx, struct attempt_ref at, struct node_id node,
                        struct exec_dress *dress)
{
    (void)ctx;
    (void)at;
    (void)node;
    dress->command = "true";
}

static void stage_warn(void *ctx, const char *text)
{
    expect(text[0] != 0);
    ((struct presence_stage *)ctx)->warned++;
}

static int stage_turn(void *ctx, const struct turn *turn, struct err *err)
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
        s->started += e->type == EV_ATTEMPT_STARTED;
        s->ended += e->type == EV_ATTEMPT_ENDED;
        s->full += e->type == EV_ATTEMPT_FAILED && e->cause == CAUSE_DISK_FULL;
        s->launch_failed += e->type == EV_ATTEMPT_LAUNCH_FAILED;
        s->faults += e->cause == CAUSE_NODE_FAULT && e->detail == EROFS;
        s->lost += e->type == EV_ATTEMPT_LOST;
        s->lost_early += e->type == EV_ATTEMPT_LOST && clock_now_us() < s->fakes[e->node.v].over_us;
        if (e->type == EV_COMMITTED)
            s->committed[e->at.task]++;
    }
    return 0;
}

static void stage_run(struct presence_stage *s, void (*script)(struct fake *f), uint8_t clone)
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
    s->result = s->decide ? s->decide(s) : engine_run(brain, &exec_body, s->exec, &tap, 1, &s->err);
    exec_destroy(s->exec);
    tree_remove(dir);
    struct err ignored;
    journal_close(journal, true, &ignored);
    brain_destroy(brain);
    policy_destroy(policy);
    cluster_destroy(cluster);
}

static bool stage_complete(const struct presence_stage *s)
{
    for (int i = 0; i < TASKS; i++)
        if (s->committed[i] != 1)
            return false;
    return s->result == 0;
}

static uint32_t committed(const struct presence_stage *s)
{
    uint32_t sum = 0;
    for (int i = 0; i < TASKS; i++)
        sum += s->committed[i];
    return sum;
}

/* ---- the tests ---- */

/* The second leaves with its first attempt, and does not return. */
static void script_leaves(struct fake *f)
{
    f->works = f->index == 0;
    if (f->step == 0) {
        fake_is(f, RUNNER_HERE, 0);
        f->step = 1;
    } else if (f->step == 1 && f->index == 1 && f->busy) {
        fake_is(f, RUNNER_AWAY, HOUR_US);
        f->step = 2;
    }
}

TEST(presence_what_a_runner_had_runs_elsewhere_at_once)
{
    struct presence_stage s = {0};

    stage_run(&s, script_leaves, PHASE_CLONE_AUTO);
    expect(stage_complete(&s) && s.lost == 1 && s.started == TASKS + 1);
    expect(s.lost_early == 1 && s.warned == 1);
    expect(s.down[0] == 1 && s.down[1] == 2); /* each was away at first */
    expect(s.fakes[0].launches == TASKS && s.fakes[1].launches == 1);
}

/* The second reports that its disk is busy, once. */
static void script_is_pressed(struct fake *f)
{
    struct packet p = {.type = PACKET_PRESSURE, .u.pressure = {700, 30}};

    f->works = f->stage->fakes[1].step == 2;
    if (f->step == 0) {
        fake_is(f, RUNNER_HERE, 0);
        f->step = 1;
    } else if (f->step == 1 && f->index == 1) {
        f->options.on_packet(f->options.ctx, &p);
        f->step = 2;
    }
}

TEST(presence_pressure_is_told_of_the_nodes_of_its_runner)
{
    struct presence_stage s = {0};

    stage_run(&s, script_is_pressed, PHASE_CLONE_AUTO);
    expect(stage_complete(&s) && s.pressed[0] == 0 && s.pressed[1] == 1);
}

/* The second can start nothing. */
static void script_is_broken(struct fake *f)
{
    f->broken = f->index == 1;
    f->works = f->index == 0 && f->stage->fakes[1].launches > 0;
    if (f->step == 0) {
        fake_is(f, RUNNER_HERE, 0);
        f->step = 1;
    }
}

/* Each task may fail once, and none does: the other node takes them all. */
TEST(presence_a_runner_that_cannot_do_its_part_rests)
{
    struct presence_stage s = {0};

    stage_run(&s, script_is_broken, PHASE_CLONE_AUTO);
    expect(stage_complete(&s) && s.launch_failed == 1 && s.faults == 1 && s.warned == 1);
    expect(s.fakes[0].launches == TASKS && s.fakes[1].launches == 1);
}

/* The second says that its first attempt has ended, and leaves before it says how. */
static void script_leaves_in_doubt(struct fake *f)
{
    struct packet end = {.type = PACKET_EXITED, .handle = f->handle};

    if (f->step == 1 && f->index == 1 && f->busy)
        f->options.on_ended(f->options.ctx, &end);
    script_leaves(f);
}

/* It is surely over: even what may not run twice at a time runs again at once. */
TEST(presence_an_end_in_doubt_is_lost_with_its_runner)
{
    struct presence_stage s = {0};

    stage_run(&s, script_leaves_in_doubt, PHASE_CLONE_NEVER);
    expect(stage_complete(&s) && s.ended == 1 && s.lost == 1 && s.lost_early == 1);
    expect(s.fakes[0].launches == TASKS && s.fakes[1].launches == 1);
}

/* One that ends twice is not believed, nor one that goes on after its end. */
static void script_ends_twice(struct fake *f)
{
    struct packet end = {.type = PACKET_EXITED, .handle = f->handle};

    if (f->step == 1 && f->index == 1 && f->busy) {
        f->options.on_ended(f->options.ctx, &end);
        f->options.on_ended(f->options.ctx, &end);
        f->step = 2;
    } else if (f->step < 2) {
        script_leaves(f);
    }
}

TEST(presence_a_runner_whose_attempt_ends_twice_is_not_listened_to)
{
    struct presence_stage s = {.any_refusal = true};

    stage_run(&s, script_ends_twice, PHASE_CLONE_AUTO);
    expect(stage_complete(&s) && s.ended == 1 && s.lost == 1 && s.fakes[1].refused == 1);
}

/* The same, and it is over soon. */
static void script_leaves_briefly(struct fake *f)
{
    if (f->step == 1 && f->index == 1 && f->busy) {
        fake_is(f, RUNNER_AWAY, 150000);
        f->step = 2;
    } else {
        script_leaves(f);
    }
}

TEST(presence_side_effects_wait_until_they_are_over)
{
    struct presence_stage s = {0};

    stage_run(&s, script_leaves_briefly, PHASE_CLONE_NEVER);
    expect(stage_complete(&s) && s.lost == 1 && s.lost_early == 0 && s.down[1] == 2);
}

/* It returns long before that, and is used again. */
static void script_returns(struct fake *f)
{
    script_leaves_briefly(f);
    if (f->step == 2 && committed(f->stage) >= 2) {
        fake_is(f, RUNNER_HERE, 0);
        f->over_us += 150000;
        f->step = 3;
    }
    if (f->index == 0) /* leaves something to the other */
        f->works = committed(f->stage) < 2 || f->stage->fakes[1].launches > 1;
    else
        f->works = f->step == 3;
}

TEST(presence_a_runner_that_returns_is_used_again)
{
    struct presence_stage s = {0};

    stage_run(&s, script_returns, PHASE_CLONE_NEVER);
    expect(stage_complete(&s) && s.lost == 1 && s.up[1] == 3);
    expect(s.fakes[0].launches + s.fakes[1].launches == TASKS + 1);
    expect(s.fakes[1].launches > 1);
}

/* Silent with its first attempt, which ends well when it is heard again. */
static void script_silent(struct fake *f)
{
    if (f->index == 1 && f->step == 1 && f->busy) {
        fake_is(f, RUNNER_SILENT, 0);
        f->step = 2;
    } else if (f->step == 2 && committed(f->stage) == TASKS - 1) {
        expect(f->launches == 1);
        fake_is(f, RUNNER_HERE, 0);
        f->step = 3;
    } else {
        script_leaves(f);
    }
    f->works |= f->step == 3;
}

TEST(presence_a_silent_runner_gets_nothing_new_and_keeps_what_it_has)
{
    struct presence_stage s = {0};

    stage_run(&s, script_silent, PHASE_CLONE_AUTO);
    expect(stage_complete(&s) && s.lost == 0 && s.started == TASKS);
    expect(s.suspect[1] == 1 && s.up[1] == 3 && s.down[1] == 1);
}

/* About to leave with its first attempt, which it still ends. */
static void script_leaving(struct fake *f)
{
    if (f->index == 1 && f->step == 1 && f->busy) {
        f->here = false;
        f->options.on_presence(f->options.ctx, RUNNER_LEAVING, 0, NULL);
        f->step = 2;
    } else {
        script_leaves(f);
    }
    f->works |= f->step == 2 && committed(f->stage) == TASKS - 1;
}

TEST(presence_a_runner_about_to_leave_gets_nothing_new)
{
    struct presence_stage s = {0};

    stage_run(&s, script_leaving, PHASE_CLONE_AUTO);
    expect(stage_complete(&s) && s.lost == 0 && s.drained[1] == 1 && s.fakes[1].launches == 1);
}

/* The first comes after a while, the second when half of the work is done. */
static void script_late(struct fake *f)
{
    f->works = true;
    if (f->index == 0 ? ++f->step == 5 : f->step == 0 && committed(f->stage) >= TASKS / 2) {
        fake_is(f, RUNNER_HERE, 0);
        f->step = 10;
    }
}

TEST(presence_a_run_waits_for_runners)
{
    struct presence_stage s = {0};

    stage_run(&s, script_late, PHASE_CLONE_AUTO);
    expect(stage_complete(&s) && s.started == TASKS && s.warned == 0);
    expect(s.fakes[0].launches >= TASKS / 2);
}

/* The second says that somebody was killed whom nobody knows. */
static void script_lies(struct fake *f)
{
    if (f->index == 1 && f->step == 1 && f->busy) {
        f->handle = UINT32_MAX;
        f->step = 2;
        fake_report(f, PACKET_KILLED);
        f->handle = 0;
        fake_report(f, PACKET_EXITED); /* is not listened to */
    } else if (f->step == 2 && committed(f->stage) >= 2 && !f->stage->no_refuse) {
        fake_is(f, RUNNER_HERE, 0);
        f->step = 3;
    } else {
        script_leaves(f);
    }
    f->works |= f->step == 3;
}

TEST(presence_a_runner_that_reports_what_cannot_be_is_refused)
{
    struct presence_stage s = {0};

    stage_run(&s, script_lies, PHASE_CLONE_AUTO);
    expect(stage_complete(&s) && s.fakes[1].refused == 1 && s.lost + s.launch_failed == 1);
    /* It came back, unless the other one had done everything by then. */
    expect(s.up[1] == 3 || s.fakes[0].launches == TASKS);
}

TEST(presence_or_is_lost_and_the_others_go_on)
{
    struct presence_stage s = {.no_refuse = true};

    stage_run(&s, script_lies, PHASE_CLONE_AUTO);
    expect(stage_complete(&s) && s.lost == 1 && s.down[1] == 2 && s.fakes[1].launches == 1);
}

/* The disk of the second, or of both, is full while they work. */
static void script_full(struct fake *f)
{
    if (f->step++ == 0)
        fake_is(f, RUNNER_HERE, 0);
    f->works = f->stage->fakes[1].launches > 0;
    if (f->busy && (f->index == 1 || f->stage->all_full))
        f->options.on_free_bytes(f->options.ctx, 0);
}

TEST(presence_a_full_disk_is_trouble_of_its_runner)
{
    struct presence_stage s = {0};

    stage_run(&s, script_full, PHASE_CLONE_AUTO);
    expect(stage_complete(&s) && s.full == 1 && s.fakes[1].launches == 1);
    expect(s.fakes[0].launches == TASKS);
}

/* Only the first is here when its disk is full. */
static void script_full_first(struct fake *f)
{
    bool comes = f->index == 0 || f->stage->full == 1;

    if (comes && f->step++ == 0)
        fake_is(f, RUNNER_HERE, 0);
    f->works = true;
    if (f->busy && f->index == 0)
        f->options.on_free_bytes(f->options.ctx, 0);
}

TEST(presence_a_full_disk_waits_for_runners_that_come_later)
{
    struct presence_stage s = {0};

    stage_run(&s, script_full_first, PHASE_CLONE_AUTO);
    expect(stage_complete(&s) && s.full == 1);
    expect(s.fakes[0].launches == 1 && s.fakes[1].launches == TASKS);
}

TEST(presence_full_disks_everywhere_stop_the_run)
{
    struct presence_stage s = {.all_full = true};

    stage_run(&s, script_full, PHASE_CLONE_AUTO);
    expect(s.result < 0 &&
           strstr(s.err.text, "the disk of every node was full; 1 task that met it is discarded"));
    expect(s.full == 1 && committed(&s) == 0);
}

static void script_idle(struct fake *f)
{
    if (f->step++ == 0)
        fake_is(f, RUNNER_HERE, 0);
}

static void set_timer(struct presence_stage *s, int64_t at_us)
{
    struct decision d = {.type = DO_SET_TIMER, .u.timer = {.id = 1, .at_us = at_us}};

    exec_body.perform(s->exec, &d, 1);
}

/* Launches nothing, and may set a timer when both are here: one that is far away if they are going
 * to fall silent, and nearer when they have. They wake us each millisecond. */
static int decide_nothing(struct presence_stage *s)
{
    struct batch batch;

    while (exec_body.wait(s->exec, &batch, &s->err) > 0) {
        for (uint32_t i = 0; i < batch.count; i++) {
            s->timers += batch.at[i].type == EV_TIMER;
            if (batch.at[i].type == EV_NODE_SUSPECT)
                s->suspect[batch.at[i].node.v]++;
            if (batch.at[i].type == EV_NODE_UP)
                s->up[batch.at[i].node.v]++;
        }
        if (s->sets_timer && s->up[0] > 0 && s->up[1] > 0) {
            set_timer(s, batch.now_us + (s->falls_silent ? 3600000000 : 300000));
            s->sets_timer = false;
        }
        if (s->falls_silent && s->suspect[0] > 0 && s->suspect[1] > 0) {
            set_timer(s, batch.now_us + 100000);
            s->falls_silent = false;
        }
    }
    return -1;
}

TEST(presence_a_timer_is_waited_for_however_often_runners_are_heard)
{
    struct presence_stage s = {.decide = decide_nothing, .sets_timer = true};

    stage_run(&s, script_idle, PHASE_CLONE_AUTO);
    expect(s.timers == 1 && strstr(s.err.text, "no event is pending"));
}

/* Both fall silent before the timer, and are heard again long after it. Nothing runs. */
static void script_mute(struct fake *f)
{
    if (f->step < 20 || f->stage->timers > 0)
        f->step++;
    if (f->step == 1 || f->step == 300)
        fake_is(f, RUNNER_HERE, 0);
    else if (f->step == 19)
        fake_is(f, RUNNER_SILENT, 0);
}

TEST(presence_silent_runners_are_waited_for)
{
    struct presence_stage s = {.decide = decide_nothing};
    uint32_t at_first;

    stage_run(&s, script_idle, PHASE_CLONE_AUTO);
    at_first = s.up[0];
    s = (struct presence_stage){.decide = decide_nothing, .sets_timer = true, .falls_silent = true};
    stage_run(&s, script_mute, PHASE_CLONE_AUTO);
    expect(s.up[0] == at_first + 1 && s.up[1] == at_first + 1);
    expect(strstr(s.err.text, "no event is pending"));
}

static void script_all_lost(struct fake *f)
{
    if (f->step++ == 0)
        fake_is(f, RUNNER_HERE, 0);
    else if (f->busy)
        f->options.on_lost(f->options.ctx, f->index ? "the second is lost" : "the first is lost");
}

TEST(presence_a_run_without_runners_ends)
{
    struct presence_stage s = {0};

    stage_run(&s, script_all_lost, PHASE_CLONE_AUTO);
    expect(s.result < 0 && strstr(s.err.text, " is lost"));
}

/* An attempt that may be alive for an hour keeps nobody from leaving. */
static void script_interrupted(struct fake *f)
{
    script_leaves(f);
    if (f->index == 1 && f->step == 2) {
        f->step = 3;
        raise(SIGTERM);
    }
}

TEST(presence_an_interrupted_run_waits_for_nobody_who_is_away)
{
    struct presence_stage s = {0};

    stage_run(&s, script_interrupted, PHASE_CLONE_NEVER);
    expect(s.result < 0 && strcmp(s.err.text, "interrupted") == 0);
}

/* Nor, at the second signal, for one that is silent. */
static void script_impatient(struct fake *f)
{
    script_silent(f);
    if (f->index == 1 && f->step == 2) {
        f->step = 4;
        raise(SIGTERM);
    } else if (f->step == 4) {
        f->step = 5;
        raise(SIGTERM);
    }
}

TEST(presence_a_second_signal_waits_for_nobody_who_is_silent)
{
    struct presence_stage s = {0};

    stage_run(&s, script_impatient, PHASE_CLONE_AUTO);
    expect(s.result < 0 && strcmp(s.err.text, "interrupted") == 0 && s.fakes[1].busy);
}
