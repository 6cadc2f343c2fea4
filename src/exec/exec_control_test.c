/* What the user and chaos may do to a run, seen from the events that the brain is told. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "core/brain/brain.h"
#include "core/policy/policy.h"
#include "exec/chaos.h"
#include "exec/exec.h"
#include "exec/scene_test.h"
#include "record/journal/journal.h"
#include "tests/unit/test.h"

/* A run of one job with `tasks` tasks of one command, in a folder that goes with it. */
struct control_stage {
    struct scene_job one;
    const char *command;
    char dir[64];
    struct exec *exec;
    int64_t cancel_at_us; /* pauses at once and cancels then; 0: neither */
    int64_t limit_us;     /* of each attempt, once one has finished; 0: none */
    uint32_t started, failed, lost, finished, timeouts, injected, nodes_down;
    bool job_failed;
    int result;
};

static void stage_dress(void *ctx, struct attempt_ref at, struct node_id node,
                        struct exec_dress *dress)
{
    struct control_stage *s = ctx;

    (void)at;
    (void)node;
    dress->command = s->command;
    dress->env = "STAGE=set\0";
    dress->env_bytes = 10;
}

static void stage_tick(void *ctx, int64_t now_us)
{
    struct control_stage *s = ctx;

    if (s->limit_us && s->finished)
        exec_limit(s->exec, s->limit_us);
    if (!s->cancel_at_us)
        return;
    exec_pause(s->exec, true);
    if (now_us >= s->cancel_at_us)
        exec_cancel(s->exec, (struct job_id){0});
}

static int stage_turn(void *ctx, const struct turn *turn, struct err *err)
{
    struct control_stage *s = ctx;

    (void)err;
    for (uint32_t i = 0; i < turn->event_count; i++) {
        const struct event *e = &turn->events[i];
        s->started += e->type == EV_ATTEMPT_STARTED;
        s->failed += e->type == EV_ATTEMPT_FAILED;
        s->finished += e->type == EV_ATTEMPT_FINISHED;
        s->lost += e->type == EV_ATTEMPT_LOST;
        s->timeouts += e->cause == CAUSE_TIMEOUT;
        s->injected += e->cause == CAUSE_INJECTED;
        s->nodes_down += e->type == EV_NODE_DOWN;
    }
    for (uint32_t i = 0; i < turn->decision_count; i++)
        s->job_failed |= turn->decisions[i].type == DO_JOB_FAILED;
    return 0;
}

/* Returns how long the run took. */
static int64_t stage_run(struct control_stage *s, const char *command, uint32_t tasks,
                         struct exec_options options)
{
    struct err err;
    struct exec_hooks hooks = {
        .ctx = s, .dress = stage_dress, .tick = stage_tick, .tick_us = 10000};
    struct cluster *cluster = cluster_plain(2, 2);
    struct policy *policy = policy_create("none;failures_max=1", &err);
    struct journal_options none = {0};
    struct journal *journal = journal_create(&none, 1, "none", "exec", &err);

    s->command = command;
    scene_job_init(&s->one, tasks);
    snprintf(s->dir, sizeof s->dir, "/tmp/dolly-control-XXXXXX");
    expect(mkdtemp(s->dir) != NULL);
    options.cluster = cluster;
    options.workload = &s->one.workload;
    options.dir = s->dir;
    options.journal = journal;
    options.hooks = &hooks;
    options.scratch = true;
    int64_t begun = clock_now_us();
    s->exec = exec_create(&options, &err);
    expect(s->exec != NULL);
    struct brain *brain = brain_create(policy, 1);
    struct tap tap = {.ctx = s, .turn = stage_turn};
    s->result = engine_run(brain, &exec_body, s->exec, &tap, 1, &err);
    exec_destroy(s->exec);
    int64_t took = clock_now_us() - begun;
    journal_close(journal, true, &err);
    brain_destroy(brain);
    policy_destroy(policy);
    cluster_destroy(cluster);
    expect(access(s->dir, F_OK) < 0); /* the guardian took it along */
    return took;
}

TEST(control_dresses_attempts_and_counts_failures)
{
    struct control_stage s = {0};
    stage_run(&s, "test $STAGE = set && test $DOLLY_TASK_ID -lt 2", 3, (struct exec_options){0});
    expect(s.result == 0 && s.finished == 2 && s.failed == 1 && !s.job_failed);
}

TEST(control_keeps_a_delay_between_launches)
{
    struct control_stage s = {0};
    int64_t took = stage_run(&s, "/bin/true", 4, (struct exec_options){.delay_us = 50000});
    expect(s.finished == 4 && took >= 150000);
}

TEST(control_ends_attempts_whose_time_is_over)
{
    struct control_stage s = {.limit_us = 200000};
    int64_t took = stage_run(&s, "test $DOLLY_TASK_ID = 0 || sleep 1000", 2,
                             (struct exec_options){.timed = true});
    expect(s.finished == 1 && s.failed == 1 && s.timeouts == 1 && took >= 200000);
}

TEST(control_starts_nothing_while_paused_and_ends_a_cancelled_job)
{
    struct control_stage s = {.cancel_at_us = 100000};
    int64_t took = stage_run(&s, "/bin/true", 3, (struct exec_options){0});
    expect(s.result == 0 && s.started == 0 && s.job_failed && took >= 100000);
}

TEST(control_kills_for_chaos)
{
    struct control_stage s = {0};
    struct chaos chaos = {.seed = 1, .slow_factor = 1, .kill_p = 1, .kill_within_us = 1000};
    stage_run(&s, "sleep 1000", 3, (struct exec_options){.chaos = &chaos});
    expect(s.started == 3 && s.failed == 3 && s.injected == 3);
}

TEST(control_loses_attempts_with_their_node)
{
    struct control_stage s = {0};
    struct chaos chaos = {
        .seed = 1, .slow_factor = 1, .node_mtbf_us = 60000, .node_repair_us = 20000};
    stage_run(&s, "sleep 0.05", 8, (struct exec_options){.chaos = &chaos});
    expect(s.finished == 8 && s.failed == 0 && !s.job_failed);
    expect(s.nodes_down > 0 && s.started == s.finished + s.lost);
}
