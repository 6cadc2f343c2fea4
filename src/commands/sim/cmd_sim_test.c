#include "commands/commands.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "tests/unit/command.h"

/* Two jobs whose times nothing changes. Job sort has a task that takes three times as long as its
 * siblings; on four slots job scan comes while all of them are taken. */
static const char workload[] = "job sort at=0s\n"
                               "  phase map tasks=4 sizes=10s,10s,10s,30s\n"
                               "  phase reduce tasks=1 after=map pattern=all-to-all size=5s\n"
                               "job scan at=5s\n"
                               "  phase map tasks=2 size=10s\n";

static void open_folder(struct command_folder *f)
{
    command_begin(f);
    command_file("w", workload);
}

TEST(sim_prints_what_each_policy_achieved)
{
    struct command_folder f;
    open_folder(&f);
    expect(command_prints(
        cmd_sim, "sim --workload w --cluster 2x2 --policy none,none,order=fifo --wide",
        "w: 2 jobs, 7 tasks; cluster 2x2: 2 nodes, 4 slots; seed 1\n"
        "\n"
        "Completion time of jobs (s), improvement over none:\n"
        "policy            mean    p50    p95  improved  attempts  clones  killed  extra/cap  "
        "busy/first    load  to end  slow p50  slow p95            digest\n"
        "none             25.00  15.00  35.00      0.0%         7       0       0       0.0%       "
        " 1.00  100.0%   60.7%      1.00      3.00  xxxxxxxxxxxxxxxx\n"
        "none,order=fifo  25.00  15.00  35.00      0.0%         7       0       0       0.0%       "
        " 1.00  100.0%   60.7%      1.00      3.00  xxxxxxxxxxxxxxxx\n"
        "\n"
        "Mean completion time of jobs, by their number of tasks (s):\n"
        "policy           1-10 tasks  11-50  51-150  151-500  over 500\n"
        "(jobs)                    2      0       0        0         0\n"
        "none                  25.00      -       -        -         -\n"
        "none,order=fifo       25.00      -       -        -         -\n"));
    expect(command_prints(
        cmd_sim,
        "sim --workload w --cluster 2x2 --policy none --seeds 2 --phases --estimates --wide",
        "w: 2 jobs, 7 tasks; cluster 2x2: 2 nodes, 4 slots; seeds 1 to 2, 95 % intervals\n"
        "\n"
        "Completion time of jobs (s), improvement over none:\n"
        "policy         mean          p50          p95   improved  attempts    clones    killed  "
        "extra/cap  busy/first         load      to end    slow p50    slow p95            digest\n"
        "none    25.00 ±0.00  15.00 ±0.00  35.00 ±0.00  0.0 ±0.0%  7.0 ±0.0  0.0 ±0.0  0.0 ±0.0  "
        "0.0 ±0.0%  1.00 ±0.00  100.0 ±0.0%  60.7 ±0.0%  1.00 ±0.00  3.00 ±0.00  xxxxxxxxxxxxxxxx\n"
        "\n"
        "Mean completion time of jobs, by their number of tasks (s):\n"
        "policy   1-10 tasks  11-50  51-150  151-500  over 500\n"
        "(jobs)            2      0       0        0         0\n"
        "none    25.00 ±0.00      -       -        -         -\n"
        "\n"
        "Phases compared with those of none, by their lifetime there:\n"
        "policy  shorter p30        p50        p75        p80  saved p50        p75  copies/task  "
        "won    untouched\n"
        "none      0.0 ±0.0%  0.0 ±0.0%  0.0 ±0.0%  0.0 ±0.0%  0.0 ±0.0%  0.0 ±0.0%   0.00 ±0.00   "
        " -  100.0 ±0.0%\n"
        "\n"
        "Errors of Mantri's estimates, of the completion time of the attempt:\n"
        "policy   reports  t_rem p50  p90  mean    copies  t_new p50  p90  mean\n"
        "none    0.0 ±0.0          -    -     -  0.0 ±0.0          -    -     -\n"));
    expect(command_prints(
        cmd_sim,
        "sim --workload w --cluster 2x2 --policy none --json --detail --phases --estimates",
        "{\n"
        "  \"workload\": \"w\",\n"
        "  \"seed\": 1,\n"
        "  \"seeds\": 1,\n"
        "  \"cluster\": \"2x2\",\n"
        "  \"jobs\": 2,\n"
        "  \"tasks\": 7,\n"
        "  \"baseline\": \"none\",\n"
        "  \"policies\": [\n"
        "    {\n"
        "      \"policy\": \"none\",\n"
        "      \"estimates\": {\n"
        "        \"reports\": 0,\n"
        "        \"trem_error_p50\": null,\n"
        "        \"trem_error_p90\": null,\n"
        "        \"trem_error_mean\": null,\n"
        "        \"copies\": 0,\n"
        "        \"tnew_error_p50\": null,\n"
        "        \"tnew_error_p90\": null,\n"
        "        \"tnew_error_mean\": null\n"
        "      },\n"
        "      \"mean_jct_s\": 25.0,\n"
        "      \"p50_jct_s\": 15.0,\n"
        "      \"p95_jct_s\": 35.0,\n"
        "      \"bins\": [\n"
        "        {\n"
        "          \"bin\": 1,\n"
        "          \"jobs\": 2,\n"
        "          \"mean_jct_s\": 25.0\n"
        "        },\n"
        "        {\n"
        "          \"bin\": 2,\n"
        "          \"jobs\": 0,\n"
        "          \"mean_jct_s\": null\n"
        "        },\n"
        "        {\n"
        "          \"bin\": 3,\n"
        "          \"jobs\": 0,\n"
        "          \"mean_jct_s\": null\n"
        "        },\n"
        "        {\n"
        "          \"bin\": 4,\n"
        "          \"jobs\": 0,\n"
        "          \"mean_jct_s\": null\n"
        "        },\n"
        "        {\n"
        "          \"bin\": 5,\n"
        "          \"jobs\": 0,\n"
        "          \"mean_jct_s\": null\n"
        "        }\n"
        "      ],\n"
        "      \"makespan_s\": 35.0,\n"
        "      \"attempts\": 7,\n"
        "      \"clones\": 0,\n"
        "      \"backups\": 0,\n"
        "      \"restarts\": 0,\n"
        "      \"killed\": 0,\n"
        "      \"busy_slot_s\": 85.0,\n"
        "      \"resources\": [\n"
        "        {\n"
        "          \"resource\": \"cpu\",\n"
        "          \"capacity\": 4.0,\n"
        "          \"busy_s\": 85.0,\n"
        "          \"extra_s\": 0.0\n"
        "        }\n"
        "      ],\n"
        "      \"clone_capacity_frac\": 0.0,\n"
        "      \"busy_vs_first\": 1.0,\n"
        "      \"loser_frac\": 0.0,\n"
        "      \"max_clone_frac\": 0.0,\n"
        "      \"load_arriving\": 1.0,\n"
        "      \"load_mean\": 0.607142857142857,\n"
        "      \"load_p50\": 0.75,\n"
        "      \"load_high_frac\": 0.571428571428571,\n"
        "      \"slowdown_p50\": 1.0,\n"
        "      \"slowdown_p95\": 3.0,\n"
        "      \"improvement\": 0.0,\n"
        "      \"jobs_failed\": 0,\n"
        "      \"events\": x,\n"
        "      \"wall_s\": x,\n"
        "      \"peak_rss_kib\": x,\n"
        "      \"phases\": {\n"
        "        \"shorter_p30\": 0.0,\n"
        "        \"shorter_p50\": 0.0,\n"
        "        \"shorter_p75\": 0.0,\n"
        "        \"shorter_p80\": 0.0,\n"
        "        \"saved_p50\": 0.0,\n"
        "        \"saved_p75\": 0.0,\n"
        "        \"copies_per_task\": 0.0,\n"
        "        \"copies_won\": null,\n"
        "        \"not_recomputed\": 1.0\n"
        "      },\n"
        "      \"digest\": \"xxxxxxxxxxxxxxxx\",\n"
        "      \"bin_held_max_frac\": [\n"
        "        1.0,\n"
        "        0.0,\n"
        "        0.0,\n"
        "        0.0,\n"
        "        0.0\n"
        "      ],\n"
        "      \"span_s\": 35.0,\n"
        "      \"wins\": {\n"
        "        \"first\": 7,\n"
        "        \"clone\": 0,\n"
        "        \"backup\": 0,\n"
        "        \"restart\": 0,\n"
        "        \"recompute\": 0\n"
        "      },\n"
        "      \"decisions\": {\n"
        "        \"launch\": {\n"
        "          \"runnable\": 7\n"
        "        },\n"
        "        \"commit\": {\n"
        "          \"first_finished\": 7\n"
        "        },\n"
        "        \"assign_read\": {\n"
        "          \"read_committed\": 1\n"
        "        },\n"
        "        \"job_done\": {\n"
        "          \"all_committed\": 2\n"
        "        }\n"
        "      },\n"
        "      \"each_job\": {\n"
        "        \"job\": [\n"
        "          1,\n"
        "          0\n"
        "        ],\n"
        "        \"tasks\": [\n"
        "          2,\n"
        "          5\n"
        "        ],\n"
        "        \"phases\": [\n"
        "          1,\n"
        "          2\n"
        "        ],\n"
        "        \"arrived_s\": [\n"
        "          5.0,\n"
        "          0.0\n"
        "        ],\n"
        "        \"started_s\": [\n"
        "          10.0,\n"
        "          0.0\n"
        "        ],\n"
        "        \"jct_s\": [\n"
        "          15.0,\n"
        "          35.0\n"
        "        ],\n"
        "        \"slot_s\": [\n"
        "          20.0,\n"
        "          65.0\n"
        "        ],\n"
        "        \"extra_slot_s\": [\n"
        "          0.0,\n"
        "          0.0\n"
        "        ],\n"
        "        \"clone_slot_s\": [\n"
        "          0.0,\n"
        "          0.0\n"
        "        ],\n"
        "        \"resource_s\": {\n"
        "          \"cpu\": [\n"
        "            20.0,\n"
        "            65.0\n"
        "          ]\n"
        "        }\n"
        "      },\n"
        "      \"each_phase\": {\n"
        "        \"job\": [\n"
        "          1,\n"
        "          0,\n"
        "          0\n"
        "        ],\n"
        "        \"phase\": [\n"
        "          0,\n"
        "          0,\n"
        "          1\n"
        "        ],\n"
        "        \"tasks\": [\n"
        "          2,\n"
        "          4,\n"
        "          1\n"
        "        ],\n"
        "        \"took_s\": [\n"
        "          10.0,\n"
        "          30.0,\n"
        "          5.0\n"
        "        ],\n"
        "        \"median_s\": [\n"
        "          10.0,\n"
        "          10.0,\n"
        "          5.0\n"
        "        ],\n"
        "        \"slowdown\": [\n"
        "          1.0,\n"
        "          3.0,\n"
        "          1.0\n"
        "        ],\n"
        "        \"stragglers\": [\n"
        "          0,\n"
        "          1,\n"
        "          0\n"
        "        ],\n"
        "        \"outliers\": [\n"
        "          0,\n"
        "          1,\n"
        "          0\n"
        "        ],\n"
        "        \"read_s\": [\n"
        "          null,\n"
        "          null,\n"
        "          null\n"
        "        ],\n"
        "        \"read_ratio\": [\n"
        "          null,\n"
        "          null,\n"
        "          null\n"
        "        ]\n"
        "      },\n"
        "      \"each_omega\": {\n"
        "        \"at_s\": [],\n"
        "        \"bin\": [],\n"
        "        \"omega_s\": [],\n"
        "        \"alone_s\": [],\n"
        "        \"shared_s\": [],\n"
        "        \"missing\": []\n"
        "      }\n"
        "    }\n"
        "  ]\n"
        "}\n"));
    expect(command_prints(
        cmd_sim,
        "sim --workload w --cluster 2x2 --policy none --yardstick noskew,no-stragglers --wide",
        "w: 2 jobs, 7 tasks; cluster 2x2: 2 nodes, 4 slots; seed 1\n"
        "\n"
        "Completion time of jobs (s), improvement over none:\n"
        "policy          mean    p50    p95  improved  attempts  clones  killed  extra/cap  "
        "busy/first    load  to end  slow p50  slow p95            digest\n"
        "none           25.00  15.00  35.00      0.0%         7       0       0       0.0%        "
        "1.00  100.0%   60.7%      1.00      3.00  xxxxxxxxxxxxxxxx\n"
        "noskew         15.00  15.00  15.00     40.0%         7       0       0       0.0%        "
        "0.76  100.0%   81.2%      1.00      1.00  xxxxxxxxxxxxxxxx\n"
        "no-stragglers  25.00  15.00  35.00      0.0%         7       0       0       0.0%        "
        "1.00  100.0%   60.7%      1.00      3.00  xxxxxxxxxxxxxxxx\n"
        "\n"
        "Mean completion time of jobs, by their number of tasks (s):\n"
        "policy         1-10 tasks  11-50  51-150  151-500  over 500\n"
        "(jobs)                  2      0       0        0         0\n"
        "none                25.00      -       -        -         -\n"
        "noskew              15.00      -       -        -         -\n"
        "no-stragglers       25.00      -       -        -         -\n"
        "\n"
        "Share of the possible gain of none, in worlds without a trouble:\n"
        "policy  noskew  no-stragglers\n"
        "none      0.0%              -\n"));
    command_end(&f);
}

