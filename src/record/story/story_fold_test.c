/* Each record changes what it is about, by this much, and nothing else. */
#include "record/story/story_fold.h"

#include <string.h>

#include "tests/unit/test.h"

enum { MAPS = 3, REDUCES = 2 };

static struct story_job *sample_job(void)
{
    static const int64_t inputs[MAPS] = {1000, 0, -1};
    static const struct edge_spec edge = {.from = 0};
    struct phase_spec phases[] = {
        {.name = "map", .tasks = MAPS, .input_each = inputs},
        {.name = "reduce", .tasks = REDUCES, .input_bytes = 50, .edges = &edge, .edge_count = 1}};
    struct job_spec spec = {.id = {4}, .name = "j", .phases = phases, .phase_count = 2};
    return story_job_create(&spec, 7);
}

static struct attempt_ref at(uint16_t phase, uint32_t task, uint16_t attempt)
{
    return (struct attempt_ref){{4}, task, phase, attempt};
}

/* Launches an attempt of map 0, the next one. */
static struct attempt_ref launch(struct story_job *j, int64_t now_us, uint8_t kind)
{
    struct decision d = {.type = DO_LAUNCH,
                         .kind = kind,
                         .at = at(0, 0, (uint16_t)j->attempts.count),
                         .node = {9},
                         .why = REASON(WHY_CLONE, 1, 2)};
    story_fold_launched(j, now_us, &d);
    return d.at;
}

static struct story_attempt *last(const struct story_job *j)
{
    return &j->attempts.at[j->attempts.count - 1];
}

static void told(struct story_job *j, int64_t now_us, uint8_t type, struct attempt_ref which)
{
    story_fold_event(j, now_us, &(struct event){.type = type, .at = which});
}

TEST(story_fold_launches_are_counted_by_kind)
{
    struct story_job *j = sample_job();
    const struct story_task *t = &j->phases[0].tasks[0];

    for (uint8_t kind = 0; kind < LAUNCH_KIND_END; kind++) {
        for (int i = 0; i <= kind; i++)
            launch(j, 100 + kind, kind);
        expect(j->phases[0].launched[kind] == kind + 1u);
    }
    uint32_t all = j->attempts.count;
    expect(t->launches == all && t->newest == all - 1 && t->launched_us == 100);
    for (uint32_t i = 0; i < all; i++) {
        const struct story_attempt *a = &j->attempts.at[i];
        expect(a->ordinal == i && a->depth == i && a->older == (i ? i - 1 : STORY_NONE));
        expect(a->task == 0 && a->phase == 0 && a->node.v == 9 && a->reads == STORY_NONE);
        expect(a->launched_us == 100 + a->kind && a->started_us == -1 && a->ended_us == -1);
        expect(a->ran_us == -1 && a->cpu_us == -1 && a->stop_us == -1 && a->fed_us == -1);
        expect(a->done == -1 && a->ending == 0 && !a->won && a->still_us == 0);
        struct reason r = story_job_reason(j, a->why);
        expect(r.code == WHY_CLONE && r.count == 2 && r.num[0] == 1 && r.num[1] == 2);
    }
    expect(j->phases[0].tasks[1].launches == 0 && j->phases[0].tasks[1].launched_us == -1);
    expect(j->phases[1].launched[0] == 0 && j->phases[0].withdrawn == 0);
    story_job_destroy(j);
}

