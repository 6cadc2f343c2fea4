/* What is noted of the turns of an earlier life: attempts, clones, and how tasks ended. */
#include "jobs/map/map_watch.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "jobs/map/map.h"
#include "tests/unit/test.h"

enum { TASKS = 4 };

struct recalled {
    struct map map;
    struct map_end ends[TASKS];
    struct err err;
};

static void begin(struct recalled *r)
{
    static char *argv[] = {"map", "echo", ":::", "a", "b", "c", "d"};

    *r = (struct recalled){.map = {.dir = mem_strdup("d"), .recalling = true, .begun_s = 1000}};
    expect(options_parse(&r->map.options, 7, argv, &r->err) == 0 &&
           map_open(&r->map, &r->err) == 0);
    expect(r->map.tasks == TASKS);
    r->map.print.ends = r->ends;
}

static void end(struct recalled *r)
{
    vec_free(&r->map.print.recalled);
    map_slots_fini(&r->map.slots);
    map_watch_fini(&r->map.watch);
    map_close(&r->map);
}

static int turn_of(struct recalled *r, const struct event *e, const struct decision *d)
{
    struct tap tap = map_watch_tap(&r->map);
    struct turn turn = {.now_us = 5000000,
                        .events = e,
                        .decisions = d,
                        .event_count = e ? 1 : 0,
                        .decision_count = d ? 1 : 0};

    return tap.turn(tap.ctx, &turn, &r->err);
}

static struct attempt_ref at(uint32_t task, uint16_t attempt)
{
    return (struct attempt_ref){.task = task, .attempt = attempt};
}

static void happens(struct recalled *r, struct event e)
{
    expect(turn_of(r, &e, NULL) == 0);
}

static void is_decided(struct recalled *r, struct decision d)
{
    expect(turn_of(r, NULL, &d) == 0);
}

static void launch(struct recalled *r, struct attempt_ref a, uint8_t kind)
{
    is_decided(r, (struct decision){.type = DO_LAUNCH, .kind = kind, .at = a, .node = {3}});
}

static void start(struct recalled *r, struct attempt_ref a)
{
    launch(r, a, LAUNCH_FIRST);
    happens(r, (struct event){.type = EV_ATTEMPT_STARTED, .at = a, .u.late_us = 1000000});
}

static void give_up(struct recalled *r, uint32_t task, uint16_t why)
{
    is_decided(
        r, (struct decision){.type = DO_VERDICT, .at = {.task = task}, .why = REASON_PLAIN(why)});
}