/* What does not fit is left out, and a line names the option that prints it. */
TEST(sim_prints_tables_of_80_columns)
{
    static const char left_out[] =
        "\nColumns that do not fit a line of 80 are left out; --wide prints them.\n";
    struct command_folder f;
    open_folder(&f);
    expect(command_prints(
        cmd_sim, "sim --workload w --cluster 2x2 --policy none,none,order=fifo",
        "w: 2 jobs, 7 tasks; cluster 2x2: 2 nodes, 4 slots; seed 1\n"
        "\n"
        "Completion time of jobs (s), improvement over none:\n"
        "policy            mean    p50    p95  improved  clones  extra/cap  busy/first\n"
        "none             25.00  15.00  35.00      0.0%       0       0.0%        1.00\n"
        "none,order=fifo  25.00  15.00  35.00      0.0%       0       0.0%        1.00\n"
        "\n"
        "Mean completion time of jobs, by their number of tasks (s):\n"
        "policy           1-10 tasks  11-50  51-150  151-500  over 500\n"
        "(jobs)                    2      0       0        0         0\n"
        "none                  25.00      -       -        -         -\n"
        "none,order=fifo       25.00      -       -        -         -\n"
        "\n"
        "Columns that do not fit a line of 80 are left out; --wide prints them.\n"));
    static const char *const rows[] = {
        "sim --workload w --cluster 2x2 --policy none,dolly+mantri --seeds 3 --phases --estimates",
        "sim --workload w --cluster 2x2 --policy none,dolly --yardstick noskew,no-stragglers",
        "sim --trace t.tr --cluster 2x2 --policy none,dolly+mantri --seeds 2",
    };
    command_file("t.tr", "0 2 10 8 12\n5 1 30 30\n20 3 6 6 6 6\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text;
        expect(command_run(cmd_sim, rows[i], &text, NULL) == 0);
        const char *end = strstr(text, left_out);
        expect(end);
        for (const char *line = text; line < end;) {
            int columns = 0;
            for (; *line != '\n'; line++)
                columns += (*line & 0xc0) != 0x80;
            expect(columns <= 80);
            line++;
        }
        mem_free(text);
    }
    command_end(&f);
}

