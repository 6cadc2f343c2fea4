/* cmd_go_on.c - `dolly resume`: runs of `dolly map`, and data-parallel jobs by their results. */
#include <string.h>

#include "commands/commands.h"
#include "jobs/map/cmd_map.h"
#include "jobs/run/job_end.h"
#include "ui/cli.h"

/* The only argument that is no option; NULL: there is none, or more than one. */
static const char *operand_of(int argc, char **argv)
{
    const char *operand = NULL;

    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-')
            continue;
        if (operand)
            return NULL;
        operand = argv[i];
    }
    return operand;
}

int cmd_go_on(int argc, char **argv)
{
    const char *folder = operand_of(argc, argv);
    bool json = false;

    if (!folder || datajob_stage(folder) == DATAJOB_NONE)
        return cmd_resume(argc, argv);
    for (int i = 1; i < argc; i++) {
        if (argv[i] == folder || strcmp(argv[i], "--") == 0)
            continue;
        if (strcmp(argv[i], "--once") == 0 || strcmp(argv[i], "--retry-failed") == 0)
            return cli_usage("resume",
                             "%s is for runs of dolly map; %s holds a job of dolly run or "
                             "dolly streaming",
                             argv[i], folder);
        if (strcmp(argv[i], "--json") != 0)
            return cmd_resume(argc, argv); /* help, or what is no option */
        json = true;
    }
    return job_end_resume(folder, json);
}
