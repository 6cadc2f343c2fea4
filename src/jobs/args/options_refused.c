#include "jobs/args/options_table.h"

#define REFUSED(row, others, why)                                                                  \
    {                                                                                              \
        .name = row, .alias = others, .want = why                                                  \
    }

const struct field options_refused[] = {
    REFUSED("sshloginfile",
            "slf ssh-delay sshdelay ssh controlmaster M onall nonall "
            "transfer-file transferfile transfer-files transferfiles transfer tf return trc "
            "cleanup basefile bf filter-hosts filterhosts filter-host hostgroups hostgroup hgrp "
            "hostgrp rsync-opts rsyncopts wc self B",
            "commands run on this machine; let each of them be an ssh: dolly map ssh {1} {2} ::: "
            "hosts"),
    REFUSED("semaphore",
            "sem semaphore-name semaphorename id semaphore-timeout semaphoretimeout st fg bg wait",
            "dolly map is not a semaphore; use flock(1)"),
    REFUSED("rpl", "parens parensrpl",
            "Perl expressions are not supported; let the command do it, or use --plus"),
    REFUSED("filter", NULL,
            "Perl expressions are not supported; filter the arguments before dolly map, or begin "
            "the command with a "
            "test: [ {1} != {2} ] || exit 0; ..."),
    REFUSED("shard", "bin group-by groupby",
            "--pipe cuts at records, whatever is in them; sort and split the stream by its key "
            "before, a file for each"),
    REFUSED("latest-line", "latestline ll", "use --line-buffer or --bar"),
    REFUSED("color",
            "colour ctag ctag-string ctagstring color-failed colour-failed colorfailed "
            "colourfailed color-fail colour-fail colorfail colourfail cf",
            "outputs are never coloured; use --tag or --joblog"),
    REFUSED("sqlmaster", "sql-master sqlworker sql-worker sqlandworker sql-and-worker sql",
            "use --joblog and --results"),
    REFUSED("csv", NULL, "use --colsep , where no value is in quotes"),
    REFUSED("tmux", "tmuxpane tmux-pane tty open-tty o T",
            "tasks have no terminal; use --line-buffer"),
    REFUSED("interactive", "p", "dolly never asks; look at --dry-run first"),
    REFUSED("noswap", "memsuspend limit", "use --memfree and --load"),
    REFUSED("J", "profile", "dolly reads no configuration files; use an alias of the shell"),
    REFUSED("record-env", "recordenv session", "the whole environment is passed on"),
    REFUSED("number-of-cores",
            "numberofcores number-of-cpus numberofcpus number-of-sockets numberofsockets "
            "number-of-threads numberofthreads",
            "use nproc(1) or lscpu(1)"),
    REFUSED("use-cpus-instead-of-cores",
            "usecpusinsteadofcores use-cores-instead-of-threads usecoresinsteadofthreads "
            "use-sockets-instead-of-threads usesocketsinsteadofthreads",
            "use -j"),
    REFUSED("max-line-length-allowed", "maxlinelengthallowed show-limits showlimits",
            "a command may have 131071 bytes, and 63663 with -m, -X and --xargs"),
    REFUSED("shell-quote", "shellquote shell_quote", "use printf %q, or --dry-run, which quotes"),
    REFUSED("shell-completion", "shellcompletion",
            "completions are installed with dolly (make install)"),
    REFUSED("shebang", "hashbang shebang-wrap skip-first-line skipfirstline embed",
            "write a script that calls dolly map with :::: and a file"),
    REFUSED("template", "tmpl", "let the command write the file: sed s/x/{}/ form >file; ..."),
    REFUSED("term-seq", "termseq", "a task that must end gets TERM and a second later KILL"),
    REFUSED("process-slot-var", "processslotvar", "use $PARALLEL_JOBSLOT, which counts from 1"),
    REFUSED("min-version", "minversion", "use --version"),
    REFUSED("citation", "bibtex", "there is nothing to cite; the README names the papers"),
    REFUSED("block-timeout", "blocktimeout bt", "a block is complete before its task starts"),
    REFUSED("debug", "D tollef W Y H U", "GNU parallel keeps it for itself or has retired it"),
    {0},
};