/* Of an attempt that was launched at 100 and started at 110, and ended at 200. */
TEST(story_fold_ends)
{
    static const struct {
        uint8_t type, cause;
        int64_t wall_us, read_bytes; /* that it is said to have used */
        int64_t ran_us, started_us;
        double done;
        uint32_t failures, withdrawn;
    } rows[] = {
        {EV_ATTEMPT_FINISHED, CAUSE_NONE, 90, 500, 90, 110, 0.25, 0, 0},
        {EV_ATTEMPT_FINISHED, CAUSE_NONE, 0, 0, -1, 110, 0.25, 0, 0},
        {EV_ATTEMPT_FINISHED, CAUSE_NONE, 1, 0, 1, 110, 0.25, 0, 0},
        {EV_ATTEMPT_FINISHED, CAUSE_NONE, 91, 0, 91, 109, 0.25, 0, 0},
        {EV_ATTEMPT_FINISHED, CAUSE_NONE, 100, 0, 100, 100, 0.25, 0, 0},
        {EV_ATTEMPT_FINISHED, CAUSE_NONE, 101, 0, -1, 110, 0.25, 0, 0},
        {EV_ATTEMPT_FAILED, CAUSE_EXIT, 50, 0, 50, 110, 0.25, 1, 0},
        {EV_ATTEMPT_KILLED, CAUSE_NONE, 50, 0, 50, 110, 0.25, 0, 0},
        {EV_ATTEMPT_KILLED, CAUSE_NONE, 50, 1, 50, 110, 0.001, 0, 0},
        {EV_ATTEMPT_KILLED, CAUSE_NONE, 50, 500, 50, 110, 0.5, 0, 0},
        {EV_ATTEMPT_LOST, CAUSE_NODE_DOWN, 50, 500, 50, 110, 0.25, 0, 0},
        {EV_ATTEMPT_LAUNCH_FAILED, CAUSE_WITHDRAWN, 0, 0, -1, 110, 0.25, 0, 1},
        {EV_ATTEMPT_LAUNCH_FAILED, CAUSE_NODE_DOWN, 0, 0, -1, 110, 0.25, 0, 0},
        {EV_ATTEMPT_LAUNCH_FAILED, CAUSE_JOB_OVER, 0, 0, -1, 110, 0.25, 0, 0},
        {EV_ATTEMPT_LAUNCH_FAILED, CAUSE_SYSTEM, 0, 0, -1, 110, 0.25, 1, 0},
        {EV_ATTEMPT_LAUNCH_FAILED, CAUSE_NO_SUCH_FILE, 0, 0, -1, 110, 0.25, 1, 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct story_job *j = sample_job();
        launch(j, 90, LAUNCH_FIRST);
        struct attempt_ref which = launch(j, 100, LAUNCH_CLONE);
        struct event e = {.type = rows[i].type,
                          .cause = rows[i].cause,
                          .detail = 13,
                          .at = which,
                          .u.use = {.wall_us = rows[i].wall_us,
                                    .cpu_us = 77,
                                    .read_bytes = rows[i].read_bytes}};
        const struct story_attempt *a = last(j);
        told(j, 110, EV_ATTEMPT_STARTED, which);
        last(j)->done = 0.25, last(j)->step = 0.25;
        story_fold_ended(j, &e, 200);
        expect(a->ending == rows[i].type && a->cause == rows[i].cause && a->detail == 13);
        expect(a->ended_us == 200 && a->ran_us == rows[i].ran_us);
        expect(a->started_us == rows[i].started_us && a->launched_us == 100);
        expect(a->cpu_us == (rows[i].type == EV_ATTEMPT_LAUNCH_FAILED ? -1 : 77));
        expect(a->done == rows[i].done && a->step == (rows[i].done == 0.25 ? 0.25 : 0));
        const struct story_task *t = &j->phases[0].tasks[0];
        expect(t->failures == rows[i].failures && t->launches == 2 - rows[i].withdrawn);
        expect(j->phases[0].withdrawn == rows[i].withdrawn);
        expect(j->phases[0].launched[LAUNCH_CLONE] == 1 - rows[i].withdrawn);
        expect(j->phases[0].launched[LAUNCH_FIRST] == 1 && j->attempts.at[0].ended_us == -1);
        story_job_destroy(j);
    }
}

/* How far a killed attempt got is known from its input alone, where that is known. */
TEST(story_fold_input_of_a_task)
{
    struct story_job *j = sample_job();

    expect(story_job_input_bytes(&j->phases[0], 0) == 1000);
    expect(story_job_input_bytes(&j->phases[0], 1) == 0);
    expect(story_job_input_bytes(&j->phases[0], 2) == 0);
    expect(story_job_input_bytes(&j->phases[1], 1) == 50);
    for (uint32_t task = 1; task < MAPS; task++) {
        struct decision d = {.type = DO_LAUNCH, .at = at(0, task, 0), .why = REASON_PLAIN(0)};
        story_fold_launched(j, 1, &d);
        struct event e = {.type = EV_ATTEMPT_KILLED, .at = d.at, .u.use = {.read_bytes = 5}};
        story_fold_ended(j, &e, 2);
        expect(last(j)->done == -1);
    }
    story_job_destroy(j);
}

/* A start that is heard of late was then, but never before its launch. */
TEST(story_fold_starts)
{
    static const int64_t late[][2] = {{0, 150}, {1, 149}, {50, 100}, {51, 100}};

    for (size_t i = 0; i < sizeof late / sizeof *late; i++) {
        struct story_job *j = sample_job();
        struct attempt_ref which = launch(j, 100, LAUNCH_FIRST);
        struct event e = {.type = EV_ATTEMPT_STARTED, .at = which, .u.late_us = late[i][0]};
        story_fold_event(j, 150, &e);
        expect(last(j)->started_us == late[i][1] && last(j)->moved_us == late[i][1]);
        story_job_destroy(j);
    }
}

static void progress(struct story_job *j, int64_t now_us, int64_t done, int64_t total)
{
    struct event e = {
        .type = EV_ATTEMPT_PROGRESS, .at = at(0, 0, 0), .u.progress = {done, total, -1, 0}};
    story_fold_event(j, now_us, &e);
}

TEST(story_fold_progress)
{
    static const struct {
        int64_t now_us, done, total;
        double at, step, still_at;
        int64_t moved_us, still_us;
        uint16_t reports;
    } rows[] = {
        {120, 1, 0, -1, 0, 0, 110, 0, 0},  /* of an unknown whole */
        {121, 1, -1, -1, 0, 0, 110, 0, 0}, /* the same */
        {125, 0, 8, 0, 0, 0, 110, 15, 0},  /* nothing yet */
        {130, 4, 8, 0.5, 0.5, 0, 130, 15, 1},
        {140, 5, 8, 0.625, 0.125, 0, 140, 15, 2}, /* the first step was from nothing */
        {155, 5, 8, 0.625, 0.125, 0, 140, 15, 2}, /* it has stood still for as long before */
        {156, 5, 8, 0.625, 0.125, 0.625, 140, 16, 2},
        {160, 6, 8, 0.75, 0.125, 0.625, 160, 16, 3},
        {170, 8, 8, 1, 0.25, 0.625, 170, 16, 4},
        {190, 4, 8, 0.5, 0.25, 0.5, 170, 20, 4}, /* it has begun again */
    };
    struct story_job *j = sample_job();
    struct attempt_ref which = launch(j, 100, LAUNCH_FIRST);

    progress(j, 105, 1, 2); /* before its start: nothing is known of it */
    expect(last(j)->done == -1 && last(j)->reports == 0);
    told(j, 110, EV_ATTEMPT_STARTED, which);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct story_attempt *a = last(j);
        progress(j, rows[i].now_us, rows[i].done, rows[i].total);
        expect(a->done == rows[i].at && a->step == rows[i].step && a->reports == rows[i].reports);
        expect(a->moved_us == rows[i].moved_us && a->still_us == rows[i].still_us);
        expect(a->still_at == rows[i].still_at);
        expect(a->first_us == (a->reports ? 130 : 0) && a->first_done == (a->reports ? 0.5 : 0));
    }
    last(j)->reports = UINT16_MAX - 1;
    for (int i = 0; i < 3; i++)
        progress(j, 200 + i, 5 + i, 8);
    expect(last(j)->reports == UINT16_MAX); /* it does not begin at 0 again */
    story_job_destroy(j);
}

