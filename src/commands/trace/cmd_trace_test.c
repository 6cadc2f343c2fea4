#include "commands/commands.h"

#include <stddef.h>
#include <string.h>

#include "base/mem.h"
#include "tests/unit/command.h"

/* Three jobs, and a line that is none: when it arrives, its tasks, their mean, and each of them. */
static const char trace[] = "0 2 10 8 12\n"
                            "5 1 30 30\n"
                            "bad\n"
                            "20 3 6 6 6 6\n";

static void open_folder(struct command_folder *f)
{
    command_begin(f);
    command_file("t.tr", trace);
}

TEST(trace_stats_say_what_jobs_are_like)
{
    struct command_folder f;
    open_folder(&f);
    expect(command_prints(
        cmd_trace, "trace stats t.tr",
        "hawk, 10 rows, digest xxxxxxxxxxxxxxxx\n"
        "\n"
        "             3  jobs\n"
        "             3  phases\n"
        "             0  edges between phases\n"
        "             6  tasks\n"
        "             6  attempts\n"
        "             0  machines named\n"
        "             6  attempts that were done\n"
        "             0  attempts that failed\n"
        "             0  attempts that were killed\n"
        "             0  attempts that were evicted\n"
        "             0  attempts that were lost\n"
        "             0  attempts that still ran at the end\n"
        "             0  ends of what began before the trace, or never\n"
        "             0  attempts whose time was cut short and is drawn\n"
        "             0  phases of which the same is true\n"
        "          0.00  share of both in all work, %\n"
        "             0  tasks of which no attempt is known\n"
        "             0  tasks of which every attempt failed\n"
        "             0  phases that had begun and not come to their end\n"
        "             0  phases that never began, and are left out\n"
        "        100.00  phases with times of their tasks, %\n"
        "             3  jobs of 1 to 10 tasks\n"
        "             0  jobs of 11 to 50 tasks\n"
        "             0  jobs of 51 to 150 tasks\n"
        "             0  jobs of 151 to 500 tasks\n"
        "             0  jobs of more than 500 tasks\n"
        "         33.33  jobs of one task, %\n"
        "        100.00  jobs of at most 10 tasks, %\n"
        "        100.00  their share of all work, %\n"
        "             2  tasks of a job, median\n"
        "             3  tasks of a job, p99\n"
        "             3  tasks of a job, most\n"
        "             -  tail exponent of tasks of a job\n"
        "        100.00  jobs of at most 10 tasks in the first phase, %\n"
        "        100.00  phases of at most 10 tasks, %\n"
        "             3  tasks of a phase, most\n"
        "             -  tail exponent of tasks of a phase\n"
        "             1  phases of a job, median\n"
        "             1  phases of a job, p99\n"
        "             1  phases of a job, most\n"
        "             0  phases with at least 4 attempts done\n"
        "             -  slowest over median in them, median\n"
        "             -  slowest over median, p90\n"
        "             -  slowest over median, p99\n"
        "             -  slowest over median, most\n"
        "             -  tail exponent of slowest over median\n"
        "             0  phases with one over twice the median\n"
        "             -  such phases, %\n"
        "             -  attempts over twice the median of their phase, %\n"
        "             0  phases of at least 4 tasks whose bytes are known\n"
        "             -  of them, with a task of over twice the median bytes, %\n"
        "             -  span of a phase of at least 4 tasks over their mean time, median\n"
        "             -  the same, p90\n"
        "          6.00  time of a task, median, s\n"
        "         30.00  time of a task, p99, s\n"
        "             -  tail exponent of times of tasks\n"
        "         20.00  first to last arrival, s\n"
        "         10.00  time between arrivals, mean, s\n"
        "          0.50  its variation (stdev / mean)\n"
        "          3.40  cores in use on average, without queues\n"
        "          0.00  memory in use on average, GiB\n"
        "          1.00  cores of the largest task\n"
        "          0.00  memory of the largest task, GiB\n"
        "             0  bytes read from outside\n"
        "             -  tail exponent of bytes that jobs read\n"
        "             -  tail exponent of bytes that phases read of others, by job\n"
        "        100.00  jobs that have none, %\n"
        "\n"
        "Wrong in the trace (1 of 10 rows left out):\n"
        "  t.tr:3: not a number, or one out of range (1 in all)\n"
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
        cmd_trace, "trace stats t.tr --json",
        "{\n"
        "  \"format\": \"hawk\",\n"
        "  \"spooled\": false,\n"
        "  \"rows\": 10,\n"
        "  \"bad\": 1,\n"
        "  \"digest\": \"xxxxxxxxxxxxxxxx\",\n"
        "  \"stats\": {\n"
        "    \"jobs\": 3,\n"
        "    \"phases\": 3,\n"
        "    \"edges\": 0,\n"
        "    \"tasks\": 6,\n"
        "    \"attempts\": 6,\n"
        "    \"nodes\": 0,\n"
        "    \"done\": 6,\n"
        "    \"failed\": 0,\n"
        "    \"killed\": 0,\n"
        "    \"evicted\": 0,\n"
        "    \"lost\": 0,\n"
        "    \"running\": 0,\n"
        "    \"not_started\": 0,\n"
        "    \"censored\": 0,\n"
        "    \"phases_drawn\": 0,\n"
        "    \"censored_work_pct\": 0.0,\n"
        "    \"tasks_unseen\": 0,\n"
        "    \"tasks_failed\": 0,\n"
        "    \"phases_cut\": 0,\n"
        "    \"phases_waiting\": 0,\n"
        "    \"phases_timed_pct\": 100.0,\n"
        "    \"bin1_jobs\": 3,\n"
        "    \"bin2_jobs\": 0,\n"
        "    \"bin3_jobs\": 0,\n"
        "    \"bin4_jobs\": 0,\n"
        "    \"bin5_jobs\": 0,\n"
        "    \"single_task_pct\": 33.3333333333333,\n"
        "    \"small_pct\": 100.0,\n"
        "    \"small_work_pct\": 100.0,\n"
        "    \"tasks_p50\": 2,\n"
        "    \"tasks_p99\": 3,\n"
        "    \"tasks_max\": 3,\n"
        "    \"tasks_hill\": null,\n"
        "    \"first_small_pct\": 100.0,\n"
        "    \"phases_small_pct\": 100.0,\n"
        "    \"phase_tasks_max\": 3,\n"
        "    \"phase_tasks_hill\": null,\n"
        "    \"phases_p50\": 1,\n"
        "    \"phases_p99\": 1,\n"
        "    \"phases_max\": 1,\n"
        "    \"groups\": 0,\n"
        "    \"ratio_p50\": null,\n"
        "    \"ratio_p90\": null,\n"
        "    \"ratio_p99\": null,\n"
        "    \"ratio_max\": null,\n"
        "    \"ratio_hill\": null,\n"
        "    \"straggling\": 0,\n"
        "    \"straggling_pct\": null,\n"
        "    \"slow_tasks_pct\": null,\n"
        "    \"byte_groups\": 0,\n"
        "    \"byte_skewed_pct\": null,\n"
        "    \"span_ratio_p50\": null,\n"
        "    \"span_ratio_p90\": null,\n"
        "    \"times_p50_s\": 6.0,\n"
        "    \"times_p99_s\": 30.0,\n"
        "    \"times_hill\": null,\n"
        "    \"arrivals_s\": 20.0,\n"
        "    \"gap_mean_s\": 10.0,\n"
        "    \"gap_cv\": 0.5,\n"
        "    \"cores_mean\": 3.4,\n"
        "    \"mem_mean_gib\": 0.0,\n"
        "    \"cpu_max\": 1.0,\n"
        "    \"mem_max_gib\": 0.0,\n"
        "    \"input_bytes\": 0,\n"
        "    \"input_hill\": null,\n"
        "    \"shuffle_hill\": null,\n"
        "    \"no_shuffle_pct\": 100.0\n"
        "  },\n"
        "  \"assumptions\": [\n"
        "    {\n"
        "      \"key\": \"block\",\n"
        "      \"value\": \"64M\",\n"
        "      \"touched\": 0,\n"
        "      \"of\": \"phases\",\n"
        "      \"what\": \"bytes that one task reads, where only those of its phase are known\"\n"
        "    },\n"
        "    {\n"
        "      \"key\": \"shuffle_block\",\n"
        "      \"value\": \"256M\",\n"
        "      \"touched\": 0,\n"
        "      \"of\": \"phases\",\n"
        "      \"what\": \"the same in a phase that reads another one\"\n"
        "    },\n"
        "    {\n"
        "      \"key\": \"rate\",\n"
        "      \"value\": \"10M\",\n"
        "      \"touched\": 0,\n"
        "      \"of\": \"phases\",\n"
        "      \"what\": \"bytes that a task works off in a second, where no times are known\"\n"
        "    },\n"
        "    {\n"
        "      \"key\": \"base\",\n"
        "      \"value\": \"1s\",\n"
        "      \"touched\": 0,\n"
        "      \"of\": \"phases\",\n"
        "      \"what\": \"time that such a task takes in addition\"\n"
        "    },\n"
        "    {\n"
        "      \"key\": \"span\",\n"
        "      \"value\": \"1\",\n"
        "      \"touched\": 0,\n"
        "      \"of\": \"phases\",\n"
        "      \"what\": \"share of its phase's span that a task takes, where only that is "
        "known\"\n"
        "    },\n"
        "    {\n"
        "      \"key\": \"cpu\",\n"
        "      \"value\": \"1\",\n"
        "      \"touched\": 3,\n"
        "      \"of\": \"phases\",\n"
        "      \"what\": \"cores of an attempt whose demand is not known\"\n"
        "    },\n"
        "    {\n"
        "      \"key\": \"machine_cpu\",\n"
        "      \"value\": \"32\",\n"
        "      \"touched\": 0,\n"
        "      \"of\": \"phases\",\n"
        "      \"what\": \"cores of the largest machine, where demands are shares of it\"\n"
        "    },\n"
        "    {\n"
        "      \"key\": \"machine_mem\",\n"
        "      \"value\": \"128G\",\n"
        "      \"touched\": 0,\n"
        "      \"of\": \"phases\",\n"
        "      \"what\": \"and its memory\"\n"
        "    },\n"
        "    {\n"
        "      \"key\": \"failed\",\n"
        "      \"value\": \"drop\",\n"
        "      \"touched\": 0,\n"
        "      \"of\": \"attempts and phases\",\n"
        "      \"what\": \"failed attempts: left out where the task has others and else cut "
        "short, always cut short, or as long as it took\"\n"
        "    },\n"
        "    {\n"
        "      \"key\": \"tail\",\n"
        "      \"value\": \"1.8\",\n"
        "      \"touched\": 0,\n"
        "      \"of\": \"attempts and phases\",\n"
        "      \"what\": \"tail exponent of times that were cut short, where the phase has fewer "
        "than 10 to fit\"\n"
        "    },\n"
        "    {\n"
        "      \"key\": \"tail_max\",\n"
        "      \"value\": \"20\",\n"
        "      \"touched\": 0,\n"
        "      \"of\": \"attempts and phases\",\n"
        "      \"what\": \"at most this many times the largest value seen\"\n"
        "    },\n"
        "    {\n"
        "      \"key\": \"load\",\n"
        "      \"value\": \"0.5\",\n"
        "      \"touched\": 0,\n"
        "      \"of\": \"clusters\",\n"
        "      \"what\": \"load of the cluster that is made for the trace or its window\"\n"
        "    },\n"
        "    {\n"
        "      \"key\": \"node_cpu\",\n"
        "      \"value\": \"16\",\n"
        "      \"touched\": 0,\n"
        "      \"of\": \"nodes\",\n"
        "      \"what\": \"cores of each of its nodes, unless a task needs more\"\n"
        "    },\n"
        "    {\n"
        "      \"key\": \"stragglers\",\n"
        "      \"value\": \"facebook\",\n"
        "      \"touched\": 0,\n"
        "      \"of\": \"phases\",\n"
        "      \"what\": \"luck of attempts in that cluster, where tasks have no times of their "
        "own\"\n"
        "    },\n"
        "    {\n"
        "      \"key\": \"single\",\n"
        "      \"value\": \"same\",\n"
        "      \"touched\": 1,\n"
        "      \"of\": \"phases\",\n"
        "      \"what\": \"times of copies of a task that is alone in its phase, where luck "
        "decides: the same, or spread as tasks of other phases are\"\n"
        "    },\n"
        "    {\n"
        "      \"key\": \"replicas\",\n"
        "      \"value\": \"3\",\n"
        "      \"touched\": 0,\n"
        "      \"of\": \"phases\",\n"
        "      \"what\": \"nodes that hold the input of a task, where the trace names no hosts; "
        "0: none\"\n"
        "    },\n"
        "    {\n"
        "      \"key\": \"hosts\",\n"
        "      \"value\": \"hash\",\n"
        "      \"touched\": 0,\n"
        "      \"of\": \"hosts\",\n"
        "      \"what\": \"hosts that hold inputs and after which no node of the cluster is "
        "named: a hash of the name chooses the node, or they are left out and replicas are "
        "drawn\"\n"
        "    },\n"
        "    {\n"
        "      \"key\": \"gang\",\n"
        "      \"value\": \"tasks\",\n"
        "      \"touched\": 0,\n"
        "      \"of\": \"phases\",\n"
        "      \"what\": \"processes of a parallel job: tasks that need not run at the same time, "
        "or one task that asks for all of their processors\"\n"
        "    }\n"
        "  ],\n"
        "  \"troubles\": [\n"
        "    {\n"
        "      \"kind\": \"number\",\n"
        "      \"count\": 1,\n"
        "      \"first\": \"t.tr:3\",\n"
        "      \"what\": \"not a number, or one out of range\"\n"
        "    }\n"
        "  ]\n"
        "}\n"));
    command_end(&f);
}

