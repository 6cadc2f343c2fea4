/* A run of one job of three tasks on two nodes, written by hand: task 0 wins with its second
 * attempt, task 1 fails once, and task 2 is launched when the journal ends, or never. */
#include "commands/replay/replay.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "inputs/cluster/about.h"
#include "record/journal/journal.h"
#include "record/journal/journal_file.h"
#include "record/journal/journal_sample_test.h"
#include "tests/unit/command.h"

#define S INT64_C(1000000)
#define ABOUT "about cluster=\"two\" options=\"jobs=7 warmup=5us\"\nrack r0\nnodes n[0-1] cpu=2\n"

struct replay_script {
    struct journal *journal;
    int64_t now_us;
    struct event events[8];
    struct decision decisions[8];
    uint32_t event_count, decision_count;
    char path[SAMPLE_PATH_MAX];
};

static struct attempt_ref attempt(uint32_t task, uint16_t ordinal)
{
    return (struct attempt_ref){{0}, task, 0, ordinal};
}

static void turn(struct replay_script *s, int64_t now_us)
{
    struct err err;
    struct tap tap = journal_tap(s->journal);
    struct turn t = {.now_us = now_us,
                     .events = s->events,
                     .decisions = s->decisions,
                     .event_count = s->event_count,
                     .decision_count = s->decision_count};
    expect(tap.turn(tap.ctx, &t, &err) == 0);
    s->event_count = s->decision_count = 0;
}

static struct event *event(struct replay_script *s, uint8_t type, struct attempt_ref at)
{
    struct event *e = &s->events[s->event_count++];
    *e = (struct event){.type = type, .at = at, .node = {0}};
    return e;
}

static void decision(struct replay_script *s, uint8_t type, struct attempt_ref at)
{
    s->decisions[s->decision_count++] = (struct decision){.type = type, .at = at, .node = {0}};
}

static void begin(struct replay_script *s, const char *body, const char *about)
{
    struct err err;
    *s = (struct replay_script){0};
    journal_sample_path(s->path, "replay");
    struct journal_options options = {.path = s->path, .about = about};
    s->journal = journal_create(&options, 9, "order=fair,mitigate=none;failures_max=2", body, &err);
    expect(s->journal != NULL);
}

static void nodes_up(struct replay_script *s)
{
    for (uint32_t i = 0; i < 2; i++) {
        struct event *e = event(s, EV_NODE_UP, attempt(0, 0));
        e->node.v = i;
        e->u.node.capacity.v[RES_CPU] = 2 * RES_SLOT;
        e->u.node.name = i ? "n1" : "n0";
    }
}

static void write_run(struct replay_script *s, bool whole)
{
    struct phase_spec phase = {.name = "map", .tasks = 3, .demand = {{RES_SLOT}}};
    struct job_spec job = {.name = "job",
                           .weight = JOB_WEIGHT_ONE,
                           .arrived_us = 0,
                           .phases = &phase,
                           .phase_count = 1};
    nodes_up(s);
    event(s, EV_JOB_SUBMITTED, attempt(0, 0))->u.job = &job;
    decision(s, DO_LAUNCH, attempt(0, 0));
    decision(s, DO_LAUNCH, attempt(0, 1));
    decision(s, DO_LAUNCH, attempt(1, 0));
    turn(s, 1 * S);
    event(s, EV_ATTEMPT_STARTED, attempt(0, 0));
    event(s, EV_ATTEMPT_STARTED, attempt(0, 1));
    event(s, EV_ATTEMPT_STARTED, attempt(1, 0));
    turn(s, 2 * S);
    event(s, EV_ATTEMPT_FINISHED, attempt(0, 1))->u.use.written_bytes = 600;
    decision(s, DO_COMMIT, attempt(0, 1));
    decision(s, DO_KILL, attempt(0, 0));
    turn(s, 12 * S);
    event(s, EV_COMMITTED, attempt(0, 1));
    event(s, EV_ATTEMPT_KILLED, attempt(0, 0));
    event(s, EV_ATTEMPT_FAILED, attempt(1, 0));
    decision(s, DO_LAUNCH, attempt(1, 1));
    decision(s, DO_LAUNCH, attempt(2, 0));
    turn(s, 13 * S);
    event(s, EV_ATTEMPT_STARTED, attempt(1, 1));
    turn(s, 14 * S);
    event(s, EV_ATTEMPT_FINISHED, attempt(1, 1))->u.use.written_bytes = 200;
    event(s, EV_NODE_DOWN, attempt(0, 0))->node.v = 1;
    turn(s, 44 * S);
    struct err err;
    expect(journal_close(s->journal, whole, &err) == 0);
}