static void fetched(struct story_job *j, int64_t now_us, uint8_t type, int64_t bytes,
                    int64_t took_us, uint32_t task)
{
    struct event e = {.type = type,
                      .at = at(0, 0, 0),
                      .u.fetch = {.source = at(1, task, 0), .bytes = bytes, .took_us = took_us}};
    story_fold_event(j, now_us, &e);
}

TEST(story_fold_fetches)
{
    struct story_job *j = sample_job();

    launch(j, 100, LAUNCH_FIRST);
    expect(!story_job_reads(j, last(j)));
    fetched(j, 120, EV_FETCH_FAILED, 9, 9, 0);
    const struct story_reads *r = story_job_reads(j, last(j));
    expect(r && r->failed == 1 && r->bytes == 0 && r->longest_us == 0 && last(j)->fed_us == -1);
    fetched(j, 130, EV_FETCH_DONE, 40, 7, 1);
    fetched(j, 140, EV_FETCH_DONE, -1, 7, 2); /* unknown bytes; no longer than the one before */
    fetched(j, 150, EV_FETCH_DONE, 2, 6, 3);
    r = story_job_reads(j, last(j));
    expect(j->reads.count == 1 && r->failed == 1 && r->bytes == 42 && r->longest_us == 7);
    expect(r->longest.task == 1 && r->longest.phase == 1 && last(j)->fed_us == 150);
    fetched(j, 160, EV_FETCH_DONE, 1, 8, 4);
    expect(story_job_reads(j, last(j))->longest.task == 4 && r->longest_us == 8);
    story_job_destroy(j);
}

