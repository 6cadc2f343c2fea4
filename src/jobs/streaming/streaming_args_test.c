#include "jobs/streaming/streaming_args.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/unit/command.h"

enum { WORDS_MAX = 24 };

#define COMPARATOR                                                                                 \
    "-D mapreduce.job.output.key.comparator.class=org.apache.hadoop.mapreduce.lib.partition."      \
    "KeyFieldBasedComparator"

/* Reads words separated by blanks behind a whole command line. */
static int read_args(struct streaming_args *a, const char *words, struct err *err)
{
    static char text[1000];
    char *argv[WORDS_MAX] = {"streaming", "-input", "i", "-output", "o", "-mapper", "cat"};
    int argc = 7;

    snprintf(text, sizeof text, "%s", words);
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    return streaming_args_read(a, argc, argv, err);
}

static void expect_refused(const char *words, const char *why)
{
    struct streaming_args a;
    struct err err;

    expect(read_args(&a, words, &err) < 0);
    expect(strstr(err.text, why) != NULL);
    streaming_args_fini(&a);
}

TEST(streaming_args_have_hadoops_defaults)
{
    struct streaming_args a;
    struct err err;

    expect(read_args(&a, "", &err) == 0 && a.job.inputs.texts.count == 1);
    const struct plan_phase *p = a.job.plan.phases.at;
    expect(strcmp(a.job.output, "o") == 0 && a.job.plan.phases.count == 2);
    expect(strcmp(p[0].command, "cat") == 0 && strcmp(p[1].command, "cat") == 0);
    expect(p[0].partitions == 1 && p[0].key_fields == 1 && !p[0].combiner && p[1].above == 0);
    expect(!a.job.keys.at[0].text && !a.job.keys.at[1].text);
    expect(a.job.run.slots == 0 && strcmp(a.job.plan.job, "streaming") == 0);
    streaming_args_fini(&a);
    expect(read_args(&a, "-jobconf mapred.job.name=mine", &err) == 0);
    expect(strcmp(a.job.plan.job, "mine") == 0);
    streaming_args_fini(&a);
    expect(read_args(&a, "-slots 3", &err) == 0 && a.job.run.slots == 3);
    streaming_args_fini(&a);
    expect(read_args(&a, "-slots 100000", &err) == 0 && a.job.run.slots == 100000);
    streaming_args_fini(&a);
    expect_refused("-slots 0", "-slots: expected a whole number from 1 to 100000, not '0'");
    expect_refused("-slots 100001", "from 1 to 100000, not '100001'");
}

/* Taken, but with a line for the user. */
static void expect_noted(const char *words, const char *what)
{
    struct streaming_args a;
    struct err err;
    bool found = false;

    expect(read_args(&a, words, &err) == 0);
    for (uint32_t i = 0; i < a.notes.count; i++)
        found |= strstr(a.notes.at[i], what) != NULL;
    expect(found);
    streaming_args_fini(&a);
}

static uint32_t codec_by(const char *words)
{
    struct streaming_args a;
    struct err err;

    expect(read_args(&a, words, &err) == 0);
    uint32_t codec = a.job.plan.phases.at[0].codec;
    expect(a.job.plan.phases.at[1].codec == CODEC_PLAIN);
    streaming_args_fini(&a);
    return codec;
}

TEST(streaming_args_have_what_mappers_leave_packed)
{
#define COMPRESS "-D mapreduce.map.output.compress"
#define PACKAGE "org.apache.hadoop.io.compress."
    expect(codec_by("") == CODEC_PLAIN && codec_by(COMPRESS "=false") == CODEC_PLAIN);
    expect(codec_by(COMPRESS ".codec=ZStandardCodec") == CODEC_PLAIN);
    expect(codec_by(COMPRESS "=true") == CODEC_LZ4);
    expect(codec_by("-D mapred.compress.map.output=true") == CODEC_LZ4);
    expect(codec_by(COMPRESS "=true " COMPRESS ".codec=Lz4Codec") == CODEC_LZ4);
    expect(codec_by(COMPRESS ".codec=" PACKAGE "ZStandardCodec " COMPRESS "=true") == CODEC_ZSTD);
    expect_refused(COMPRESS "=1", "expected true or false, not '1'");
    expect(codec_by(COMPRESS "=true " COMPRESS ".codec=" PACKAGE "SnappyCodec") == CODEC_LZ4);
    expect_noted(COMPRESS ".codec=" PACKAGE "SnappyCodec",
                 "lz4 is used in the place of SnappyCodec");
#undef PACKAGE
#undef COMPRESS
}

