#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "jobs/map/map.h"
#include "record/story/story_script_test.h"
#include "tests/unit/test.h"

/* A run of `work {} ::: a b c`, all of which are done. */
static void open_run(struct map *m)
{
    static char *argv[] = {"map", "work", ":::", "a", "b", "c"};
    struct err err;

    *m = (struct map){.argc = 6, .argv = argv};
    expect(options_parse(&m->options, 6, argv, &err) == 0 && map_open(m, &err) == 0);
    vec_push(&m->counts.runtimes, 1);
    vec_push(&m->counts.runtimes, 1);
    vec_push(&m->counts.runtimes, 1);
    m->counts.done = 3;
    m->counts.attempts = 4;
}

/* Whether line `which` of the summary, from 0, is this text. */
static bool line_is(struct map *m, const struct map_summary_facts *f, int which, const char *want)
{
    struct str text = {0};

    map_summary(m, f, &text);
    const char *at = text.text;
    while (which-- > 0)
        at = strchr(at, '\n') + 1;
    bool same = strncmp(at, want, strlen(want)) == 0 && at[strlen(want)] == '\n';
    if (!same)
        printf("# %s\n", text.text);
    str_free(&text);
    return same;
}

/* A busy machine may submit the job a while after the run has begun. */
TEST(map_summary_measures_a_run_as_its_report_does)
{
    struct story_script *s = script_create("0");
    struct script_job job = {.maps = 1, .name = "map", .late_us = 4000};
    struct map m = {0};

    script_submit(s, 0, &job);
    script_launch(s, 1, LAUNCH_FIRST, (struct attempt_ref){0}, 0);
    script_win(s, 3, (struct attempt_ref){0});
    script_over(s, 3, DO_JOB_DONE, 0);
    m.summary.story = script_story(s);
    story_end(m.summary.story);
    expect(map_summary_facts(&m).took_us == 3 * SCRIPT_SECOND);
    script_destroy(s);
}

static bool near(double a, double b)
{
    bool same = a - b < 1e-9 && b - a < 1e-9;

    if (!same)
        printf("%.9g, not %.9g\n", a, b);
    return same;
}

/* Four tasks from 2 s on: 2 s, 2 s, 3 s, and one whose clone wins 4.5 s after its launch, of which
 * the clone ran for 1; the first attempt, which had done a tenth, is dead half a second later. */
TEST(map_summary_has_every_number_of_the_run)
{
    struct story_script *s = script_create("0");
    struct script_job job = {.maps = 4, .name = "map"};
    struct map m = {0};

    script_submit(s, 0, &job);
    for (uint32_t task = 0; task < 4; task++)
        script_launch(s, 2, LAUNCH_FIRST, (struct attempt_ref){.task = task}, task);
    script_win(s, 4, (struct attempt_ref){.task = 0});
    script_win(s, 4, (struct attempt_ref){.task = 1});
    script_win(s, 5, (struct attempt_ref){.task = 2});
    script_progress(s, 4, (struct attempt_ref){.task = 3}, 6);
    script_progress(s, 5, (struct attempt_ref){.task = 3}, 10);
    script_launch(s, 5.5, LAUNCH_CLONE, (struct attempt_ref){.task = 3, .attempt = 1}, 0);
    script_win(s, 6.5, (struct attempt_ref){.task = 3, .attempt = 1});
    script_kill(s, 6.5, 0.5, (struct attempt_ref){.task = 3});
    script_over(s, 6.5, DO_JOB_DONE, 0);
    m.summary.story = script_story(s);
    story_end(m.summary.story);
    struct map_summary_facts f = map_summary_facts(&m);
    expect(f.took_us == 13 * SCRIPT_SECOND / 2);
    expect(near(f.slot_s, 2 + 2 + 3 + 5 + 1) && near(f.vain_slot_s, 5));
    expect(near(f.median_s, 2));
    expect(f.slowest.task == 3 && near(f.slowest.took_s, 4.5) && f.slowest.by_extra &&
           f.slowest.rescued && !f.slowest.again);
    expect(near(f.slowest.ran_s, 0) && near(f.slowest.cpu_s, 0)); /* nobody has said so */
    expect(f.phase.won_by_extra == 1 && f.phase.beat_straggler == 1 && f.phase.unsure == 0);
    expect(f.would.pace_saved_us > 0 && f.would.low_saved_us <= f.would.high_saved_us);
    script_destroy(s);
}