TEST(trace_convert_writes_jobs_of_the_trace)
{
    struct command_folder f;
    char *text;
    open_folder(&f);
    expect(command_prints(
        cmd_trace, "trace convert t.tr",
        "# t.tr (hawk), by dolly trace convert.\n"
        "# 0.0 % of the work, cut short in the trace, is drawn (0 attempts and phases).\n"
        "#\n"
        "# Wrong in the trace (1 of 10 rows left out):\n"
        "#   t.tr:3: not a number, or one out of range (1 in all)\n"
        "#\n"
        "# Assumed (--assume key=value changes it):\n"
        "#   cpu=1: cores of an attempt whose demand is not known (3 phases)\n"
        "#   single=same: times of copies of a task that is alone in its phase, where luck "
        "decides: the same, or spread as tasks of other phases are (1 phase)\n"
        "#   touched nothing: block=64M, shuffle_block=256M, rate=10M, base=1s, span=1, "
        "machine_cpu=32, machine_mem=128G, failed=drop, tail=1.8, tail_max=20, load=0.5, "
        "node_cpu=16, stragglers=facebook, replicas=3, hosts=hash, gang=tasks\n"
        "job 1-17ae8eff at=0s\n"
        "  phase tasks tasks=2 size=8s\n"
        "    task 0 attempts=8s\n"
        "    task 1 attempts=12s\n"
        "job 2-31e86dce at=5s\n"
        "  phase tasks tasks=1 size=30s\n"
        "    task 0 attempts=30s\n"
        "job 4-24aa6cbb at=20s\n"
        "  phase tasks tasks=3 size=6s\n"
        "    task 0 attempts=6s\n"
        "    task 1 attempts=6s\n"
        "    task 2 attempts=6s\n"));
    expect(command_run(cmd_trace, "trace convert t.tr --variation luck", &text, NULL) == 0);
    expect(strstr(text, "tasks=2 size=8s vary=luck\n"));
    mem_free(text);
    command_end(&f);
}