TEST(streaming_args_take_settings_by_both_names)
{
    struct streaming_args a;
    struct err err;

    expect(read_args(&a,
                     "-D mapred.reduce.tasks=3 -Dstream.num.map.output.key.fields=2 "
                     "-D map.output.key.field.separator=. -D mapreduce.task.io.sort.mb=5 "
                     "-D mapreduce.map.speculative=false -D x.y-z=1 -cmdenv V=w=x",
                     &err) == 0);
    const struct plan_phase *p = a.job.plan.phases.at;
    expect(p[0].partitions == 3 && p[1].tasks == 3 && p[0].key_fields == 2);
    expect(strcmp(a.job.keys.at[0].text, " clone=never") == 0 && !a.job.keys.at[1].text);
    expect(strcmp(p[0].separator, "\t") == 0 && strcmp(plan_key_separator(&p[0]), ".") == 0 &&
           p[0].memory == 5 << 20);
    const uint32_t variables = a.job.plan.env.count;
    expect(variables > 7 && strcmp(a.job.plan.env.at[0], "mapred_reduce_tasks=3") == 0);
    expect(strcmp(a.job.plan.env.at[5], "x_y_z=1") == 0 &&
           strcmp(a.job.plan.env.at[variables - 1], "V=w=x") == 0); /* wins */
    streaming_args_fini(&a);
}

TEST(streaming_args_take_each_setting_where_it_belongs)
{
#define PACKAGE "org.apache.hadoop.mapreduce.lib.partition."
    struct streaming_args a;
    struct err err;

    expect(
        read_args(&a,
                  "-D mapreduce.job.name=counts -D mapreduce.task.timeout=2500 "
                  "-D mapreduce.map.memory.mb=2 -D mapreduce.reduce.memory.mb=3 "
                  "-D stream.reduce.input.field.separator=\\t -D stream.map.input.ignoreKey=true",
                  &err) == 0);
    expect(strcmp(a.job.plan.job, "counts") == 0 && a.quiet_us == 2500000);
    expect(a.memory_limit[0] == 2 << 20 && a.memory_limit[1] == 3 << 20);
    expect(strcmp(a.reduce_separator, "\t") == 0);
    streaming_args_fini(&a);
    expect(read_args(&a, "-D mapred.partitioner.class=" PACKAGE "KeyFieldBasedPartitioner", &err) ==
               0 &&
           a.partitioner);
    streaming_args_fini(&a);
    expect(read_args(&a, "-D mapred.partitioner.class=" PACKAGE "HashPartitioner", &err) == 0 &&
           !a.partitioner);
    streaming_args_fini(&a);
#undef PACKAGE
}