/* A number of siblings that no run can have is not known. */
TEST(story_fold_assigned_reads)
{
    static const struct {
        struct reason why;
        uint32_t task, assigned, said, shared, siblings, whole;
    } rows[] = {
        {REASON(WHY_READ_COMMITTED, 1), 0, 1, 0, 0, 0, 0},
        {REASON(WHY_READ_COMMITTED, 1, 0), 0, 2, 1, 0, 0, 0},
        {REASON(WHY_READ_COMMITTED, 1, 1), 0, 3, 2, 1, 1, 0},
        {REASON(WHY_READ_COMMITTED, 1, 7), TASK_ALL, 4, 3, 2, 7, 1},
        {REASON(WHY_READ_COMMITTED, 1, 6), 1, 5, 4, 3, 7, 1},
        {REASON(WHY_READ_COMMITTED, 1, -1), 1, 6, 5, 3, 7, 1},
        {REASON(WHY_READ_COMMITTED, 1, 4294967295.0), 1, 7, 6, 3, 7, 1},
        {REASON(WHY_READ_COMMITTED, 1, 4294967294.0), 1, 8, 7, 4, 4294967294u, 1},
    };
    struct story_job *j = sample_job();

    launch(j, 100, LAUNCH_FIRST);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct decision d = {.type = DO_ASSIGN_READ, .at = at(0, 0, 0), .why = rows[i].why};
        d.u.read.source = at(1, rows[i].task, 0);
        story_fold_decision(j, 110 + (int64_t)i, &d);
        const struct story_reads *r = story_job_reads(j, last(j));
        expect(r && r->given_us == 110 + (int64_t)i && r->failed == 0);
        expect(r->assigned == rows[i].assigned && r->said == rows[i].said);
        expect(r->shared == rows[i].shared && r->siblings == rows[i].siblings);
        expect(r->whole == rows[i].whole && r->whole_phase == (r->whole ? 1 : 0));
    }
    expect(j->reads.count == 1);
    story_job_destroy(j);
}

/* A task whose output was lost counts once, until it is committed again. */
TEST(story_fold_commits_and_losses)
{
    struct story_job *j = sample_job();
    const struct story_phase *p = &j->phases[0];
    const struct story_task *t = &p->tasks[0];

    launch(j, 0, LAUNCH_FIRST);
    launch(j, 0, LAUNCH_CLONE);
    told(j, 0, EV_OUTPUT_LOST, at(0, 0, 1)); /* there is none yet */
    expect(!t->lost && t->outputs_lost == 0);
    told(j, 0, EV_COMMITTED, at(0, 0, 1));
    expect(p->committed == 1 && t->committed_us == 0 && t->winner == 1 && last(j)->won);
    expect(!j->attempts.at[0].won && j->phases[1].committed == 0);
    told(j, 130, EV_OUTPUT_LOST, at(0, 0, 0)); /* nobody's */
    expect(!t->lost && t->outputs_lost == 0);
    told(j, 140, EV_OUTPUT_LOST, at(0, 0, 1));
    told(j, 141, EV_OUTPUT_LOST, at(0, 0, 1));
    expect(t->lost && t->outputs_lost == 1 && t->committed_us == 0 && p->committed == 1);
    told(j, 150, EV_COMMITTED, at(0, 0, 0));
    expect(!t->lost && t->winner == 0 && t->committed_us == 150 && p->committed == 1);
    told(j, 160, EV_OUTPUT_LOST, at(0, 0, 0));
    expect(t->lost && t->outputs_lost == 2);
    struct event e = {
        .type = EV_COMMIT_FAILED, .at = at(0, 0, 1), .cause = CAUSE_DISK_FULL, .detail = 28};
    story_fold_event(j, 170, &e);
    expect(last(j)->commit_failed && last(j)->cause == CAUSE_DISK_FULL && last(j)->detail == 28);
    expect(!j->attempts.at[0].commit_failed && last(j)->ended_us == -1);
    told(j, 180, EV_ATTEMPT_ENDED, at(0, 0, 1));
    expect(last(j)->ended_us == 180 && last(j)->ending == 0);
    story_job_destroy(j);
}

