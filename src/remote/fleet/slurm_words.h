/* slurm_words.h - the words of Slurm's commands that have our agents started.
 *
 * Paths never pass a shell as text: the little script that starts srun gets them as arguments. */
#ifndef REMOTE_FLEET_SLURM_WORDS_H
#define REMOTE_FLEET_SLURM_WORDS_H

#include "base/err.h"
#include "remote/fleet/fleet.h"
#include "remote/fleet/fleet_words.h"

/* Adds the words of what a user wrote as one text, quoted as for a shell. -1 with *err. */
int slurm_words_split(struct fleet_words *w, const char *option, const char *text, struct err *err);

/* Adds the command that starts the agent of the node that it runs on, called PREFIX.NODE; it takes
 * the key from its standard input. */
void slurm_words_agent(struct fleet_words *w, const struct fleet_options *o, const char *prefix);

/* Adds srun with the options by which each node of an allocation gets one agent, and stays when
 * another one goes. */
void slurm_words_srun(struct fleet_words *w);

/* The batch script: SCRIPT KEY-FILE srun ... */
const char *slurm_words_script(void);

#endif
