#include "fleet/slurm_queue.h"

#include <string.h>

#include "base/mem.h"
#include "tests/test.h"

TEST(slurm_queue_reads_jobs_that_wait)
{
    struct slurm_queue q = {0};

    slurm_queue_read(&q, mem_strdup("12|4|2026-11-17T18:00:00|Resources\n"
                                    "13|1-4|N/A|(ReqNodeNotAvail, UnavailableNodes:n1|n2)\n"));
    expect(q.at.count == 2);
    expect(strcmp(q.at.at[0].id, "12") == 0 && strcmp(q.at.at[0].nodes, "4") == 0);
    expect(strcmp(q.at.at[0].start, "2026-11-17T18:00:00") == 0);
    expect(strcmp(q.at.at[0].reason, "Resources") == 0);
    expect(strcmp(q.at.at[1].start, "N/A") == 0);
    expect(strcmp(q.at.at[1].reason, "(ReqNodeNotAvail, UnavailableNodes:n1|n2)") == 0);
    slurm_queue_fini(&q);
}

TEST(slurm_queue_leaves_other_lines_out)
{
    struct slurm_queue q = {0};

    slurm_queue_read(&q, mem_strdup("\nslurm_load_jobs error\n|4|N/A|x\n1|2\n7|1|N/A|Priority"));
    expect(q.at.count == 1 && strcmp(q.at.at[0].id, "7") == 0);
    slurm_queue_fini(&q);
}
