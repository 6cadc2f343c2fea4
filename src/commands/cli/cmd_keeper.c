/* cmd_keeper.c - `dolly keeper`: looks after an srun that may outlive its coordinator. */
#include "base/text.h"
#include "commands/commands.h"
#include "remote/agent/agent.h"
#include "remote/fleet/srun_keeper.h"
#include "ui/cli.h"

int cmd_keeper(int argc, char **argv)
{
    struct srun_keeper w = {.linger_us = AGENT_LINGER_US};

    if (argc < 5)
        return cli_usage("keeper",
                         "expected the folder of a run, its file agents.at, a time, and a "
                         "command");
    w.dir = argv[1];
    w.at_file = argv[2];
    if (*argv[3] && !text_duration(argv[3], &w.linger_us))
        return cli_usage("keeper", "%s: expected a time", argv[3]);
    return srun_keeper_run(&w, argv + 4);
}
