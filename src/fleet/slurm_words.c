#include "fleet/slurm_words.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <wordexp.h>

void slurm_words_add(struct slurm_words *w, const char *format, ...)
{
    va_list list;
    char line[8192]; /* a path and a few words */

    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    vec_push(&w->at, mem_strdup(line));
}

char *const *slurm_words_argv(struct slurm_words *w)
{
    vec_push(&w->at, NULL);
    return w->at.at;
}

void slurm_words_fini(struct slurm_words *w)
{
    for (uint32_t i = 0; i < w->at.count; i++)
        mem_free(w->at.at[i]);
    vec_free(&w->at);
}

int slurm_words_split(struct slurm_words *w, const char *option, const char *text, struct err *err)
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
        slurm_words_add(w, "%s", words.we_wordv[i]);
    wordfree(&words);
    return 0;
}

void slurm_words_agent(struct slurm_words *w, const struct fleet_options *o, const char *prefix)
{
    /* Only the node knows its name; several may be on one host. */
    slurm_words_add(w, "sh");
    slurm_words_add(w, "-c");
    slurm_words_add(w, "exec \"$@\" --name \"$0.$SLURMD_NODENAME\"");
    slurm_words_add(w, "%s", prefix);
    slurm_words_add(w, "%s", o->program);
    slurm_words_add(w, "agent");
    slurm_words_add(w, "--connect");
    slurm_words_add(w, "%s:%u", o->host, o->port);
    slurm_words_add(w, "--key-fd");
    slurm_words_add(w, "0");
    if (o->scratch) {
        slurm_words_add(w, "--scratch");
        slurm_words_add(w, "%s", o->scratch);
    }
    if (o->linger) {
        slurm_words_add(w, "--linger");
        slurm_words_add(w, "%s", o->linger);
    }
}

void slurm_words_srun(struct slurm_words *w)
{
    static const char *const words[] = {"srun", "--overlap", "--ntasks-per-node=1", "--no-kill",
                                        "--kill-on-bad-exit=0"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        slurm_words_add(w, "%s", words[i]);
}

const char *slurm_words_script(void)
{
    return "#!/bin/sh\n"
           "# Starts the agents of a run of dolly, one on each node of this job.\n"
           "#     agents.sh KEY-FILE srun ...\n"
           "key=$1\n"
           "shift\n"
           "exec \"$@\" <\"$key\"\n";
}
