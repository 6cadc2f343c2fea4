/* job_end.c - a data-parallel job as a command runs it. See job_end.h. */
#include "datajob/job_end.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/mem.h"
#include "ui/cli.h"

static void print_summary(const struct datajob *j, const struct summary_result *s)
{
    fprintf(stderr, "dolly: %s:", j->plan.job);
    for (uint32_t i = 0; i < j->plan.phases.count; i++)
        fprintf(stderr, "%s %" PRIu32 " x %s", i ? "," : "", j->plan.phases.at[i].tasks,
                j->plan.phases.at[i].name);
    fprintf(stderr, "; %" PRIu64 " attempts, %" PRIu64 " of them clones; %.3f s; results in %s\n",
            s->attempts, s->clones, s->makespan_s, j->output);
}

int job_end_run(struct datajob *j, void (*note)(void *ctx, const char *text))
{
    struct drive_result result;
    struct err err;

    if (datajob_run(j, note, &result, &err) < 0) {
        int status = cli_fail(&err);
        return result.interrupted ? EXIT_INTERRUPTED : status;
    }
    if (!result.failure) {
        print_summary(j, &result.summary);
        return EXIT_DONE;
    }
    fprintf(stderr, "dolly: %s\n", result.failure);
    mem_free(result.failure);
    return EXIT_JOB_FAILED;
}
