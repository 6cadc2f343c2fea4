/* cmd_go_on.c - `dolly resume`: runs of `dolly map`, and data-parallel jobs by their results. */
#include "cli/commands.h"
#include "datajob/job_end.h"
#include "map/cmd_map.h"

int cmd_go_on(int argc, char **argv)
{
    bool is_job = argc == 2 && datajob_stage(argv[1]) != DATAJOB_NONE;

    return is_job ? job_end_resume(argv[1]) : cmd_resume(argc, argv);
}
