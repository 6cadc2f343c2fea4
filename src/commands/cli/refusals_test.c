/* Commands that cannot be meant: each is refused with a line that says why, and status 2. */
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands/commands.h"
#include "jobs/map/cmd_map.h"
#include "jobs/run/cmd_run.h"
#include "jobs/run/cmd_task.h"
#include "tests/unit/command.h"

#define CORES "--cores must be a whole number from 0 to 1000000, not "
#define WINDOW "--window must be FROM-TO such as 1h-90m or 2h-, not "

#define ONE_RUN "--trace, --nextflow and --csv are of one run; --compare is not"
#define READINGS "both readings of the trace would write the same journal; choose a --variation"
#define COMPARES                                                                                   \
    "--report compares two to six policies under one seed; for one, write the --journal and use "  \
    "dolly report"

TEST(refusals_say_why)
{
    static const struct {
        int (*command)(int argc, char **argv);
        const char *words, *why;
    } rows[] = {
        {cmd_agent, "agent", "--connect is missing"},
        {cmd_agent, "agent --connect h:1", "expected one of --key-fd and --key-file"},
        {cmd_agent, "agent --connect h:1 --key-fd 3 --key-file k",
         "expected one of --key-fd and --key-file"},
        {cmd_agent, "agent --connect h:1 --key-fd 3 --cores -1", CORES "'-1'"},
        {cmd_agent, "agent --connect h:1 --key-fd 3 --cores 1000001", CORES "'1000001'"},
        {cmd_agent, "agent --connect h:1 --key-file no --cores 1000000", "no"},
        {cmd_agent, "agent --connect h:1 --key-file no --cores 0", "no"},
        {cmd_exec, "exec", "the workload is missing"},
        {cmd_exec, "exec w", "--dir is missing"},
        {cmd_exec, "exec w --dir d --on local:1 --cluster 1x1",
         "--on and --cluster exclude each other"},
        {cmd_journal, "journal run --verify --stats", "--verify and --stats exclude each other"},
        {cmd_journal, "journal run --warmup 1", "--warmup and --jobs need --stats --json"},
        {cmd_journal, "journal run --stats --jobs 1", "--warmup and --jobs need --stats --json"},
        {cmd_journal, "journal run --json --jobs 1", "--warmup and --jobs need --stats --json"},
        {cmd_keeper, "keeper x y 1s",
         "expected the folder of a run, its file agents.at, a time, and a command"},
        {cmd_keeper, "keeper x y z true", "z: expected a time"},
        {cmd_leave, "leave", "expected the folder of a run"},
        {cmd_leave, "leave run 1 2", "expected the folder of a run"},
        {cmd_model, "model --eps 2", "--eps must be a number between 0 and 1, not '2'"},
        {cmd_model, "model --eps x", "--eps must be a number between 0 and 1, not 'x'"},
        {cmd_model, "model --eps 0", "--eps must be a number between 0 and 1, not '0'"},
        {cmd_model, "model --eps 1", "--eps must be a number between 0 and 1, not '1'"},
        {cmd_model, "model --alpha 2 --dev 3", "use either --alpha, or --mean and --dev"},
        {cmd_model, "model --alpha 2 --mean 3", "use either --alpha, or --mean and --dev"},
        {cmd_policies, "policies zzzzzzzz",
         "unknown policy 'zzzzzzzz'; `dolly policies --all` lists them"},
        {cmd_policies, "policies doly", "unknown policy 'doly'; did you mean 'dolly'?"},
        {cmd_policies, "policies dolly --all", "expected one of NAME, --all and --json"},
        {cmd_policies, "policies --all --json", "expected one of NAME, --all and --json"},
        {cmd_whatif, "whatif", "missing question: --no-stragglers"},
        {cmd_whatif, "whatif --no-stragglers", "a journal, a trace or --workload is missing"},
        {cmd_whatif, "whatif --no-stragglers --workload w --policy none,late",
         "--policy: one policy at a time"},
        {cmd_advise, "advise run --cluster 1x1", "--cluster: a recorded run has its own"},
        {cmd_replay, "replay run --journal j",
         "--journal: both readings would write the same journals; choose a --variation"},
        {cmd_report, "report a b", "one journal at a time, not also 'b'; or --compare"},
        {cmd_report, "report --compare a b c d e f g", "at most 6 journals, not also 'g'"},
        {cmd_report, "report --compare run run --csv j", ONE_RUN},
        {cmd_report, "report --compare run run --trace j", ONE_RUN},
        {cmd_report, "report --compare run run --nextflow j", ONE_RUN},
        {cmd_report, "report run --csv -",
         "--csv -: expected a folder, because it writes five files; for one table on stdout: "
         "--nextflow -"},
        {cmd_report, "report --compare run", "--compare needs two to six journals"},
        {cmd_report, "report run -o - --trace -",
         "stdout (-) has room for one of -o, --trace and --nextflow"},
        {cmd_report, "report run --trace - --nextflow -",
         "stdout (-) has room for one of -o, --trace and --nextflow"},
        {cmd_sim, "sim --workload w --window 1h-", "--window and --variation are about a --trace"},
        {cmd_sim, "sim --workload w --variation luck",
         "--window and --variation are about a --trace"},
        {cmd_sim, "sim --workload w --trace t", "use either --trace or --workload"},
        {cmd_sim, "sim --trace t --window x", WINDOW "'x'"},
        {cmd_sim, "sim --trace t --window x-", WINDOW "'x-'"},
        {cmd_sim, "sim --trace t --window 1h-x", WINDOW "'1h-x'"},
        {cmd_sim, "sim --trace t --window 1h-60m", WINDOW "'1h-60m'"},
        {cmd_sim, "sim --trace t --variation x",
         "--variation must be luck, size, bytes or both, not 'x'"},
        {cmd_sim, "sim --workload w --expect none --expect-error 0.1",
         "--expect none and --expect-error: no durations are known that could be wrong"},
        {cmd_sim, "sim w",
         "unexpected argument 'w'; expected --workload FILE, or --trace FILE for each file of a "
         "trace"},
        {cmd_sim, "sim --workload w --policy ,",
         "--policy lacks a name; expected for example none,dolly"},
        {cmd_sim, "sim --workload w --policy none,,dolly",
         "--policy lacks a name; expected for example none,dolly"},
        {cmd_sim, "sim --workload w --policy none,dolly --baseline doly",
         "--baseline doly is not among the policies of --policy, did you mean dolly?\n"},
        {cmd_sim, "sim --workload w --policy none,dolly --baseline zzzzzzzz",
         "--baseline zzzzzzzz is not among the policies of --policy\n"},
        {cmd_sim, "sim --workload w --cluster 1x1 --yardstick ideal-reduce",
         "--yardstick ideal-reduce: in cluster 1x1 reading takes no time; expected one with a "
         "network (docs/inside/network-model.md)"},
        {cmd_sim, "sim --workload w --jobs 1",
         "--jobs: w has the jobs that it has; expected a generated workload"},
        {cmd_sim, "sim --trace h.tr --jobs 1",
         "--jobs: h.tr has the jobs that it has; --window takes a part of them"},
        {cmd_sim, "sim --trace h.tr --window 6s-",
         "--window 6s-: the last job of h.tr arrives at 5s"},
        {cmd_sim, "sim --trace h.tr --journal j", "--journal: " READINGS},
        {cmd_sim, "sim --trace h.tr --policy none,dolly --report j", "--report: " READINGS},
        {cmd_sim, "sim --workload w --policy none --report j", COMPARES},
        {cmd_sim, "sim --workload w --policy none,dolly --seeds 2 --report j", COMPARES},
        {cmd_sim, "sim --workload w --policy none,dolly,late,mantri,hadoop,dryad,fifo --report j",
         COMPARES},
        {cmd_sim, "sim --workload w --policy none,none --journal j",
         "--journal: policy none is chosen twice, and both would write the same journal"},
        {cmd_sim, "sim --workload w --policy none,none --report j",
         "--report: policy none is chosen twice, and both would write the same journal"},
        {cmd_sim, "sim --workload w --detail",
         "--detail needs --json; the table has no room for it"},
        {cmd_sim, "sim --workload w --set x", "--set x: expected KEY=VALUE"},
        {cmd_sim, "sim --workload w --policy dolly --set betta=1", "did you mean"},
        {cmd_sim, "sim --workload w --policy none --set beta=1", "none of the chosen policies"},
        {cmd_sim, "sim --workload w --policy dolly --set beta=@nosuch", "nosuch"},
        {cmd_sim, "sim --workload", "--workload needs a value"},
        {cmd_trace, "trace", "missing subcommand: stats, convert or formats"},
        {cmd_trace, "trace stats t --cluster 1x1",
         "--cluster needs convert: stats are of the trace alone"},
        {cmd_trace, "trace convert t --json",
         "--json needs stats or formats; jobs are a workload file"},
        {cmd_trace, "trace stats t --format nosuch", "--format: unknown format 'nosuch'"},
        {cmd_trace, "trace stats t --assume nosuch=1", "--assume: unknown key 'nosuch'"},
        {cmd_top, "top", "the run is missing: its folder, or its journal"},
        {cmd_watch, "watch", "the run is missing: its folder, or its journal"},
        {cmd_watch, "watch run --open --http unix:s",
         "--open needs an address: browsers do not open unix:PATH"},
        {cmd_watch, "watch run --http unix:", "--http unix:PATH: the path must have 1 to 107"},
        {cmd_watch, "watch run --http x",
         "--http must be ADDRESS:PORT or unix:PATH, not 'x'; an address is a number such as "
         "127.0.0.1 or [::1]"},
        {cmd_workload, "workload facebook --json",
         "--json needs --stats; jobs are printed as a workload file"},
        {cmd_workload, "workload facebook --stats --scale load=2",
         "--scale cannot be combined with --stats: published numbers are about the unscaled "
         "workload"},
        {cmd_run, "run j.yaml --on local:1 --nodes 1x1", "--on and --nodes exclude each other"},
        {cmd_task, "task", "expected the plan of a job and its hash"},
        {cmd_reproduce, "reproduce --experiments no", "--experiments: no experiments in no"},
        {cmd_reproduce, "reproduce dolli --experiments e",
         "reproduce: unknown paper 'dolli', did you mean 'dolly'?"},
        {cmd_reproduce, "reproduce zzzzzz --experiments e", "reproduce: unknown paper 'zzzzzz'"},
        {cmd_reproduce, "reproduce dolly dolly --experiments e", "dolly is named twice"},
        {cmd_go_on, "resume done --once",
         "--once is for runs of dolly map; done holds a job of dolly run or dolly streaming"},
        {cmd_go_on, "resume --retry-failed -- done",
         "--retry-failed is for runs of dolly map; done holds a job of dolly run or dolly "
         "streaming"},
        {cmd_workload, "workload m.model --stats --jobs 2",
         "m: published nosuch is not a statistic; docs/reference/workload-models.md lists them"},
        {cmd_explain, "explain .",
         ".: holds no run; expected the folder of one, which has its journal"},
        {cmd_explain, "explain done",
         "done: the results of a job, without its journal; `dolly run --journal FILE` keeps that"},
        {cmd_explain, "explain run a/p/2",
         "journal run: phase p of job 0 has no task '2'; its tasks are 0 to 1"},
        {cmd_explain, "explain run a/p/-1",
         "journal run: phase p of job 0 has no task '-1'; its tasks are 0 to 1"},
        {cmd_explain, "explain run a/p/1/2",
         "expected JOB, JOB/PHASE or JOB/PHASE/TASK, not 'a/p/1/2'"},
        {cmd_explain, "explain run a//1", "expected JOB, JOB/PHASE or JOB/PHASE/TASK, not 'a//1'"},
        {cmd_explain, "explain run a b", "one question at a time, not also 'b'"},
    };
    struct command_folder f;
    command_begin(&f);
    command_file("w", "job a\n  phase p tasks=2 size=1s\n");
    command_file("t", "");
    command_file("c.cluster", "nodes n[1-2] cpu=2\n");
    command_file("m.model", "model m cluster=c.cluster jobs=2 warmup=0s then=nothing\n"
                            "arrivals every=10s surge=0 window=1h\n"
                            "published nosuch value=1 source=\"none\"\n"
                            "mix cpu_noise=0 mem_noise=0 size_noise=0 task_noise=0\n"
                            "job a\n"
                            "  phase p tasks=2 size=1s\n");
    command_file("h.tr", "0 2 10 8 12\n5 1 30 30\n");
    expect(mkdir("done", 0777) == 0);
    command_file("done/_SUCCESS", "");
    expect(mkdir("e", 0777) == 0 && mkdir("e/dolly", 0777) == 0);
    command_file("e/formulas.jq", "");
    command_file("e/dolly/dolly.experiment", "");
    expect(command_run(cmd_sim, "sim --workload w --cluster 1x1 --policy none --journal run", NULL,
                       NULL) == 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect(command_fails(rows[i].command, rows[i].words, 2, rows[i].why));
    expect(access("j", F_OK) < 0 && access("s", F_OK) < 0); /* what they were asked to write */
    command_end(&f);
}
