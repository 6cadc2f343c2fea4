#include "commands/report/headline.h"

#include <string.h>

#include "commands/explain/told_test.h"
#include "tests/unit/test.h"

/* A run of one job with ten tasks that took 2 s, which is over. */
static void open_run(struct told *t, struct read_run *r)
{
    told_init(t);
    t->run.jobs = t->run.done = t->run.slowest_count = 1;
    t->run.tasks = t->run.tasks_done = 10;
    t->run.last_us = t->run.slowest[0].took_us = 2000000;
    t->x.complete = true;
    *r = (struct read_run){.input.x = t->x};
}

/* Returns true if the run has this headline and range. */
static bool says(const struct read_run *r, const char *text, const char *range)
{
    struct headline h;
    headline_init(&h, r);
    bool same = strcmp(h.text.text, text) == 0 && strcmp(h.range.text, range) == 0;
    if (!same)
        printf("%s %s\n    not\n%s %s\n", h.text.text, h.range.text, text, range);
    headline_fini(&h);
    return same;
}

static bool tells(struct told *t, const struct read_run *r, const char *expected)
{
    str_add(&t->out, "");
    headline_sentences(r, &t->out);
    return told_is(t, expected);
}

TEST(headline_is_the_result)
{
    struct told t;
    struct read_run r;
    open_run(&t, &r);
    expect(says(&r, "2 s; no straggler held it up", ""));
    t.run.would.straggling_us = 199999; /* less than a tenth */
    expect(says(&r, "2 s; no straggler held it up", ""));
    t.run.would.straggling_us = 500000;
    expect(says(&r, "2 s; stragglers cost about 0.5 s", ""));
    t.run.would.saved_us = t.run.would.pace_saved_us = t.run.would.low_saved_us =
        t.run.would.high_saved_us = 3000000;
    expect(says(&r, "2 s instead of 5 s", ""));
    t.run.would.low_saved_us = 2000000;
    t.run.would.high_saved_us = 8000000;
    expect(says(&r, "2 s instead of about 5.0 s", "(4.0 s to 10 s)"));
    t.run.unsure = 1;
    expect(says(&r, "2 s instead of at least 4.0 s", ""));
    t.run.tasks_done = 9;
    t.run.tasks_failed = 1;
    expect(says(&r, "1 of 10 tasks failed", ""));
    told_fini(&t);
}

TEST(headline_of_runs_without_a_result)
{
    struct told t;
    struct read_run r;
    open_run(&t, &r);
    t.run.done = 0;
    t.run.tasks_done = 4;
    r.input.x.complete = false;
    expect(says(&r, "Not over: 4 of 10 tasks done", ""));
    t.run.failed = 1;
    expect(says(&r, "1 of 1 job failed", ""));
    expect(tells(&t, &r, "Not over: 4 of 10 tasks done.\n"));
    t.run.jobs = t.run.failed = 0;
    expect(says(&r, "No job was submitted", ""));
    told_fini(&t);
}

/* The shortest jobs of many are not kept; percentiles count them. */
TEST(headline_of_many_jobs_is_their_mean)
{
    struct told t;
    struct read_run r;
    struct gather_job jobs[20];
    open_run(&t, &r);
    for (uint32_t i = 0; i < 20; i++)
        jobs[i] = (struct gather_job){.ended_us = (i + 1) * 1000000, .measured = true};
    r.gather.jobs.at = jobs;
    r.gather.jobs.count = 20;
    t.run.jobs = t.run.done = 20;
    t.run.took_us = 210e6;
    expect(says(&r, "20 jobs, mean 10.5 s, p95 19 s", ""));
    t.run.jobs = t.run.done = 40; /* twenty more that took less */
    expect(says(&r, "40 jobs, mean 5.25 s, p95 18 s", ""));
    t.run.jobs = t.run.done = 1000;
    expect(says(&r, "1000 jobs, mean 0.21 s", ""));
    told_fini(&t);
}

TEST(headline_sentences_are_few)
{
    struct told t;
    struct read_run r;
    struct race races[] = {{.at.task = 2, .rescued = true, .alone = ALONE_AT_LEAST},
                           {.at.task = 5},
                           {.at.task = 9,
                            .rescued = true,
                            .alone = ALONE_PACE,
                            .about_us = 18200000,
                            .low_us = 13000000,
                            .high_us = 25000000}};
    open_run(&t, &r);
    expect(tells(&t, &r, ""));
    t.run.phases = 1;
    t.run.launched[LAUNCH_CLONE] = 20;
    t.run.won[LAUNCH_CLONE] = 3;
    t.run.beat_straggler = 2;
    t.run.slot_s = 100;
    t.run.vain_slot_s[LAUNCH_CLONE] = 40;
    r.races.won.at = races;
    r.races.won.count = 3;
    expect(tells(&t, &r,
                 "Clones rescued 2 of 10 tasks: 2 and 9; alone, task 9 would have ended at about "
                 "18 s.\n20 clones were started and 3 won; those that did not held 40 % of all "
                 "slot-seconds.\n"));
    t.run.held[STORY_SLOW_ATTEMPT] = (struct story_held){1, 300000};
    t.run.would.straggling_us = 250000;
    t.nodes[0].avoided = 2;
    t.nodes[1].downs = 1;
    t.run.unsure = 1;
    r.input.x.complete = false;
    expect(tells(&t, &r,
                 "The journal was not closed: the run was cut off or is still going on, and the "
                 "story ends at 2 s.\n"
                 "Clones rescued 2 of 10 tasks: 2 and 9; alone, task 9 would have ended at about "
                 "18 s.\n20 clones were started and 3 won; those that did not held 40 % of all "
                 "slot-seconds.\n"
                 "Remaining: stragglers cost the job about 0.25 s; the last task of 1 phase "
                 "was slow where others were not (0.3 s).\n"
                 "1 node was avoided, n0 most often; nodes went down 1 time (see the table of "
                 "nodes).\n"));
    told_fini(&t);
}
