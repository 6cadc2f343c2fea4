/* Commands that cannot be meant: each is refused with a line that says why, and status 2. */
#include <stddef.h>

#include "commands/commands.h"
#include "jobs/map/cmd_map.h"
#include "jobs/run/cmd_run.h"
#include "jobs/run/cmd_task.h"
#include "tests/unit/command.h"

TEST(refusals_say_why)
{
    static const struct {
        int (*command)(int argc, char **argv);
        const char *words, *why;
    } rows[] = {
        {cmd_agent, "agent", "--connect is missing"},
        {cmd_agent, "agent --connect h:1", "expected one of --key-fd and --key-file"},
        {cmd_agent, "agent --connect h:1 --key-fd 3 --cores -1", "--cores"},
        {cmd_exec, "exec", "the workload is missing"},
        {cmd_exec, "exec w", "--dir is missing"},
        {cmd_exec, "exec w --dir d --on local:1 --cluster 1x1",
         "--on and --cluster exclude each other"},
        {cmd_journal, "journal run --verify --stats", "--verify and --stats exclude each other"},
        {cmd_journal, "journal run --warmup 1", "--warmup and --jobs need --stats --json"},
        {cmd_journal, "journal run --stats --jobs 1", "--warmup and --jobs need --stats --json"},
        {cmd_keeper, "keeper x", "expected the folder of a run, its file agents.at, a time"},
        {cmd_leave, "leave", "expected the folder of a run"},
        {cmd_leave, "leave run 1 2", "expected the folder of a run"},
        {cmd_model, "model --eps 2", "--eps must be a number between 0 and 1, not '2'"},
        {cmd_model, "model --eps x", "--eps must be a number between 0 and 1, not 'x'"},
        {cmd_model, "model --alpha 2 --mean 3", "use either --alpha, or --mean and --dev"},
        {cmd_whatif, "whatif", "missing question: --no-stragglers"},
        {cmd_whatif, "whatif --no-stragglers", "a journal, a trace or --workload is missing"},
        {cmd_whatif, "whatif --no-stragglers --workload w --policy none,late",
         "--policy: one policy at a time"},
        {cmd_advise, "advise run --cluster 1x1", "--cluster: a recorded run has its own"},
        {cmd_report, "report --compare run", "--compare needs two to six journals"},
        {cmd_report, "report run -o - --trace -", "stdout (-) has room for one of -o, --trace"},
        {cmd_sim, "sim --workload w --window 1h-", "--window and --variation are about a --trace"},
        {cmd_sim, "sim --workload w --variation luck", "--window and --variation are about a"},
        {cmd_sim, "sim --workload w --trace t", "use either --trace or --workload"},
        {cmd_sim, "sim --trace t --window x", "--window must be FROM-TO such as 1h-90m or 2h-"},
        {cmd_sim, "sim --trace t --variation x", "--variation must be luck, size, bytes or both"},
        {cmd_sim, "sim --workload w --expect none --expect-error 0.1", "--expect-error"},
        {cmd_sim, "sim --workload w --set x", "--set x: expected KEY=VALUE"},
        {cmd_sim, "sim --workload w --policy dolly --set betta=1", "did you mean"},
        {cmd_sim, "sim --workload w --policy none --set beta=1", "none of the chosen policies"},
        {cmd_sim, "sim --workload w --policy dolly --set beta=@nosuch", "nosuch"},
        {cmd_sim, "sim --workload", "--workload needs a value"},
        {cmd_trace, "trace", "missing subcommand: stats, convert or formats"},
        {cmd_trace, "trace stats t --cluster 1x1", "--cluster needs convert"},
        {cmd_trace, "trace stats t --format nosuch", "--format: unknown format 'nosuch'"},
        {cmd_trace, "trace stats t --assume nosuch=1", "--assume: unknown key 'nosuch'"},
        {cmd_watch, "watch", "the run is missing: its folder, or its journal"},
        {cmd_watch, "watch run --open --http unix:s", "--open needs an address"},
        {cmd_watch, "watch run --http unix:", "--http unix:PATH: the path must have 1 to"},
        {cmd_run, "run j.yaml --on local:1 --nodes 1x1", "--on and --nodes exclude each other"},
        {cmd_task, "task", "expected the plan of a job and its hash"},
        {cmd_reproduce, "reproduce --experiments .", "--experiments: no experiments in"},
        {cmd_explain, "explain .", "."},
    };
    struct command_folder f;
    command_begin(&f);
    command_file("w", "job a\n  phase p tasks=2 size=1s\n");
    command_file("t", "");
    expect(command_run(cmd_sim, "sim --workload w --cluster 1x1 --policy none --journal run", NULL,
                       NULL) == 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect(command_fails(rows[i].command, rows[i].words, 2, rows[i].why));
    command_end(&f);
}
