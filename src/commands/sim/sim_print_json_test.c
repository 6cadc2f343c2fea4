/* Results as JSON where a cluster has more than slots, and copies cost something. */
#include "commands/sim/sim_print.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "commands/commands.h"
#include "tests/unit/command.h"

static const char workload[] =
    "job sort\n"
    "  phase map tasks=4 sizes=10s,10s,10s,30s mem=1G x=2\n"
    "  phase reduce tasks=1 after=map size=5s\n"
    "job scan at=5s\n"
    "  phase map tasks=12 size=10s\n";
static const char cluster[] =
    "resource x name=gpu kind=slots\n"
    "nodes n[0-3] cpu=2 mem=4G x=4\n"
    "luck slow_p=0.3 slow_factor=4\n";

TEST(sim_print_json_has_resources_by_their_names_and_a_share_for_each_yardstick)
{
    static const char *const parts[] = {
        "\"policies\":[{\"policy\":\"dolly;budget=idle\",\"shares\":[{\"yardstick\":\"noskew\","
        "\"share\":0.0},{\"yardstick\":\"no-stragglers\",\"share\":0.0}],",
        "\"resources\":[{\"resource\":\"cpu\",\"capacity\":8.0,\"busy_s\":430.0,"
        "\"extra_s\":55.0},{\"resource\":\"mem\",\"capacity\":16384.0,\"busy_s\":112640.0,"
        "\"extra_s\":20480.0},{\"resource\":\"x\",\"name\":\"gpu\",\"kind\":\"slots\","
        "\"capacity\":16.0,\"busy_s\":220.0,\"extra_s\":40.0}],"
        "\"clone_capacity_frac\":0.114583333333333,\"busy_vs_first\":1.0,"
        "\"loser_frac\":0.178082191780822,\"max_clone_frac\":0.5,\"load_arriving\":1.0,"
        "\"load_mean\":0.895833333333333,\"load_p50\":1.0,\"load_high_frac\":0.833333333333333,"
        "\"slowdown_p50\":4.0,\"slowdown_p95\":4.0,\"improvement\":0.0,\"jobs_failed\":0",
        "\"yardsticks\":[{\"yardstick\":\"noskew\",\"policy\":\"dolly;budget=idle\",",
    };
    struct command_folder f;
    char *text;

    command_begin(&f);
    command_file("w", workload);
    command_file("c", cluster);
    expect(command_run(cmd_sim,
                       "sim --workload w --cluster c --policy dolly;budget=idle --journal run "
                       "--json --yardstick noskew,no-stragglers",
                       &text, NULL) == 0);
    command_json_pack(text);
    command_mask(text);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        expect(command_has_part(text, parts[i]));
    mem_free(text);
    expect(command_prints_json(
        cmd_journal, "journal run --stats --json",
        "{\"journal\":\"run\",\"version\":6,\"policy\":\"order=fair,within=index,place=any,"
        "mitigate=dolly,shuffle=delay,protect=none,"
        "screen=none;policy.failures_max=4;policy.launches_max=1000;policy.cap=1;policy.cap_windo"
        "w=3600000000us;dolly.eps=0.050000000000000003;dolly.beta=0.050000000000000003;dolly.leas"
        "t=0;dolly.tau=0.80000000000000004;dolly.charge=extra;dolly.admit=all;dolly.budget=idle;d"
        "olly.copies_max=16;dolly.p_prior=0.14999999999999999;dolly.p_window=3600000000us;delay.o"
        "mega=auto;delay.reuse=on;delay.omega_prior=3000000us;delay.omega_window=3600000000us\","
        "\"body\":\"sim\",\"seed\":1,\"records\":197,\"turns\":28,\"first_us\":0,"
        "\"last_us\":60000000,\"events\":{\"node_up\":4,\"job_submitted\":2,"
        "\"attempt_started\":26,\"attempt_finished\":19,\"attempt_killed\":7,\"output_ready\":4,"
        "\"fetch_started\":8,\"fetch_done\":8,\"committed\":17,\"timer\":3,\"resource\":1},"
        "\"decisions\":{\"launch\":26,\"kill\":7,\"commit\":17,\"assign_read\":8,"
        "\"discard_output\":2,\"set_timer\":3,\"verdict\":3,\"job_done\":2},\"intents\":0,"
        "\"complete\":true,\"torn_bytes\":0,\"digest\":\"xxxxxxxxxxxxxxxx\","
        "\"numbers\":{\"jobs\":2,\"tasks\":17,\"mean_jct_s\":52.5,\"p50_jct_s\":50.0,"
        "\"p95_jct_s\":55.0,\"bins\":[{\"bin\":1,\"jobs\":1,\"mean_jct_s\":50.0},{\"bin\":2,"
        "\"jobs\":1,\"mean_jct_s\":55.0},{\"bin\":3,\"jobs\":0,\"mean_jct_s\":null},{\"bin\":4,"
        "\"jobs\":0,\"mean_jct_s\":null},{\"bin\":5,\"jobs\":0,\"mean_jct_s\":null}],"
        "\"makespan_s\":60.0,\"attempts\":26,\"clones\":9,\"backups\":0,\"restarts\":0,"
        "\"killed\":7,\"busy_slot_s\":650.0,\"resources\":[{\"resource\":\"cpu\","
        "\"capacity\":8.0,\"busy_s\":430.0,\"extra_s\":55.0},{\"resource\":\"mem\","
        "\"capacity\":16384.0,\"busy_s\":112640.0,\"extra_s\":20480.0},{\"resource\":\"x\","
        "\"capacity\":16.0,\"busy_s\":220.0,\"extra_s\":40.0}],"
        "\"clone_capacity_frac\":0.114583333333333,\"loser_frac\":0.178082191780822,"
        "\"max_clone_frac\":0.5,\"load_arriving\":1.0,\"load_mean\":0.895833333333333,"
        "\"load_p50\":1.0,\"load_high_frac\":0.833333333333333,\"slowdown_p50\":4.0,"
        "\"slowdown_p95\":4.0,\"jobs_failed\":0}}"));
    command_end(&f);
}
