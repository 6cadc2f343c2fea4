/* slurm_words.c - command lines of srun and sbatch, and the script of a batch job.
 *
 * A node is asked for its name when its agent starts: %h of the host will not do, since several
 * nodes may be on one host, and nodes may be called otherwise than their hosts. What the user wrote
 * for sbatch is split by wordexp, with quotes as in a shell and without running anything. */
#include "remote/fleet/slurm_words.h"

#include <wordexp.h>

int slurm_words_split(struct fleet_words *w, const char *option, const char *text, struct err *err)
{
    wordexp_t words;
    int failed = wordexp(text, &words, WRDE_NOCMD);

    if (failed)
        return err_set(err, "%s '%s': %s", option, text,
                       failed == WRDE_BADCHAR  ? "quote characters that a shell would act on"
                       : failed == WRDE_CMDSUB ? "commands are not run here"
                       : failed == WRDE_SYNTAX ? "a quote is not closed"
                                               : "it cannot be split into words");
    for (size_t i = 0; i < words.we_wordc; i++)
        fleet_words_add(w, words.we_wordv[i]);
    wordfree(&words);
    return 0;
}

void slurm_words_agent(struct fleet_words *w, const struct fleet_options *o, const char *prefix)
{
    /* Only the node knows its name; several may be on one host. */
    fleet_words_add(w, "sh", "-c", "exec \"$@\" --name \"$0.$SLURMD_NODENAME\"", prefix);
    fleet_words_agent(w, o, o->host);
}

void slurm_words_srun(struct fleet_words *w)
{
    fleet_words_add(w, "srun", "--overlap", "--ntasks-per-node=1", "--no-kill",
                    "--kill-on-bad-exit=0");
}

const char *slurm_words_script(void)
{
    return "#!/bin/sh\n"
           "# Starts the agents of a run of dolly, one on each node of this job.\n"
           "#     agents.sh KEY-FILE dolly keeper ... srun ...\n"
           "key=$1\n"
           "shift\n"
           "unset SLURM_NTASKS SLURM_NPROCS\n" /* srun would start so many agents */
           "exec \"$@\" <\"$key\"\n";
}
