/* The sentences of `dolly advise`, to the letter. */
#include "commands/commands.h"

#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/check.h"
#include "base/mem.h"
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
        "Take none: of 1 policy not one is certain to save 1 % of the mean time of jobs,\n"
        "which is 26.0 s with one attempt per task (best: dolly, +0.0 %). If no task\n"
        "straggled, jobs would take 61.5 % less: more than that cannot be gained. How\n"
        "sure: over 2 seeds it is 0.0 to 0.0 %; replayed, the recorded run is 0.0 % off.\n"
        "\n"
        "policy  mean (s), luck  saved  extra  mean (s), size  saved  extra\n"
        "none             26.00   0.0%   0.0%           26.00   0.0%   0.0%\n"
        "dolly            26.00   0.0%   0.0%           26.00   0.0%   0.0%\n"));
    command_end(&f);
}

/* Of a run that was cut off before its only job was done there is no recorded time to compare a
 * replay with. */
TEST(advise_on_a_run_that_was_cut_off)
{
    struct command_folder f;
    struct stat st;
    char *out = NULL;

    command_begin(&f);
    command_file("w", "job sort\n"
                      "  phase map tasks=9 size=10s\n");
    expect(command_run(cmd_sim, "sim --workload w --cluster 2x1 --policy none --journal run", NULL,
                       NULL) == 0);
    check(stat("run", &st) == 0 && truncate("run", st.st_size / 2) == 0);
    expect(command_run(cmd_advise, "advise run --seeds 1 --policy dolly", &out, NULL) == 0);
    for (char *c = out; *c; c++)
        *c = *c == '\n' ? ' ' : *c;
    expect(strstr(out, "; no recorded job ended, so that a replay has nothing to be compared"));
    expect(!strstr(out, "nan"));
    mem_free(out);
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