TEST(streaming_args_refuse_values_that_no_setting_has)
{
    static const struct {
        const char *words, *why;
    } all[] = {
        {"-D stream.num.map.output.key.fields=x", "expected a whole number from 0"},
        {"-D mapred.max.split.size=0", "expected a whole number from 1"},
        {"-D mapreduce.map.speculative=no",
         "mapreduce.map.speculative: expected true or false, not 'no'"},
        {"-D stream.map.input.ignoreKey=0",
         "stream.map.input.ignoreKey: expected true or false, not '0'"},
        {"-D mapreduce.map.memory.mb=0", "expected a whole number from 1"},
        {"-D mapreduce.job.reduce.slowstart.completedmaps=1.1",
         "mapreduce.job.reduce.slowstart.completedmaps: expected a share from 0 to 1, not '1.1'"},
        {"-D mapred.reduce.slowstart.completed.maps=-0.1", "a share from 0 to 1, not '-0.1'"},
        {"-D mapred.reduce.slowstart.completed.maps=0.5x", "a share from 0 to 1, not '0.5x'"},
        {"-D mapred.reduce.slowstart.completed.maps=nan", "a share from 0 to 1, not 'nan'"},
        {"-D mapred.reduce.slowstart.completed.maps=", "a share from 0 to 1, not ''"},
        {"-D mapred.partitioner.class=x.Other", "only KeyFieldBasedPartitioner is supported"},
        {"-D stream.map.output.field.separator=",
         "stream.map.output.field.separator: expected a character or more"},
        {"-on local:2 -pull -archives /dev/null",
         "-archives: with -pull nodes do not see unpacked files"},
        {"-D =x", "-D: expected NAME=VALUE, not '=x'"},
        {"-D x", "-D: expected NAME=VALUE, not 'x'"},
        {"-cmdenv =x", "-cmdenv: expected NAME=VALUE, not '=x'"},
        {"-outputformat SequenceFileOutputFormat", "only lines of text are supported"},
        {"-zzzzzzzzz x", "unknown option -zzzzzzzzz"},
        {"-inputformat KeyValueTextInputFormat -D key.value.separator.in.input.line=,",
         "only TAB is supported between key and value"},
        {"-inputformat KeyValueTextInputFormat -D stream.map.input.ignoreKey=true",
         "expected TextInputFormat, and a mapper"},
        {"-D stream.map.input.ignoreKey=false -D stream.map.input.field.separator=,",
         "only TAB is supported after offsets"},
    };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        expect_refused(all[i].words, all[i].why);
}

/* By either of its names. */
TEST(streaming_args_take_numbers_up_to_their_bounds)
{
    static const struct {
        const char *name, *least, *most, *below, *above;
    } all[] = {
        {"mapreduce.job.reduces", "0", "1048576", "-1", "1048577"},
        {"mapred.reduce.tasks", "0", "1048576", "-1", "1048577"},
        {"stream.num.map.output.key.fields", "0", "1000000", "-1", "1000001"},
        {"num.key.fields.for.partition", "0", "1000000", "-1", "1000001"},
        {"stream.num.reduce.output.key.fields", "0", "1000000", "-1", "1000001"},
        {"mapreduce.input.fileinputformat.split.maxsize",
         "1", "9223372036854775807", "0", "9223372036854775808"},
        {"mapred.max.split.size", "1", "9223372036854775807", "0", "9223372036854775808"},
        {"mapreduce.task.io.sort.mb", "1", "4095", "0", "4096"},
        {"io.sort.mb", "1", "4095", "0", "4096"},
        {"mapreduce.task.timeout", "0", "1000000000", "-1", "1000000001"},
        {"mapred.task.timeout", "0", "1000000000", "-1", "1000000001"},
        {"mapreduce.input.lineinputformat.linespermap",
         "1", "9223372036854775807", "0", "9223372036854775808"},
        {"mapred.line.input.format.linespermap",
         "1", "9223372036854775807", "0", "9223372036854775808"},
        {"mapreduce.map.maxattempts", "1", "100", "0", "101"},
        {"mapred.map.max.attempts", "1", "100", "0", "101"},
        {"mapreduce.reduce.maxattempts", "1", "100", "0", "101"},
        {"mapred.reduce.max.attempts", "1", "100", "0", "101"},
        {"mapreduce.map.memory.mb", "1", "1099511627776", "0", "1099511627777"},
        {"mapreduce.reduce.memory.mb", "1", "1099511627776", "0", "1099511627777"},
    };
    struct streaming_args a;
    struct err err;
    char words[200], why[200];

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int k = 0; k < 2; k++) {
            snprintf(words, sizeof words, "-D %s=%s", all[i].name, k ? all[i].most : all[i].least);
            expect(read_args(&a, words, &err) == 0);
            streaming_args_fini(&a);
            const char *bad = k ? all[i].above : all[i].below;
            snprintf(words, sizeof words, "-D %s=%s", all[i].name, bad);
            snprintf(why, sizeof why, "%s: expected a whole number from %s to %s, not '%s'",
                     all[i].name, all[i].least, all[i].most, bad);
            expect_refused(words, why);
        }
}

