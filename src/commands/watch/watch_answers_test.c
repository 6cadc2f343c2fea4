/* Answers about a run that was cut off, to the letter; tests/e2e/commands/watch.sh asks others. */
#include "commands/watch/watch_answers.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "commands/commands.h"
#include "tests/unit/capture.h"
#include "tests/unit/command.h"

/* Job sort has a straggler and is over, scan is under way, and late waits. */
static const char workload[] = "job sort at=0s\n"
                               "  phase map tasks=4 sizes=10s,10s,10s,30s\n"
                               "  phase reduce tasks=1 after=map pattern=all-to-all size=5s\n"
                               "job scan at=30s\n"
                               "  phase map tasks=4 sizes=10s,2s,20s,20s\n"
                               "job late at=40s\n"
                               "  phase all tasks=3 size=10s\n";

struct answers_stage {
    struct command_folder f;
    struct followed_run run;
    struct watch_answers w;
    int64_t before_us;
    void (*look)(struct answers_stage *s);
    bool looked;
};

/* At the end of what there is. */
static bool look_once(void *ctx, bool idle)
{
    struct answers_stage *s = ctx;

    if (!idle)
        return true;
    s->looked = s->run.open && followed_run_now_us(&s->run) < s->before_us;
    if (s->looked)
        s->look(s);
    return false;
}

/* Looks at a run, simulated with these words, up to the last turn before this time. */
static void look_at_run(struct answers_stage *s, const char *jobs, const char *words,
                        int64_t before_us, void (*look)(struct answers_stage *s))
{
    struct followed_pause pause = {.ctx = s, .pause = look_once};
    struct err err;
    struct stat st = {0};

    *s = (struct answers_stage){.w.run = &s->run, .before_us = before_us, .look = look};
    command_begin(&s->f);
    command_file("w", jobs);
    expect(command_run(cmd_sim, words, NULL, NULL) == 0);
    expect(stat("run", &st) == 0);
    for (off_t bytes = st.st_size - 16; bytes > 0 && !s->looked; bytes -= 16) {
        expect(truncate("run", bytes) == 0);
        expect(followed_run_init(&s->run, "run", &err) == 0);
        s->run.keeps = true;
        expect(followed_run_read(&s->run, &pause, &err) == 0);
        watch_answers_fini(&s->w);
        s->w = (struct watch_answers){.run = &s->run};
        followed_run_fini(&s->run);
    }
    expect(s->looked);
    command_end(&s->f);
}

static void look_at(struct answers_stage *s, int64_t before_us,
                    void (*look)(struct answers_stage *s))
{
    look_at_run(s, workload,
                "sim --workload w --cluster 3x8 --policy dolly --set tau=1 --set p_prior=0.5 "
                "--set beta=1 --set copies_max=2 --seed 3 --journal run",
                before_us, look);
}

/* Asks for a path, with one key of a query or NULL. Returns the status. */
static unsigned ask(struct answers_stage *s, const char *path, const char *key, const char *value,
                    struct str *body)
{
    struct http_handler handler = watch_answers_handler(&s->w);
    struct http_asked asked = {.target = http_request_target(path), .body = ""};
    struct http_answer a = {.status = 200};

    http_query_init(&asked.query);
    expect(!key || http_query_take(&asked.query, asked.target.route, key, value));
    handler.answer(handler.ctx, &asked, &a);
    str_add(body, a.body.text ? a.body.text : "");
    str_free(&a.body);
    return a.status;
}

/* Versions, and settings of policies, are other ones from time to time. */
static void blank(char *text, const char *key)
{
    char *at = strstr(text, key);
    for (at = at ? at + strlen(key) : NULL; at && *at && *at != '"';)
        memmove(at, at + 1, strlen(at));
}

