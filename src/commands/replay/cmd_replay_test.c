#include "commands/commands.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "record/journal/journal.h"
#include "record/journal/journal_play.h"
#include "tests/unit/command.h"

/* Writes the journal of the run again, as if it had run under this policy. */
static void copy_run(const char *to, const char *policy)
{
    struct journal_options options = {.path = to};
    struct err err;
    struct journal *j = journal_create(&options, 1, policy, "sim", &err);
    struct tap tap = journal_tap(j);
    struct journal_play play = {.taps = &tap, .tap_count = 1};

    expect(journal_play("run", &play, NULL, &err) == 0 && journal_close(j, true, &err) == 0);
}

TEST(replay_refuses_a_run_under_a_policy_that_is_unknown)
{
    struct command_folder f;

    command_begin(&f);
    command_file("w", "job a\n  phase p tasks=2 size=1s\n");
    expect(command_run(cmd_sim, "sim --workload w --cluster 1x1 --policy none --journal run", NULL,
                       NULL) == 0);
    copy_run("known", "none");
    expect(command_run(cmd_replay, "replay known --policy none", NULL, NULL) == 0);
    copy_run("other", "nosuch");
    expect(command_fails(cmd_replay, "replay other --policy none", 2,
                         "the run was recorded under a policy that this dolly does not have "
                         "(unknown policy 'nosuch'"));
    expect(command_fails(cmd_replay, "replay other --policy none", 2,
                         "); use the dolly that recorded it"));
    command_end(&f);
}

/* Two tasks ran when the first half of the journal ends, and two more had just begun. */
TEST(replay_of_a_run_that_was_cut_off_says_what_it_guesses)
{
    static const char *const parts[] = {
        "recorded run, or none is when it is replayed.\n",
        "2 of 4 attempts were cut short and 5 of 9 tasks did not begin; their times are\n"
        "estimated from their reports and their phases and are 77.8 % of all work.\n",
        "1 of 1 jobs had not ended when the journal ends: as recorded they do not count,\n"
        "and in simulations they run to their end.\n",
        "recorded      -      -      -         -       0       0.0%        1.00\n"
        "replayed  50.00  50.00  50.00      0.0%       0       0.0%        4.50\n"};
    struct command_folder f;
    struct stat st;
    char *text;

    command_begin(&f);
    command_file("w", "job sort\n  phase map tasks=9 size=10s\n");
    expect(command_run(cmd_sim, "sim --workload w --cluster 2x1 --policy none --journal run", NULL,
                       NULL) == 0);
    expect(stat("run", &st) == 0 && truncate("run", st.st_size / 2) == 0);
    expect(command_run(cmd_replay, "replay run", &text, NULL) == 0);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        expect(command_has_part(text, parts[i]));
    mem_free(text);
    command_end(&f);
}

/* Where tasks do not differ there is no second table. */
TEST(replay_prints_equal_readings_once)
{
    struct command_folder f;

    command_begin(&f);
    command_file("w", "job sort\n  phase map tasks=4 size=10s\n");
    expect(command_run(cmd_sim, "sim --workload w --cluster 2x1 --policy none --journal run", NULL,
                       NULL) == 0);
    expect(command_prints(
        cmd_replay, "replay run",
        "The recorded policy is none.\n"
        "Check, variation=luck: replayed, its mean is +0.00 % and its p95 +0.00 % off.\n"
        "Check, variation=size: replayed, its mean is +0.00 % and its p95 +0.00 % off.\n"
        "\n"
        "In both readings, luck and size, the runs are the same.\n"
        "\n"
        "run: 1 job, 4 tasks; cluster 2x1: 2 nodes, 2 slots; seed 1\n"
        "\n"
        "Completion time of jobs (s), improvement over replayed:\n"
        "policy     mean    p50    p95  improved  clones  extra/cap  busy/first\n"
        "recorded  20.00  20.00  20.00      0.0%       0       0.0%        1.00\n"
        "replayed  20.00  20.00  20.00      0.0%       0       0.0%        1.00\n"
        "\n"
        "Mean completion time of jobs, by their number of tasks (s):\n"
        "policy    1-10 tasks  11-50  51-150  151-500  over 500\n"
        "(jobs)             1      0       0        0         0\n"
        "recorded       20.00      -       -        -         -\n"
        "replayed       20.00      -       -        -         -\n"
        "\n"
        "Columns that do not fit a line of 80 are left out; --wide prints them.\n"));
    command_end(&f);
}