/* As Hadoop has it, the first one counts. */
TEST(streaming_args_tell_of_options_that_come_again)
{
    expect_noted("-output p", "ignored: a second -output, p");
    expect_noted("-numReduceTasks 2 -numReduceTasks 3", "ignored: a second -numReduceTasks, 3");
    expect_noted("-reducer NONE -reducer cat", "ignored: a second -reducer, cat");
    expect_noted("-inputformat TextInputFormat -inputformat NLineInputFormat",
                 "ignored: a second -inputformat, NLineInputFormat");
}

TEST(streaming_args_that_are_missing_are_named)
{
    char *argv[] = {"streaming", "-input", "i", "-output", "o", "-mapper", "cat"};
    static const char *const why[] = {"-input is missing", "-output is missing",
                                      "-mapper is missing"};

    for (int left_out = 0; left_out < 3; left_out++) {
        struct streaming_args a;
        struct err err;
        char *some[7];
        int n = 0;
        for (int i = 0; i < 7; i++)
            if (i != 1 + 2 * left_out && i != 2 + 2 * left_out)
                some[n++] = argv[i];
        expect(streaming_args_read(&a, n, some, &err) < 0);
        expect(strcmp(err.text, why[left_out]) == 0);
        streaming_args_fini(&a);
    }
}

TEST(streaming_args_without_reducers_need_no_combiner)
{
    struct streaming_args a;
    struct err err;

    expect(read_args(&a, "-reducer NONE -combiner cat", &err) == 0);
    const struct plan_phase *p = a.job.plan.phases.at;
    expect(a.job.plan.phases.count == 1 && p[0].partitions == 0 && !p[0].combiner);
    streaming_args_fini(&a);
    expect(read_args(&a, "-reducer cat -numReduceTasks 0", &err) == 0);
    expect(a.job.plan.phases.count == 1);
    streaming_args_fini(&a);
}

TEST(streaming_args_take_orders_of_keys)
{
    struct streaming_args a;
    struct err err;

    expect(read_args(&a,
                     COMPARATOR
                     " -D mapreduce.partition.keycomparator.options=-k2,2nr "
                     "-D mapreduce.partition.keypartitioner.options=-k1,2 "
                     "-D stream.map.output.field.separator=. "
                     "-partitioner org.apache.hadoop.mapred.lib.KeyFieldBasedPartitioner",
                     &err) == 0);
    const struct plan_phase *map = &a.job.plan.phases.at[0];
    expect(strcmp(map->order, "-k2,2nr") == 0 && strcmp(map->partition_by, "-k1,2") == 0);
    expect(strcmp(map->separator, ".") == 0 && strcmp(plan_key_separator(map), "\t") == 0);
    streaming_args_fini(&a);
}

TEST(streaming_args_take_lines_with_their_offsets)
{
    struct streaming_args a;
    struct err err;
#define NLINE "-inputformat org.apache.hadoop.mapred.lib.NLineInputFormat "

    expect(read_args(&a, NLINE, &err) == 0);
    expect(a.job.piece_lines == 1 && a.job.plan.phases.at[0].offsets == 1);
    streaming_args_fini(&a);
    expect(read_args(&a,
                     NLINE
                     "-D mapred.line.input.format.linespermap=5 -D stream.map.input.ignoreKey=true",
                     &err) == 0);
    expect(a.job.piece_lines == 5 && a.job.plan.phases.at[0].offsets == 0);
    streaming_args_fini(&a);
#undef NLINE
}

TEST(streaming_args_set_mappers_and_reducers_apart)
{
    struct streaming_args a;
    struct err err;

    expect(read_args(&a,
                     "-D mapreduce.reduce.speculative=false -D mapreduce.map.memory.mb=512 "
                     "-D mapreduce.job.reduce.slowstart.completedmaps=0.05 "
                     "-D mapreduce.map.maxattempts=7 -reducer aggregate",
                     &err) == 0);
    const struct plan_phase *p = a.job.plan.phases.at;
    expect(!a.job.keys.at[0].text && p[0].memory_limit == 512 << 20 && p[1].memory_limit == 0);
    expect(strcmp(a.job.keys.at[1].text, " clone=never slowstart=5%") == 0);
    expect(strcmp(a.job.run.settings.texts.at[0], "failures_max=7") == 0);
    expect(strstr(p[1].command, "task aggregate") && strstr(p[0].combiner, "aggregate again"));
    streaming_args_fini(&a);
}

