#include "args/options_refused.h"

#include <string.h>

static const struct {
    const char *names, *why;
} groups[] = {
    {"S sshlogin sshloginfile slf ssh-delay sshdelay ssh controlmaster M onall nonall "
     "transfer-file "
     "transferfile transfer-files transferfiles transfer tf return trc cleanup basefile bf "
     "filter-hosts filterhosts filter-host hostgroups hostgroup hgrp hostgrp rsync-opts rsyncopts "
     "wc self B",
     "commands run on this machine; let each of them be an ssh: dolly map ssh {1} {2} ::: hosts"},
    {"semaphore sem semaphore-name semaphorename id semaphore-timeout semaphoretimeout st fg bg "
     "wait",
     "dolly map is no semaphore; use flock(1)"},
    {"rpl parens parensrpl", "there is no Perl; let the command do it, or use --plus"},
    {"filter", "there is no Perl; filter the arguments before dolly map, or begin the command with "
               "a test: [ {1} != {2} ] || exit 0; ..."},
    {"shard bin group-by groupby", "--pipe cuts at records, whatever is in them; sort and split "
                                   "the stream by its key before, a file for each"},
    {"latest-line latestline ll", "use --line-buffer or --bar"},
    {"color colour ctag ctag-string ctagstring color-failed colour-failed colorfailed "
     "colourfailed color-fail colour-fail colorfail colourfail cf",
     "outputs are never coloured; use --tag or --joblog"},
    {"sqlmaster sql-master sqlworker sql-worker sqlandworker sql-and-worker sql",
     "use --joblog and --results"},
    {"csv", "use --colsep , where no value is in quotes"},
    {"tmux tmuxpane tmux-pane tty open-tty o T", "there is no terminal behind a task; use "
                                                 "--line-buffer"},
    {"interactive p", "nobody is asked; look at --dry-run first"},
    {"noswap memsuspend limit", "use --memfree and --load"},
    {"J profile", "there are no configuration files; use an alias of the shell"},
    {"record-env recordenv session", "the whole environment is passed on"},
    {"number-of-cores numberofcores number-of-cpus numberofcpus number-of-sockets numberofsockets "
     "number-of-threads numberofthreads",
     "use nproc(1) or lscpu(1)"},
    {"use-cpus-instead-of-cores usecpusinsteadofcores use-cores-instead-of-threads "
     "usecoresinsteadofthreads use-sockets-instead-of-threads usesocketsinsteadofthreads",
     "use -j"},
    {"max-line-length-allowed maxlinelengthallowed show-limits showlimits", "a command may have "
                                                                            "131071 bytes"},
    {"shell-quote shellquote shell_quote", "use printf %q, or --dry-run, which quotes"},
    {"shell-completion shellcompletion", "completions are installed with dolly (make install)"},
    {"shebang hashbang shebang-wrap skip-first-line skipfirstline embed",
     "write a script that calls dolly map with :::: and a file"},
    {"template tmpl", "let the command write the file: sed s/x/{}/ form >file; ..."},
    {"term-seq termseq", "a task that must end gets TERM and a second later KILL"},
    {"process-slot-var processslotvar", "use $PARALLEL_JOBSLOT, which counts from 1"},
    {"min-version minversion", "use --version"},
    {"citation bibtex", "there is nothing to cite; the README names the papers"},
    {"block-timeout blocktimeout bt", "a block is complete before its task starts"},
    {"debug D tollef W Y H U", "GNU parallel keeps it for itself or has retired it"},
};

enum { GROUPS = sizeof groups / sizeof *groups };

const char *options_refused(const char *name)
{
    size_t length = strlen(name);

    for (int i = 0; i < GROUPS; i++)
        for (const char *at = groups[i].names; *at;) {
            size_t n = strcspn(at, " ");
            if (n == length && strncmp(at, name, n) == 0)
                return groups[i].why;
            at += n + (at[n] == ' ');
        }
    return NULL;
}

uint32_t options_refused_complete(const char *name, struct str *found, const char **why,
                                  struct str *names)
{
    size_t length = strlen(name);
    uint32_t count = 0;

    for (int i = 0; length > 1 && i < GROUPS; i++)
        for (const char *at = groups[i].names; *at;) {
            size_t n = strcspn(at, " ");
            if (n > length && strncmp(at, name, length) == 0) {
                str_addf(names, "%s--%.*s", names->text ? ", " : "", (int)n, at);
                if (count++ == 0) {
                    str_addf(found, "%.*s", (int)n, at);
                    *why = groups[i].why;
                }
            }
            at += n + (at[n] == ' ');
        }
    return count;
}