TEST(sim_refuses_what_it_cannot_do)
{
    static const char *const rows[][2] = {
        {"sim --policy none", "--workload"},
        {"sim --workload w --policy nonsense", "nonsense"},
        {"sim --workload nothing --policy none", "nothing"},
        {"sim --workload w --policy none --cluster 0x2", "0x2"},
        {"sim --workload w --policy none --detail", "--detail needs --json"},
        {"sim --workload w --policy none --seeds 0", "--seeds"},
        {"sim --workload w --policy none --baseline late", "late"},
        {"sim --workload w --policy none --set beta=1", "beta"},
        {"sim --workload w --policy none --yardstick x", "x"},
        {"sim --workload w --policy none --report x.html", "two to six"},
        {"sim --workload w --policy none more", "more"},
        {"sim --workload w --detail --json --seeds 2", "--detail is about one seed, not about 2"},
        {"sim --workload w --trace t", "use either --trace or --workload"},
        {"sim --workload w --policy none,none --journal j", "--journal: policy none is chosen"},
        {"sim --workload w --policy none,none --report j", "--report: policy none is chosen"},
        {"sim --workload w --policy none,late --seeds 2 --report x.html", "two to six"},
        {"sim --workload w --report x --policy none,late,dolly,fifo,mantri,hadoop,job-clone",
         "two to six"},
        {"sim --workload w --policy none,", "--policy lacks a name"},
        {"sim --workload w --scale time=2", "--scale must be load=F"},
        {"sim --workload w --scale cluster=2", "--scale must be load=F"},
        {"sim --workload w --scale load=2", "--scale: w has its own arrivals"},
        {"sim --workload w --window 1h-3h", "--window and --variation are about a --trace"},
        {"sim --workload w --variation luck", "--window and --variation are about a --trace"},
        {"sim --workload w --jobs 1", "--jobs: w has the jobs that it has"},
        {"sim --trace t --jobs 1", "--jobs: t has the jobs that it has"},
        {"sim --workload w --expect what", "--expect must be exact or none, not 'what'"},
        {"sim --workload w --expect none --expect-error 0.1", "no durations are known"},
        {"sim --workload w --policy none --yardstick ideal-reduce", "reading takes no time"},
        {"sim --workload w --policy none,late --baseline lat", "did you mean late?"},
        {"sim --workload w --seeds 10001", "--seeds"},
        {"sim --workload w --parallel 0", "--parallel"},
        {"sim --workload w --expect-error 1.1e9", "--expect-error"},
    };
    struct command_folder f;
    open_folder(&f);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect(command_fails(cmd_sim, rows[i][0], 2, rows[i][1]));
    command_end(&f);
}

