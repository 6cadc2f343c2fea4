#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "commands/commands.h"
#include "commands/watch/metrics.h"
#include "commands/watch/top_screen.h"
#include "tests/unit/capture.h"
#include "tests/unit/command.h"

static const char workload[] = "job sort at=0s\n"
                               "  phase map tasks=4 sizes=10s,10s,10s,30s\n"
                               "  phase reduce tasks=1 after=map pattern=all-to-all size=5s\n"
                               "job scan at=5s\n"
                               "  phase map tasks=2 size=10s\n";

static void open_run(struct command_folder *f, const char *more)
{
    char words[200];

    command_begin(f);
    command_file("w", workload);
    snprintf(words, sizeof words, "sim --workload w %s --journal run", more);
    expect(command_run(cmd_sim, words, NULL, NULL) == 0);
}

static char *read_run(size_t *length)
{
    FILE *f = fopen("run", "re");
    static char bytes[1 << 20];

    *length = f ? fread(bytes, 1, sizeof bytes, f) : 0;
    expect(f && fclose(f) == 0 && *length > 0);
    return bytes;
}

static void write_run(const char *bytes, size_t length)
{
    FILE *f = fopen("run", "we");
    expect(f && fwrite(bytes, 1, length, f) == length && fclose(f) == 0);
}

TEST(top_draws_a_run_that_is_over)
{
    struct command_folder f;

    open_run(&f, "--cluster 2x2 --policy none");
    expect(command_prints(cmd_top, "top run --once",
                          "dolly top: run   done   35 s\n"
                          "7 of 7 tasks done, 0 running, 0 waiting\n"
                          "\n"
                          "map                [########################] 100 %  6 of 6 done, 0 "
                          "running\n"
                          "reduce             [########################] 100 %  1 of 1 done, 0 "
                          "running\n"
                          "\n"
                          "NODES  2 up, 0 down; 0 attempts on 4 slots\n"));
    expect(command_prints(cmd_top, "top run",
                          "35 s: 7 of 7 tasks done, 0 running, 0 waiting\n"
                          "The run is over: done.\n"));
    command_end(&f);
}

static json_t *object_of(int (*command)(int argc, char **argv), const char *words)
{
    char *out;
    int status = command_run(command, words, &out, NULL);
    json_t *o = status == 0 ? json_loads(out, 0, NULL) : NULL;

    mem_free(out);
    return o;
}

/* Of the numbers of both, all must be equal; what a reader of the end of a file knows is not. */
static bool are_equal(json_t *told, json_t *top)
{
    json_t *mine = json_object_get(top, "explain");

    json_object_del(told, "torn_bytes");
    json_object_del(mine, "torn_bytes");
    bool equal = mine && json_equal(told, mine);
    if (!equal)
        printf("explain: %s\ntop: %s\n", json_dumps(told, JSON_COMPACT),
               json_dumps(mine, JSON_COMPACT));
    return equal;
}

/* Wherever the journal is cut, `top` has the numbers of `explain`; and what it adds fits them. */
struct cuts {
    uint32_t running, known, cloned; /* number of cuts in which something was there to compare */
};

static void compare_cuts(const char *policy, struct cuts *seen)
{
    struct command_folder f;
    size_t length;

    open_run(&f, policy);
    char *bytes = read_run(&length);
    for (size_t cut = length; cut > 500; cut -= cut > 64 ? 61 : cut) {
        write_run(bytes, cut);
        json_t *told = object_of(cmd_explain, "explain run --json");
        json_t *top = object_of(cmd_top, "top run --once --json");
        expect(told && top && are_equal(told, top));
        json_t *tasks = json_object_get(top, "tasks");
        json_int_t total = json_integer_value(json_object_get(tasks, "total"));
        json_int_t sum = 0;
        static const char *const parts[] = {"done", "failed", "running", "waiting"};
        for (int i = 0; i < 4; i++)
            sum += json_integer_value(json_object_get(tasks, parts[i]));
        expect(sum == total);
        json_t *clones = json_object_get(json_object_get(top, "attempts"), "clone");
        seen->running += json_array_size(json_object_get(top, "running")) > 0;
        seen->known += json_is_real(json_object_get(json_object_get(top, "ends"), "about_s"));
        seen->cloned += json_integer_value(json_object_get(clones, "launched")) > 0;
        json_decref(told);
        json_decref(top);
    }
    command_end(&f);
}