static const struct {
    const char *path, *key, *value; /* of the query; NULL: none */
    unsigned status;
    const char *body;
} rows[] = {
    {"/api/v1/run", NULL, NULL, 200,
     "{\"name\":\"run\",\"command\":null,\"host\":null,\"version\":\"\",\"began\":null,\"turn\":1"
     "5,\"now_s\":40.0,\"state\":\"running\",\"tasks\":{\"total\":12,\"done\":7,\"failed\":0,\"ru"
     "nning\":5,\"waiting\":0},\"attempts\":{\"first\":{\"launched\":12,\"running\":5,\"won\":7,"
     "\"finished\":0,\"killed\":0,\"failed\":0,\"lost\":0,\"withdrawn\":0},\"clone\":{\"launched"
     "\":12,\"running\":5,\"won\":0,\"finished\":7,\"killed\":0,\"failed\":0,\"lost\":0,\"withdra"
     "wn\":0},\"backup\":{\"launched\":0,\"running\":0,\"won\":0,\"finished\":0,\"killed\":0,\"fa"
     "iled\":0,\"lost\":0,\"withdrawn\":0},\"restart\":{\"launched\":0,\"running\":0,\"won\":0,\""
     "finished\":0,\"killed\":0,\"failed\":0,\"lost\":0,\"withdrawn\":0},\"recompute\":{\"launche"
     "d\":0,\"running\":0,\"won\":0,\"finished\":0,\"killed\":0,\"failed\":0,\"lost\":0,\"withdra"
     "wn\":0}},\"ends\":{\"about_s\":null,\"low_s\":null,\"high_s\":null,\"no_times_of\":\"all\","
     "\"why\":\"no task of all has ended, so how long the others take is not known\"},\"slots\":2"
     "4.0,\"slots_held\":10.0,\"extra_share\":0.208333333333333,\"oldest_wait_s\":0.0,\"phases\":"
     "[{\"phase\":\"map\",\"tasks\":8,\"done\":6,\"failed\":0,\"running\":2,\"waiting\":0,\"rescu"
     "ed\":0,\"median_s\":10.0},{\"phase\":\"reduce\",\"tasks\":1,\"done\":1,\"failed\":0,\"runni"
     "ng\":0,\"waiting\":0,\"rescued\":0,\"median_s\":5.0},{\"phase\":\"all\",\"tasks\":3,\"done"
     "\":0,\"failed\":0,\"running\":3,\"waiting\":0,\"rescued\":0,\"median_s\":null}],\"explain\""
     ":{\"journal\":\"run\",\"policy\":\"\",\"body\":\"sim\",\"seed\":3,\"complete\":false,\"torn"
     "_bytes\":0,\"last_s\":40.0,\"first_s\":0.0,\"jobs\":3,\"jobs_not_counted\":0,\"mean_s\":35."
     "0,\"done\":1,\"failed\":0,\"tasks\":12,\"tasks_done\":7,\"tasks_failed\":0,\"jobs_cloned\":"
     "3,\"phases_considered\":4,\"phases_cloned\":4,\"not_cloned\":{},\"attempts\":{\"first\":{\""
     "launched\":12,\"won\":7,\"vain_slot_s\":20.0},\"clone\":{\"launched\":12,\"won\":0,\"vain_s"
     "lot_s\":97.0},\"backup\":{\"launched\":0,\"won\":0,\"vain_slot_s\":0.0},\"restart\":{\"laun"
     "ched\":0,\"won\":0,\"vain_slot_s\":0.0},\"recompute\":{\"launched\":0,\"won\":0,\"vain_slot"
     "_s\":0.0}},\"withdrawn\":0,\"killed\":0,\"failures\":0,\"slot_s\":194.0,\"won_by_extra\":0,"
     "\"beat_straggler\":0,\"beat_unknown\":0,\"stragglers\":4,\"straggling_s\":20.0,\"saved_at_l"
     "east_s\":0.0,\"saved_about_s\":0.0,\"saved_low_s\":0.0,\"saved_high_s\":0.0,\"held_up\":{\""
     "late_start\":{\"phases\":0,\"seconds\":0.0},\"ran_again\":{\"phases\":0,\"seconds\":0.0},\""
     "noticed_late\":{\"phases\":0,\"seconds\":0.0},\"reads\":{\"phases\":0,\"seconds\":0.0},\"sk"
     "ewed_input\":{\"phases\":0,\"seconds\":0.0},\"slow_attempt\":{\"phases\":1,\"seconds\":20.0"
     "},\"slow_node\":{\"phases\":0,\"seconds\":0.0}},\"nodes\":[],\"slowest\":[{\"job\":0,\"name"
     "\":\"sort\",\"tasks\":5,\"took_s\":35.0,\"waited_s\":0.0,\"straggling_s\":20.0,\"saved_at_l"
     "east_s\":0.0,\"saved_about_s\":0.0,\"saved_low_s\":0.0,\"saved_high_s\":0.0,\"cloned\":true"
     ",\"failed\":false}]}}\n"},
    {"/api/v1/jobs", NULL, NULL, 200,
     "[{\"job\":0,\"name\":\"sort\",\"state\":\"done\",\"tasks\":5,\"done\":5,\"failed\":0,\"copi"
     "es\":5,\"cloned\":true,\"why_not\":null,\"waits_for\":null,\"oldest_wait_s\":0.0,\"arrived_"
     "s\":0.0,\"begun_s\":0.0,\"ended_s\":35.0},{\"job\":1,\"name\":\"scan\",\"state\":\"open\","
     "\"tasks\":4,\"done\":2,\"failed\":0,\"copies\":4,\"cloned\":true,\"why_not\":null,\"waits_f"
     "or\":null,\"oldest_wait_s\":0.0,\"arrived_s\":30.0,\"begun_s\":30.0,\"ended_s\":null},{\"jo"
     "b\":2,\"name\":\"late\",\"state\":\"open\",\"tasks\":3,\"done\":0,\"failed\":0,\"copies\":3"
     ",\"cloned\":true,\"why_not\":null,\"waits_for\":null,\"oldest_wait_s\":0.0,\"arrived_s\":40"
     ".0,\"begun_s\":40.0,\"ended_s\":null}]\n"},
    {"/api/v1/jobs", "state", "open", 200,
     "[{\"job\":1,\"name\":\"scan\",\"state\":\"open\",\"tasks\":4,\"done\":2,\"failed\":0,\"copi"
     "es\":4,\"cloned\":true,\"why_not\":null,\"waits_for\":null,\"oldest_wait_s\":0.0,\"arrived_"
     "s\":30.0,\"begun_s\":30.0,\"ended_s\":null},{\"job\":2,\"name\":\"late\",\"state\":\"open\""
     ",\"tasks\":3,\"done\":0,\"failed\":0,\"copies\":3,\"cloned\":true,\"why_not\":null,\"waits_"
     "for\":null,\"oldest_wait_s\":0.0,\"arrived_s\":40.0,\"begun_s\":40.0,\"ended_s\":null}]\n"},
    {"/api/v1/jobs", "state", "done", 200,
     "[{\"job\":0,\"name\":\"sort\",\"state\":\"done\",\"tasks\":5,\"done\":5,\"failed\":0,\"copi"
     "es\":5,\"cloned\":true,\"why_not\":null,\"waits_for\":null,\"oldest_wait_s\":0.0,\"arrived_"
     "s\":0.0,\"begun_s\":0.0,\"ended_s\":35.0}]\n"},
    {"/api/v1/jobs", "limit", "1", 200,
     "[{\"job\":0,\"name\":\"sort\",\"state\":\"done\",\"tasks\":5,\"done\":5,\"failed\":0,\"copi"
     "es\":5,\"cloned\":true,\"why_not\":null,\"waits_for\":null,\"oldest_wait_s\":0.0,\"arrived_"
     "s\":0.0,\"begun_s\":0.0,\"ended_s\":35.0}]\n"},
    {"/api/v1/jobs", "after", "0", 200,
     "[{\"job\":1,\"name\":\"scan\",\"state\":\"open\",\"tasks\":4,\"done\":2,\"failed\":0,\"copi"
     "es\":4,\"cloned\":true,\"why_not\":null,\"waits_for\":null,\"oldest_wait_s\":0.0,\"arrived_"
     "s\":30.0,\"begun_s\":30.0,\"ended_s\":null},{\"job\":2,\"name\":\"late\",\"state\":\"open\""
     ",\"tasks\":3,\"done\":0,\"failed\":0,\"copies\":3,\"cloned\":true,\"why_not\":null,\"waits_"
     "for\":null,\"oldest_wait_s\":0.0,\"arrived_s\":40.0,\"begun_s\":40.0,\"ended_s\":null}]\n"},
    {"/api/v1/jobs/1/phases/0/tasks", NULL, NULL, 200,
     "[{\"task\":0,\"state\":\"done\",\"attempts\":2,\"winner\":0,\"begun_s\":30.0,\"ended_s\":40"
     ".0,\"straggled\":true,\"rescued\":false,\"alone_about_s\":40.0,\"alone_low_s\":40.0,\"alone"
     "_high_s\":40.0},{\"task\":1,\"state\":\"done\",\"attempts\":2,\"winner\":0,\"begun_s\":30.0"
     ",\"ended_s\":32.0,\"straggled\":false,\"rescued\":false,\"alone_about_s\":32.0,\"alone_low_"
     "s\":32.0,\"alone_high_s\":32.0},{\"task\":2,\"state\":\"running\",\"attempts\":2,\"winner\""
     ":null,\"begun_s\":30.0,\"ended_s\":null,\"straggled\":false,\"rescued\":false,\"alone_about"
     "_s\":null,\"alone_low_s\":null,\"alone_high_s\":null},{\"task\":3,\"state\":\"running\",\"a"
     "ttempts\":2,\"winner\":null,\"begun_s\":30.0,\"ended_s\":null,\"straggled\":false,\"rescued"
     "\":false,\"alone_about_s\":null,\"alone_low_s\":null,\"alone_high_s\":null}]\n"},
    {"/api/v1/jobs/1/phases/0/tasks", "state", "running", 200,
     "[{\"task\":2,\"state\":\"running\",\"attempts\":2,\"winner\":null,\"begun_s\":30.0,\"ended_"
     "s\":null,\"straggled\":false,\"rescued\":false,\"alone_about_s\":null,\"alone_low_s\":null,"
     "\"alone_high_s\":null},{\"task\":3,\"state\":\"running\",\"attempts\":2,\"winner\":null,\"b"
     "egun_s\":30.0,\"ended_s\":null,\"straggled\":false,\"rescued\":false,\"alone_about_s\":null"
     ",\"alone_low_s\":null,\"alone_high_s\":null}]\n"},
    {"/api/v1/jobs/1/phases/0/tasks", "after", "1", 200,
     "[{\"task\":2,\"state\":\"running\",\"attempts\":2,\"winner\":null,\"begun_s\":30.0,\"ended_"
     "s\":null,\"straggled\":false,\"rescued\":false,\"alone_about_s\":null,\"alone_low_s\":null,"
     "\"alone_high_s\":null},{\"task\":3,\"state\":\"running\",\"attempts\":2,\"winner\":null,\"b"
     "egun_s\":30.0,\"ended_s\":null,\"straggled\":false,\"rescued\":false,\"alone_about_s\":null"
     ",\"alone_low_s\":null,\"alone_high_s\":null}]\n"},
    {"/api/v1/jobs/1/phases/0/tasks", "limit", "1", 200,
     "[{\"task\":0,\"state\":\"done\",\"attempts\":2,\"winner\":0,\"begun_s\":30.0,\"ended_s\":40"
     ".0,\"straggled\":true,\"rescued\":false,\"alone_about_s\":40.0,\"alone_low_s\":40.0,\"alone"
     "_high_s\":40.0}]\n"},
    {"/api/v1/jobs/1/phases/0/tasks/1", NULL, NULL, 200,
     "{\"journal\":\"run\",\"policy\":\"\",\"body\":\"sim\",\"seed\":3,\"complete\":false,\"torn_"
     "bytes\":0,\"last_s\":40.0,\"job\":1,\"name\":\"scan\",\"jobs_of_that_name\":1,\"tasks\":4,"
     "\"state\":\"open\",\"why\":null,\"arrived_s\":30.0,\"submitted_s\":30.0,\"begun_s\":30.0,\""
     "ended_s\":null,\"standing\":null,\"phase\":0,\"phase_name\":\"map\",\"task\":1,\"command\":"
     "null,\"done_s\":32.0,\"winner\":0,\"failures\":0,\"given_up\":false,\"outputs_lost\":0,\"al"
     "one\":\"same\",\"alone_at_least_s\":32.0,\"alone_about_s\":32.0,\"alone_low_s\":32.0,\"alon"
     "e_high_s\":32.0,\"attempts\":[{\"attempt\":0,\"kind\":\"first\",\"why\":{\"code\":\"runnabl"
     "e\"},\"node\":\"n2\",\"launched_s\":30.0,\"started_s\":30.0,\"ended_s\":32.0,\"ending\":\"a"
     "ttempt_finished\",\"won\":true,\"cause\":null,\"detail\":0,\"stop_s\":null,\"stop_why\":nul"
     "l,\"progress\":null,\"stood_still_s\":0.0,\"reads\":0,\"reads_whole\":0,\"reads_shared\":0,"
     "\"reads_failed\":0,\"given_s\":null,\"fed_s\":null},{\"attempt\":1,\"kind\":\"clone\",\"why"
     "\":{\"code\":\"clone\",\"of\":1.0,\"copies\":2.0},\"node\":\"n0\",\"launched_s\":30.0,\"sta"
     "rted_s\":30.0,\"ended_s\":32.0,\"ending\":\"attempt_finished\",\"won\":false,\"cause\":null"
     ",\"detail\":0,\"stop_s\":null,\"stop_why\":null,\"progress\":null,\"stood_still_s\":0.0,\"r"
     "eads\":0,\"reads_whole\":0,\"reads_shared\":0,\"reads_failed\":0,\"given_s\":null,\"fed_s\""
     ":null}],\"sentences\":\"Task 1 of phase map of job 1 (scan): done at 32 s, 2 s after its fi"
     "rst launch, by attempt 0.\\nAttempt 0 (first) was launched at 30 s on n2 because its turn h"
     "ad come. It ran for 2 s, finished at 32 s and won.\\nAttempt 1 (clone) was launched at 30 s"
     " on n0 as clone 1 of 1. It ran for 2 s and finished at 32 s, but attempt 0 had won.\\nIts e"
     "xtra attempts won nothing: without them it would have been done at 32 s as well.\\n\"}\n"},
    {"/api/v1/jobs/1/phases/0/tasks/1/stderr", NULL, NULL, 404,
     "the run has kept no stderr of this task\n"},
    {"/api/v1/jobs/7", NULL, NULL, 404,
     "the run has not got this job\n"},
    {"/api/v1/jobs/1/phases/7", NULL, NULL, 404,
     "the run has not got this phase\n"},
    {"/api/v1/jobs/1/phases/0/tasks/9", NULL, NULL, 404,
     "the run has not got this task\n"},
    {"/api/v1/attempts", NULL, NULL, 200,
     "[{\"job\":1,\"phase\":\"map\",\"task\":2,\"attempt\":0,\"kind\":\"first\",\"node\":\"n2\","
     "\"age_s\":10.0,\"done\":null,\"left_s\":1.0,\"copies\":1,\"slow\":true},{\"job\":1,\"phase"
     "\":\"map\",\"task\":2,\"attempt\":1,\"kind\":\"clone\",\"node\":\"n0\",\"age_s\":10.0,\"don"
     "e\":null,\"left_s\":1.0,\"copies\":1,\"slow\":true},{\"job\":1,\"phase\":\"map\",\"task\":3"
     ",\"attempt\":0,\"kind\":\"first\",\"node\":\"n1\",\"age_s\":10.0,\"done\":null,\"left_s\":1"
     ".0,\"copies\":1,\"slow\":true},{\"job\":1,\"phase\":\"map\",\"task\":3,\"attempt\":1,\"kind"
     "\":\"clone\",\"node\":\"n2\",\"age_s\":10.0,\"done\":null,\"left_s\":1.0,\"copies\":1,\"slo"
     "w\":true},{\"job\":2,\"phase\":\"all\",\"task\":0,\"attempt\":0,\"kind\":\"first\",\"node\""
     ":\"n0\",\"age_s\":0.0,\"done\":null,\"left_s\":null,\"copies\":1,\"slow\":false},{\"job\":2"
     ",\"phase\":\"all\",\"task\":0,\"attempt\":1,\"kind\":\"clone\",\"node\":\"n1\",\"age_s\":0."
     "0,\"done\":null,\"left_s\":null,\"copies\":1,\"slow\":false},{\"job\":2,\"phase\":\"all\","
     "\"task\":1,\"attempt\":0,\"kind\":\"first\",\"node\":\"n0\",\"age_s\":0.0,\"done\":null,\"l"
     "eft_s\":null,\"copies\":1,\"slow\":false},{\"job\":2,\"phase\":\"all\",\"task\":1,\"attempt"
     "\":1,\"kind\":\"clone\",\"node\":\"n1\",\"age_s\":0.0,\"done\":null,\"left_s\":null,\"copie"
     "s\":1,\"slow\":false},{\"job\":2,\"phase\":\"all\",\"task\":2,\"attempt\":0,\"kind\":\"firs"
     "t\",\"node\":\"n2\",\"age_s\":0.0,\"done\":null,\"left_s\":null,\"copies\":1,\"slow\":false"
     "},{\"job\":2,\"phase\":\"all\",\"task\":2,\"attempt\":1,\"kind\":\"clone\",\"node\":\"n0\","
     "\"age_s\":0.0,\"done\":null,\"left_s\":null,\"copies\":1,\"slow\":false}]\n"},
    {"/api/v1/failures", NULL, NULL, 200,
     "[]\n"},
    {"/api/v1/nodes", NULL, NULL, 200,
     "[{\"node\":0,\"name\":\"n0\",\"state\":\"node_up\",\"slots\":8,\"busy\":4,\"slow\":1,\"avoi"
     "ded\":0,\"why\":null,\"downs\":0,\"seen_s\":0.0},{\"node\":1,\"name\":\"n1\",\"state\":\"no"
     "de_up\",\"slots\":8,\"busy\":3,\"slow\":1,\"avoided\":0,\"why\":null,\"downs\":0,\"seen_s\""
     ":0.0},{\"node\":2,\"name\":\"n2\",\"state\":\"node_up\",\"slots\":8,\"busy\":3,\"slow\":2,"
     "\"avoided\":0,\"why\":null,\"downs\":0,\"seen_s\":0.0}]\n"},
    {"/api/v1/verdicts", NULL, NULL, 200,
     "[{\"code\":\"cloned\",\"count\":4,\"words\":\"clones were asked for\"}]\n"},
    {"/api/v1/series", "steps", "4", 200,
     "{\"span_s\":10.016,\"from_s\":[0.0,10.016,20.032,30.048],\"running\":[7.99041533546326,2.0,"
     "2.03833865814696,7.38745980707395],\"waiting\":[1.0,1.0,0.995207667731629,0.0],\"extra_perc"
     "ent\":[16.6466986155485,4.16666666666667,4.24653887113951,15.3905412647374],\"nodes_down\":"
     "[0.0,0.0,0.0,0.0],\"omega_s\":[0.0,0.0,0.0,0.0],\"slots\":[7.99041533546326,2.0,2.038338658"
     "14696,7.38745980707395],\"slots_all\":[24.0,24.0,24.0,24.0],\"mem_percent\":[0.0,0.0,0.0,0."
     "0],\"x_percent\":[0.0,0.0,0.0,0.0],\"y_percent\":[0.0,0.0,0.0,0.0],\"cpu_s_per_s\":[0.0,0.0"
     ",0.0,0.0],\"clones_percent\":[16.6466986155485,4.16666666666667,4.24653887113951,15.3905412"
     "647374],\"clones_limit_percent\":[100.0,100.0,100.0,100.0],\"backups_percent\":[0.0,0.0,0.0"
     ",0.0],\"backups_limit_percent\":[0.0,0.0,0.0,0.0]}\n"},
};

