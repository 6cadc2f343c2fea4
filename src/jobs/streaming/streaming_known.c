/* streaming_known.c - settings that are not honoured. See streaming_known.h. */
#include "jobs/streaming/streaming_known.h"

#include <string.h>
#include <strings.h>

#include "jobs/streaming/streaming_notes.h"

#define LINES_ONLY "records are lines here; have a command make lines of them before the job"
#define FAILURES "a job is done when all of its tasks are; have the command exit with 0 instead"
#define NO_SKIPPING "no records are skipped; have the command leave out those that it cannot read"
#define TEXT_ONLY "commands read and print text only"
#define BY_OPTION "use the option of Hadoop Streaming for it"

/* Settings that change results. `harmless`: the value with which they do not. A name that ends with
 * a star stands for all that begin so. */
static const struct {
    const char *name, *harmless, *instead;
} refused[] = {
    {"textinputformat.record.delimiter", "\n", LINES_ONLY},
    {"mapreduce.input.linerecordreader.line.maxlength", "2147483647",
     "long lines are kept; have the mapper leave them out"},
    {"mapred.linerecordreader.maxlength", "2147483647",
     "long lines are kept; have the mapper leave them out"},
    {"aggregate.max.num.unique.values", NULL, "UniqValueCount counts all values"},
    {"mapreduce.map.failures.maxpercent", "0", FAILURES},
    {"mapreduce.reduce.failures.maxpercent", "0", FAILURES},
    {"mapred.max.map.failures.percent", "0", FAILURES},
    {"mapred.max.reduce.failures.percent", "0", FAILURES},
    {"mapreduce.map.skip.maxrecords", "0", NO_SKIPPING},
    {"mapreduce.reduce.skip.maxgroups", "0", NO_SKIPPING},
    {"mapred.skip.map.max.skip.records", "0", NO_SKIPPING},
    {"mapred.skip.reduce.max.skip.groups", "0", NO_SKIPPING},
    {"stream.recordreader.*", NULL, LINES_ONLY},
    {"stream.map.input", "text", TEXT_ONLY},
    {"stream.map.output", "text", TEXT_ONLY},
    {"stream.reduce.input", "text", TEXT_ONLY},
    {"stream.reduce.output", "text", TEXT_ONLY},
    {"stream.map.input.writer.class", NULL, TEXT_ONLY},
    {"stream.map.output.reader.class", NULL, TEXT_ONLY},
    {"stream.reduce.input.writer.class", NULL, TEXT_ONLY},
    {"stream.reduce.output.reader.class", NULL, TEXT_ONLY},
    {"stream.io.identifier.resolver.class", NULL, TEXT_ONLY},
    {"stream.stderr.reporter.prefix", "reporter:", "lines for dolly begin with reporter:"},
    {"stream.stderr.reporter.enabled", "true", "lines that begin with reporter: are for dolly"},
    {"mapreduce.job.combine.class", NULL, BY_OPTION},
    {"mapred.combiner.class", NULL, BY_OPTION},
    {"mapreduce.job.map.class", NULL, BY_OPTION},
    {"mapred.mapper.class", NULL, BY_OPTION},
    {"mapreduce.job.reduce.class", NULL, BY_OPTION},
    {"mapred.reducer.class", NULL, BY_OPTION},
    {"mapreduce.job.inputformat.class", NULL, BY_OPTION},
    {"mapred.input.format.class", NULL, BY_OPTION},
    {"mapreduce.job.outputformat.class", NULL, BY_OPTION},
    {"mapred.output.format.class", NULL, BY_OPTION},
    {"mapreduce.input.fileinputformat.inputdir", NULL, BY_OPTION},
    {"mapred.input.dir", NULL, BY_OPTION},
    {"mapreduce.output.fileoutputformat.outputdir", NULL, BY_OPTION},
    {"mapred.output.dir", NULL, BY_OPTION},
    {"mapreduce.input.pathFilter.class", NULL, "expected a pattern for -input"},
    {"mapred.input.pathFilter.class", NULL, "expected a pattern for -input"},
    {"mapreduce.output.basename", "part", "results are called part-00000 and so on"},
    {"mapreduce.fileoutputcommitter.marksuccessfuljobs", "true", "_SUCCESS is always there"},
    {"mapreduce.job.map.output.collector.class", NULL,
     "expected an order by KeyFieldBasedComparator"},
    {"mapreduce.job.reduce.shuffle.consumer.plugin.class", NULL, "there is one way to shuffle"},
    {"mapreduce.fieldsel.*", NULL, "expected a command such as `cut -f`"},
    {"map.output.key.value.fields.spec", NULL, "expected a command such as `cut -f`"},
    {"reduce.output.key.value.fields.spec", NULL, "expected a command such as `cut -f`"},
};

/* Results have the same lines with them or without; pipes that read part-00000.gz notice. */
static const char *const packing[] = {"mapreduce.output.fileoutputformat.compress",
                                      "mapred.output.compress"};

