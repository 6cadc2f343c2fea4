/* Results of a trace, in each of its readings. */
#include "commands/sim/sim_print.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "commands/commands.h"
#include "tests/unit/command.h"

static bool has_part(const char *words, bool json, const char *expected)
{
    char *out = NULL;
    int status = command_run(cmd_sim, words, &out, NULL);
    if (json)
        command_json_pack(out);
    command_mask(out);
    bool same = status == 0 && command_has_part(out, expected);
    mem_free(out);
    return same;
}

/* With luck a clone is faster than its task, and with size it is not: the numbers differ between
 * the readings, between policies, and between jobs of different sizes. */
TEST(sim_of_a_trace_has_a_number_for_each_reading_policy_and_size)
{
    struct command_folder f;

    command_begin(&f);
    command_trace_of_all_sizes("t.tr");
    expect(has_part("sim --trace t.tr --policy none,dolly --cluster 100x8 --wide", false,
                  "Completion time of jobs (s) in both readings, improvement over none:\n"
                  "policy  mean luck  mean size  p95 luck  p95 size  mean 1-10 luck  mean 1-10 "
                  "size  improvement % luck  improvement % size\n"
                  "none        30.50      30.50     40.00     40.00           11.50           "
                  "11.50                0.00                0.00\n"
                  "dolly       25.67      30.50     40.00     40.00           11.00           "
                  "11.50               15.85                0.00\n"
                  "\n"
                  "== variation=luck: copies of a task take as long as another task of its phase "
                  "==\n"
                  "t.tr: 6 jobs, 758 tasks; cluster 100x8: 100 nodes, 800 slots; seed 1\n"
                  "\n"
                  "Completion time of jobs (s), improvement over none:\n"
                  "policy   mean    p50    p95  improved  attempts  clones  killed  extra/cap  "
                  "busy/first  load  to end  slow p50  slow p95            digest\n"
                  "none    30.50  40.00  40.00      0.0%       758       0       0       0.0%    "
                  "    1.00  7.2%   15.9%      3.33      4.00  xxxxxxxxxxxxxxxx\n"
                  "dolly   25.67  12.00  40.00     15.8%       793      35      21       0.5%    "
                  "    1.03  8.1%   16.4%      3.33      4.00  xxxxxxxxxxxxxxxx\n"
                  "\n"
                  "Mean completion time of jobs, by their number of tasks (s):\n"
                  "policy  1-10 tasks  11-50  51-150  151-500  over 500\n"
                  "(jobs)           2      1       1        1         1\n"
                  "none         11.50  40.00   40.00    40.00     40.00\n"
                  "dolly        11.00  12.00   40.00    40.00     40.00\n"
                  "\n"
                  "== variation=size: copies of a task take as long as the task ==\n"
                  "t.tr: 6 jobs, 758 tasks; cluster 100x8: 100 nodes, 800 slots; seed 1\n"
                  "\n"
                  "Completion time of jobs (s), improvement over none:\n"
                  "policy   mean    p50    p95  improved  attempts  clones  killed  extra/cap  "
                  "busy/first  load  to end  slow p50  slow p95            digest\n"
                  "none    30.50  40.00  40.00      0.0%       758       0       0       0.0%    "
                  "    1.00  7.2%   15.9%      3.33      4.00  xxxxxxxxxxxxxxxx\n"
                  "dolly   30.50  40.00  40.00      0.0%       793      35       0       0.7%    "
                  "    1.04  8.4%   16.5%      3.33      4.00  xxxxxxxxxxxxxxxx\n"
                  "\n"
                  "Mean completion time of jobs, by their number of tasks (s):\n"
                  "policy  1-10 tasks  11-50  51-150  151-500  over 500\n"
                  "(jobs)           2      1       1        1         1\n"
                  "none         11.50  40.00   40.00    40.00     40.00\n"
                  "dolly        11.50  40.00   40.00    40.00     40.00\n"
                  "\n"));
    expect(has_part("sim --trace t.tr --policy none,dolly --cluster 100x8", false,
                  "Completion time of jobs (s) in both readings, improvement over none:\n"
                  "policy  mean luck  mean size  improvement % luck  improvement % size\n"
                  "none        30.50      30.50                0.00                0.00\n"
                  "dolly       25.67      30.50               15.85                0.00\n"
                  "\n"));
    expect(has_part("sim --trace t.tr --policy none,dolly --cluster 100x8 --variation luck "
                  "--seeds 2 --yardstick no-stragglers --json",
                  true,
                  "{\"policy\":\"dolly\",\"shares\":[{\"yardstick\":\"no-stragglers\","
                  "\"share\":0.254310344827586,\"share_lo\":0.199543103448276,"
                  "\"share_hi\":0.309077586206896}],\"mean_jct_s\":25.5833333333333,"
                  "\"mean_jct_s_lo\":24.5245,\"mean_jct_s_hi\":26.6421666666667,"
                  "\"p50_jct_s\":12.0,\"p50_jct_s_lo\":12.0,\"p50_jct_s_hi\":12.0,"
                  "\"p95_jct_s\":40.0,\"p95_jct_s_lo\":40.0,\"p95_jct_s_hi\":40.0,"
                  "\"bins\":[{\"bin\":1,\"jobs\":2.0,\"jobs_lo\":2.0,\"jobs_hi\":2.0,"
                  "\"mean_jct_s\":10.75,\"mean_jct_s_lo\":7.5735,\"mean_jct_s_hi\":13.9265},"
                  "{\"bin\":2,\"jobs\":1.0,\"jobs_lo\":1.0,\"jobs_hi\":1.0,\"mean_jct_s\":12.0,"
                  "\"mean_jct_s_lo\":12.0,\"mean_jct_s_hi\":12.0},{\"bin\":3,\"jobs\":1.0,"
                  "\"jobs_lo\":1.0,\"jobs_hi\":1.0,\"mean_jct_s\":40.0,\"mean_jct_s_lo\":40.0,"
                  "\"mean_jct_s_hi\":40.0},{\"bin\":4,\"jobs\":1.0,\"jobs_lo\":1.0,"
                  "\"jobs_hi\":1.0,\"mean_jct_s\":40.0,\"mean_jct_s_lo\":40.0,"
                  "\"mean_jct_s_hi\":40.0},{\"bin\":5,\"jobs\":1.0,\"jobs_lo\":1.0,"
                  "\"jobs_hi\":1.0,\"mean_jct_s\":40.0,\"mean_jct_s_lo\":40.0,"
                  "\"mean_jct_s_hi\":40.0}],\"makespan_s\":85.0,\"makespan_s_lo\":85.0,"
                  "\"makespan_s_hi\":85.0,\"attempts\":793.0,\"attempts_lo\":793.0,"
                  "\"attempts_hi\":793.0,\"clones\":35.0,\"clones_lo\":35.0,\"clones_hi\":35.0,"
                  "\"backups\":0.0,\"backups_lo\":0.0,\"backups_hi\":0.0,\"restarts\":0.0,"
                  "\"restarts_lo\":0.0,\"restarts_hi\":0.0,\"killed\":22.5,\"killed_lo\":3.441,"
                  "\"killed_hi\":41.559,\"busy_slot_s\":11120.5,\"busy_slot_s_lo\":11063.323,"
                  "\"busy_slot_s_hi\":11177.677,\"resources\":[{\"resource\":\"cpu\","
                  "\"capacity\":800.0,\"capacity_lo\":800.0,\"capacity_hi\":800.0,"
                  "\"busy_s\":11120.5,\"busy_s_lo\":11063.323,\"busy_s_hi\":11177.677,"
                  "\"extra_s\":359.0,\"extra_s_lo\":320.882,\"extra_s_hi\":397.118}],"
                  "\"clone_capacity_frac\":0.00527941176470588,"
                  "\"clone_capacity_frac_lo\":0.00471885294117647,"
                  "\"clone_capacity_frac_hi\":0.0058399705882353,"
                  "\"busy_vs_first\":1.02919944470153,\"busy_vs_first_lo\":1.02390772790375,"
                  "\"busy_vs_first_hi\":1.03449116149931,\"loser_frac\":0.0333596235485263,"
                  "\"loser_frac_lo\":0.029876633358052,\"loser_frac_hi\":0.0368426137390005,"
                  "\"max_clone_frac\":0.0425,\"max_clone_frac_lo\":0.0425,"
                  "\"max_clone_frac_hi\":0.0425,\"load_arriving\":0.0807638888888889,"
                  "\"load_arriving_lo\":0.0791756388888889,"
                  "\"load_arriving_hi\":0.0823521388888889,\"load_mean\":0.163536764705882,"
                  "\"load_mean_lo\":0.162695926470588,\"load_mean_hi\":0.164377602941176,"
                  "\"load_p50\":0.07,\"load_p50_lo\":0.07,\"load_p50_hi\":0.07,"
                  "\"load_high_frac\":0.129411764705882,\"load_high_frac_lo\":0.129411764705882,"
                  "\"load_high_frac_hi\":0.129411764705882,\"slowdown_p50\":3.33333333333333,"
                  "\"slowdown_p50_lo\":3.33333333333333,\"slowdown_p50_hi\":3.33333333333333,"
                  "\"slowdown_p95\":4.0,\"slowdown_p95_lo\":4.0,\"slowdown_p95_hi\":4.0,"
                  "\"improvement\":0.16120218579235,\"improvement_lo\":0.126486338797814,"
                  "\"improvement_hi\":0.195918032786885,\"jobs_failed\":0.0,"
                  "\"jobs_failed_lo\":0.0,\"jobs_failed_hi\":0.0"));
    command_end(&f);
}