/* What is next to what it refuses. */
TEST(sim_accepts_what_is_just_possible)
{
    static const char *const rows[] = {
        "sim --workload w --policy none --detail --json --seeds 1 --cluster 2x2",
        "sim --workload w --policy none,late --report two.html --cluster 2x2",
        "sim --workload w --policy none,late,dolly,fifo,svf,srpt --report six.html --cluster 2x2",
        "sim --workload w --policy none,none --cluster 2x2",
        "sim --workload w --policy none --expect none --expect-error 0 --cluster 2x2",
        "sim --workload w --policy none --scale load=1 --cluster 2x2",
        "sim --workload w --policy none,late --baseline late --cluster 2x2",
    };
    struct command_folder f;
    open_folder(&f);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *out, *err;
        expect(command_run(cmd_sim, rows[i], &out, &err) == 0 && *out);
        mem_free(out);
        mem_free(err);
    }
    expect(access("two.html", F_OK) == 0 && access("six.html", F_OK) == 0);
    command_end(&f);
}

static uint32_t lines_with(const char *text, const char *begin)
{
    uint32_t count = 0;
    for (const char *at = text; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
        count += strncmp(at, begin, strlen(begin)) == 0;
    return count;
}

TEST(workload_prints_jobs_that_can_be_run)
{
    struct command_folder f;
    char *text, *again;
    open_folder(&f);
    expect(command_run(cmd_workload, "workload facebook --jobs 3 --seed 5", &text, NULL) == 0);
    expect(strncmp(text, "# facebook: the first 3 jobs of seed 5, by dolly workload.", 58) == 0);
    expect(lines_with(text, "job ") == 3);
    command_file("made", text);
    expect(command_run(cmd_sim, "sim --workload made --cluster 50x4 --policy none", &again, NULL) ==
           0);
    expect(strncmp(again, "made: 3 jobs, ", 14) == 0);
    mem_free(again);
    expect(command_run(cmd_workload, "workload facebook --jobs 2 --seed 5", &again, NULL) == 0);
    expect(lines_with(again, "job ") == 2);
    mem_free(again);
    expect(command_run(cmd_workload, "workload facebook --jobs 3 --seed 6", &again, NULL) == 0);
    expect(strcmp(strstr(text, "job "), strstr(again, "job ")) != 0);
    mem_free(again);
    mem_free(text);
    expect(command_fails(cmd_workload, "workload nothing", 2, "nothing"));
    expect(command_fails(cmd_workload, "workload facebook --json", 2, "--stats"));
    expect(command_fails(cmd_workload, "workload", 2, "workload"));
    command_end(&f);
}

TEST(sim_reads_a_trace_in_two_ways)
{
    struct command_folder f;
    char *text;
    command_begin(&f);
    command_file("t.tr", "0 2 10 8 12\n5 1 30 30\n20 3 6 6 6 6\n");
    command_file("wide.tr", "0 11 5 5 5 5 5 5 5 5 5 5 5 5\n");
    expect(command_prints(
        cmd_sim, "sim --trace t.tr --policy none --cluster 2x2 --wide",
        "Completion time of jobs (s) in both readings, improvement over none:\n"
        "policy  mean luck  mean size  p95 luck  p95 size  mean 1-10 luck  mean 1-10 size  "
        "improvement % luck  improvement % size\n"
        "none        16.00      16.00     30.00     30.00           16.00           16.00         "
        "       0.00                0.00\n"
        "\n"
        "== variation=luck: copies of a task take as long as another task of its phase ==\n"
        "t.tr: 3 jobs, 6 tasks; cluster 2x2: 2 nodes, 4 slots; seed 1\n"
        "\n"
        "Completion time of jobs (s), improvement over none:\n"
        "policy   mean    p50    p95  improved  attempts  clones  killed  extra/cap  busy/first   "
        "load  to end  slow p50  slow p95            digest\n"
        "none    16.00  12.00  30.00      0.0%         6       0       0       0.0%        1.00  "
        "43.8%   48.6%      1.00      1.50  xxxxxxxxxxxxxxxx\n"
        "\n"
        "Mean completion time of jobs, by their number of tasks (s):\n"
        "policy  1-10 tasks  11-50  51-150  151-500  over 500\n"
        "(jobs)           3      0       0        0         0\n"
        "none         16.00      -       -        -         -\n"
        "\n"
        "== variation=size: copies of a task take as long as the task ==\n"
        "t.tr: 3 jobs, 6 tasks; cluster 2x2: 2 nodes, 4 slots; seed 1\n"
        "\n"
        "Completion time of jobs (s), improvement over none:\n"
        "policy   mean    p50    p95  improved  attempts  clones  killed  extra/cap  busy/first   "
        "load  to end  slow p50  slow p95            digest\n"
        "none    16.00  12.00  30.00      0.0%         6       0       0       0.0%        1.00  "
        "43.8%   48.6%      1.00      1.50  xxxxxxxxxxxxxxxx\n"
        "\n"
        "Mean completion time of jobs, by their number of tasks (s):\n"
        "policy  1-10 tasks  11-50  51-150  151-500  over 500\n"
        "(jobs)           3      0       0        0         0\n"
        "none         16.00      -       -        -         -\n"
        "\n"
        "0.0 % of the work, cut short in the trace, is drawn (0 attempts and phases).\n"
        "\n"
        "Assumed (--assume key=value changes it):\n"
        "  cpu=1: cores of an attempt whose demand is not known (3 phases)\n"
        "  single=same: times of copies of a task that is alone in its phase, where luck\n"
        "    decides: the same, or spread as tasks of other phases are (1 phase)\n"
        "  touched nothing: block=64M, shuffle_block=256M, rate=10M, base=1s, span=1,\n"
        "    machine_cpu=32, machine_mem=128G, failed=drop, tail=1.8, tail_max=20,\n"
        "    load=0.5, node_cpu=16, stragglers=facebook, replicas=3, hosts=hash,\n"
        "    gang=tasks\n"));
    expect(command_prints(
        cmd_sim, "sim --trace t.tr --policy none --cluster 2x2 --variation size --wide",
        "== variation=size: copies of a task take as long as the task ==\n"
        "t.tr: 3 jobs, 6 tasks; cluster 2x2: 2 nodes, 4 slots; seed 1\n"
        "\n"
        "Completion time of jobs (s), improvement over none:\n"
        "policy   mean    p50    p95  improved  attempts  clones  killed  extra/cap  busy/first   "
        "load  to end  slow p50  slow p95            digest\n"
        "none    16.00  12.00  30.00      0.0%         6       0       0       0.0%        1.00  "
        "43.8%   48.6%      1.00      1.50  xxxxxxxxxxxxxxxx\n"
        "\n"
        "Mean completion time of jobs, by their number of tasks (s):\n"
        "policy  1-10 tasks  11-50  51-150  151-500  over 500\n"
        "(jobs)           3      0       0        0         0\n"
        "none         16.00      -       -        -         -\n"
        "\n"
        "0.0 % of the work, cut short in the trace, is drawn (0 attempts and phases).\n"
        "\n"
        "Assumed (--assume key=value changes it):\n"
        "  cpu=1: cores of an attempt whose demand is not known (3 phases)\n"
        "  single=same: times of copies of a task that is alone in its phase, where luck\n"
        "    decides: the same, or spread as tasks of other phases are (1 phase)\n"
        "  touched nothing: block=64M, shuffle_block=256M, rate=10M, base=1s, span=1,\n"
        "    machine_cpu=32, machine_mem=128G, failed=drop, tail=1.8, tail_max=20,\n"
        "    load=0.5, node_cpu=16, stragglers=facebook, replicas=3, hosts=hash,\n"
        "    gang=tasks\n"));
    expect(command_run(cmd_sim, "sim --trace wide.tr --policy none --cluster 2x2 --wide", &text,
                       NULL) == 0);
    expect(strstr(
        text,
        "\nnone        15.00      15.00     15.00     15.00               -               -  "));
    mem_free(text);
    command_end(&f);
}

static bool prints_part(const char *words, const char *expected)
{
    char *out = NULL;
    int status = command_run(cmd_sim, words, &out, NULL);
    bool found = status == 0 && command_has_part(out, expected);
    mem_free(out);
    return found;
}

TEST(sim_names_the_policies_that_could_have_cloned_and_did_not)
{
    struct command_folder f;
    open_folder(&f);
    expect(prints_part("sim --workload w --cluster 2x2 --policy "
                       "none,dolly,dolly;tau=1;budget=idle,dolly;beta=0.1",
                       "\n\nNo clones under dolly, dolly;beta=0.1; with --journal FILE, "
                       "`dolly explain FILE`\nexplains why.\n"));
    char *out = NULL;
    expect(command_run(cmd_sim,
                       "sim --workload w --cluster 2x2 --policy none,dolly;tau=1;budget=idle", &out,
                       NULL) == 0);
    expect(!strstr(out, "No clones under"));
    mem_free(out);
    command_end(&f);
}

TEST(sim_names_journals_after_the_policy_and_the_seed_where_there_are_several)
{
    struct command_folder f;
    open_folder(&f);
    expect(command_run(cmd_sim, "sim --workload w --policy none --journal j", NULL, NULL) == 0);
    expect(access("j", F_OK) == 0);
    expect(command_run(cmd_sim,
                       "sim --workload w --policy none,dolly;beta=0.1 --journal k --seed 7", NULL,
                       NULL) == 0);
    expect(access("k.none.7", F_OK) == 0 && access("k.dolly;beta=0.1.7", F_OK) == 0);
    expect(command_run(cmd_sim, "sim --workload w --policy none --seeds 2 --seed 3 --journal l",
                       NULL, NULL) == 0);
    expect(access("l.none.3", F_OK) == 0 && access("l.none.4", F_OK) == 0);
    expect(access("k", F_OK) < 0 && access("l", F_OK) < 0);
    expect(command_fails(cmd_sim, "sim --workload w --policy none,none --journal m", 2,
                         "--journal: policy none is chosen twice, and both would write the same "
                         "journal"));
    command_end(&f);
}

/* What is wrong with a scale is found, and so is one that the jobs cannot have. */
TEST(sim_takes_a_scale_of_what_it_can_scale)
{
    struct command_folder f;
    open_folder(&f);
    expect(command_fails(cmd_sim, "sim --workload w --policy none --scale load=2", 2,
                         "--scale: w has its own arrivals; expected a generated workload"));
    expect(command_fails(cmd_sim, "sim --workload w --policy none --scale time=2", 2,
                         "--scale must be load=F; time= and cluster= are about a --trace"));
    static const char *const bad[] = {"load=0", "load=101", "load", "lode=2", "load=2,x=1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char words[96], why[160];
        snprintf(words, sizeof words, "sim --workload w --policy none --scale %s", bad[i]);
        snprintf(why, sizeof why,
                 "--scale must be load=F with F from 0.01 to 100, of a trace also time=F and "
                 "cluster=F, not '%s'",
                 bad[i]);
        expect(command_fails(cmd_sim, words, 2, why));
    }
    command_end(&f);
}

/* Where files went is said on stderr, as results may be piped away. */
TEST(sim_names_the_files_that_it_wrote)
{
    static const struct {
        const char *words, *said;
    } rows[] = {
        {"sim --workload w --policy none,dolly --report p.html", "dolly: the page is p.html\n"},
        {"sim --workload w --policy none,dolly --report p.html --journal j",
         "dolly: journals are in j.POLICY.SEED, the first in j.none.1\n"
         "dolly: the page is p.html\n"},
        {"sim --workload w --policy none --seeds 2 --seed 5 --journal k --json",
         "dolly: journals are in k.POLICY.SEED, the first in k.none.5\n"},
        {"sim --workload w --policy none --journal l", ""},
    };
    struct command_folder f;
    open_folder(&f);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *said;
        expect(command_run(cmd_sim, rows[i].words, NULL, &said) == 0);
        expect(strcmp(said, rows[i].said) == 0);
        mem_free(said);
    }
    expect(access("p.html", R_OK) == 0 && access("l", R_OK) == 0);
    command_end(&f);
}
