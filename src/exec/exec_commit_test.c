/* When outputs are committed: at once, or together with those that end next. */
#include "tests/unit/test.h"

#include "exec/exec_state.h"
#include "exec/presence_stage_test.h"

static void script_is_here(struct fake *f)
{
    if (f->step == 0)
        fake_is(f, RUNNER_HERE, 0);
    f->step = 1;
}

static void order(struct presence_stage *s, uint8_t type, uint32_t task)
{
    struct decision d = {.type = type, .at = {.task = task}, .node = {task}};
    exec_body.perform(s->exec, &d, 1);
}

/* Waits for events until one of them is of this type. Returns what came with it. */
static struct batch await(struct presence_stage *s, uint8_t type)
{
    struct batch batch = {0};

    while (exec_body.wait(s->exec, &batch, &s->err) == 1)
        for (uint32_t i = 0; i < batch.count; i++)
            if (batch.at[i].type == type)
                return batch;
    expect(false);
    return batch;
}

/* Task 0 has ended on the first node and is to be committed just after others were, which took so
 * long; task 1 runs on the second, if anything does. */
static void ask(struct presence_stage *s, int64_t took_us, bool other_runs)
{
    s->exec->options.scratch = false;
    await(s, EV_JOB_SUBMITTED);
    order(s, DO_LAUNCH, 0);
    if (other_runs)
        order(s, DO_LAUNCH, 1);
    fake_report(&s->fakes[0], PACKET_EXITED);
    await(s, EV_ATTEMPT_FINISHED);
    s->exec->commits.took_us = took_us;
    s->exec->commits.last_us = exec_now_us(s->exec);
    order(s, DO_COMMIT, 0);
}

static bool waits(const struct presence_stage *s)
{
    return s->exec->commits.count == 1 && s->exec->pending.count == 0;
}

static int alone(struct presence_stage *s)
{
    ask(s, HOUR_US, false);
    expect(!waits(s));
    return await(s, EV_COMMITTED).count == 1;
}

static int after_a_while(struct presence_stage *s)
{
    ask(s, HOUR_US, true);
    expect(waits(s));
    return await(s, EV_COMMITTED).count == 1;
}

static int after_quick_ones(struct presence_stage *s)
{
    ask(s, 0, true);
    expect(!waits(s));
    return await(s, EV_COMMITTED).count == 1;
}

/* It may be lost with its node. */
static int of_data(struct presence_stage *s)
{
    ask(s, HOUR_US, true);
    expect(waits(s));
    s->exec->options.data = true;
    exec_body.perform(s->exec, NULL, 0);
    expect(!waits(s));
    return await(s, EV_COMMITTED).count == 1;
}

/* Neither can happen to a result on this machine. */
static int of_data_that_is_a_result(struct presence_stage *s)
{
    const struct exec_groups *groups = s->exec->options.groups;

    ask(s, HOUR_US, true);
    s->exec->options.data = true;
    s->exec->options.groups = NULL;
    exec_body.perform(s->exec, NULL, 0);
    s->exec->options.groups = groups;
    expect(waits(s));
    exec_body.perform(s->exec, NULL, 0);
    return await(s, EV_COMMITTED).count == 1;
}

static int before_a_failure(struct presence_stage *s)
{
    struct packet p = {.type = PACKET_EXITED, .u.end = {.status = 1 << 8}};

    ask(s, HOUR_US, true);
    p.handle = s->fakes[1].handle;
    s->fakes[1].options.on_packet(s->fakes[1].options.ctx, &p);
    struct batch batch = await(s, EV_ATTEMPT_FAILED);
    return batch.count == 2 && batch.at[0].type == EV_COMMITTED;
}

static int before_the_end(struct presence_stage *s)
{
    ask(s, HOUR_US, true);
    expect(waits(s));
    s->exec->interrupted = 1;
    return await(s, EV_COMMITTED).at[0].type == EV_COMMITTED; /* and nothing starts any more */
}

TEST(commit_waits_for_others_only_while_they_run_and_nothing_fails)
{
    int (*const cases[])(struct presence_stage *) = {alone,
                                                     after_a_while,
                                                     after_quick_ones,
                                                     of_data,
                                                     of_data_that_is_a_result,
                                                     before_a_failure,
                                                     before_the_end};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct presence_stage s = {.decide = cases[i]};
        stage_run(&s, script_is_here, PHASE_CLONE_AUTO);
        expect(s.result == 1);
    }
}