/* The exit value and the signal of the job log, for each way in which an attempt may fail. */
TEST(map_watch_notes_how_a_task_failed)
{
    static const struct {
        uint8_t type, cause;
        int32_t detail, exit, signal;
    } rows[] = {
        {EV_ATTEMPT_FAILED, CAUSE_EXIT, 7, 7, 0},
        {EV_ATTEMPT_FAILED, CAUSE_SIGNAL, 11, 0, 11},
        {EV_ATTEMPT_FAILED, CAUSE_TIMEOUT, 15, -1, 15},
        {EV_ATTEMPT_FAILED, CAUSE_INJECTED, 0, 0, 9},
        {EV_ATTEMPT_FAILED, CAUSE_DISK_FULL, 28, -1, 0},
        {EV_ATTEMPT_FAILED, CAUSE_NODE_FAULT, 5, -1, 0},
        {EV_ATTEMPT_LAUNCH_FAILED, CAUSE_NO_SUCH_FILE, 2, 127, 0},
        {EV_ATTEMPT_LAUNCH_FAILED, CAUSE_SYSTEM, 12, -1, 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct recalled r;
        const struct map_end *e = &r.ends[2];
        begin(&r);
        launch(&r, at(0, 0), LAUNCH_FIRST);
        start(&r, at(2, 1));
        happens(&r, (struct event){.type = rows[i].type,
                                   .cause = rows[i].cause,
                                   .detail = rows[i].detail,
                                   .at = at(2, 1),
                                   .u.use = {.wall_us = 2500000, .cpu_us = -1, .read_bytes = 3}});
        expect(r.map.slots.used == 1 && r.map.watch.failed.count == 1 && e->state == 0);
        give_up(&r, 2, i % 2 ? WHY_TOO_MANY_FAILURES : WHY_TOO_MANY_LAUNCHES);
        expect(e->state == MAP_TASK_FAILED && e->exit == rows[i].exit &&
               e->signal == rows[i].signal);
        expect(e->start_s == 1004 && e->node.v == 3 && e->attempt == 1 && e->cpu_s == 0 &&
               e->slot == 2);
        expect(e->runtime_s == (rows[i].type == EV_ATTEMPT_FAILED ? 2.5 : 0));
        expect(r.map.watch.failed.count == 0 && r.map.counts.failed == 1 && r.map.counts.done == 0);
        expect(r.map.counts.failed_first[0].task == 2 &&
               r.map.counts.failed_first[0].exit == rows[i].exit &&
               r.map.counts.failed_first[0].signal == rows[i].signal);
        expect(r.map.print.recalled.count == 1 && r.map.print.recalled.at[0] == 2);
        end(&r);
    }
}

TEST(map_watch_notes_a_task_that_was_never_launched_and_no_other_verdict)
{
    struct recalled r;

    begin(&r);
    give_up(&r, TASK_ALL, WHY_TOO_MANY_FAILURES);
    give_up(&r, 1, WHY_NO_NEED);
    expect(r.map.print.recalled.count == 0 && r.map.counts.unwanted.code == WHY_NO_NEED);
    give_up(&r, 1, WHY_TOO_MANY_LAUNCHES);
    expect(r.ends[1].state == MAP_TASK_FAILED && r.ends[1].exit == -1 && r.ends[1].signal == 0);
    expect(r.ends[1].node.v == NODE_NONE.v && r.ends[1].start_s == 1005);
    end(&r);
}

TEST(map_watch_keeps_the_first_verdict_against_clones)
{
    static const uint16_t against[] = {WHY_NO_NEED, WHY_OVER_BUDGET, WHY_OVER_TAU, WHY_NO_IDLE_CORE,
                                       WHY_PRESSURE};

    for (size_t i = 0; i < sizeof against / sizeof *against; i++) {
        struct recalled r;
        begin(&r);
        give_up(&r, TASK_ALL, WHY_CLONE);
        expect(r.map.counts.unwanted.code == 0);
        give_up(&r, TASK_ALL, against[i]);
        give_up(&r, TASK_ALL, against[i] == WHY_NO_NEED ? WHY_PRESSURE : WHY_NO_NEED);
        expect(r.map.counts.unwanted.code == against[i]);
        end(&r);
    }
}

/* One output is committed, that of the clone; the other is discarded. */
TEST(map_watch_counts_attempts_and_clones)
{
    struct recalled r;
    struct usage use = {.wall_us = 1500000, .cpu_us = 250000, .read_bytes = 4, .written_bytes = 6};

    begin(&r);
    start(&r, at(0, 0));
    launch(&r, at(0, 1), LAUNCH_CLONE);
    launch(&r, at(0, 2), LAUNCH_BACKUP);
    launch(&r, at(1, 0), LAUNCH_RESTART);
    launch(&r, at(3, 0), LAUNCH_RECOMPUTE);
    expect(r.map.counts.attempts == 5 && r.map.counts.extras == 2 && r.map.slots.used == 5);
    for (uint16_t i = 0; i < 2; i++) {
        use.peak_rss_kib = i == 0 ? 900 : 300;
        if (i == 1)
            happens(&r, (struct event){.type = EV_OUTPUT_READY,
                                       .at = at(0, 1),
                                       .u.output = {.bytes = 6, .checksum = 77}});
        happens(&r, (struct event){.type = EV_ATTEMPT_FINISHED, .at = at(0, i), .u.use = use});
    }
    expect(r.map.watch.finished.count == 2 && r.map.slots.used == 3);
    happens(&r, (struct event){.type = EV_ATTEMPT_KILLED, .at = at(0, 2), .u.use = use});
    expect(r.map.counts.stopped.count == 1 && r.map.counts.stopped.at[0] == 1.5F);
    expect(r.map.counts.cpu_s == 0.75 && r.map.counts.peak_rss_kib == 900);
    is_decided(&r, (struct decision){.type = DO_COMMIT, .at = at(0, 1)});
    expect(r.map.watch.committing == 1 && !r.map.watch.finished.at[0].committing &&
           r.map.watch.finished.at[1].committing);
    is_decided(&r, (struct decision){.type = DO_DISCARD_OUTPUT, .at = at(0, 0)});
    is_decided(&r, (struct decision){.type = DO_DISCARD_OUTPUT, .at = at(1, 0)});
    expect(r.map.watch.finished.count == 1 && r.map.counts.extras_won == 0);
    happens(&r, (struct event){.type = EV_COMMITTED, .at = at(0, 1)});
    expect(r.map.watch.committing == 0 && r.map.watch.finished.count == 0);
    expect(r.map.counts.done == 1 && r.map.counts.extras_won == 1 && r.map.counts.failed == 0);
    expect(r.ends[0].state == MAP_TASK_DONE && r.ends[0].attempt == 1 && r.ends[0].extra);
    expect(r.ends[0].checksum == 77 && r.ends[0].sent == 4 && r.ends[0].received == 6);
    expect(r.ends[0].runtime_s == 1.5 && r.ends[0].cpu_s == 0.25 && r.ends[0].exit == 0);
    expect(r.map.counts.runtimes.count == 1 && r.map.counts.runtimes.at[0] == 1.5F);
    end(&r);
}

/* It counts neither as an attempt nor as a failure; a node that is down is not the task's fault. */
TEST(map_watch_forgets_a_launch_that_was_taken_back)
{
    static const struct {
        uint8_t kind, cause;
        bool counts, fails;
    } rows[] = {
        {LAUNCH_FIRST, CAUSE_WITHDRAWN, false, false},
        {LAUNCH_CLONE, CAUSE_WITHDRAWN, false, false},
        {LAUNCH_FIRST, CAUSE_DISK_FULL, true, true},
        {LAUNCH_FIRST, CAUSE_NODE_DOWN, true, false},
        {LAUNCH_CLONE, CAUSE_NODE_DOWN, true, false},
        {LAUNCH_CLONE, CAUSE_SYSTEM, true, true},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct recalled r;
        begin(&r);
        launch(&r, at(1, 0), rows[i].kind);
        happens(&r, (struct event){
                        .type = EV_ATTEMPT_LAUNCH_FAILED, .cause = rows[i].cause, .at = at(1, 0)});
        expect(r.map.counts.attempts == rows[i].counts && r.map.slots.used == 0);
        expect(r.map.counts.extras == (rows[i].counts && rows[i].kind == LAUNCH_CLONE));
        expect(r.map.watch.failed.count == rows[i].fails);
        end(&r);
    }
}

/* It never had a slot; those of others stay. */
TEST(map_watch_takes_back_a_launch_without_a_slot)
{
    struct recalled r;

    begin(&r);
    launch(&r, at(0, 0), LAUNCH_FIRST);
    happens(&r, (struct event){
                    .type = EV_ATTEMPT_LAUNCH_FAILED, .cause = CAUSE_WITHDRAWN, .at = at(1, 0)});
    expect(r.map.slots.used == 1 && r.map.counts.attempts == 0 && r.map.watch.failed.count == 0);
    end(&r);
}

/* The latest failure counts, and none once an attempt has won. */
TEST(map_watch_replaces_a_failure_by_what_comes_after_it)
{
    struct recalled r;

    begin(&r);
    for (uint16_t i = 0; i < 2; i++) {
        start(&r, at(1, i));
        happens(&r, (struct event){.type = EV_ATTEMPT_FAILED,
                                   .cause = CAUSE_EXIT,
                                   .detail = 3 + i,
                                   .at = at(1, i)});
        expect(r.map.watch.failed.count == 1 && r.map.watch.failed.at[0].end.exit == 3 + i);
    }
    start(&r, at(2, 0));
    happens(&r, (struct event){
                    .type = EV_ATTEMPT_FAILED, .cause = CAUSE_EXIT, .detail = 9, .at = at(2, 0)});
    start(&r, at(1, 2));
    happens(&r, (struct event){.type = EV_ATTEMPT_FINISHED, .at = at(1, 2)});
    is_decided(&r, (struct decision){.type = DO_COMMIT, .at = at(1, 2)});
    happens(&r, (struct event){.type = EV_COMMITTED, .at = at(1, 2)});
    expect(r.map.watch.failed.count == 1 && r.map.watch.failed.at[0].end.exit == 9);
    expect(r.ends[1].state == MAP_TASK_DONE && r.ends[1].checksum == 0 && !r.ends[1].extra);
    end(&r);
}

TEST(map_watch_notes_an_output_that_was_not_kept_or_is_lost)
{
    struct recalled r;

    begin(&r);
    start(&r, at(1, 0));
    happens(&r, (struct event){.type = EV_ATTEMPT_FINISHED, .at = at(1, 0)});
    is_decided(&r, (struct decision){.type = DO_COMMIT, .at = at(1, 0)});
    happens(&r, (struct event){
                    .type = EV_COMMIT_FAILED, .cause = CAUSE_SYSTEM, .detail = 5, .at = at(1, 0)});
    expect(r.map.watch.committing == 0 && r.map.watch.finished.count == 0);
    expect(r.map.watch.failed.count == 1 && r.map.watch.failed.at[0].end.exit == -1 &&
           r.map.watch.failed.at[0].type == EV_COMMIT_FAILED);
    start(&r, at(1, 1));
    happens(&r, (struct event){.type = EV_ATTEMPT_FINISHED, .at = at(1, 1)});
    is_decided(&r, (struct decision){.type = DO_COMMIT, .at = at(1, 1)});
    happens(&r, (struct event){.type = EV_COMMITTED, .at = at(1, 1)});
    happens(&r, (struct event){.type = EV_OUTPUT_LOST, .at = at(1, 0)}); /* not the winner's */
    expect(r.map.counts.done == 1 && r.ends[1].state == MAP_TASK_DONE);
    happens(&r, (struct event){.type = EV_OUTPUT_LOST, .at = at(1, 1)});
    expect(r.map.counts.done == 0 && r.ends[1].state == MAP_TASK_OPEN);
    end(&r);
}

/* A journal of another run. */
TEST(map_watch_refuses_a_job_that_is_not_of_this_run)
{
    static const struct {
        uint32_t id, tasks;
        uint16_t phases;
    } rows[] = {{1, TASKS, 1}, {0, TASKS - 1, 1}, {0, TASKS + 1, 1}, {0, TASKS, 2}, {0, TASKS, 1}};
    struct recalled r;

    begin(&r);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct phase_spec phases[2] = {{.tasks = rows[i].tasks}, {.tasks = rows[i].tasks}};
        struct job_spec job = {.id = {rows[i].id}, .phases = phases, .phase_count = rows[i].phases};
        struct event e = {.type = EV_JOB_SUBMITTED, .u.job = &job};
        bool right = i == sizeof rows / sizeof *rows - 1;
        expect(r.map.feed.submitted == 0 && turn_of(&r, &e, NULL) == (right ? 0 : -1));
        expect(right || strcmp(r.err.text, "the job differs from the one of this run") == 0);
    }
    expect(r.map.feed.submitted == 1);
    end(&r);
}