TEST(top_has_the_numbers_of_explain_at_every_turn)
{
    struct cuts seen = {0};

    compare_cuts("--cluster 2x2 --policy none", &seen);
    compare_cuts("--cluster 4x2 --policy dolly --set beta=1", &seen);
    expect(seen.running > 10 && seen.known > 5 && seen.cloned > 5);
}

TEST(top_shows_a_run_that_goes_on)
{
    struct command_folder f;
    size_t length;
    char *out;

    open_run(&f, "--cluster 2x2 --policy none");
    char *bytes = read_run(&length);
    write_run(bytes, length * 2 / 3);
    expect(command_run(cmd_top, "top run --once", &out, NULL) == 0);
    expect(strstr(out, "dolly top: run   running") && strstr(out, "  RUNNING "));
    expect(strstr(out, "map/") && strstr(out, " n0 "));
    for (char *rest = out, *line; (line = strsep(&rest, "\n"));)
        expect(strlen(line) <= 80);
    mem_free(out);
    command_end(&f);
}

TEST(top_refuses_what_is_not_a_run)
{
    struct command_folder f;

    command_begin(&f);
    command_file("text", "a text that is not a journal");
    command_file("nothing", "");
    expect(command_fails(cmd_top, "top", 2, "the run is missing"));
    expect(command_fails(cmd_top, "top --json text", 2, "--json needs --once"));
    expect(command_fails(cmd_top, "top nosuch", 2, "cannot open"));
    expect(command_fails(cmd_top, "top text", 2, "not a journal of dolly"));
    expect(command_fails(cmd_top, "top nothing --once", 2, "has no records yet"));
    command_end(&f);
}

/* Cuts the journal of a run off where it is this late, as `top` prints the time. */
static void cut_at(const char *time)
{
    char head[64];
    size_t length;
    char *bytes = read_run(&length), *out = NULL;

    snprintf(head, sizeof head, "dolly top: run   running   %s\n", time);
    for (bool found = false; !found && length > 500; length -= 30) {
        mem_free(out);
        write_run(bytes, length);
        expect(command_run(cmd_top, "top run --once", &out, NULL) == 0);
        found = strncmp(out, head, strlen(head)) == 0;
    }
    mem_free(out);
}

/* The journal of a run with two tasks on a slow node, and a clone of each elsewhere. */
static void half_a_slow_run(void)
{
    command_slow_run(cmd_sim);
    cut_at("15 s");
}

/* Reasons are words, and what failed is not taken for done. */
TEST(top_says_why_phases_were_not_cloned)
{
    struct command_folder f;

    command_begin(&f);
    command_file("w", "job sort\n"
                      "  phase map tasks=2 size=10s clone=never\n"
                      "  phase reduce tasks=1 after=map pattern=all-to-all size=5s\n"
                      "job scan\n"
                      "  phase map tasks=8 size=10s\n");
    expect(command_run(cmd_sim, "sim --workload w --cluster 2x2 --policy dolly --journal run", NULL,
                       NULL) == 0);
    expect(command_prints(cmd_top, "top run --once",
                          "dolly top: run   done   30 s\n"
                          "11 of 11 tasks done, 0 running, 0 waiting\n"
                          "\n"
                          "map                [########################] 100 %  10 of 10 done, 0 "
                          "running\n"
                          "reduce             [########################] 100 %  1 of 1 done, 0 "
                          "running\n"
                          "\n"
                          "NODES  2 up, 0 down; 0 attempts on 4 slots\n"
                          "NOT CLONED  1 phase: the clones did not fit into the clone budget\n"
                          "            1 phase: the tasks have side effects (clone=never)\n"
                          "            1 phase: the phase above was not cloned\n"));
    command_end(&f);
}

