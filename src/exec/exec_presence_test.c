/* Runners that come, fall silent, leave and lie, and what the brain is told of it. */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "tests/unit/test.h"

#include "exec/presence_stage_test.h"

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

/* A pause begins and ends while the second is away. */
static void script_pauses(struct fake *f)
{
    bool is_away = f->stage->fakes[1].step == 2;

    script_leaves(f);
    if (f->index == 0 && is_away && f->step < 3) {
        exec_pause(f->stage->exec, f->step == 1);
        f->step++;
    }
}

TEST(presence_a_pause_is_told_of_nodes_that_are_there)
{
    struct presence_stage s = {0};

    stage_run(&s, script_pauses, PHASE_CLONE_AUTO);
    expect(stage_complete(&s) && s.drained[0] == 1 && s.drained[1] == 0);
    expect(s.down[0] == 1 && s.down[1] == 2);
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

/* Both report the cores that they can spare, the second more than can be added. */
static void script_has_cores(struct fake *f)
{
    struct packet p = {.type = PACKET_CORES};

    f->works = f->stage->fakes[1].step == 2;
    if (f->step == 0) {
        fake_is(f, RUNNER_HERE, 0);
        f->step = 1;
    } else if (f->step == 1 && (f->index == 0 || f->stage->fakes[0].step == 2)) {
        p.u.cores.spare = f->index == 0 ? 1500 : INT32_MAX;
        p.u.cores.each = f->index == 0 ? 400 : 300;
        f->options.on_packet(f->options.ctx, &p);
        f->step = 2;
    }
}

TEST(presence_cores_of_all_runners_are_told_as_those_of_one_machine)
{
    struct presence_stage s = {0};

    stage_run(&s, script_has_cores, PHASE_CLONE_AUTO);
    expect(stage_complete(&s) && s.cores_told == 2);
    expect(s.spare[0] == 1500 && s.spare[1] == INT32_MAX);
    expect(s.each[0] == 400 && s.each[1] == 400);
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