TEST(streaming_args_start_reducers_after_a_share_of_mappers)
{
    static const char *const shares[][2] = {{"0", " slowstart=1%"},
                                            {"0.014", " slowstart=1%"},
                                            {"0.015", " slowstart=2%"},
                                            {"1", " slowstart=100%"}};
    struct streaming_args a;
    struct err err;
    char words[100];

    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        snprintf(words, sizeof words, "-D mapred.reduce.slowstart.completed.maps=%s", shares[i][0]);
        expect(read_args(&a, words, &err) == 0);
        expect(strcmp(a.job.keys.at[1].text, shares[i][1]) == 0);
        streaming_args_fini(&a);
    }
}

TEST(streaming_args_that_mean_nothing_here_are_refused_by_name)
{
    expect_refused("-archives /nowhere.zip", "archives: /nowhere.zip does not exist");
    expect_noted("-libjars a.jar", "ignored: -libjars a.jar");
    expect_refused("-io typedbytes", "-io is not supported");
    expect_refused("-reducer org.apache.hadoop.X", "Java classes cannot be run");
    expect_refused("-inputformat SequenceFileInputFormat", "only lines of text");
    expect_refused("-partitioner Mine", "only KeyFieldBasedPartitioner is supported; leave it out");
    expect_noted("-D mapred.text.key.comparator.options=-n", "ignored, as by Hadoop: an order");
    expect_noted("-D num.key.fields.for.partition=1", "ignored, as by Hadoop: parts of keys");
    expect_noted("-D mapreduce.input.lineinputformat.linespermap=3", "without -inputformat NLine");
    expect_refused("-D mapred.output.key.comparator.class=x.Mine", "only KeyFieldBasedComparator");
    expect_refused(COMPARATOR " -D mapred.text.key.comparator.options=-k", "expected -kPOS1");
    expect_noted("-D mapred.text.key.partitioner.options=-k1", "without -partitioner");
    expect_refused("-maper cat", "did you mean -mapper?");
    expect_refused("-numReduceTasks -1", "expected a whole number from 0");
    expect_refused("-numReduceTasks", "-numReduceTasks: its value is missing");
    expect_refused("-D nothing", "expected NAME=VALUE");
    expect_refused("stray", "unexpected argument 'stray'; expected an option before it");
    expect_refused("-files /nowhere/at/all", "/nowhere/at/all does not exist");
    expect_refused("-files /bin/sh,,/bin/cat", "expected a path");
}

TEST(streaming_args_have_separators_as_hadoop_has_them)
{
    struct streaming_args a;
    struct err err;

    expect(read_args(&a,
                     "-D stream.map.output.field.separator=:: -D "
                     "stream.num.map.output.key.fields=0 "
                     "-D stream.reduce.output.field.separator=+ "
                     "-D stream.num.reduce.output.key.fields=2 "
                     "-D mapred.textoutputformat.separator=;",
                     &err) == 0);
    const struct plan_phase *p = a.job.plan.phases.at;
    expect(strcmp(p[0].separator, "::") == 0 && strcmp(p[0].to_separator, "\t") == 0);
    expect(p[0].key_fields == 1 && strcmp(p[0].combined_separator, "+") == 0);
    expect(strcmp(p[1].separator, "+") == 0 && strcmp(p[1].to_separator, ";") == 0);
    expect(p[1].key_fields == 2 && p[0].combined_fields == 2);
    streaming_args_fini(&a);
    expect(read_args(&a, "-D stream.map.output.field.separator=: -reducer NONE", &err) == 0);
    p = a.job.plan.phases.at;
    expect(strcmp(p[0].separator, ":") == 0 && strcmp(p[0].to_separator, "\t") == 0);
    streaming_args_fini(&a);
    expect_refused(COMPARATOR " -D stream.map.output.field.separator=: -combiner cat",
                   "-combiner with an order of keys needs one separator: expected "
                   "stream.map.output.field.separator to be that of "
                   "stream.reduce.output.field.separator");
    expect(read_args(&a,
                     COMPARATOR " -D stream.map.output.field.separator=: "
                                "-D stream.reduce.output.field.separator=: -combiner cat",
                     &err) == 0);
    streaming_args_fini(&a);
}