TEST(top_shows_clones_and_slow_nodes)
{
    struct command_folder f;

    command_begin(&f);
    half_a_slow_run();
    expect(command_prints(cmd_top, "top run --once",
                          "dolly top: run   running   15 s\n"
                          "4 of 7 tasks done, 2 running, 1 waiting\n"
                          "its end is not known: no task of reduce has ended\n"
                          "clones and backups: 4, 0 won, 0 tasks rescued; they hold 25 % of the "
                          "slots\n"
                          "\n"
                          "map                [################++++++++]  67 %  4 of 6 done, 2 "
                          "running\n"
                          "reduce             [........................]   0 %  0 of 1 done, 0 "
                          "running\n"
                          "\n"
                          "  RUNNING            NODE               AGE   DONE      LEFT COPIES\n"
                          "! map/4              slow            15.0 s   28 %    38.6 s      1 slow"
                          "\n"
                          "! map/5              slow            15.0 s   28 %    38.6 s      1 slow"
                          "\n"
                          "  map/4              a                5.0 s   50 %     5.0 s      1 "
                          "clone\n"
                          "  map/5              b                5.0 s   50 %     5.0 s      1 "
                          "clone\n"
                          "\n"
                          "NODES  4 up, 0 down; 4 attempts on 8 slots; slow SLOW: 2 of 2\n"));
    static const char *const parts[] = {"now_s",  "state",      "tasks",       "ends",
                                        "slots",  "slots_held", "extra_share", "oldest_wait_s",
                                        "phases", "running",    "failed",      "nodes"};
    struct str text = {0};
    json_t *top = object_of(cmd_top, "top run --once --json");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char *part = json_dumps(json_object_get(top, parts[i]),
                                JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
        str_addf(&text, "%s %s\n", parts[i], part);
        mem_free(part);
    }
    expect(strcmp(text.text,
                  "now_s 15.0\n"
                  "state \"running\"\n"
                  "tasks {\"total\":7,\"done\":4,\"failed\":0,\"running\":2,\"waiting\":1}\n"
                  "ends {\"about_s\":null,\"low_s\":null,\"high_s\":null,"
                  "\"no_times_of\":\"reduce\",\"why\":\"no task of reduce has ended, so how long "
                  "the others take is not known\"}\n"
                  "slots 8.0\n"
                  "slots_held 4.0\n"
                  "extra_share 0.25\n"
                  "oldest_wait_s 0.0\n"
                  "phases [{\"phase\":\"map\",\"tasks\":6,\"done\":4,\"failed\":0,\"running\":2,"
                  "\"waiting\":0,"
                  "\"rescued\":0,\"median_s\":10.0},{\"phase\":\"reduce\",\"tasks\":1,\"done\":0,"
                  "\"failed\":0,"
                  "\"running\":0,\"waiting\":1,\"rescued\":0,\"median_s\":null}]\n"
                  "running [{\"job\":0,\"phase\":\"map\",\"task\":4,\"attempt\":0,"
                  "\"kind\":\"first\",\"node\":\"slow\",\"age_s\":15.0,\"done\":0.28,"
                  "\"left_s\":38.5714,\"copies\":1,\"slow\":true},"
                  "{\"job\":0,\"phase\":\"map\",\"task\":5,\"attempt\":0,\"kind\":\"first\","
                  "\"node\":\"slow\",\"age_s\":15.0,\"done\":0.28,\"left_s\":38.5714,"
                  "\"copies\":1,\"slow\":true},"
                  "{\"job\":0,\"phase\":\"map\",\"task\":4,\"attempt\":1,\"kind\":\"clone\","
                  "\"node\":\"a\",\"age_s\":5.0,\"done\":0.5,\"left_s\":5.0,\"copies\":1,"
                  "\"slow\":false},"
                  "{\"job\":0,\"phase\":\"map\",\"task\":5,\"attempt\":1,\"kind\":\"clone\","
                  "\"node\":\"b\",\"age_s\":5.0,\"done\":0.5,\"left_s\":5.0,\"copies\":1,"
                  "\"slow\":false}]\n"
                  "failed []\n"
                  "nodes [{\"node\":0,\"name\":\"a\",\"state\":\"node_up\",\"slots\":2,"
                  "\"busy\":1,\"slow\":0,\"avoided\":0,\"why\":null,\"downs\":0,\"seen_s\":0.0},"
                  "{\"node\":1,\"name\":\"b\",\"state\":\"node_up\",\"slots\":2,\"busy\":1,"
                  "\"slow\":0,\"avoided\":0,\"why\":null,\"downs\":0,\"seen_s\":0.0},"
                  "{\"node\":2,\"name\":\"c\",\"state\":\"node_up\",\"slots\":2,\"busy\":0,"
                  "\"slow\":0,\"avoided\":0,\"why\":null,\"downs\":0,\"seen_s\":5.0},"
                  "{\"node\":3,\"name\":\"slow\",\"state\":\"node_up\",\"slots\":2,\"busy\":2,"
                  "\"slow\":2,\"avoided\":0,\"why\":null,\"downs\":0,\"seen_s\":1.0}]\n") == 0);
    str_free(&text);
    json_decref(top);
    command_end(&f);
}

