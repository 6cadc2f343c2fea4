#include "map/options_refused.h"

#include <string.h>

static const struct options_group groups[] = {
    {"S sshlogin sshloginfile slf sshdelay ssh controlmaster M onall nonall transferfile transfer "
     "tf return trc cleanup basefile bf use-cpus-instead-of-cores wc filter-hosts hostgroups hgrp "
     "self",
     "commands run on this machine"},
    {"semaphore sem semaphore-name semaphorename id semaphore-timeout semaphoretimeout st fg bg "
     "wait",
     "dolly map is no semaphore"},
    {"rpl plus parens parensrpl U er basenamereplace bnr dirnamereplace basenameextensionreplace "
     "bner extensionreplace seqreplace slotreplace i replace",
     "replacement strings are the ones in the manual, and -I for {}"},
    {"cat fifo round-robin roundrobin regexp recstart recend rrs remove-rec-sep tee shard bin "
     "group-by groupby cr L l max-lines record-env",
     "--pipe cuts at lines only, and each block is one task"},
    {"files files0 outputasfiles latest-line ll color ctag ctagstring color-failed cf compress "
     "compress-program decompress-program",
     "outputs are printed, or kept with --results, --output or --dir"},
    {"sqlmaster sqlworker sqlandworker sql csv", "use --joblog and --colsep"},
    {"tmux tmuxpane", "there is no terminal behind a task"},
    {"noswap memsuspend limit", "use --memfree and --load"},
    {"J profile", "there are no configuration files"},
    {"arg-sep arg-file-sep argsep argfilesep E eof e arg-file-0 trim x xargs exit show-limits "
     "number-of-cores number-of-cpus number-of-sockets number-of-threads interactive p tty "
     "open-tty o D min-version minversion V citation bibtex tollef gnu nonotice process-slot-var "
     "template tmpl embed shell-quote shellquote shell-completion fast "
     "hard-timeout termseq total-jobs total unsafe delay-auto block-timeout bt pipe-timeout "
     "max-line-length-allowed dr combineexecutable "
     "combine-executable zero-length-results",
     "it is not needed here, or nobody asked for it yet"},
};

enum { GROUPS = sizeof groups / sizeof *groups };

const struct options_group *options_refused_groups(uint32_t *count)
{
    *count = GROUPS;
    return groups;
}

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