static void look_at_all(struct answers_stage *s)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct str body = {0};
        expect(ask(s, rows[i].path, rows[i].key, rows[i].value, &body) == rows[i].status);
        blank(body.text, "\"policy\":\"");
        blank(body.text, "\"version\":\"");
        expect(text_was(&body, rows[i].body));
        str_free(&body);
    }
}

TEST(watch_answers_are_those_of_the_run_now)
{
    static struct answers_stage s;
    look_at(&s, 44000000, look_at_all);
}

static void look_at_metrics(struct answers_stage *s)
{
    static const char *const parts[] = {
        "dolly_run_state{run=\"run\",state=\"running\"} 1\n",
        "dolly_jobs{run=\"run\",state=\"waiting\"} 0\n",
        "dolly_jobs{run=\"run\",state=\"running\"} 2\n",
        "dolly_jobs{run=\"run\",state=\"done\"} 1\n",
        "dolly_turns_total{run=\"run\"} 15\n",
        "dolly_tasks{run=\"run\",phase=\"map\",state=\"running\"} 2\n",
        "dolly_tasks{run=\"run\",phase=\"map\",state=\"done\"} 6\n",
        "dolly_tasks{run=\"run\",phase=\"reduce\",state=\"done\"} 1\n",
        "dolly_tasks{run=\"run\",phase=\"all\",state=\"running\"} 3\n",
        "dolly_task_seconds_bucket{run=\"run\",phase=\"map\",le=\"3\"} 1\n",
        "dolly_task_seconds_bucket{run=\"run\",phase=\"map\",le=\"10\"} 5\n",
        "dolly_task_seconds_bucket{run=\"run\",phase=\"map\",le=\"30\"} 6\n",
        "dolly_task_seconds_bucket{run=\"run\",phase=\"map\",le=\"100\"} 6\n",
        "dolly_task_seconds_bucket{run=\"run\",phase=\"map\",le=\"300\"} 6\n",
        "dolly_task_seconds_bucket{run=\"run\",phase=\"map\",le=\"1000\"} 6\n",
        "dolly_task_seconds_bucket{run=\"run\",phase=\"map\",le=\"3000\"} 6\n",
        "dolly_task_seconds_bucket{run=\"run\",phase=\"map\",le=\"10000\"} 6\n",
        "dolly_task_seconds_sum{run=\"run\",phase=\"map\"} 72\n",
        "dolly_task_seconds_count{run=\"run\",phase=\"map\"} 6\n",
        "dolly_task_seconds_sum{run=\"run\",phase=\"reduce\"} 5\n",
        "dolly_task_seconds_count{run=\"run\",phase=\"reduce\"} 1\n",
        "dolly_job_seconds_sum{run=\"run\",bin=\"1-10\"} 35\n",
        "dolly_job_seconds_count{run=\"run\",bin=\"1-10\"} 1\n",
        "dolly_attempts_launched_total{run=\"run\",kind=\"first\"} 12\n",
        "dolly_attempts_launched_total{run=\"run\",kind=\"clone\"} 12\n",
        "dolly_attempts_ended_total{run=\"run\",kind=\"first\",end=\"finished\"} 7\n",
        "dolly_attempts_ended_total{run=\"run\",kind=\"clone\",end=\"finished\"} 7\n",
        "dolly_attempts_won_total{run=\"run\",kind=\"first\"} 7\n",
        "dolly_attempts_running{run=\"run\",kind=\"first\"} 5\n",
        "dolly_attempts_running{run=\"run\",kind=\"clone\"} 5\n",
        "dolly_stragglers_total{run=\"run\"} 4\n",
        "dolly_verdicts_total{run=\"run\",code=\"cloned\"} 4\n",
        "dolly_slots{run=\"run\",state=\"free\"} 14\n",
        "dolly_slots{run=\"run\",state=\"first\"} 5\n",
        "dolly_slots{run=\"run\",state=\"extra\"} 5\n",
        "dolly_slots{run=\"run\",state=\"closed\"} 0\n",
        "dolly_extra_share{run=\"run\"} 0.20833333333333334\n",
        "dolly_extra_limit_share{run=\"run\"} 1\n",
        "dolly_slot_seconds_total{run=\"run\",use=\"all\"} 194\n",
        "dolly_slot_seconds_total{run=\"run\",use=\"vain\"} 77\n",
        "dolly_nodes{run=\"run\",state=\"up\"} 3\n",
    };
    struct str body = {0};
    expect(ask(s, "/metrics", NULL, NULL, &body) == 200);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        expect(command_has_part(body.text, parts[i]));
    str_free(&body);
}

