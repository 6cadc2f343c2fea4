/* Attempts of real processes, whose names and numbers a simulated run does not have. */
#include "commands/report/export.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "commands/report/series.h"
#include "core/model/event.h"
#include "tests/unit/capture.h"
#include "tests/unit/command.h"
#include "tests/unit/limits.h"

static char odd_name[] = "a,\"b\"\\\n", phase_names[] = "map it\n";

/* Adds a row of job 0 that was launched at 1 s. */
static struct attempt_row_shown *add_row(struct read_run *r, uint32_t task, uint8_t fate,
                                         uint8_t cause, int32_t detail)
{
    vec_push(&r->gather.log.closed, ((struct attempt_row_shown){.launched_us = 1000000,
                                                                .started_us = 1500000,
                                                                .ended_us = 3000001,
                                                                .read_from_us = -1,
                                                                .read_to_us = -1,
                                                                .at = {.task = task},
                                                                .fate = fate,
                                                                .cause = cause,
                                                                .detail = detail}));
    return &r->gather.log.closed.at[r->gather.log.closed.count - 1];
}

/* A job whose name has all that must be quoted, and one that never began. */
static void begin(struct read_run *r, struct story_run *run)
{
    *r = (struct read_run){0};
    r->input.x.run = run;
    r->gather.series = mem_zalloc(1, sizeof *r->gather.series);
    series_init(r->gather.series, GATHER_SERIES);
    vec_push(&r->gather.jobs, ((struct gather_job){.name = odd_name,
                                                   .phases = phase_names,
                                                   .tasks = 3,
                                                   .clones = 2,
                                                   .given_up = 1,
                                                   .began_us = 1000000,
                                                   .ended_us = 4000000,
                                                   .failed = true,
                                                   .measured = true}));
    vec_push(&r->gather.jobs, ((struct gather_job){.id = {1},
                                                   .name = "late",
                                                   .phases = "",
                                                   .arrived_us = 5,
                                                   .began_us = -1,
                                                   .ended_us = 4,
                                                   .open = true}));
    vec_push(&r->gather.uses, ((struct usage){1500000, 750000, 10, 20, 30}));
    vec_push(&r->gather.uses, ((struct usage){0, -1, 0, 0, -1}));
    r->gather.verdicts[WHY_OVER_TAU] = 7;
}

static void end(struct read_run *r)
{
    mem_free(r->gather.series);
    vec_free(&r->gather.jobs);
    vec_free(&r->gather.uses);
    vec_free(&r->gather.log.closed);
}

/* What a file of the folder holds. */
static bool holds(const char *name, const char *expected)
{
    enum { BYTES = 1 << 16 };
    struct str text = {0};
    char *piece = mem_zalloc(1, BYTES);
    FILE *f = fopen(name, "re");

    expect(f && fread(piece, 1, BYTES - 1, f) > 0);
    if (f)
        fclose(f);
    str_add(&text, piece);
    bool same = text_was(&text, expected);
    mem_free(piece);
    str_free(&text);
    return same;
}

TEST(export_has_the_status_of_each_end)
{
    static const struct {
        uint8_t fate, cause;
        int32_t detail;
        int status;
    } rows[] = {{FATE_WON, CAUSE_EXIT, 3, 0},           {FATE_SPARE, CAUSE_EXIT, 3, 0},
                {FATE_FAILED, CAUSE_EXIT, 3, 3},        {FATE_FAILED, CAUSE_SIGNAL, 9, 137},
                {FATE_FAILED, CAUSE_NODE_FAULT, 2, -1}, {FATE_KILLED, CAUSE_EXIT, 3, -1},
                {FATE_LOST, CAUSE_SIGNAL, 9, -1},       {FATE_RUNS, CAUSE_EXIT, 3, -1}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct attempt_row_shown r = {
            .fate = rows[i].fate, .cause = rows[i].cause, .detail = rows[i].detail};
        expect(export_exit(&r) == rows[i].status);
    }
}

TEST(export_names_files_and_phases)
{
    static const struct {
        const char *path, *second;
    } rows[] = {{"run.json.gz", "run.2.json.gz"},
                {"run.json", "run.2.json"},
                {"run.gz", "run.2.gz"},
                {"run", "run.2"},
                {".json", ".json.2"}};
    struct gather_job job = {.phases = "map\nreduce\n"};
    struct str text = {0};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect(strcmp(export_trace_file(rows[i].path, 2).text, rows[i].second) == 0);
    for (uint16_t k = 0; k < 3; k++) {
        export_phase(&job, k, &text);
        str_add(&text, "|");
    }
    export_phase(NULL, 2, &text);
    expect(text_was(&text, "map|reduce|phase 2|phase 2"));
    str_free(&text);
}

