#include "commands/explain/explain_open.h"

#include <string.h>
#include <unistd.h>

#include "record/journal/journal.h"
#include "tests/unit/command.h"

/* A run of `dolly map` whose arguments come one by one: a job for each. */
struct fed_run {
    struct journal *journal;
    uint32_t jobs;
    uint16_t phases; /* of each */
};

static void feed(struct fed_run *f)
{
    struct phase_spec phases[] = {{.name = "map", .tasks = 2, .demand = {{RES_SLOT}}},
                                  {.name = "more", .tasks = 2, .demand = {{RES_SLOT}}}};
    struct job_spec job = {.id = {f->jobs},
                           .name = "map",
                           .phases = phases,
                           .phase_count = f->phases,
                           .arrived_us = f->jobs,
                           .weight = 1000};
    struct event event = {.type = EV_JOB_SUBMITTED, .u.job = &job};
    struct turn turn = {.now_us = f->jobs, .events = &event, .event_count = 1};
    struct err err;

    f->jobs++;
    expect(journal_tap(f->journal).turn(journal_tap(f->journal).ctx, &turn, &err) == 0);
}

/* Between the two passes over the journal. */
static void feed_more(void *ctx, struct follow *account)
{
    (void)account;
    feed(ctx);
}

static void see_job(void *ctx, const struct explain *x)
{
    (void)ctx, (void)x;
}

static bool no_more(void *ctx)
{
    (void)ctx;
    return false;
}

/* The story ends before what has arrived since it was looked at first. */
TEST(explain_open_reads_a_run_that_is_being_fed)
{
    struct fed_run f = {.phases = 1};
    struct explain_watch watch = {.ctx = &f, .begin = feed_more, .job = see_job};
    struct explain_input s;
    struct command_folder folder;
    struct err err;

    command_begin(&folder);
    f.journal = journal_create(&(struct journal_options){.path = "run", .each_turn = true}, 1,
                               "fifo", "map", &err);
    expect(f.journal);
    feed(&f);
    feed(&f);
    expect(explain_open(&s, "run", NULL, &watch, &err) == 0);
    expect(f.jobs == 3 && s.x.run->jobs == 1 && s.x.run->tasks == 4 && !s.x.complete);
    expect(s.x.torn_bytes == 0 && s.turns == 2);
    explain_open_end(&s);
    expect(explain_open(&s, "run", NULL, NULL, &err) == 0);
    expect(s.x.run->tasks == 6);
    explain_open_end(&s);
    struct journal_follow follow = {NULL, no_more}; /* one who follows it opens it anew */
    watch.follow = &follow;
    expect(explain_open(&s, "run", NULL, &watch, &err) < 0 && s.grown && s.turns == 3);
    expect(strstr(err.text, "run") && strstr(err.text, "more tasks have arrived"));
    explain_open_end(&s);
    expect(journal_close(f.journal, true, &err) == 0);
    command_end(&folder);
}

/* Only the jobs that `dolly map` makes are one: with one phase each, numbered from 0. */
TEST(explain_open_joins_the_jobs_of_map)
{
    static const struct {
        const char *body;
        uint32_t first;
        uint16_t phases;
        uint64_t jobs, tasks;
    } rows[] = {
        {"map", 0, 1, 1, 4}, {"exec", 0, 1, 2, 4}, {"map", 1, 1, 2, 4}, {"map", 0, 2, 2, 8}};
    struct command_folder folder;
    struct explain_input s;
    struct err err;

    command_begin(&folder);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fed_run f = {.jobs = rows[i].first, .phases = rows[i].phases};
        f.journal = journal_create(&(struct journal_options){.path = "run", .each_turn = true}, 1,
                                   "fifo", rows[i].body, &err);
        feed(&f);
        feed(&f);
        expect(journal_close(f.journal, true, &err) == 0);
        expect(explain_open(&s, "run", NULL, NULL, &err) == 0 && s.x.complete);
        expect(s.x.run->jobs == rows[i].jobs && s.x.run->tasks == rows[i].tasks);
        expect(s.joins == (i == 0));
        explain_open_end(&s);
        expect(unlink("run") == 0);
    }
    command_end(&folder);
}