TEST(map_summary_names_the_slowest_task_and_why)
{
    struct map_summary_facts f = {.took_us = 8000000, .median_s = 1, .slot_s = 10};
    struct map m;

    f.slowest = (struct map_slowest){.task = 2, .took_s = 8, .ran_s = 8, .cpu_s = 7.5};
    open_run(&m);
    expect(line_is(&m, &f, 0, "dolly: 3 tasks in 8 s: 3 done, 0 failed, 4 attempts"));
    expect(line_is(&m, &f, 1,
                   "dolly: slowest task 3: 8 s, 8 times the median of 1 s: it computed (94 % CPU), "
                   "so it had more to do or a slow core (work c)"));
    f.slowest.cpu_s = 5.6; /* at the bound */
    expect(line_is(&m, &f, 1,
                   "dolly: slowest task 3: 8 s, 8 times the median of 1 s: it mostly waited (70 % "
                   "CPU) (work c)"));
    f.slowest.again = true;
    expect(line_is(&m, &f, 1,
                   "dolly: slowest task 3: 8 s, 8 times the median of 1 s: an earlier attempt of "
                   "it failed or was lost, and it ran again (work c)"));
    f.slowest.by_extra = true;
    expect(line_is(&m, &f, 1,
                   "dolly: slowest task 3: 8 s, 8 times the median of 1 s: a clone of it won "
                   "(work c)"));
    f.slowest.rescued = true;
    expect(line_is(&m, &f, 1,
                   "dolly: slowest task 3: 8 s, 8 times the median of 1 s: another attempt of it "
                   "straggled, and a clone won (work c)"));
    f.slowest.took_s = 2;
    expect(
        line_is(&m, &f, 1,
                "dolly: slowest task 3: 2 s, 2 times the median of 1 s: not a straggler (work c)"));
    f.would.straggling_us = 1000000; /* as the next line says */
    expect(line_is(&m, &f, 1,
                   "dolly: slowest task 3: 2 s, 2 times the median of 1 s: not a straggler itself "
                   "(work c)"));
    m.counts.runtimes.count = 1;
    expect(line_is(&m, &f, 1, "dolly: slowest task 3: 2 s, the only one that is done (work c)"));
    map_close(&m);
}

TEST(map_summary_says_what_cloning_did_or_could_have_done)
{
    struct map_summary_facts f = {.took_us = 8000000, .median_s = 1, .slowest.task = 2};
    struct map m;

    open_run(&m);
    expect(line_is(&m, &f, 2, "dolly: cloning was off and would have saved next to nothing"));
    f.would.straggling_us = 6000000;
    expect(line_is(&m, &f, 2,
                   "dolly: cloning was off; straggling cost about 6 s of 8 s: if the command "
                   "is safe to run twice, try --pure"));
    m.cloning = true;
    m.counts.extras = 1;
    expect(line_is(&m, &f, 2,
                   "dolly: cloning: 1 clone, 0 won; 0 stragglers averted; saved nothing; "
                   "straggling cost about 6 s all the same"));
    f.would.straggling_us = 0;
    f.phase.unsure = f.phase.won_by_extra = 1;
    expect(line_is(&m, &f, 2,
                   "dolly: cloning: 1 clone, 1 won; 0 stragglers averted; the time saved is "
                   "unknown, because the attempts they beat were stopped"));
    f.slowest.task = STORY_NONE; /* nothing is done: no words on what is not known */
    expect(line_is(&m, &f, 1,
                   "dolly: resources: 0 slot-seconds, 0 of them for attempts that did not win; 0 s "
                   "of CPU; largest process 0 MiB"));
    map_close(&m);
}