TEST(watch_answers_have_metrics)
{
    static struct answers_stage s;
    look_at(&s, 44000000, look_at_metrics);
}

static void look_at_jobs(struct answers_stage *s)
{
    struct str body = {0};

    expect(ask(s, "/metrics", NULL, NULL, &body) == 200);
    expect(strstr(body.text, "dolly_jobs{run=\"run\",state=\"waiting\"} 2\n"));
    expect(strstr(body.text, "dolly_jobs{run=\"run\",state=\"running\"} 1\n"));
    str_free(&body);
}

/* One slot, and three jobs that want it. */
TEST(watch_answers_metrics_tell_jobs_that_wait)
{
    static struct answers_stage s;
    look_at_run(&s, "job j at=0s repeat=3 every=1s\n  phase p tasks=2 size=10s\n",
                "sim --workload w --cluster 1x1 --policy fifo --seed 3 --journal run", 9000000,
                look_at_jobs);
}

/* Five slots and no budget for clones: job sort waits for its own map, and job big for slots. */
static const char crowd[] = "job sort at=0s\n"
                            "  phase map tasks=2 sizes=10s,30s\n"
                            "  phase reduce tasks=1 after=map pattern=all-to-all size=5s\n"
                            "job big at=0s\n"
                            "  phase all tasks=9 size=10s\n"
                            "job none at=0s\n"
                            "  phase only tasks=1 size=1s clone=never\n";