TEST(trace_formats_lists_all_of_them)
{
    char *text;
    expect(command_run(cmd_trace, "trace formats", &text, NULL) == 0);
    expect(strncmp(text, "Formats:\n", 9) == 0 && strstr(text, "\n  hawk "));
    mem_free(text);
    expect(command_run(cmd_trace, "trace formats --json", &text, NULL) == 0);
    expect(strstr(text, "\"hawk\""));
    mem_free(text);
}

TEST(trace_refuses_what_it_cannot_read)
{
    static const char *const rows[][2] = {
        {"trace", "stats"},
        {"trace stats", "the file of the trace is missing"},
        {"trace print t.tr", "print"},
        {"trace stats nothing", "nothing"},
        {"trace stats t.tr --strict", "t.tr:3"},
        {"trace stats t.tr --format nonsense", "nonsense"},
        {"trace stats t.tr --assume nonsense=1", "nonsense"},
        {"trace convert t.tr --json", "--json"},
    };
    struct command_folder f;
    open_folder(&f);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect(command_fails(cmd_trace, rows[i][0], 2, rows[i][1]));
    command_end(&f);
}

TEST(trace_stats_are_of_jobs_of_all_sizes)
{
    struct command_folder f;
    char *text;

    command_begin(&f);
    command_trace_of_all_sizes("t.tr");
    expect(command_run(cmd_trace, "trace stats t.tr --json", &text, NULL) == 0);
    command_json_pack(text);
    expect(strstr(
        text,
        "\"stats\":{\"jobs\":6,\"phases\":6,\"edges\":0,\"tasks\":758,\"attempts\":758,"
        "\"nodes\":0,\"done\":758,\"failed\":0,\"killed\":0,\"evicted\":0,\"lost\":0,"
        "\"running\":0,\"not_started\":0,\"censored\":0,\"phases_drawn\":0,"
        "\"censored_work_pct\":0.0,\"tasks_unseen\":0,\"tasks_failed\":0,\"phases_cut\":0,"
        "\"phases_waiting\":0,\"phases_timed_pct\":100.0,\"bin1_jobs\":2,\"bin2_jobs\":1,"
        "\"bin3_jobs\":1,\"bin4_jobs\":1,\"bin5_jobs\":1,\"single_task_pct\":16.6666666666667,"
        "\"small_pct\":33.3333333333333,\"small_work_pct\":0.610828320222119,\"tasks_p50\":12,"
        "\"tasks_p99\":520,\"tasks_max\":520,\"tasks_hill\":null,"
        "\"first_small_pct\":33.3333333333333,\"phases_small_pct\":33.3333333333333,"
        "\"phase_tasks_max\":520,\"phase_tasks_hill\":null,\"phases_p50\":1,\"phases_p99\":1,"
        "\"phases_max\":1,\"groups\":5,\"ratio_p50\":3.33333333333333,\"ratio_p90\":4.0,"
        "\"ratio_p99\":4.0,\"ratio_max\":4.0,\"ratio_hill\":5.48481494774708,\"straggling\":4,"
        "\"straggling_pct\":80.0,\"slow_tasks_pct\":10.7001321003963,\"byte_groups\":0,"
        "\"byte_skewed_pct\":null,\"span_ratio_p50\":null,\"span_ratio_p90\":null,"
        "\"times_p50_s\":11.0,\"times_p99_s\":40.0,\"times_hill\":null,\"arrivals_s\":45.0,"
        "\"gap_mean_s\":9.0,\"gap_cv\":0.157134840263677,\"cores_mean\":240.111111111111,"
        "\"mem_mean_gib\":0.0,\"cpu_max\":1.0,\"mem_max_gib\":0.0,\"input_bytes\":0,"
        "\"input_hill\":null,\"shuffle_hill\":null,\"no_shuffle_pct\":100.0}"));
    mem_free(text);
    command_end(&f);
}