TEST(export_of_real_attempts)
{
    struct command_folder f;
    struct story_run run = {0};
    struct read_run r;
    struct err err;
    uint32_t files;

    command_begin(&f);
    begin(&r, &run);
    add_row(&r, 0, FATE_WON, CAUSE_NONE, 0)->use = 1;
    add_row(&r, 1, FATE_FAILED, CAUSE_SIGNAL, 9)->use = 2;
    struct attempt_row_shown *unknown = add_row(&r, 2, FATE_WITHDRAWN, CAUSE_NONE, 0);
    unknown->at.job.v = 9;
    unknown->started_us = -1;
    expect(export_csv(&r, "csv", &err) == 0 && export_csv(&r, "csv", &err) == 0);
    expect(holds("csv/jobs.csv",
                 "job,name,tasks,extra,end,arrived_s,began_s,ended_s,failed_tasks,measured,took_s,"
                 "waited_s\n"
                 "0,\"a,\"\"b\"\"\\\n\",3,2,failed,0.000000,1.000000,4.000000,1,1,4.000000,"
                 "1.000000\n"
                 "1,late,0,0,open,0.000005,,0.000004,0,0,,\n"));
    expect(holds("csv/verdicts.csv",
                 "verdict,count,meaning\n"
                 "over_tau,7,with the clones the cluster would have been fuller than tau\n"));
    expect(holds("csv/attempts.csv",
                 "job,phase,task,attempt,node,lane,kind,why,end,cause,launched_s,started_s,read_"
                 "from_s,read_to_s,ended_s,cpu_s,read_bytes,written_bytes,peak_rss_kib,exit,task"
                 "_index,job_name,phase_name,command,duration_s,ran_s,straggled,rescued,alone_ab"
                 "out_s\n"
                 "0,0,0,0,node 0,0,first,none,won,none,1.000000,1.500000,,,3.000001,0.750000,10,"
                 "20,30,0,0,\"a,\"\"b\"\"\\\n"
                 "\",map it,,2.000001,1.500001,0,0,\n"
                 "0,0,1,0,node 0,0,first,none,failed,signal,1.000000,1.500000,,,3.000001,,0,0,,1"
                 "37,1,\"a,\"\"b\"\"\\\n"
                 "\",map it,,2.000001,1.500001,0,0,\n"
                 "9,0,2,0,node 0,0,first,none,withdrawn,none,1.000000,,,,3.000001,,,,,,2,,phase "
                 "0,,2.000001,,0,0,\n"));
    expect(export_nextflow(&r.input.x, &r.gather, "table", &err) == 0);
    expect(holds("table",
                 "task_id\thash\tnative_id\tname\tprocess\tstatus\texit\tsubmit\tstart\tcomplete"
                 "\tduration\trealtime\t%cpu\tpeak_rss\tpeak_vmem\trchar\twchar\tattempt\thostna"
                 "me\n"
                 "1\t-\t-\tmap_it (0/0)\tmap_it\tCOMPLETED"
                 "\t0\t1000\t1500\t3000\t2000\t1500\t50.0\t30720\t-\t10\t20\t1\tnode_0\n"
                 "2\t-\t-\tmap_it (0/1)\tmap_it\tFAILED"
                 "\t137\t1000\t1500\t3000\t2000\t1500\t-\t-\t-\t0\t0\t1\tnode_0\n"
                 "3\t-\t-\tphase_0 (9/2)\tphase_0\tABORTED"
                 "\t-\t1000\t-\t3000\t2000\t-\t-\t-\t-\t-\t-\t1\tnode_0\n"));
    expect(export_trace(&r.input.x, &r.gather, "trace", UINT64_MAX, &files, &err) == 0);
    expect(files == 1 &&
           holds("trace",
                 "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n"
                 "{\"ph\":\"X\",\"name\":\"map it 0\",\"cat\":\"first,won"
                 "\",\"pid\":1,\"tid\":0,\"ts\":1000000,\"dur\":2000001,"
                 "\"args\":{\"job\":0,\"job_name\":\"a,\\\"b\\\"\\\\\\u000a\",\"phase\":\"map it"
                 "\",\"task\":0,\"attempt\":0,\"node\":\"node 0\",\"kind\":\"first"
                 "\",\"end\":\"won\",\"why\":\"none\",\"cpu_s\":0.750000,\"peak_rss_kib"
                 "\":30,\"read_bytes\":10,\"written_bytes\":20}},\n"
                 "{\"ph\":\"X\",\"name\":\"map it 1\",\"cat\":\"first,failed"
                 "\",\"pid\":1,\"tid\":0,\"ts\":1000000,\"dur\":2000001,"
                 "\"args\":{\"job\":0,\"job_name\":\"a,\\\"b\\\"\\\\\\u000a\",\"phase\":\"map it"
                 "\",\"task\":1,\"attempt\":0,\"node\":\"node 0\",\"kind\":\"first"
                 "\",\"end\":\"failed\",\"why\":\"none\",\"read_bytes\":0,\"written_bytes\":0}},"
                 "\n"
                 "{\"ph\":\"X\",\"name\":\"phase 0 2\",\"cat\":\"first,withdrawn"
                 "\",\"pid\":1,\"tid\":0,\"ts\":1000000,\"dur\":2000001,"
                 "\"args\":{\"job\":9,\"phase\":\"phase 0\",\"task\":2,\"attempt"
                 "\":0,\"node\":\"node 0\",\"kind\":\"first\",\"end\":\"withdrawn"
                 "\",\"why\":\"none\"}},\n"
                 "{\"ph\":\"M\",\"name\":\"process_name"
                 "\",\"pid\":0,\"args\":{\"name\":\"run\"}}\n"
                 "]}\n"));
    expect(export_csv(&r, "no/csv", &err) == -1 && strstr(err.text, "cannot make no/csv"));
    expect(export_nextflow(&r.input.x, &r.gather, "no/table", &err) == -1);
    expect(export_trace(&r.input.x, &r.gather, "no/trace", 1, &files, &err) == -1);
    end(&r);
    command_end(&f);
}