static uint32_t reducers_by(const char *words)
{
    struct streaming_args a;
    struct err err;

    expect(read_args(&a, words, &err) == 0);
    uint32_t partitions = a.job.plan.phases.at[0].partitions;
    streaming_args_fini(&a);
    return partitions;
}

TEST(streaming_args_none_wins_over_options_and_these_over_settings)
{
    expect(reducers_by("-reducer NONE -jobconf mapred.reduce.tasks=4") == 0);
    expect(reducers_by("-reducer NONE -numReduceTasks 2") == 0);
    expect(reducers_by("-numReduceTasks 2 -reducer NONE") == 0);
    expect(reducers_by("-numReduceTasks 2 -jobconf mapred.reduce.tasks=3") == 2);
    expect(reducers_by("-D mapred.reduce.tasks=3 -numReduceTasks 2") == 2);
    expect(reducers_by("-jobconf mapred.reduce.tasks=3 -D mapreduce.job.reduces=5") == 3);
}

TEST(streaming_args_take_an_empty_reducer_where_there_are_none)
{
    char *words[] = {"streaming", "-input",   "i", "-output",         "o", "-mapper",
                     "cat",       "-reducer", "",  "-numReduceTasks", "0"};
    struct streaming_args a;
    struct err err;

    expect(streaming_args_read(&a, 11, words, &err) == 0);
    expect(a.job.plan.phases.count == 1);
    streaming_args_fini(&a);
    expect(streaming_args_read(&a, 9, words, &err) < 0);
    expect(strstr(err.text, "-reducer: the command is empty; expected NONE") != NULL);
    streaming_args_fini(&a);
}

TEST(streaming_args_take_what_a_shell_makes_of_a_pattern)
{
    char *words[] = {"streaming", "-input", "i/a",     "i/b", "hdfs:///i/c",
                     "-output",   "o",      "-mapper", "cat"};
    struct streaming_args a;
    struct err err;

    expect(streaming_args_read(&a, 9, words, &err) == 0);
    expect(a.job.inputs.texts.count == 3);
    expect(strcmp(a.job.inputs.texts.at[1], "i/b") == 0);
    expect(strcmp(a.job.inputs.texts.at[2], "/i/c") == 0);
    streaming_args_fini(&a);
}

TEST(streaming_args_tell_of_settings_that_change_nothing)
{
    expect_noted("-D mapred.job.priority=LOW -D yarn.x=1", "ignored: mapred.job.priority, yarn.x");
    expect_noted("-D my.own=1", "unknown settings, for commands alone: my.own");
    expect_noted("-D mapreduce.job.reducess=3", "(did you mean mapreduce.job.reduces?)");
    expect_noted("-debug", "ignored: -debug");
    expect_noted("-fs local", "ignored: -fs local");
    expect_noted("-mapper tac", "ignored: a second -mapper, tac");
    expect_noted("-D mapred.output.compress=true", "results are not compressed");
    expect_noted("-D mapreduce.output.fileoutputformat.compress=true", "by `gzip DIR/part-*`");
}

