/* cmd_leave.c - the command that a run becomes when its supervisor has died: it ends the remaining
 * processes. */
#include <stdio.h>

#include "base/os/tree.h"
#include "base/text.h"
#include "exec/process/supervisor.h"
#include "jobs/map/cmd_map.h"
#include "ui/cli.h"

int cmd_leave(int argc, char **argv)
{
    struct str lock = {0};
    struct err err;

    if (argc != 2)
        return cli_usage("leave", "expected the folder of a run");
    str_addf(&lock, "%s/lock", argv[1]);
    int result = supervisor_leave(lock.text, &err);
    str_free(&lock);
    if (result < 0) {
        fprintf(stderr, "dolly leave: %s\n", err.text);
        return EXIT_USAGE;
    }
    tree_remove(argv[1]);
    return 0;
}
