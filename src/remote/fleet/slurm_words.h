/* slurm_words.h - builds the words of Slurm's commands that start agents.
 *
 * Paths never pass a shell as text: the little script that starts srun gets them as arguments. */
#pragma once

#include "base/err.h"
#include "remote/fleet/fleet.h"
#include "remote/fleet/fleet_words.h"

/* Adds the words of a user's text, quoted as for a shell. Returns 0, or -1 with *err. */
int slurm_words_split(struct fleet_words *w, const char *option, const char *text, struct err *err);

/* Adds the command that starts the agent of the node that it runs on, called PREFIX.NODE; it reads
 * the key from its standard input. */
void slurm_words_agent(struct fleet_words *w, const struct fleet_options *o, const char *prefix);

/* Adds srun with the options by which each node of an allocation gets one agent, which survives the
 * end of others. */
void slurm_words_srun(struct fleet_words *w);

/* Returns the batch script: SCRIPT KEY-FILE srun ... */
const char *slurm_words_script(void);
