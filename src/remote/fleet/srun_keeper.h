/* srun_keeper.h - a process around a command that may outlive its coordinator: `dolly keeper`.
 *
 * srun has to stay when a coordinator is killed, because its agents would end with it, and the next
 * coordinator needs them. That one is not its parent and cannot end it; and an srun whose step and
 * controller were killed would wait for ever. So srun is the child of a keeper, which ends it when
 * the run is over, or when its agents have left because no coordinator held the run.
 * Killing the keeper kills the command.
 *
 * In a batch job Slurm ends srun, unless the slurmstepd that would have done it was killed: there
 * the keeper ends it with its parent, and does not look for coordinators, whose lock may not be
 * visible on other machines. */
#pragma once

#include <stdint.h>

#include "remote/fleet/fleet.h"
#include "remote/fleet/fleet_words.h"

struct srun_keeper {
    /* Folder of the run, whose lock a coordinator holds (exec/folder/run_lock.h). */
    const char *dir;
    const char *at_file; /* it exists until the run is over; "": end with the parent instead */
    int64_t linger_us;   /* how long agents look for a coordinator */
};

/* Adds the words that run the command whose words follow under `dolly keeper`. `stays`: it survives
 * the death of the parent. */
void srun_keeper_words(struct fleet_words *w, const struct fleet_options *o, bool stays);

/* Runs the command with this process's standard streams until it ends; a SIGTERM, SIGINT or SIGHUP
 * ends it. Returns the exit status: the command's, 128 plus its signal, or 127 if it cannot be
 * started. */
int srun_keeper_run(const struct srun_keeper *keeper, char *const *argv);