TEST(map_summary_names_the_tasks_that_failed)
{
    struct map m;
    struct str text = {0};

    open_run(&m);
    map_summary_failed(&m, &text);
    expect(!text.text);
    m.counts.failed = 5;
    m.counts.failed_first[0] = (struct map_failed){.task = 1, .exit = 3};
    m.counts.failed_first[1] = (struct map_failed){.task = 0, .exit = -1, .signal = 9};
    m.counts.failed_first[2] = (struct map_failed){.task = 2, .exit = -1};
    map_summary_failed(&m, &text);
    expect(strcmp(text.text, "dolly: 5 of 3 tasks failed: 2 (exit status 3), 1 (signal 9), 3 and 2 "
                             "more\n") == 0);
    str_cut(&text, 0);
    m.counts.failed = MAP_FAILED_TOLD; /* all of them are named */
    m.dir = mem_strdup("a b");
    map_summary_failed(&m, &text);
    expect(
        strcmp(text.text,
               "dolly: 3 of 3 tasks failed: 2 (exit status 3), 1 (signal 9), 3. Why: dolly "
               "explain 'a b' map/map/2; to run them again: dolly resume --retry-failed 'a b'\n") ==
        0);
    str_cut(&text, 0);
    m.counts.failed = 1;
    m.options.pipe = true; /* what it has read is gone */
    map_summary_failed(&m, &text);
    expect(strcmp(text.text, "dolly: 1 of 3 tasks failed: 2 (exit status 3). Why: dolly explain 'a "
                             "b' map/map/2\n") == 0);
    str_cut(&text, 0);
    m.dir_private = true; /* nobody can look into it */
    map_summary_failed(&m, &text);
    expect(strcmp(text.text, "dolly: 1 of 3 tasks failed: 2 (exit status 3)\n") == 0);
    mem_free(m.dir);
    m.dir = NULL;
    m.dir_private = false;
    str_free(&text);
    map_close(&m);
}

TEST(map_summary_says_why_there_were_no_clones)
{
    static const struct {
        struct reason why;
        const char *text;
    } rows[] = {
        {{WHY_OVER_BUDGET, 6, {3, 4, 0.1, 8, 1, 2}},
         "they would have taken 8 slots, and the budget allowed 2; --set budget=idle lifts this "
         "limit"},
        {{WHY_OVER_TAU, 6, {3, 4, 0.1, 8, 1, 1}},
         "more than 1 slot would have been in use; --set tau=1 lifts this limit"},
        {{WHY_NO_NEED, 3, {1, 4, 0.1}}, "stragglers are too rare here to need them (--set eps)"},
        {{WHY_NO_IDLE_CORE, 3, {0}}, "no core was idle"},
        {{WHY_PRESSURE, 3, {0, 0.5, 0.5}}, "tasks waited for the disk already"},
        {{WHY_PRESSURE, 3, {0, 0.4, 0.5}}, "tasks waited for memory already"},
        {{WHY_NONE, 0, {0}}, "no slot was idle, or nothing looked slow"},
    };
    struct map_summary_facts f = {.took_us = 8000000, .median_s = 1, .slowest.task = 2};
    struct map m;
    struct str text = {0};

    open_run(&m);
    m.cloning = true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        m.counts.unwanted = rows[i].why;
        str_cut(&text, 0);
        str_addf(&text, "dolly: no clones: %s", rows[i].text);
        f.would.straggling_us = 80000; /* a hundredth, which is not worth a word */
        expect(line_is(&m, &f, 2, text.text));
        str_add(&text, "; straggling cost about 0.08 s");
        f.would.straggling_us = 80001;
        expect(line_is(&m, &f, 2, text.text));
    }
    f.would.straggling_us = 0;
    m.options.policy = "none";
    expect(line_is(&m, &f, 2, "dolly: no clones: the policy is `none`"));
    m.cloning = false;
    m.counts.runtimes.count = 1;
    expect(line_is(&m, &f, 2, "dolly: cloning was off"));
    str_free(&text);
    map_close(&m);
}

TEST(map_summary_has_the_resources_in_its_last_line)
{
    struct map_summary_facts f = {
        .took_us = 8000000, .slowest.task = STORY_NONE, .slot_s = 12.345, .vain_slot_s = 0.5};
    struct map m;

    open_run(&m);
    m.counts.cpu_s = 7.891;
    m.counts.peak_rss_kib = 3 * 512;
    m.counts.failed = 1;
    expect(line_is(&m, &f, 0, "dolly: 3 tasks in 8 s: 3 done, 1 failed, 4 attempts"));
    expect(line_is(&m, &f, 1,
                   "dolly: resources: 12.3 slot-seconds, 0.5 of them for attempts that did not "
                   "win; 7.89 s of CPU; largest process 1.5 MiB"));
    map_close(&m);
}