struct metered {
    struct followed_run run;
    struct str text, line;
};

/* The metrics at the current end of a journal. */
static bool write_metrics(void *ctx, bool idle)
{
    struct metered *m = ctx;
    struct metrics_most most = {.stragglers = 9};
    struct snapshot now;

    if (!idle)
        return true;
    snapshot_init(&now, &m->run);
    metrics_write(&now, &m->run, &most, &m->text);
    top_screen_line(&now, &m->line);
    snapshot_fini(&now);
    return false;
}

/* The same numbers for a program that collects them. */
TEST(top_agrees_with_metrics)
{
    static const char *const lines[] = {
        "dolly_run_state{run=\"run\",state=\"running\"} 1\n",
        "dolly_run_state{run=\"run\",state=\"done\"} 0\n",
        "dolly_jobs{run=\"run\",state=\"running\"} 1\n",
        "dolly_jobs{run=\"run\",state=\"done\"} 0\n",
        "dolly_tasks{run=\"run\",phase=\"map\",state=\"running\"} 2\n",
        "dolly_tasks{run=\"run\",phase=\"map\",state=\"done\"} 4\n",
        "dolly_tasks{run=\"run\",phase=\"reduce\",state=\"waiting\"} 1\n",
        "dolly_task_seconds_bucket{run=\"run\",phase=\"map\",le=\"3\"} 0\n",
        "dolly_task_seconds_bucket{run=\"run\",phase=\"map\",le=\"10\"} 4\n",
        "dolly_task_seconds_bucket{run=\"run\",phase=\"map\",le=\"+Inf\"} 4\n",
        "dolly_task_seconds_sum{run=\"run\",phase=\"map\"} 40\n",
        "dolly_task_seconds_count{run=\"run\",phase=\"map\"} 4\n",
        "dolly_task_seconds_count{run=\"run\",phase=\"reduce\"} 0\n",
        "dolly_job_seconds_count{run=\"run\",bin=\"1-10\"} 0\n",
        "dolly_attempts_launched_total{run=\"run\",kind=\"first\"} 6\n",
        "dolly_attempts_launched_total{run=\"run\",kind=\"clone\"} 4\n",
        "dolly_attempts_ended_total{run=\"run\",kind=\"first\",end=\"finished\"} 4\n",
        "dolly_attempts_ended_total{run=\"run\",kind=\"first\",end=\"killed\"} 0\n",
        "dolly_attempts_ended_total{run=\"run\",kind=\"clone\",end=\"finished\"} 2\n",
        "dolly_attempts_won_total{run=\"run\",kind=\"first\"} 4\n",
        "dolly_attempts_won_total{run=\"run\",kind=\"clone\"} 0\n",
        "dolly_attempts_running{run=\"run\",kind=\"first\"} 2\n",
        "dolly_attempts_running{run=\"run\",kind=\"clone\"} 2\n",
        "dolly_stragglers_total{run=\"run\"} 9\n",
        "dolly_rescued_tasks_total{run=\"run\"} 0\n",
        "dolly_verdicts_total{run=\"run\",code=\"watched\"} 1\n",
        "dolly_slots{run=\"run\",state=\"free\"} 4\n",
        "dolly_slots{run=\"run\",state=\"first\"} 2\n",
        "dolly_slots{run=\"run\",state=\"extra\"} 2\n",
        "dolly_slots{run=\"run\",state=\"closed\"} 0\n",
        "dolly_extra_share{run=\"run\"} 0.25\n",
        "dolly_slot_seconds_total{run=\"run\",use=\"all\"} 100\n",
        "dolly_slot_seconds_total{run=\"run\",use=\"vain\"} 20\n", /* what runs may win */
        "dolly_nodes{run=\"run\",state=\"up\"} 4\n",
        "dolly_nodes{run=\"run\",state=\"down\"} 0\n",
        "dolly_saved_seconds{run=\"run\",bound=\"about\"} 0\n",
    };
    static struct metered m;
    struct followed_pause pause = {.ctx = &m, .pause = write_metrics};
    struct command_folder f;
    struct err err;

    command_begin(&f);
    half_a_slow_run();
    expect(followed_run_init(&m.run, "run", &err) == 0);
    expect(followed_run_read(&m.run, &pause, &err) == 0);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        bool found = strstr(m.text.text, lines[i]);
        if (!found)
            printf("lacks %s", lines[i]);
        expect(found);
    }
    expect(!strstr(m.text.text, "dolly_expected_end")); /* of the reducer nothing is known */
    expect(text_was(&m.line, "4 of 7 tasks done, 2 running, 1 waiting; its end is not known: no "
                             "task of reduce has ended"));
    str_free(&m.text);
    str_free(&m.line);
    followed_run_fini(&m.run);
    command_end(&f);
}

