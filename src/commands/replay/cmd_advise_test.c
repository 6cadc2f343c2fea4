/* The sentences of `dolly advise`, to the letter. */
#include "commands/commands.h"

#include <stddef.h>

#include "tests/unit/command.h"

#define TABLE                                                                                      \
    "\n"                                                                                           \
    "policy                           mean (s), luck  saved  extra  mean (s), size  saved  extra"  \
    "\n"                                                                                           \
    "none                                      26.00   0.0%   0.0%           26.00   0.0%   0.0%"  \
    "\n"                                                                                           \
    "mapreduce;backup_at=0.5;scan=1s           16.50  36.5%  -6.0%           26.00   0.0%  22.6%"  \
    "\n"                                                                                           \
    "dolly                                     26.00   0.0%   0.0%           26.00   0.0%   0.0%"  \
    "\n"

/* One task of ten takes four times as long as its siblings; a backup would have helped if that was
 * bad luck. */
TEST(advise_says_what_to_take_and_why)
{
    struct command_folder f;
    command_begin(&f);
    command_file("w", "job sort at=0s\n"
                      "  phase map tasks=6 sizes=10s,10s,10s,10s,11s,40s\n"
                      "job scan at=5s\n"
                      "  phase map tasks=4 sizes=9s,10s,11s,12s\n");
    expect(command_run(cmd_sim, "sim --workload w --cluster 8x2 --policy none --journal run", NULL,
                       NULL) == 0);
    expect(command_prints(
        cmd_advise, "advise run --seeds 2 --policy mapreduce;backup_at=0.5;scan=1s,dolly",
        "Take mapreduce;backup_at=0.5;scan=1s: jobs take 16.5 s in the mean instead of\n"
        "26.0 s with one attempt per task, 37 % less, for 6.0 % fewer slot-seconds. That\n"
        "holds if tasks of a phase differ by luck, so that a copy of a slow one is as\n"
        "fast as the others; if they differ by size, so that a copy takes as long as its\n"
        "task, it saves 0.0 %. How sure: over 2 seeds it is 36.5 to 36.5 %; replayed, the\n"
        "recorded run is 0.0 % off.\n" TABLE));
    expect(command_prints(
        cmd_advise, "advise run --seeds 1 --policy mapreduce;backup_at=0.5;scan=1s,dolly",
        "Take mapreduce;backup_at=0.5;scan=1s: jobs take 16.5 s in the mean instead of\n"
        "26.0 s with one attempt per task, 37 % less, for 6.0 % fewer slot-seconds. That\n"
        "holds if tasks of a phase differ by luck, so that a copy of a slow one is as\n"
        "fast as the others; if they differ by size, so that a copy takes as long as its\n"
        "task, it saves 0.0 %. How sure: one seed was tried; replayed, the recorded run\n"
        "is 0.0 % off.\n" TABLE));
    expect(command_prints(
        cmd_advise, "advise run --seeds 2 --policy dolly",
        "Take none: of 1 policies not one is certain to save 1 % of the mean time of\n"
        "jobs, which is 26.0 s with one attempt per task (best: dolly, +0.0 %). If no\n"
        "task straggled, jobs would take 61.5 % less: more than that cannot be gained.\n"
        "How sure: over 2 seeds it is 0.0 to 0.0 %; replayed, the recorded run is 0.0 %\n"
        "off.\n"
        "\n"
        "policy  mean (s), luck  saved  extra  mean (s), size  saved  extra\n"
        "none             26.00   0.0%   0.0%           26.00   0.0%   0.0%\n"
        "dolly            26.00   0.0%   0.0%           26.00   0.0%   0.0%\n"));
    command_end(&f);
}

/* Jobs that all failed have no times to compare. */
TEST(advise_needs_a_job_that_was_done)
{
    struct command_folder f;
    command_begin(&f);
    command_file("w", "job a\n  phase p tasks=1 size=1s\n");
    command_file("c", "node n\nfaults attempt_fail_p=1\n");
    expect(command_run(cmd_sim, "sim --workload w --cluster c --policy none --journal run", NULL,
                       NULL) == 0);
    expect(command_fails(cmd_advise, "advise run --seeds 1 --policy dolly", 2,
                         "run: no job was done, so there is nothing to advise on"));
    command_end(&f);
}
