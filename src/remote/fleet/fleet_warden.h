/* fleet_warden.h - a process around a command that may outlive its coordinator: `dolly warden`.
 *
 * srun has to stay when a coordinator is killed, because its agents would go with it, and the next
 * coordinator wants them. That one is not its parent and cannot end it; and an srun whose step and
 * controller were killed would wait for ever. So srun is the child of a warden, who ends it when
 * the run is over, or when no coordinator has held the run for so long that its agents have left.
 * Whoever kills the warden kills the command.
 *
 * In a batch job it is Slurm who ends srun, unless the slurmstepd was killed that would have done
 * it: there the warden ends it with its parent, and does not look for coordinators, whose lock may
 * not be seen on other machines. */
#ifndef REMOTE_FLEET_FLEET_WARDEN_H
#define REMOTE_FLEET_FLEET_WARDEN_H

#include <stdint.h>

#include "remote/fleet/fleet.h"
#include "remote/fleet/fleet_words.h"

struct fleet_warden {
    const char *dir;     /* of the run, whose lock a coordinator holds (exec/folder/run_lock.h) */
    const char *at_file; /* it is there until the run is over; "": ends with our parent instead */
    int64_t linger_us;   /* how long agents look for a coordinator */
};

/* Adds the words that have `dolly warden` look after the command whose words follow, which stays
 * when our parent dies, or not. */
void fleet_warden_words(struct fleet_words *w, const struct fleet_options *o, bool stays);

/* Runs the command with our standard streams until it ends; a SIGTERM, SIGINT or SIGHUP ends it.
 * Returns the exit status: the command's, 128 and its signal, or 127 if it cannot be started. */
int fleet_warden_run(const struct fleet_warden *warden, char *const *argv);

#endif
