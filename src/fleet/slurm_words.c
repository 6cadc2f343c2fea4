/* slurm_words.c - command lines of srun and sbatch, and the script of a batch job.
 *
 * A node is asked for its name when its agent starts: %h of the host will not do, since several
 * nodes may be on one host, and nodes may be called otherwise than their hosts. What the user wrote
 * for sbatch is split by wordexp, with quotes as in a shell and without running anything. */
#include "fleet/slurm_words.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <wordexp.h>

void slurm_words_add(struct slurm_words *w, const char *text)
{
    vec_push(&w->at, mem_strdup(text));
}

void slurm_words_join(struct slurm_words *w, const char *a, const char *b, const char *c)
{
    struct str text = {0};

    str_addf(&text, "%s%s%s", a, b, c);
    vec_push(&w->at, text.text);
}

void slurm_words_addf(struct slurm_words *w, const char *format, ...)
{
    char text[128];
    va_list list;

    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    slurm_words_add(w, text);
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
        slurm_words_add(w, words.we_wordv[i]);
    wordfree(&words);
    return 0;
}

void slurm_words_agent(struct slurm_words *w, const struct fleet_options *o, const char *prefix)
{
    char port[8];

    /* Only the node knows its name; several may be on one host. */
    slurm_words_add(w, "sh");
    slurm_words_add(w, "-c");
    slurm_words_add(w, "exec \"$@\" --name \"$0.$SLURMD_NODENAME\"");
    slurm_words_add(w, prefix);
    slurm_words_add(w, o->program);
    slurm_words_add(w, "agent");
    slurm_words_add(w, "--connect");
    snprintf(port, sizeof port, "%u", o->port);
    slurm_words_join(w, o->host, ":", port);
    slurm_words_add(w, "--key-fd");
    slurm_words_add(w, "0");
    if (o->scratch) {
        slurm_words_add(w, "--scratch");
        slurm_words_add(w, o->scratch);
    }
    if (o->linger) {
        slurm_words_add(w, "--linger");
        slurm_words_add(w, o->linger);
    }
}

void slurm_words_srun(struct slurm_words *w)
{
    static const char *const words[] = {"srun", "--overlap", "--ntasks-per-node=1", "--no-kill",
                                        "--kill-on-bad-exit=0"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        slurm_words_add(w, words[i]);
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