static void check_times(const struct replay *r, int64_t launch_us)
{
    const struct phase_truth *t = &r->truths.at[0];
    expect(r->truths.count == 1 && r->log.attempts == 5 && r->tasks == 3);
    expect(t->attempt_from[1] == 2 && t->attempt_from[2] == 4 && t->attempt_from[3] == 5);
    expect(t->attempts[1] == 10 * S + launch_us);
    expect(t->attempts[3] == 30 * S + launch_us);
    /* Killed after 11 s, failed after 11 s, and never begun: what the others took. */
    expect(t->attempts[0] == 30 * S + launch_us && t->attempts[2] == 30 * S + launch_us);
    expect(t->attempts[4] == t->attempts[1] || t->attempts[4] == t->attempts[3]);
    expect(t->attempt_fails[2] == 11 * S + launch_us && t->attempt_fails[0] == 0);
    expect(t->output_bytes == 400 && r->times.cut == 3 && r->times.unseen == 0);
}

TEST(replay_of_a_simulated_run_counts_from_the_start)
{
    struct replay_script s;
    struct err err;
    begin(&s, "sim", ABOUT);
    write_run(&s, true);
    struct replay *r = replay_open(s.path, &err);
    expect(r && replay_is_simulated(r) && r->seed == 9 && r->complete && r->jobs_open == 1);
    expect(r->jobs_max == 7 && r->warmup_us == 5 && !strcmp(r->cluster_name, "two"));
    check_times(r, 0);
    expect(r->cluster->node_count == 2 && r->cluster->outages.count == 1);
    expect(r->cluster->outages.at[0].node == 1 && r->cluster->outages.at[0].at_us == 44 * S);
    expect(r->cluster->faults.commit_lag_us == 0);
    replay_destroy(r);
    unlink(s.path);
}

/* Its commit and its kill took a second each. */
TEST(replay_of_a_real_run_counts_from_the_launch)
{
    struct replay_script s;
    struct err err;
    begin(&s, "map", ABOUT);
    write_run(&s, false);
    struct replay *r = replay_open(s.path, &err);
    expect(r && !replay_is_simulated(r) && !r->complete && r->jobs_max == 0);
    check_times(r, 1 * S);
    expect(r->cluster->faults.commit_lag_us == 2 * S && r->cluster->faults.kill_lag_us == 2 * S);
    replay_destroy(r);
    unlink(s.path);
}

#define ABOUT_NETWORK                                                                              \
    "about cluster=\"two\"\nrack r0\nnodes n[0-1] cpu=2\nnetwork up=1M down=1M disk=1M\n"          \
    "luck startup=300ms\n"

/* Two readers start at 1 s and read from 1.3 s on: the first until 5 s, and is done at 8 s; the
 * second is still reading when it is killed at 61 s, so nothing is known of its work. */
TEST(replay_keeps_reads_apart_from_start_up_and_work)
{
    struct replay_script s;
    struct err err;
    struct phase_spec phase = {.name = "reduce", .tasks = 2, .demand = {{RES_SLOT}}};
    struct job_spec job = {
        .name = "job", .weight = JOB_WEIGHT_ONE, .phases = &phase, .phase_count = 1};
    begin(&s, "sim", ABOUT_NETWORK);
    nodes_up(&s);
    event(&s, EV_JOB_SUBMITTED, attempt(0, 0))->u.job = &job;
    for (uint32_t t = 0; t < 2; t++)
        decision(&s, DO_LAUNCH, attempt(t, 0));
    turn(&s, 0);
    for (uint32_t t = 0; t < 2; t++)
        event(&s, EV_ATTEMPT_STARTED, attempt(t, 0));
    turn(&s, 1 * S);
    for (uint32_t t = 0; t < 2; t++)
        event(&s, EV_FETCH_STARTED, attempt(t, 0));
    turn(&s, 1 * S + 300000);
    event(&s, EV_FETCH_DONE, attempt(0, 0));
    turn(&s, 5 * S);
    event(&s, EV_ATTEMPT_FINISHED, attempt(0, 0));
    decision(&s, DO_KILL, attempt(1, 0));
    turn(&s, 8 * S);
    event(&s, EV_ATTEMPT_KILLED, attempt(1, 0));
    turn(&s, 61 * S);
    expect(journal_close(s.journal, true, &err) == 0);
    struct replay *r = replay_open(s.path, &err);
    expect(r && r->truths.at[0].startup_us == 300000);
    expect(r && r->truths.at[0].attempts[0] == 3 * S + 300000);
    expect(r && r->truths.at[0].attempts[1] == 3 * S + 300000); /* what the other took */
    replay_destroy(r);
    unlink(s.path);
}

