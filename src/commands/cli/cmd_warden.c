/* cmd_warden.c - `dolly warden`: looks after an srun that may outlive its coordinator. */
#include "base/text.h"
#include "commands/cli/commands.h"
#include "remote/agent/agent.h"
#include "remote/fleet/fleet_warden.h"
#include "ui/cli.h"

int cmd_warden(int argc, char **argv)
{
    struct fleet_warden w = {.linger_us = AGENT_LINGER_US};

    if (argc < 5)
        return cli_usage("warden",
                         "expected the folder of a run, its file agents.at, a time, and a "
                         "command");
    w.dir = argv[1];
    w.at_file = argv[2];
    if (*argv[3] && !text_duration(argv[3], &w.linger_us))
        return cli_usage("warden", "%s: expected a time", argv[3]);
    return fleet_warden_run(&w, argv + 4);
}
