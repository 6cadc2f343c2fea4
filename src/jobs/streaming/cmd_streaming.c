/* cmd_streaming.c - `dolly streaming`: Hadoop Streaming's command line without Hadoop. */
#include <stdio.h>

#include "jobs/run/job_end.h"
#include "jobs/streaming/cmd_streaming.h"
#include "jobs/streaming/streaming_args.h"
#include "ui/cli.h"
#include "ui/settings.h"

static const char help[] =
    "usage: dolly streaming -input PATH -output DIR -mapper COMMAND\n"
    "                       [-reducer COMMAND] [OPTIONS]\n\n"
    "Hadoop Streaming's command line without Hadoop: mappers read lines and print\n"
    "KEY TAB VALUE, reducers read those sorted by key, and DIR gets part-00000, ...\n"
    "and _SUCCESS.\n\n"
    "  -input PATH            a file, a folder or a pattern; may be repeated\n"
    "  -output DIR            for the results; must not exist\n"
    "  -mapper COMMAND        run for each piece of the inputs, by sh if it needs a\n"
    "                         shell\n"
    "  -reducer COMMAND       run for each partition; NONE: the output of mappers is\n"
    "                         the result; aggregate: lines TYPE:ID TAB VALUE are\n"
    "                         summed up\n"
    "  -combiner COMMAND      a reducer for the output of one mapper, before it is\n"
    "                         sent on\n"
    "  -numReduceTasks N      partitions, each for a reducer; default 1\n"
    "  -files A,B#NAME        commands find these in their folder\n"
    "  -archives A.zip#NAME   commands find these unpacked, as folders\n"
    "  -cmdenv NAME=VALUE     a variable for commands\n"
    "  -D NAME=VALUE          a setting of Hadoop (docs/use/streaming.md lists those\n"
    "                         that matter); commands find all of them in their\n"
    "                         environment\n"
    "  -partitioner KeyFieldBasedPartitioner\n"
    "                         with -D\n"
    "                         mapreduce.partition.keypartitioner.options=-k1,2\n"
    "  -inputformat NLineInputFormat\n"
    "                         with -D\n"
    "                         mapreduce.input.lineinputformat.linespermap=N\n"
    "  -slots N               attempts at once, with -on per node; default one per\n"
    "                         core\n"
    "  -policy P              recipe and parts, see `dolly policies`; default\n"
    "                         " SETTINGS_POLICY "\n"
    "  -on WAY:SPEC           run on nodes with agents: slurm:N, ssh:FILE, local:N\n"
    "  -pull                  with -on: nodes do not see the folder of the results\n"
    "  -scratch DIR           with -on: folder on nodes for private files\n"
    "  -slurm OPTIONS         with -on slurm: options of sbatch\n"
    "  -chaos SPEC            cause failures and slow tasks, as in `dolly map`\n\n"
    "Example:\n"
    "  dolly streaming -input books/ -output counts -mapper \"tr -cs A-Za-z '\\n'\" \\\n"
    "                  -reducer 'uniq -c' -numReduceTasks 4\n";

int cmd_streaming(int argc, char **argv)
{
    struct streaming_args a;
    struct err err;
    int status = EXIT_DONE;
    int read = streaming_args_read(&a, argc, argv, &err);

    for (uint32_t i = 0; i < a.notes.count && !a.help; i++)
        fprintf(stderr, "dolly: %s\n", a.notes.at[i]);
    if (read < 0)
        status = cli_usage("streaming", "%s", err.text);
    else if (a.help)
        fputs(help, stdout);
    else
        status = job_end_run(&a.job);
    streaming_args_fini(&a);
    return status;
}