/* The first order to stop is the one that counts. */
TEST(story_fold_stops)
{
    static const uint8_t stops[] = {DO_WITHDRAW, DO_KILL};

    for (size_t i = 0; i < 2; i++) {
        struct story_job *j = sample_job();
        launch(j, 100, LAUNCH_FIRST);
        struct decision d = {
            .type = stops[i], .at = at(0, 0, 0), .why = REASON(WHY_BUDGET_SHRANK, 3, 4)};
        story_fold_decision(j, 110, &d);
        d.type = stops[1 - i];
        d.why.code = WHY_LOST_RACE;
        story_fold_decision(j, 120, &d);
        struct reason why = story_job_reason(j, last(j)->stop_why);
        expect(last(j)->stop_us == 110 && why.code == WHY_BUDGET_SHRANK);
        expect(why.count == 2 && why.num[0] == 3 && why.num[1] == 4);
        struct decision gone = {
            .type = DO_DISCARD_OUTPUT, .at = at(0, 0, 0), .why = REASON_PLAIN(WHY_LOST_RACE)};
        story_fold_decision(j, 130, &gone);
        expect(!last(j)->differed);
        gone.why.code = WHY_NONDETERMINISTIC;
        story_fold_decision(j, 140, &gone);
        expect(last(j)->differed);
        story_job_destroy(j);
    }
}

static void verdict(struct story_job *j, int64_t now_us, struct attempt_ref which,
                    struct reason why)
{
    story_fold_decision(j, now_us,
                        &(struct decision){.type = DO_VERDICT, .at = which, .why = why});
}

TEST(story_fold_verdicts)
{
    static const struct {
        uint16_t code;
        bool cloning; /* it is about that */
    } rows[] = {
        {WHY_RUNNABLE, false},        {WHY_CAP, true},
        {WHY_NO_NEED, true},          {WHY_SPECULATION_CAP, false},
        {WHY_CLONED, true},           {WHY_CAP, false},
        {WHY_OVER_BUDGET, true},      {WHY_WATCHED, true},
        {WHY_TOO_MANY_FAILURES, false}, {WHY_OVER_TAU, true},
        {WHY_OFFERED, true},          {WHY_SIDE_EFFECTS, true},
        {WHY_PARTIAL, true},          {WHY_UNSAFE_NODES, true},
        {WHY_UPSTREAM_COPIES, true},  {WHY_WAIT_PREEMPT, true},
        {WHY_JOB_NOT_ADMITTED, true},
    };
    struct story_job *j = sample_job();
    const struct story_phase *p = &j->phases[1];
    uint16_t latest = WHY_NONE;

    expect(story_job_cloning(j, p) == WHY_NONE);
    for (uint32_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        verdict(j, 100 + i, at(1, TASK_ALL, 0), REASON(rows[i].code, 2, 3));
        latest = rows[i].cloning ? rows[i].code : latest;
        expect(story_job_cloning(j, p) == latest && p->verdicts.count == i + 1);
        expect(p->verdicts.at[i].at_us == 100 + i && p->verdicts.at[i].task == TASK_ALL);
        expect(p->verdicts.at[i].why.code == rows[i].code && p->verdicts.at[i].why.count == 2);
        expect(p->verdicts_more == 0 && j->phases[0].verdicts.count == 0);
    }
    /* An offer of one attempt is none. */
    for (int copies = 1; copies <= 2; copies++) {
        verdict(j, 150, at(1, TASK_ALL, 0), REASON(WHY_OFFERED, copies));
        expect(story_job_cloning(j, p) == (copies == 1 ? WHY_NO_NEED : WHY_OFFERED));
    }
    /* A list of them ends somewhere, and the answer about clones is known nevertheless. */
    while (p->verdicts.count < STORY_VERDICTS_MAX)
        verdict(j, 160, at(1, 1, 0), REASON_PLAIN(WHY_RUNNABLE));
    uint32_t numbers = j->numbers.count;
    verdict(j, 170, at(1, 1, 0), REASON(WHY_SPECULATION_CAP, 1, 2));
    expect(p->verdicts.count == STORY_VERDICTS_MAX && p->verdicts_more == 1);
    expect(j->numbers.count == numbers);
    verdict(j, 180, at(1, 1, 0), REASON(WHY_CLONED, 1, 2));
    expect(p->verdicts.count == STORY_VERDICTS_MAX && p->verdicts_more == 2);
    expect(story_job_cloning(j, p) == WHY_CLONED && p->cloning.at_us == 180);
    story_job_destroy(j);
}