TEST(streaming_args_refuse_settings_that_change_results)
{
    static const char *const refused[] = {
        "textinputformat.record.delimiter=;", "mapreduce.input.linerecordreader.line.maxlength=3",
        "aggregate.max.num.unique.values=2",  "mapreduce.map.failures.maxpercent=5",
        "mapred.max.map.failures.percent=1",  "stream.recordreader.class=X",
        "mapreduce.job.combine.class=X",      "stream.map.output=typedbytes",
        "mapreduce.input.pathFilter.class=X", "mapreduce.job.inputformat.class=X",
        "stream.stderr.reporter.prefix=r:",
    };
    struct streaming_args a;
    struct err err;
    char words[200];

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        snprintf(words, sizeof words, "-D %s", refused[i]);
        expect_refused(words, "is not supported: ");
    }
    expect(read_args(&a, "-D mapred.output.compress=false -D stream.map.input=text", &err) == 0);
    expect(a.notes.count == 0);
    streaming_args_fini(&a);
}

TEST(streaming_args_take_classes_that_are_as_good_as_commands)
{
    struct streaming_args a;
    struct err err;
#define LIB "org.apache.hadoop.mapred.lib."

    expect(read_args(&a, "-reducer " LIB "IdentityReducer -partitioner " LIB "HashPartitioner",
                     &err) == 0);
    expect(strcmp(a.job.plan.phases.at[1].command, "cat") == 0 && a.notes.count == 0);
    expect(a.reducer_identity && !a.identity && !a.aggregates);
    streaming_args_fini(&a);
    expect(read_args(&a, "-inputformat org.apache.hadoop.mapred.KeyValueTextInputFormat", &err) ==
           0);
    expect(a.job.plan.phases.at[0].offsets == PLAN_TABS);
    streaming_args_fini(&a);
    expect(read_args(&a,
                     "-inputformat " LIB "CombineTextInputFormat -outputformat "
                     "TextOutputFormat",
                     &err) == 0);
    expect(a.job.plan.phases.at[0].offsets == PLAN_OFFSETS && a.notes.count == 1);
    expect(!strcmp(a.notes.at[0], "CombineTextInputFormat: each file has mappers of its own"));
    streaming_args_fini(&a);
    expect_refused("-reducer " LIB "LongSumReducer", "expected a command, or -reducer aggregate");
#undef LIB
}

/* Tasks have folders of their own, so what only this one has is shipped, also if PATH names it. */
TEST(streaming_args_ship_programs_that_path_has_only_here)
{
    struct command_folder f;
    struct streaming_args a;
    struct err err;
    char *before = strdup(getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin");

    command_begin(&f);
    command_file("mine.sh", "#!/bin/sh\ncat\n");
    expect(chmod("mine.sh", 0700) == 0 && setenv("PATH", "/usr/bin:/bin:", 1) == 0);
    expect(read_args(&a, "-reducer mine.sh", &err) == 0);
    expect(a.job.plan.files.count == 1 && strcmp(a.job.plan.files.at[0].name, "mine.sh") == 0);
    streaming_args_fini(&a);
    setenv("PATH", before, 1);
    free(before);
    command_end(&f);
}

static bool has_variable(const struct streaming_args *a, const char *entry)
{
    for (uint32_t i = 0; i < a->job.plan.env.count; i++)
        if (strcmp(a->job.plan.env.at[i], entry) == 0)
            return true;
    return false;
}

TEST(streaming_args_have_variables_of_the_job)
{
    struct streaming_args a;
    struct err err;

    expect(read_args(&a, "-input j -cmdenv X=1 -D my.own=2", &err) == 0);
    expect(has_variable(&a, "mapreduce_input_fileinputformat_inputdir=i,j") &&
           has_variable(&a, "mapred_input_dir=i,j"));
    expect(has_variable(&a, "mapreduce_output_fileoutputformat_outputdir=o") &&
           has_variable(&a, "mapred_output_dir=o"));
    expect(has_variable(&a, "X=1") && has_variable(&a, "my_own=2"));
    streaming_args_fini(&a);
}

/* Help is no mistake, whatever else is said, and nothing else is looked at. */
TEST(streaming_args_ask_for_help)
{
    static const char *const words[] = {"-help", "-h", "-info", "--help=all", "-slots 3 -help"};
    struct streaming_args a;
    struct err err;

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        expect(read_args(&a, words[i], &err) == 0 && a.help);
        streaming_args_fini(&a);
    }
    expect(read_args(&a, "-verbose", &err) == 0 && !a.help);
    streaming_args_fini(&a);
}