TEST(export_has_a_row_of_values_for_each_span)
{
    struct command_folder f;
    struct story_run run = {0};
    struct read_run r;
    struct err err;

    command_begin(&f);
    begin(&r, &run);
    series_set(r.gather.series, GATHER_SLOTS, 8);
    series_set(r.gather.series, GATHER_RUNNING, 3);
    series_reach(r.gather.series, 1000);
    series_set(r.gather.series, GATHER_RUNNING, 1.5);
    series_reach(r.gather.series, 2000);
    expect(export_csv(&r, "csv", &err) == 0);
    expect(holds("csv/series.csv",
                 "from_s,running,waiting,extra_percent,nodes_down,omega_s,slots,slots_all,mem_per"
                 "cent,x_percent,y_percent,cpu_s_per_s,clones_percent,clones_limit_percent,backup"
                 "s_percent,backups_limit_percent\n"
                 "0.000000,3,0,0,0,0,8,0,0,0,0,0,0,0,0,0\n"
                 "0.001000,1.5,0,0,0,0,8,0,0,0,0,0,0,0,0,0\n"));
    end(&r);
    command_end(&f);
}

static int write_file(const char *path, bool spoil, bool whole, struct err *err)
{
    struct export_file e;

    if (export_open(&e, path, err) < 0)
        return -2;
    gzputs(e.f, "text");
    if (spoil)
        expect(mkdir(path, 0700) == 0);
    return export_close(&e, whole, err);
}

/* What cannot be put in its place, or not be written, is said, and nothing is left of it. */
TEST(export_says_what_cannot_be_written)
{
    struct command_folder f;
    struct err err = {.text = ""};

    command_begin(&f);
    mode_t mask = umask(0);
    expect(write_file("good", false, true, &err) == 0 && test_mode("good") == 0666);
    umask(mask);
    expect(write_file("half", false, false, &err) == -1 && access("half", F_OK) < 0);
    expect(write_file("taken", true, true, &err) == -1 && err.kind == ERR_SYSTEM);
    expect(strcmp(err.text, "cannot write taken: Is a directory") == 0 && rmdir("taken") == 0);
    expect(write_file("no/where", false, true, &err) == -2 && err.kind == ERR_SYSTEM);
    expect(strcmp(err.text, "cannot write no/where: No such file or directory") == 0);
    struct rlimit before = limits_bytes(0);
    int result = write_file("full", false, true, &err);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_DFL);
    expect(result == -1 && err.kind == ERR_SYSTEM && access("full", F_OK) < 0);
    expect(strcmp(err.text, "cannot write full: File too large") == 0);
    expect(unlink("good") == 0 && chdir("/") == 0 && rmdir(f.path) == 0); /* no part is left */
    command_end(&f);
}
