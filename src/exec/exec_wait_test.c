/* When a run is complete, goes on waiting, or has stalled. */
#include "exec/exec_wait.h"

#include <string.h>

#include "exec/exec_state.h"
#include "tests/unit/test.h"

#include "exec/presence_stage_test.h"

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

TEST(wait_a_timer_is_waited_for_however_often_runners_are_heard)
{
    struct presence_stage s = {.decide = decide_nothing, .sets_timer = true};

    stage_run(&s, script_idle, PHASE_CLONE_AUTO);
    expect(s.timers == 1 && strstr(s.err.text, "no event is pending"));
}

enum { MANY_TIMERS = 150 };

/* Sets a timer whenever one has come, and launches nothing meanwhile. */
static int decide_timers(struct presence_stage *s)
{
    struct batch batch;
    int result = 1;

    while (s->timers < MANY_TIMERS && (result = exec_body.wait(s->exec, &batch, &s->err)) > 0)
        for (uint32_t i = 0; i < batch.count; i++) {
            s->timers += batch.at[i].type == EV_TIMER;
            if (batch.at[i].type == EV_TIMER || batch.at[i].type == EV_JOB_SUBMITTED)
                set_timer(s, batch.now_us + 100);
        }
    return result;
}

TEST(wait_many_timers_in_a_row_are_no_stall)
{
    struct presence_stage s = {.decide = decide_timers};

    stage_run(&s, script_idle, PHASE_CLONE_AUTO);
    expect(s.result == 1 && s.timers == MANY_TIMERS);
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

TEST(wait_silent_runners_are_waited_for)
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

/* The job arrived before it was submitted to this run, be it by a microsecond. */
static int decide_arrival(struct presence_stage *s)
{
    struct batch batch;

    s->one.job.spec.arrived_us = 1;
    s->one.job.submit_us = 2;
    while (exec_body.wait(s->exec, &batch, &s->err) > 0)
        for (uint32_t i = 0; i < batch.count; i++)
            if (batch.at[i].type == EV_JOB_SUBMITTED)
                return (int)batch.at[i].u.job->arrived_us;
    return -1;
}

TEST(wait_hands_out_a_job_with_the_time_at_which_it_arrived)
{
    struct presence_stage s = {.decide = decide_arrival};

    stage_run(&s, script_idle, PHASE_CLONE_AUTO);
    expect(s.result == 1);
}

/* Whether the signal that stops a terminal's programs waits for us. */
static bool waits_for_stop(void)
{
    sigset_t now;

    sigprocmask(SIG_BLOCK, NULL, &now);
    return sigismember(&now, SIGTSTP) == 1;
}

/* Of a run that is not supervised, and whose caller has not blocked it. */
TEST(wait_holds_the_signal_to_stop_and_lets_it_go)
{
    static struct exec x;
    sigset_t before;

    sigprocmask(SIG_BLOCK, NULL, &before);
    for (int blocked = 0; blocked < 2; blocked++)
        for (int supervised = 0; supervised < 2; supervised++) {
            bool ours = !blocked && !supervised;
            sigemptyset(&x.old_mask);
            if (blocked)
                sigaddset(&x.old_mask, SIGTSTP);
            x.options.supervised = supervised;
            sigprocmask(SIG_SETMASK, &x.old_mask, NULL);
            exec_wait_hold(&x, true);
            expect(waits_for_stop() == (ours || blocked));
            exec_wait_hold(&x, false);
            expect(waits_for_stop() == (bool)blocked);
        }
    sigprocmask(SIG_SETMASK, &before, NULL);
}