static void look_at_crowd(struct answers_stage *s)
{
    static const char *const parts[] = {
        "\"why_not\":\"the clones did not fit into the clone budget\",\"waits_for\":\"phase map\"",
        "\"waits_for\":\"slots\",\"oldest_wait_s\":10.0,",
        "\"copies\":0,\"cloned\":false,\"why_not\":\"the tasks have side effects (clone=never)\"",
    };
    struct str body = {0};
    expect(ask(s, "/api/v1/jobs", NULL, NULL, &body) == 200);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        expect(command_has_part(body.text, parts[i]));
    str_free(&body);
}

TEST(watch_answers_say_what_jobs_wait_for)
{
    static struct answers_stage s;
    look_at_run(&s, crowd, "sim --workload w --cluster 1x5 --policy dolly --seed 3 --journal run",
                11000000, look_at_crowd);
}

/* Slots of a node that drains are free to nobody, but for those that its attempts still hold. */
static void look_at_drained(struct answers_stage *s)
{
    struct str body = {0};
    s->run.nodes.at[1] = EV_NODE_DRAIN;
    expect(ask(s, "/metrics", NULL, NULL, &body) == 200);
    expect(command_has_part(body.text, "dolly_slots{run=\"run\",state=\"free\"} 9\n"));
    expect(command_has_part(body.text, "dolly_slots{run=\"run\",state=\"first\"} 5\n"));
    expect(command_has_part(body.text, "dolly_slots{run=\"run\",state=\"closed\"} 5\n"));
    str_free(&body);
}