TEST(map_fail_keeps_the_first_reason_and_the_first_tasks)
{
    struct map m = {0};
    struct err err;
    struct map_end end = {.exit = 4, .signal = 0};

    errno = EPIPE;
    map_fail_unwritable(&m, "the output");
    expect(m.fail.aborts && m.fail.reader_left && m.fail.why.kind == ERR_SYSTEM);
    expect(strcmp(m.fail.why.text, "cannot write the output: Broken pipe") == 0);
    err_set(&err, "later");
    map_fail(&m, &err);
    errno = ENOSPC;
    map_fail_unwritable(&m, "the output");
    expect(m.fail.reader_left && strstr(m.fail.why.text, "Broken pipe"));
    m = (struct map){0};
    errno = EPIPE;
    map_fail_unwritable(&m, "to stderr");
    expect(m.fail.aborts && !m.fail.reader_left);
    for (uint32_t i = 0; i < MAP_FAILED_TOLD + 1; i++)
        map_fail_task(&m, 10 + i, &end);
    expect(m.counts.failed == MAP_FAILED_TOLD + 1);
    expect(m.counts.failed_first[0].task == 10 && m.counts.failed_first[0].exit == 4);
    expect(m.counts.failed_first[MAP_FAILED_TOLD - 1].task == 10 + MAP_FAILED_TOLD - 1);
}