/* A run in which copies won: the attempts that they beat have no end, so other times are bounds. */
TEST(replay_of_a_run_with_copies)
{
    struct command_folder f;
    char *text;

    command_begin(&f);
    command_slow_run(cmd_sim);
    expect(command_prints(
        cmd_replay, "replay run --policy none --variation luck",
        "The recorded policy is shepherd.\n"
        "Check, variation=luck: replayed, its mean is +0.00 % and its p95 +0.00 % off.\n"
        "2 of 11 attempts were cut short and 0 of 7 tasks did not begin; their times are\n"
        "estimated from their reports and their phases and are 47.7 % of all work.\n"
        "That is too much for an exact number: an interrupted attempt takes the shortest\n"
        "time that its reports allow, and times under other policies are lower bounds\n"
        "(>=).\n"
        "\n"
        "== variation=luck: copies of a task take as long as another task of its phase ==\n"
        "run: 1 job, 7 tasks; cluster c: 4 nodes, 8 slots; seed 1\n"
        "\n"
        "Completion time of jobs (s), improvement over replayed:\n"
        "policy        mean       p50       p95   improved  clones  extra/cap  busy/first\n"
        "recorded     25.00     25.00     25.00       0.0%       4      20.0%        1.00\n"
        "replayed     25.00     25.00     25.00       0.0%       4      20.0%        1.00\n"
        "none      >= 43.83  >= 43.83  >= 43.83  <= -75.3%       0       0.0%        0.98\n"
        "\n"
        "Mean completion time of jobs, by their number of tasks (s):\n"
        "policy    1-10 tasks  11-50  51-150  151-500  over 500\n"
        "(jobs)             1      0       0        0         0\n"
        "recorded       25.00      -       -        -         -\n"
        "replayed       25.00      -       -        -         -\n"
        "none        >= 43.83      -       -        -         -\n"
        "\n"
        "Columns that do not fit a line of 80 are left out; --wide prints them.\n"));
    expect(command_run(cmd_replay, "replay run --policy none --variation luck --json", &text,
                       NULL) == 0);
    command_json_pack(text);
    command_mask(text);
    static const char *const parts[] = {
        "{\"journal\":\"run\",\"body\":\"sim\",\"policy\":\"shepherd\",\"attempts\":11,"
        "\"censored\":2,\"censored_work\":0.477416215924832,\"is_bound\":true,"
        "\"check\":[{\"variation\":\"luck\",\"mean_off\":0.0,\"p95_off\":0.0}],",
        "{\"policy\":\"none\",\"mean_jct_s\":43.826672,\"p50_jct_s\":43.826672,"
        "\"p95_jct_s\":43.826672,\"bins\":[{\"bin\":1,\"jobs\":1,\"mean_jct_s\":43.826672},"
        "{\"bin\":2,\"jobs\":0,\"mean_jct_s\":null},{\"bin\":3,\"jobs\":0,\"mean_jct_s\":null},"
        "{\"bin\":4,\"jobs\":0,\"mean_jct_s\":null},{\"bin\":5,\"jobs\":0,\"mean_jct_s\":null}],"
        "\"makespan_s\":43.826672,\"attempts\":7,\"clones\":0,\"backups\":0,\"restarts\":0,"
        "\"killed\":0,\"busy_slot_s\":122.653344,\"resources\":[{\"resource\":\"cpu\","
        "\"capacity\":8.0,\"busy_s\":122.653344,\"extra_s\":0.0}],\"clone_capacity_frac\":0.0,"
        "\"busy_vs_first\":0.981226752,\"loser_frac\":0.0,\"max_clone_frac\":0.0,"
        "\"load_arriving\":null,\"load_mean\":0.349825056303613,\"load_p50\":0.25,"
        "\"load_high_frac\":0.228171557265402,\"slowdown_p50\":3.8826672,"
        "\"slowdown_p95\":3.8826672,\"improvement\":-0.75306688,\"jobs_failed\":0",
        "\"notes\":[\"2 of 11 attempts were cut short and 0 of 7 tasks did not begin; their "
        "times are estimated from their reports and their phases and are 47.7 % of all work.\","
        "\"That is too much for an exact number: an interrupted attempt takes the shortest time "
        "that its reports allow, and times under other policies are lower bounds (>=).\"]}",
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        expect(command_has_part(text, parts[i]));
    mem_free(text);
    command_end(&f);
}

TEST(whatif_of_a_run_with_copies)
{
    struct command_folder f;

    command_begin(&f);
    command_slow_run(cmd_sim);
    expect(command_prints(
        cmd_whatif, "whatif --no-stragglers run --policy late",
        "2 of 11 attempts were cut short and 0 of 7 tasks did not begin; their times are\n"
        "estimated from their reports and their phases and are 47.7 % of all work.\n"
        "That is too much for an exact number: an interrupted attempt takes the shortest\n"
        "time that its reports allow, and times under other policies are lower bounds\n"
        "(>=).\n"
        "Completion time of jobs of run under shepherd, and if no task straggled; policy:\n"
        "late\n"
        "\n"
        "variation=luck:\n"
        "jobs of     jobs  mean (s)  without stragglers  to gain    policy     gained     share\n"
        "all            1     25.00               15.00    40.0%  >= 43.83  <= -75.3%  <= -188%\n"
        "1-10 tasks     1     25.00               15.00    40.0%  >= 43.83  <= -75.3%  <= -188%\n"
        "11-50          0         -                   -        -         -          -         -\n"
        "51-150         0         -                   -        -         -          -         -\n"
        "151-500        0         -                   -        -         -          -         -\n"
        "over 500       0         -                   -        -         -          -         -\n"
        "\n"
        "variation=size:\n"
        "jobs of     jobs  mean (s)  without stragglers  to gain    policy     gained     share\n"
        "all            1     25.00               15.00    40.0%  >= 43.83  <= -75.3%  <= -188%\n"
        "1-10 tasks     1     25.00               15.00    40.0%  >= 43.83  <= -75.3%  <= -188%\n"
        "11-50          0         -                   -        -         -          -         -\n"
        "51-150         0         -                   -        -         -          -         -\n"
        "151-500        0         -                   -        -         -          -         -\n"
        "over 500       0         -                   -        -      "
        "   -          -         -\n"));
    expect(command_prints_json(
        cmd_whatif, "whatif --no-stragglers run --variation size --json",
        "{\"source\":\"run\",\"baseline\":\"shepherd\",\"policy\":null,\"is_bound\":true,"
        "\"variations\":[{\"variation\":\"size\",\"rows\":[{\"bin\":0,\"jobs\":1,"
        "\"mean_jct_s\":25.0,\"ceiling_jct_s\":15.0,\"possible\":0.4,\"policy_jct_s\":null,"
        "\"gained\":null,\"share\":null},{\"bin\":1,\"jobs\":1,\"mean_jct_s\":25.0,"
        "\"ceiling_jct_s\":15.0,\"possible\":0.4,\"policy_jct_s\":null,\"gained\":null,"
        "\"share\":null},{\"bin\":2,\"jobs\":0,\"mean_jct_s\":null,\"ceiling_jct_s\":null,"
        "\"possible\":null,\"policy_jct_s\":null,\"gained\":null,\"share\":null},{\"bin\":3,"
        "\"jobs\":0,\"mean_jct_s\":null,\"ceiling_jct_s\":null,\"possible\":null,"
        "\"policy_jct_s\":null,\"gained\":null,\"share\":null},{\"bin\":4,\"jobs\":0,"
        "\"mean_jct_s\":null,\"ceiling_jct_s\":null,\"possible\":null,\"policy_jct_s\":null,"
        "\"gained\":null,\"share\":null},{\"bin\":5,\"jobs\":0,\"mean_jct_s\":null,"
        "\"ceiling_jct_s\":null,\"possible\":null,\"policy_jct_s\":null,\"gained\":null,"
        "\"share\":null}]}],\"notes\":[\"2 of 11 attempts were cut short and 0 of 7 tasks did "
        "not begin; their times are estimated from their reports and their phases and are 47.7 % "
        "of all work.\",\"That is too much for an exact number: an interrupted attempt takes the "
        "shortest time that its reports allow, and times under other policies are lower bounds "
        "(>=).\"]}"));
    expect(command_prints(cmd_whatif, "whatif --no-stragglers --workload w --cluster c",
                          "Completion time of jobs of w under none, and if no task straggled\n"
                          "jobs of     jobs  mean (s)  without stragglers  to gain\n"
                          "all            1     55.00               55.00     0.0%\n"
                          "1-10 tasks     1     55.00               55.00     0.0%\n"
                          "11-50          0         -                   -        -\n"
                          "51-150         0         -                   -        -\n"
                          "151-500        0         -                   -        -\n"
                          "over 500       0         -                   -        -\n"));
    expect(command_prints(
        cmd_whatif, "whatif --no-stragglers --workload w --cluster c --policy late",
        "Completion time of jobs of w under none, and if no task straggled; policy: late\n"
        "jobs of     jobs  mean (s)  without stragglers  to gain  policy  gained  share\n"
        "all            1     55.00               55.00     0.0%   55.00    0.0%      -\n"
        "1-10 tasks     1     55.00               55.00     0.0%   55.00    0.0%      -\n"
        "11-50          0         -                   -        -       -       -      -\n"
        "51-150         0         -                   -        -       -       -      -\n"
        "151-500        0         -                   -        -       -       -      -\n"
        "over 500       0         -                   -        -       -       -      -\n"));
    command_end(&f);
}
