#include "commands/report/compare.h"

#include <math.h>
#include <string.h>

#include "tests/unit/capture.h"
#include "tests/unit/test.h"

enum { RUNS = 3, JOBS = 4 };

/* Three runs of four jobs: two of 4 tasks, one of 40 and one of 1000. The second run is faster with
 * small jobs, and the third slower with all. */
struct runs {
    struct comparison c;
    struct story_run sums[RUNS];
    struct gather_job jobs[RUNS][JOBS];
};

static void open_runs(struct runs *r)
{
    static const uint64_t tasks[JOBS] = {4, 4, 40, 1000};
    static const int64_t took_s[RUNS][JOBS] = {
        {100, 100, 200, 1000}, {40, 60, 200, 1000}, {110, 110, 220, 1100}};
    static const char *const labels[RUNS] = {"none", "dolly", "slow"};
    static char name[] = "j";

    *r = (struct runs){.c.count = RUNS};
    for (uint32_t k = 0; k < RUNS; k++) {
        for (uint32_t i = 0; i < JOBS; i++)
            r->jobs[k][i] = (struct gather_job){.id = {i},
                                                .name = name,
                                                .tasks = tasks[i],
                                                .ended_us = took_s[k][i] * 1000000,
                                                .measured = true};
        r->c.runs[k].label = labels[k];
        r->c.runs[k].input.x.run = &r->sums[k];
        r->c.runs[k].gather.jobs.at = r->jobs[k];
        r->c.runs[k].gather.jobs.count = JOBS;
        r->c.runs[k].gather.job_count = r->c.runs[k].gather.measured_count = JOBS;
    }
}

TEST(compare_means_by_size)
{
    struct runs r;
    open_runs(&r);
    compare_match(&r.c);
    expect(r.c.jobs.count == 4 && compare_jobs(&r.c, 0) == 2 && compare_jobs(&r.c, 2) == 0);
    expect(compare_mean_s(&r.c, 0, COMPARE_ALL) == 350 && compare_mean_s(&r.c, 1, 0) == 50);
    expect(isnan(compare_mean_s(&r.c, 0, 2)));
    expect(compare_change(&r.c, 1, 0) == -0.5 && compare_best(&r.c) == 1);
    expect(strcmp(compare_bin_name(4), "over 500") == 0);
    vec_free(&r.c.jobs);
}

TEST(compare_tells_of_others_in_one_sentence)
{
    struct runs r;
    struct str text = {0};
    open_runs(&r);
    r.c.runs[3] = r.c.runs[0];
    r.c.runs[3].label = "same";
    r.c.count = 4;
    compare_match(&r.c);
    compare_sentences(&r.c, &text);
    expect(strstr(text.text, "\nWith slow they end 10 % later, with same as soon.\n"));
    vec_free(&r.c.jobs);
    str_free(&text);
}

/* A job that is not the same everywhere, or not done, is left out. */
TEST(compare_leaves_out_other_jobs)
{
    struct runs r;
    struct str text = {0}, range = {0};
    open_runs(&r);
    r.jobs[1][0].tasks = 5;
    r.jobs[2][1].failed = true;
    r.jobs[0][2].measured = false;
    r.c.runs[0].gather.measured_count = 3;
    compare_match(&r.c);
    expect(r.c.jobs.count == 1 && r.c.jobs.at[0].job[1] == &r.jobs[1][3]);
    compare_headline(&r.c, &text, &range);
    expect(text_was(&text, "dolly: the job ends as soon as with none"));
    expect(text_was(&range, "(16 min, not 16 min)"));
    compare_sentences(&r.c, &text);
    expect(text_was(&text,
                    "With slow they end 10 % later.\n"
                    "3 jobs cannot be compared: not the same in all runs, or not done in all; 1 "
                    "job before or after the measured ones is not counted.\n"));
    r.c.jobs.count = 0;
    compare_headline(&r.c, &text, &range);
    expect(text_was(&text, "The runs have no job in common that is done in all of them"));
    vec_free(&r.c.jobs);
    str_free(&text);
    str_free(&range);
}

TEST(compare_says_who_wins_and_for_whom)
{
    struct runs r;
    struct str text = {0}, range = {0};
    open_runs(&r);
    r.sums[1].slot_s = 100;
    r.sums[1].vain_slot_s[LAUNCH_CLONE] = 2;
    compare_match(&r.c);
    compare_headline(&r.c, &text, &range);
    expect(text_was(&text, "dolly: jobs end 7.1 % sooner than with none"));
    expect(text_was(&range, "(325 s, not 350 s)"));
    compare_sentences(&r.c, &text);
    expect(text_was(&text,
                    "Jobs of 1-10 tasks (2 of 4) gain most: 50 s instead of 100 s on average.\n"
                    "Of 4 jobs 2 end sooner with dolly by more than 1 %, 0 later, and 2 as "
                    "soon.\n"
                    "With slow they end 10 % later.\n"
                    "With dolly extra attempts that did not win held 2 % of all slot-seconds.\n"));
    vec_free(&r.c.jobs);
    str_free(&text);
    str_free(&range);
}
