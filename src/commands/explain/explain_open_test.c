#include "commands/explain/explain_open.h"

#include <string.h>

#include "record/journal/journal.h"
#include "tests/unit/command.h"

/* A run of `dolly map` whose arguments come one by one: a job for each. */
struct fed_run {
    struct journal *journal;
    uint32_t jobs;
};

static void feed(struct fed_run *f)
{
    struct phase_spec phase = {.name = "map", .tasks = 2, .demand = {{RES_SLOT}}};
    struct job_spec job = {.id = {f->jobs},
                           .name = "map",
                           .phases = &phase,
                           .phase_count = 1,
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

/* The story ends before what has arrived since it was looked at first. */
TEST(explain_open_reads_a_run_that_is_being_fed)
{
    struct fed_run f = {0};
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
    expect(journal_close(f.journal, true, &err) == 0);
    command_end(&folder);
}
