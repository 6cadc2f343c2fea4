#include <errno.h>
#include <string.h>

#include "exec/exec_launch.h"
#include "exec/exec_queue.h"
#include "exec/exec_state.h"
#include "tests/unit/test.h"

/* An executor with one job of which `count` attempts were launched, on two nodes in turn, and
 * runners that were never opened. */
static void open_queue(struct exec *x, uint32_t count)
{
    static struct exec_runner runners[2];
    static uint32_t runner_of[2];

    runners[0] = runners[1] = (struct exec_runner){.presence = RUNNER_AWAY};
    runner_of[1] = 0;
    *x = (struct exec){.runners = {.at = runners, .count = 2, .of = runner_of}};
    vec_push(&x->jobs, ((struct exec_job){.newest = ATTEMPT_TABLE_NONE, .live = count}));
    for (uint32_t i = 0; i < count; i++)
        attempt_table_add(&x->attempts, (struct attempt_ref){.task = i}, (struct node_id){i % 2},
                          &x->jobs.at[0].newest);
}

static void close_queue(struct exec *x)
{
    vec_free(&x->jobs);
    vec_free(&x->queue);
    vec_free(&x->pending);
    attempt_table_fini(&x->attempts);
}

/* As if it had been sent. */
static bool starve(struct exec *x, uint32_t handle, int error)
{
    exec_row(x, handle)->dir = handle;
    return exec_queue_starve(x, handle, error);
}

TEST(exec_queue_puts_what_was_sent_before_those_that_wait_behind_it)
{
    struct exec x;

    open_queue(&x, 4);
    exec_queue_add(&x, 2);
    exec_queue_add(&x, 3);
    expect(starve(&x, 1, EAGAIN) && starve(&x, 0, EMFILE));
    expect(x.queue.count == 4 && x.runners.at[0].starved == 2);
    for (uint32_t i = 0; i < 4; i++)
        expect(x.queue.at[i] == i && exec_row(&x, i)->state == ROW_WAITING);
    x.nodes.paused = true;
    expect(exec_launch_due(&x, INT64_MAX) == INT64_MAX && x.queue.count == 4);
    close_queue(&x);
}

TEST(exec_queue_fails_what_is_taken_back)
{
    struct exec x;

    open_queue(&x, 3);
    exec_queue_add(&x, 1);
    expect(starve(&x, 0, ENOMEM));
    expect(!exec_queue_remove(&x, 2, CAUSE_WITHDRAWN) && x.pending.count == 0);
    expect(exec_queue_remove(&x, 0, CAUSE_NODE_DOWN) && x.runners.at[0].starved == 0 &&
           x.queue.count == 1);
    expect(x.pending.count == 1 && x.pending.at[0].type == EV_ATTEMPT_LAUNCH_FAILED);
    expect(x.pending.at[0].cause == CAUSE_NODE_DOWN && x.pending.at[0].at.task == 0);
    exec_queue_end_all(&x);
    expect(x.queue.count == 0 && x.pending.count == 2 && x.attempts.live == 1);
    close_queue(&x);
}

static void count_warning(void *ctx, const char *text)
{
    uint32_t *warned = ctx;

    expect(strstr(text, "some wait: Too many open files (see ulimit -n)") != NULL);
    ++*warned;
}

TEST(exec_queue_starves_only_for_want_of_room_and_not_for_ever)
{
    uint32_t warned = 0;
    struct exec_hooks hooks = {.ctx = &warned, .warn = count_warning};
    struct exec x;
    int tries = 0;

    open_queue(&x, 1);
    x.options.hooks = &hooks;
    expect(!starve(&x, 0, ENOENT));
    exec_row(&x, 0)->ended_by = CAUSE_TIMEOUT;
    expect(!starve(&x, 0, EMFILE));
    exec_row(&x, 0)->ended_by = 0;
    while (starve(&x, 0, EMFILE) && ++tries < 1000) {
        x.queue.count = x.runners.at[0].starved = 0; /* as if it had been sent again */
        exec_row(&x, 0)->state = ROW_LAUNCHING;
    }
    expect(tries == 50 && warned == 1); /* nothing else runs */
    close_queue(&x);
}

TEST(exec_queue_holds_back_only_what_goes_to_a_runner_without_room)
{
    struct exec x;

    open_queue(&x, 4);
    x.runners.of[1] = 1;
    exec_row(&x, 1)->state = exec_row(&x, 3)->state = ROW_RUNNING;
    exec_row(&x, 2)->state = ROW_GONE;
    expect(starve(&x, 0, EAGAIN));
    expect(exec_queue_holds(&x, (struct node_id){0}) && !exec_queue_holds(&x, (struct node_id){1}));
    exec_queue_freed(&x, &x.runners.at[1]); /* of no use there */
    expect(x.runners.at[0].starved_go == 0);
    exec_queue_freed(&x, &x.runners.at[0]);
    expect(x.runners.at[0].starved_go == 1);
    /* What runs on one runner is no reason to wait for ever on another that runs nothing. */
    int tries = 1;
    do {
        x.queue.count = x.runners.at[0].starved = x.runners.at[0].queued = 0;
        exec_row(&x, 0)->state = ROW_LAUNCHING;
    } while (starve(&x, 0, EAGAIN) && ++tries < 1000);
    expect(tries == 51);
    close_queue(&x);
}