TEST(watch_answers_count_slots_that_are_closed)
{
    static struct answers_stage s;
    look_at(&s, 44000000, look_at_drained);
}

/* Streams get the sums, anew when some time has passed, and the words of the run. */
static void look_at_state(struct answers_stage *s)
{
    struct http_handler handler = watch_answers_handler(&s->w);
    struct event_state now = handler.state(handler.ctx), next = handler.state(handler.ctx);

    expect(now.number == 1 && now.turn == s->run.input.turns && now.resets == 0 && !now.over);
    expect(now.x == &s->run.input.x && now.news == &s->run.news && now.pieces == &s->w.pieces);
    expect(command_has_part(now.sums, "\"now_s\":40.0,\"state\":\"running\""));
    expect(command_has_part(now.sums, "\"running\":[{\"job\":1,\"phase\":\"map\",\"task\":2,"));
    expect(command_has_part(now.sums, "\"failures\":0"));
    expect(next.number == 1 && next.sums == now.sums); /* not yet */
    s->w.made_us -= 1000000 + 100 * s->w.cost_us;
    next = handler.state(handler.ctx);
    expect(next.number == 2);
    s->run.open = false;
    next = handler.state(handler.ctx);
    expect(next.number == 2 && !next.news);
    s->run.open = true;
}

TEST(watch_answers_have_sums_for_streams)
{
    static struct answers_stage s;
    look_at(&s, 44000000, look_at_state);
}

/* Without records there is nothing to say, and the same to all that ask for the run. */
TEST(watch_answers_of_a_journal_without_records)
{
    static const char *const paths[] = {"/", "/api/v1/run", "/api/v1/jobs/1", "/api/v1/events",
                                        "/metrics"};
    static struct answers_stage s;
    s = (struct answers_stage){.w.run = &s.run};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct str body = {0};
        expect(ask(&s, paths[i], NULL, NULL, &body) == 503);
        expect(text_was(&body, "the journal has no records yet\n"));
        str_free(&body);
    }
    struct http_handler handler = watch_answers_handler(&s.w);
    struct event_state state = handler.state(handler.ctx);
    expect(state.number == 0 && strcmp(state.sums, "{}") == 0 && !state.news);
    watch_answers_fini(&s.w);
}