TEST(replay_hands_out_the_jobs_as_often_as_one_likes)
{
    struct replay_script s;
    struct err err;
    begin(&s, "sim", ABOUT);
    write_run(&s, true);
    struct replay *r = replay_open(s.path, &err);
    for (uint8_t vary = RECORDED_SIZE; r && vary <= RECORDED_BYTES; vary++) {
        struct workload *w = replay_jobs(r, vary);
        struct workload_job *job = w->next(w);
        expect(job && job->submit_us == 1 * S && job->truth[0].vary == vary);
        expect(!strcmp(job->spec.name, "job") && job->spec.phases[0].tasks == 3);
        expect(w->next(w) == NULL);
        workload_job_free(job);
        w->destroy(w);
    }
    replay_destroy(r);
    unlink(s.path);
}

TEST(replay_of_an_older_journal_is_the_same)
{
    for (uint32_t version = 2; version <= 3; version++) {
        struct replay_script s;
        struct err err;
        begin(&s, "sim", NULL);
        write_run(&s, true);
        journal_sample_age(s.path, version);
        struct replay *r = replay_open(s.path, &err);
        expect(r && r->complete && strstr(r->notes.at[0], "has no description"));
        check_times(r, 0);
        replay_destroy(r);
        unlink(s.path);
    }
}

TEST(replay_without_about_takes_the_nodes_as_seen_and_says_so)
{
    struct replay_script s;
    struct err err;
    begin(&s, "sim", NULL);
    write_run(&s, true);
    struct replay *r = replay_open(s.path, &err);
    expect(r && r->cluster->node_count == 2 && !strcmp(r->cluster->nodes[1].name, "n1"));
    expect(r && r->notes.count == 4 && r->times.is_bound &&
           strstr(r->notes.at[0], "has no description"));
    expect(r && strstr(r->notes.at[1], "3 of 5 attempts") && strstr(r->notes.at[3], "1 of 1 jobs"));
    replay_destroy(r);
    unlink(s.path);
    begin(&s, "sim", "nonsense");
    write_run(&s, true);
    r = replay_open(s.path, &err);
    expect(r && r->cluster->node_count == 2 && strstr(r->notes.at[0], "cannot be read"));
    replay_destroy(r);
    unlink(s.path);
}

TEST(replay_needs_a_run_with_jobs)
{
    struct replay_script s;
    struct err err;
    begin(&s, "sim", ABOUT);
    expect(journal_close(s.journal, true, &err) == 0);
    expect(!replay_open(s.path, &err) && strstr(err.text, "no job was submitted"));
    unlink(s.path);
    expect(!replay_open(s.path, &err) && strstr(err.text, "cannot open"));
    begin(&s, "sim", ABOUT); /* a second node before the first */
    event(&s, EV_NODE_UP, attempt(0, 0))->node.v = 1;
    turn(&s, 1);
    expect(journal_close(s.journal, true, &err) == 0);
    expect(!replay_open(s.path, &err) && strstr(err.text, "record"));
    unlink(s.path);
}

/* Journals in which nothing can have run. */
TEST(replay_open_needs_a_run_with_jobs_and_nodes)
{
    struct phase_spec phase = {.name = "map", .tasks = 1, .demand = {{RES_SLOT}}};
    struct job_spec job = {.name = "j", .phases = &phase, .phase_count = 1, .weight = 1000};
    const struct {
        struct event event;
        const char *why;
    } rows[] = {
        {{.type = EV_NODE_UP, .u.node.capacity = {{4000}}},
         "no job was submitted, so there is nothing to run"},
        {{.type = EV_JOB_SUBMITTED, .u.job = &job}, "has no nodes, so nothing can run"},
        {{0}, "ends before the record of its run"},
    };
    struct command_folder f;
    struct err err;

    command_begin(&f);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char why[100];
        struct journal *j =
            journal_create(&(struct journal_options){.path = "run"}, 1, "fifo", "map", &err);
        struct turn t = {.events = &rows[i].event, .event_count = 1};
        if (rows[i].event.type)
            expect(journal_tap(j).turn(journal_tap(j).ctx, &t, &err) == 0);
        expect(journal_close(j, true, &err) == 0);
        if (!rows[i].event.type)
            expect(truncate("run", JOURNAL_HEADER_BYTES) == 0);
        expect(!replay_open("run", &err) && err.kind == ERR_INPUT);
        snprintf(why, sizeof why, "journal run: %s", rows[i].why);
        expect(strcmp(err.text, why) == 0);
        expect(unlink("run") == 0);
    }
    command_end(&f);
}
