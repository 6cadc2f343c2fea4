/* slurm_words.h - the words of Slurm's commands that have our agents started.
 *
 * Paths never pass a shell as text: the little script that starts srun gets them as arguments. */
#ifndef FLEET_SLURM_WORDS_H
#define FLEET_SLURM_WORDS_H

#include <stdint.h>

#include "base/err.h"
#include "base/text.h"
#include "base/vec.h"
#include "fleet/fleet.h"

/* Arguments, NULL at the end once slurm_words_argv was called; all copies. */
struct slurm_words {
    VEC(char *) at;
};

void slurm_words_add(struct slurm_words *w, const char *text);
/* Texts that are one word together. */
void slurm_words_join(struct slurm_words *w, const char *a, const char *b, const char *c);
/* At most 127 bytes. */
__attribute__((format(printf, 2, 3))) void slurm_words_addf(struct slurm_words *w,
                                                            const char *format, ...);
char *const *slurm_words_argv(struct slurm_words *w);
void slurm_words_fini(struct slurm_words *w);

/* Adds the words of what a user wrote as one text, quoted as for a shell. -1 with *err. */
int slurm_words_split(struct slurm_words *w, const char *option, const char *text, struct err *err);

/* Adds the command that starts the agent of the node that it runs on, called PREFIX.NODE; it takes
 * the key from its standard input. */
void slurm_words_agent(struct slurm_words *w, const struct fleet_options *o, const char *prefix);

/* Adds srun with the options by which each node of an allocation gets one agent, and stays when
 * another one goes. */
void slurm_words_srun(struct slurm_words *w);

/* The batch script: SCRIPT KEY-FILE srun ... */
const char *slurm_words_script(void);

#endif