/* A task is given up once, and only for what it has done itself. */
TEST(story_fold_tasks_that_are_given_up)
{
    static const uint16_t codes[] = {WHY_RUNNABLE, WHY_TOO_MANY_FAILURES, WHY_TOO_MANY_LAUNCHES};

    for (size_t i = 0; i < 3; i++) {
        struct story_job *j = sample_job();
        const struct story_task *t = &j->phases[0].tasks[2];
        verdict(j, 100, at(0, 2, 0), REASON_PLAIN(codes[i]));
        verdict(j, 110, at(0, 2, 0), REASON_PLAIN(codes[i]));
        expect(t->given_up_us == (i ? 100 : -1) && j->phases[0].given_up == (i ? 1 : 0));
        verdict(j, 120, at(0, TASK_ALL, 0), REASON_PLAIN(codes[i]));
        expect(j->phases[0].given_up == (i ? 1 : 0) && j->phases[0].tasks[1].given_up_us == -1);
        story_job_destroy(j);
    }
}

TEST(story_fold_the_end_of_a_job)
{
    for (int failed = 0; failed <= 1; failed++) {
        struct story_job *j = sample_job();
        struct decision d = {.type = failed ? DO_JOB_FAILED : DO_JOB_DONE,
                             .at = at(1, 1, 3),
                             .why = REASON(WHY_TOO_MANY_FAILURES, 4, 4)};
        expect(j->over_us == -1 && !story_job_failed_task(j));
        story_fold_decision(j, 300, &d);
        expect(j->over_us == 300 && j->failed == failed && j->failed_at.attempt == 3);
        expect(j->over_why.code == WHY_TOO_MANY_FAILURES && j->over_why.count == 2);
        expect(story_job_failed_task(j) == (failed ? &j->phases[1].tasks[1] : NULL));
        j->failed_at.task = REDUCES;
        expect(!story_job_failed_task(j));
        j->failed_at = at(2, 0, 0);
        expect(!story_job_failed_task(j));
        j->failed_at = at(0, MAPS - 1, 0);
        expect(story_job_failed_task(j) == (failed ? &j->phases[0].tasks[MAPS - 1] : NULL));
        j->over_why.code = WHY_TOO_MANY_LAUNCHES;
        expect(!story_job_failed_task(j) == !failed);
        j->over_why.code = WHY_CANCELLED;
        expect(!story_job_failed_task(j));
        story_job_destroy(j);
    }
}

/* What does not exist is skipped, at the first number that there is not. */
TEST(story_fold_passes_over_what_is_not_there)
{
    static const struct attempt_ref none[] = {
        {{4}, 0, 2, 0}, {{4}, MAPS, 0, 0}, {{4}, 0, 0, 1}, {{4}, REDUCES, 1, 0}, {{4}, 1, 0, 0}};

    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        struct story_job *j = sample_job();
        launch(j, 100, LAUNCH_FIRST);
        struct story_attempt before = *last(j);
        uint32_t numbers = j->numbers.count;
        for (uint8_t type = EV_ATTEMPT_STARTED; type < EV_TYPE_END; type++)
            told(j, 110, type, none[i]);
        for (uint8_t type = DO_WITHDRAW; type < DO_TYPE_END; type++)
            if (type != DO_JOB_DONE && type != DO_JOB_FAILED && type != DO_VERDICT)
                story_fold_decision(j, 110, &(struct decision){.type = type, .at = none[i]});
        expect(memcmp(&before, last(j), sizeof before) == 0 && j->attempts.count == 1);
        expect(j->reads.count == 0 && j->numbers.count == numbers);
        expect(j->phases[0].committed == 0 && j->phases[1].committed == 0);
        story_job_destroy(j);
    }
}