static bool note_state(void *ctx, bool idle)
{
    struct metered *m = ctx;

    str_addf(&m->line, "%s ", followed_run_state_name(followed_run_state(&m->run)));
    return !idle;
}

/* Half a journal says nothing of now: not that the run goes on, nor that it is silent. */
TEST(a_run_is_being_read_until_the_end_of_its_journal_is_reached)
{
    static struct metered m;
    struct followed_pause pause = {.ctx = &m, .pause = note_state};
    struct command_folder f;
    struct err err;

    command_begin(&f);
    half_a_slow_run();
    expect(followed_run_init(&m.run, "run", &err) == 0);
    m.run.open = true;
    note_state(&m, false);
    m.run.open = false;
    expect(followed_run_read(&m.run, &pause, &err) == 0);
    expect(text_was(&m.line, "reading running "));
    str_free(&m.line);
    followed_run_fini(&m.run);
    command_end(&f);
}

TEST(top_cuts_no_long_number_off)
{
    struct command_folder f;

    command_begin(&f);
    command_file("w", "job wide\n  phase map tasks=12000 size=1s\n");
    expect(command_run(cmd_sim, "sim --workload w --cluster 99x9 --policy none --journal run", NULL,
                       NULL) == 0);
    expect(command_prints(cmd_top, "top run --once",
                          "dolly top: run   done   14 s\n"
                          "12000 of 12000 tasks done, 0 running, 0 waiting\n"
                          "\n"
                          "map                [########################] 100 %  12000 of 12000, 0 "
                          "running\n"
                          "\n"
                          "NODES  99 up, 0 down; 0 attempts on 891 slots\n"));
    command_end(&f);
}
