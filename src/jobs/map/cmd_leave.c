/* cmd_leave.c - the command that a run becomes when its supervisor has died: it ends the remaining
 * processes.
 *
 *     dolly leave DIR [PID]     removes DIR, unless the process PID is there, which is above both
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/os/path.h"
#include "base/os/tree.h"
#include "exec/process/supervisor.h"
#include "jobs/map/cmd_map.h"
#include "ui/cli.h"

int cmd_leave(int argc, char **argv)
{
    struct err err;

    if (argc != 2 && argc != 3)
        return cli_usage("leave", "expected the folder of a run");
    if (supervisor_leave(path_of("%s/lock", argv[1]).text, &err) < 0) {
        fprintf(stderr, "dolly leave: %s\n", err.text);
        return EXIT_USAGE;
    }
    if (argc == 2 || getppid() != (pid_t)strtol(argv[2], NULL, 10))
        tree_remove(argv[1]);
    return 0;
}