/* Hints about Java, memory, queues and the cluster: with or without them results are the same. */
static const char *const hints[] = {
    "mapreduce.job.maps",
    "mapred.map.tasks",
    "mapred.job.map.*",
    "mapred.job.reduce.*",
    "mapreduce.job.priority",
    "mapred.job.priority",
    "mapreduce.job.queuename",
    "mapred.job.queue.name",
    "mapreduce.job.pool",
    "mapred.fairscheduler.pool",
    "mapreduce.job.user.name",
    "mapreduce.job.jvm.numtasks",
    "mapred.job.reuse.jvm.num.tasks",
    "mapreduce.map.java.opts*",
    "mapreduce.reduce.java.opts*",
    "mapred.child.*",
    "mapred.map.child.*",
    "mapred.reduce.child.*",
    "mapreduce.map.env",
    "mapreduce.reduce.env",
    "mapreduce.map.cpu.vcores",
    "mapreduce.reduce.cpu.vcores",
    "mapreduce.map.resource.*",
    "mapreduce.reduce.resource.*",
    "mapreduce.map.sort.spill.percent",
    "io.sort.*",
    "mapreduce.task.io.sort.factor",
    "mapreduce.task.profile*",
    "mapred.task.profile*",
    "mapreduce.task.userlog.*",
    "mapred.userlog.*",
    "mapreduce.reduce.shuffle.*",
    "mapreduce.reduce.merge.*",
    "mapreduce.reduce.input.*",
    "mapreduce.reduce.parallelcopies",
    "mapred.reduce.parallel.copies",
    "mapred.job.shuffle.*",
    "mapreduce.shuffle.*",
    "mapreduce.job.ubertask.*",
    "mapreduce.job.counters.*",
    "mapreduce.job.running.*",
    "mapreduce.job.split.metainfo.*",
    "mapreduce.job.classloader*",
    "mapreduce.job.user.classpath.first",
    "mapreduce.user.classpath.first",
    "mapreduce.job.end-notification.*",
    "mapreduce.job.speculative.*",
    "mapreduce.job.complete.cancel.delegation.tokens",
    "mapreduce.job.output.group.comparator.class",
    "mapred.output.value.groupfn.class",
    "mapreduce.input.fileinputformat.split.minsize*",
    "mapreduce.input.fileinputformat.list-status.*",
    "mapred.min.split.size*",
    "mapreduce.input.fileinputformat.split.maxsize.per.*",
    "mapreduce.output.fileoutputformat.compress.*",
    "mapred.output.compression.*",
    "mapreduce.fileoutputcommitter.algorithm.version",
    "mapreduce.client.*",
    "mapreduce.cluster.*",
    "mapreduce.framework.name",
    "mapreduce.jobtracker.*",
    "mapreduce.tasktracker.*",
    "mapreduce.app-submission.*",
    "mapreduce.application.*",
    "mapreduce.jobhistory.*",
    "mapred.cluster.*",
    "mapred.job.tracker*",
    "mapred.tasktracker.*",
    "mapred.create.symlink",
    "mapred.local.dir",
    "mapred.system.dir",
    "mapred.jar",
    "mapreduce.job.jar",
    "keep.failed.task.files",
    "mapreduce.task.files.preserve.*",
    "mapred.cache.*",
    "mapreduce.job.cache.*",
    "tmpjars",
    "stream.tmpdir",
    "stream.joindelay.milli",
    "stream.jobconf.truncate.limit",
    "stream.minRecWrittenToEnableSkip_",
    "stream.shipped.hadoopstreaming",
    "hadoop.*",
    "yarn.*",
    "dfs.*",
    "fs.*",
    "ipc.*",
    "io.file.buffer.size",
    "io.bytes.per.checksum",
    "io.compression.codec*",
    "io.seqfile.*",
    "io.serializations",
};

static bool is_name(const char *name, const char *known)
{
    size_t length = strlen(known);

    return known[length - 1] == '*' ? strncmp(name, known, length - 1) == 0
                                    : strcmp(name, known) == 0;
}

static void add_name(struct str *to, const char *name)
{
    str_addf(to, "%s%s", to->text ? ", " : "", name);
}

int streaming_known_take(struct streaming_args *a, const char *name, const char *value,
                         const char *near, struct err *err)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        if (!is_name(name, refused[i].name))
            continue;
        if (refused[i].harmless && strcasecmp(value, refused[i].harmless) == 0)
            return 0;
        return err_set(err, "-D %s=%.60s is not supported: %s", name, value, refused[i].instead);
    }
    for (size_t i = 0; i < sizeof packing / sizeof *packing; i++)
        if (strcmp(name, packing[i]) == 0) {
            a->packs = strcasecmp(value, "true") == 0;
            return 0;
        }
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (is_name(name, hints[i])) {
            add_name(&a->hints, name);
            return 0;
        }
    add_name(&a->unknown, name);
    if (near)
        str_addf(&a->unknown, " (did you mean %s?)", near);
    return 0;
}

void streaming_known_tell(struct streaming_args *a)
{
    if (a->hints.text)
        streaming_notes_add(a, "ignored: %s: a hint for a cluster of Hadoop changes no result here",
                            a->hints.text);
    if (a->packs)
        streaming_notes_add(a, "results are not compressed, despite mapreduce.output."
                               "fileoutputformat.compress; compress them after the job, for "
                               "example by `gzip DIR/part-*`");
    if (a->unknown.text)
        streaming_notes_add(a, "unknown settings, for commands alone: %s", a->unknown.text);
}
