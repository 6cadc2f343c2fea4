/* streaming_args.c - Hadoop Streaming's command line. See streaming_args.h.
 *
 * Options have one dash (two are fine) and a value. */
#include "jobs/streaming/streaming_args.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "data/sorted_file.h"
#include "jobs/streaming/streaming_commands.h"
#include "jobs/streaming/streaming_conf.h"
#include "jobs/streaming/streaming_known.h"
#include "jobs/streaming/streaming_notes.h"
#include "jobs/streaming/streaming_settings.h"

/* ---- options ---- */

/* The path of a URI of a file system that Hadoop knows (hdfs://HOST/PATH, file:PATH, ...), or the
 * text itself. *foreign: it is not the local file system. */
static const char *path_of_uri(const char *text, bool *foreign)
{
    static const char *const schemes[] = {
        "file:", "hdfs:",  "viewfs:", "webhdfs:", "s3:", "s3n:",   "s3a:",
        "wasb:", "wasbs:", "abfs:",   "abfss:",   "gs:", "maprfs:"};

    *foreign = false;
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        size_t length = strlen(schemes[i]);
        if (strncmp(text, schemes[i], length) != 0)
            continue;
        const char *path = text + length;
        if (strncmp(path, "//", 2) == 0)
            path = strchr(path + 2, '/');
        *foreign = i > 0;
        return path && *path ? path : "/";
    }
    return text;
}

/* A path that may be a URI. */
static const char *take_path(struct streaming_args *a, const char *text)
{
    bool foreign;
    const char *path = path_of_uri(text, &foreign);

    if (foreign)
        streaming_notes_add(a, "%s is taken for the local path %s: dolly reads no other files",
                            text, path);
    return path;
}

/* Several with commas between them. */
static int take_files(struct streaming_args *a, const char *text,
                      int (*add)(struct datajob *j, const char *text, struct err *err),
                      struct err *err)
{
    char *list = mem_strdup(text), *rest = list;
    int result = 0;

    for (char *item; result == 0 && (item = strsep(&rest, ","));)
        if (*item || rest || item == list) /* a comma may stand behind the last one */
            result = add(&a->job, take_path(a, item), err);
    mem_free(list);
    return result;
}

/* Of two commands Hadoop takes the first. */
static int take_command(struct streaming_args *a, const char **command, const char *option,
                        const char *text, struct err *err)
{
    if (*command) {
        streaming_notes_add(a, "ignored: a second -%s, %s", option, text);
        return 0;
    }
    *command = streaming_commands_of(option, take_path(a, text), err);
    return *command ? 0 : -1;
}

static int take_input_format(struct streaming_args *a, const char *text, struct err *err)
{
    static const char *const names[] = {[FORMAT_TEXT] = "TextInputFormat",
                                        [FORMAT_NLINE] = "NLineInputFormat",
                                        [FORMAT_KEY_VALUE] = "KeyValueTextInputFormat",
                                        [FORMAT_COMBINE] = "CombineTextInputFormat"};
    const char *name = streaming_settings_class_of(text);

    if (a->has_format) {
        streaming_notes_add(a, "ignored: a second -inputformat, %s", text);
        return 0;
    }
    a->has_format = true;
    for (int i = FORMAT_TEXT; i <= FORMAT_COMBINE; i++)
        if (strcmp(name, names[i]) == 0) {
            a->format = (enum streaming_format)i;
            return 0;
        }
    return err_set(err,
                   "-inputformat %s: only lines of text are supported; make text of it before, as "
                   "by `hadoop fs -text`",
                   text);
}

static int take_output_format(const char *text, struct err *err)
{
    return strcmp(streaming_settings_class_of(text), "TextOutputFormat") == 0
               ? 0
               : err_set(err,
                         "-outputformat %s: only lines of text are supported; convert them after "
                         "the job",
                         text);
}

static int take_variable(struct streaming_args *a, const char *text, struct err *err)
{
    const char *equals = strchr(text, '=');

    if (!equals || equals == text)
        return err_set(err, "-cmdenv: expected NAME=VALUE, not '%s'", text);
    vec_push(&a->variables, mem_strdup(text));
    return 0;
}

/* Each of several with commas between them may be a URI. */
static int take_inputs(struct streaming_args *a, const char *text)
{
    struct str all = {0};
    bool foreign;

    if (path_of_uri(text, &foreign) == text) {
        vec_push(&a->job.inputs.texts, text);
        return 0;
    }
    char *list = mem_strdup(text), *rest = list;
    for (char *item; (item = strsep(&rest, ","));)
        str_addf(&all, "%s%s", all.text ? "," : "", take_path(a, item));
    vec_push(&a->job.inputs.texts, streaming_notes_keep(a, mem_strdup(all.text)));
    str_free(&all);
    mem_free(list);
    return 0;
}

static int take_setting(struct streaming_args *a, enum streaming_source from, const char *text,
                        struct err *err)
{
    const char *equals = strchr(text, '=');

    if (!equals || equals == text)
        return err_set(err, "-D: expected NAME=VALUE, not '%s'", text);
    vec_push(&a->settings[from], mem_strdup(text));
    return 0;
}

static int take_output(struct streaming_args *a, const char *text)
{
    if (a->job.output)
        streaming_notes_add(a, "ignored: a second -output, %s", text);
    else
        mem_replace(&a->job.output, take_path(a, text));
    return 0;
}

static int take_slots(struct streaming_args *a, const char *text, struct err *err)
{
    int64_t value;

    if (streaming_settings_count("-slots", text, 1, 100000, &value, err) < 0)
        return -1;
    a->job.run.slots = (uint32_t)value;
    return 0;
}

static int take_reducer(struct streaming_args *a, const char *text, struct err *err)
{
    if (strcmp(text, "NONE") == 0 && !a->reducer) {
        a->none = true;
        return 0;
    }
    if (a->none) {
        streaming_notes_add(a, "ignored: a second -reducer, %s", text);
        return 0;
    }
    if (!*text && !a->reducer) { /* fine where there are no reducers */
        a->reducer = text;
        return 0;
    }
    a->aggregates |= !a->reducer && strcmp(text, "aggregate") == 0;
    a->reducer_identity |=
        !a->reducer && strcmp(streaming_settings_class_of(text), "IdentityReducer") == 0;
    return take_command(a, &a->reducer, "reducer", text, err);
}

static int take_reducers(struct streaming_args *a, const char *text, struct err *err)
{
    int64_t value;

    if (streaming_settings_count("-numReduceTasks", text, 0, SORTED_FILE_PARTITIONS_MAX, &value,
                                 err) < 0)
        return -1;
    if (a->reducers_asked < 0)
        a->reducers_asked = value;
    else
        streaming_notes_add(a, "ignored: a second -numReduceTasks, %s", text);
    return 0;
}

static int take_mapper(struct streaming_args *a, const char *text, struct err *err)
{
    a->identity |= !a->mapper && strcmp(streaming_settings_class_of(text), "IdentityMapper") == 0;
    return take_command(a, &a->mapper, "mapper", text, err);
}

static int take_combiner(struct streaming_args *a, const char *text, struct err *err)
{
    a->combiner_aggregates |= !a->combiner && strcmp(text, "aggregate") == 0;
    return take_command(a, &a->combiner, "combiner", text, err);
}

/* Options with a value that have no meaning here, and change no result. */
static bool ignore(struct streaming_args *a, const char *name, const char *text)
{
    static const char *const names[] = {
        "libjars", "fs", "jt", "dfs", "mapdebug", "reducedebug", "tokenCacheFile"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) {
            streaming_notes_add(a, "ignored: -%s %s: dolly uses neither a Hadoop cluster nor Java",
                                name, text);
            return true;
        }
    return false;
}

static int take_option(struct streaming_args *a, const char *name, const char *text,
                       struct err *err)
{
#define IS(word) (strcmp(name, word) == 0)
    if (IS("input"))
        return take_inputs(a, text);
    if (IS("output"))
        return take_output(a, text);
    if (IS("mapper"))
        return take_mapper(a, text, err);
    if (IS("combiner"))
        return take_combiner(a, text, err);
    if (IS("reducer"))
        return take_reducer(a, text, err);
    if (IS("numReduceTasks"))
        return take_reducers(a, text, err);
    if (IS("files") || IS("file") || IS("cacheFile"))
        return take_files(a, text, datajob_add_file, err);
    if (IS("archives") || IS("cacheArchive"))
        return take_files(a, text, datajob_add_archive, err);
    if (IS("cmdenv"))
        return take_variable(a, text, err);
    if (IS("D") || IS("jobconf"))
        return take_setting(a, IS("D") ? FROM_D : FROM_JOBCONF, text, err);
    if (IS("conf"))
        return streaming_conf_read(a, take_path(a, text), err);
    if (IS("partitioner"))
        return streaming_settings_class("-partitioner", text, "KeyFieldBasedPartitioner",
                                        "HashPartitioner", &a->partitioner, err);
    if (IS("inputformat"))
        return take_input_format(a, text, err);
    if (IS("outputformat"))
        return take_output_format(text, err);
    if (ignore(a, name, text))
        return 0;
    if (IS("slots"))
        return take_slots(a, text, err);
    const char **place = IS("on")        ? &a->job.run.where.spec
                         : IS("scratch") ? &a->job.run.where.scratch
                         : IS("slurm")   ? &a->job.run.where.slurm
                         : IS("policy")  ? &a->job.run.policy
                         : IS("chaos")   ? &a->job.run.chaos
                                         : NULL;
#undef IS
    if (place) {
        *place = text;
        return 0;
    }
    static const char *const known[] = {
        "input", "output", "mapper", "reducer",      "combiner",    "numReduceTasks",
        "files", "file",   "cmdenv", "jobconf",      "partitioner", "inputformat",
        "slots", "policy", "chaos",  "outputformat", "archives",    "on",
        "pull",  "slurm",  "scratch"};
    const char *near = text_nearest(name, known, sizeof known / sizeof *known);
    return near ? err_set(err, "unknown option -%s; did you mean -%s?", name, near)
                : err_set(err, "unknown option -%s", name);
}

/* Options of Hadoop that have no meaning here, and why. */
static int refuse(const char *name, struct err *err)
{
    static const struct {
        const char *name, *why;
    } refused[] = {
        {"inputreader", "only lines of text are supported; make lines of the input before"},
        {"io", "only lines of text are supported; have commands read and print them"},
        {"cluster", "-on names other machines"},
    };

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (strcmp(name, refused[i].name) == 0)
            return err_set(err, "-%s is not supported: %s", name, refused[i].why);
    return 0;
}

static bool take_flag(struct streaming_args *a, const char *name)
{
    static const char *const ignored[] = {"verbose", "background", "debug"};
    bool is_help = strcmp(name, "help") == 0 || strcmp(name, "h") == 0 ||
                   strcmp(name, "info") == 0 || strcmp(name, "help=all") == 0;

    a->help |= is_help;
    if (strcmp(name, "pull") == 0)
        return a->job.run.where.pull = true;
    if (strcmp(name, "lazyOutput") == 0)
        return a->lazy = true;
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        if (strcmp(name, ignored[i]) == 0) {
            streaming_notes_add(a, "ignored: -%s: the job runs here, and reports its progress",
                                name);
            return true;
        }
    return is_help;
}

/* ---- the job ---- */

static struct plan_phase *add_phase(struct streaming_args *a, const char *name, const char *command,
                                    bool once, uint64_t memory_limit)
{
    struct plan_phase *p = datajob_add_phase(&a->job, name, command);

    p->quiet_us = a->quiet_us;
    p->memory_limit = memory_limit;
    p->as_hadoop = 1;
    p->any_status = a->any_status;
    p->lazy = a->lazy;
    if (once)
        str_add(&a->job.keys.at[a->job.keys.count - 1], " clone=never");
    return p;
}

/* Hadoop's IdentityMapper hands on what a format has for a key, and that of text is where a line
 * begins, which is a number; with a command for a reducer it would fail, and has lines here. */
static bool hands_on_offsets(const struct streaming_args *a)
{
    return a->identity && a->format != FORMAT_KEY_VALUE &&
           (a->reducers == 0 || !a->reducer || a->reducer_identity);
}

/* What mappers read. */
static enum plan_offsets offsets_of(const struct streaming_args *a)
{
    bool default_keys = a->identity ? hands_on_offsets(a) : a->format != FORMAT_TEXT;

    if (a->format == FORMAT_KEY_VALUE)
        return a->keys == 0 ? PLAN_LINES : PLAN_TABS;
    return (a->keys < 0 ? default_keys : a->keys > 0) ? PLAN_OFFSETS : PLAN_LINES;
}

static void add_mapper(struct streaming_args *a)
{
    struct plan_phase *map = add_phase(a, "map", a->mapper, a->map_once, a->memory_limit[0]);
    bool aggregates = a->aggregates || a->combiner_aggregates;

    map->partitions = a->reducers;
    map->key_fields = a->key_fields;
    map->partition_fields = a->partitioner ? a->partition_fields : 0;
    map->memory = a->memory;
    map->codec = a->compress ? a->codec : CODEC_PLAIN;
    mem_replace(&map->separator, a->separator);
    map->key_separator = mem_strdup(a->key_separator);
    map->to_separator = mem_strdup(a->reducers == 0 ? a->result_separator
                                   : aggregates     ? "\t"
                                                    : a->reduce_separator);
    map->combined_separator = mem_strdup(a->combiner_aggregates ? "\t" : a->printed_separator);
    map->combined_fields = a->result_fields;
    map->order = a->comparator ? mem_strdup(a->order ? a->order : "") : NULL;
    map->partition_by =
        a->partitioner && a->partition_fields == 0 ? mem_strdup(a->partition_by) : NULL;
    map->offsets = offsets_of(a);
}

static void add_reducer(struct streaming_args *a)
{
    const char *command = a->aggregates ? a->aggregate[0].text
                          : a->reducer  ? a->reducer
                                        : "cat"; /* Hadoop's IdentityReducer */
    const char *combiner = a->combiner_aggregates || (a->aggregates && !a->combiner)
                               ? a->aggregate[1].text
                               : a->combiner;

    a->job.plan.phases.at[0].combiner = mem_strdup(combiner);
    struct plan_phase *reduce = add_phase(a, "reduce", command, a->reduce_once, a->memory_limit[1]);
    reduce->above = 0;
    reduce->tasks = a->reducers;
    reduce->key_fields = a->result_fields;
    mem_replace(&reduce->separator, a->aggregates ? "\t" : a->printed_separator);
    reduce->to_separator = mem_strdup(a->result_separator);
    if (a->slow_start.text)
        str_add(&a->job.keys.at[1], a->slow_start.text);
}

/* Under Hadoop, an order or parts of keys without the class for it are not looked at. */
static void drop_without_class(struct streaming_args *a)
{
    if (a->order && !a->comparator)
        streaming_notes_add(a, "ignored, as by Hadoop: an order of keys without -D mapreduce.job."
                               "output.key.comparator.class=KeyFieldBasedComparator");
    if ((a->partition_by || a->partition_fields > 0) && !a->partitioner)
        streaming_notes_add(a, "ignored, as by Hadoop: parts of keys to partition by without "
                               "-partitioner KeyFieldBasedPartitioner");
    if (a->lines > 0 && a->format != FORMAT_NLINE)
        streaming_notes_add(a, "ignored, as by Hadoop: lines for a mapper without -inputformat "
                               "NLineInputFormat");
    if (a->format == FORMAT_COMBINE)
        streaming_notes_add(a, "CombineTextInputFormat: each file has mappers of its own");
}

/* What would be another result than Hadoop's. */
static int check_separators(const struct streaming_args *a, struct err *err)
{
    enum plan_offsets offsets = offsets_of(a);

    if (a->comparator && a->combiner && strcmp(a->separator, a->printed_separator) != 0)
        return err_set(err, "-combiner with an order of keys needs one separator: expected "
                            "stream.map.output.field.separator to be that of "
                            "stream.reduce.output.field.separator");
    if (offsets == PLAN_OFFSETS && strcmp(a->offset_separator, "\t") != 0)
        return err_set(err,
                       "stream.map.input.field.separator: only TAB is supported after offsets");
    if (a->format == FORMAT_KEY_VALUE && strcmp(a->pair_separator, "\t") != 0)
        return err_set(err, "KeyValueTextInputFormat: only TAB is supported between key and value; "
                            "use TextInputFormat, and have the mapper split lines");
    if (a->format == FORMAT_KEY_VALUE && offsets == PLAN_LINES)
        return err_set(err, "KeyValueTextInputFormat with stream.map.input.ignoreKey: expected "
                            "TextInputFormat, and a mapper such as `cut -f 2-`");
    return 0;
}

/* Nodes that share no folder do not see what was unpacked in that of the results. */
static int check_nodes(struct streaming_args *a, struct err *err)
{
    a->job.run.where.slots = a->job.run.slots;
    if (where_check(&a->job.run.where, err) < 0)
        return -1;
    if (a->job.run.where.pull && a->job.archives.count > 0)
        return err_set(err, "-archives: with -pull nodes do not see unpacked files");
    return 0;
}

static int apply_settings(struct streaming_args *a, struct err *err)
{
    for (int from = 0; from < STREAMING_SOURCES; from++)
        for (uint32_t i = 0; i < a->settings[from].count; i++)
            if (streaming_settings_take(a, a->settings[from].at[i], err) < 0)
                return -1;
    if (a->none)
        a->reducers = 0;
    else if (a->reducers_asked >= 0)
        a->reducers = (uint32_t)a->reducers_asked;
    if (a->reducers > 0 && a->reducer && !*a->reducer)
        return err_set(err, "-reducer: the command is empty; expected NONE for no reducers");
    streaming_known_tell(a);
    drop_without_class(a);
    if (hands_on_offsets(a)) {
        a->comparator = true;
        a->order = "-n";
        a->separator = "\t";
        a->key_fields = 1;
        a->keys = 1;
    }
    return check_separators(a, err);
}

/* What commands find in their environment besides settings; -cmdenv wins. */
static void set_variables(struct streaming_args *a)
{
    struct str inputs = {0};
    const char *user = getenv("USER");

    for (uint32_t i = 0; i < a->job.inputs.texts.count; i++)
        str_addf(&inputs, "%s%s", i ? "," : "", a->job.inputs.texts.at[i]);
    const char *const values[][2] = {{"mapreduce_input_fileinputformat_inputdir", inputs.text},
                                     {"mapred_input_dir", inputs.text},
                                     {"mapreduce_output_fileoutputformat_outputdir", a->job.output},
                                     {"mapred_output_dir", a->job.output},
                                     {"mapreduce_job_user_name", user ? user : ""},
                                     {"user_name", user ? user : ""}};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct str entry = {0};
        str_addf(&entry, "%s=%s", values[i][0], values[i][1]);
        vec_push(&a->job.plan.env, mem_strdup(entry.text));
        str_free(&entry);
    }
    str_free(&inputs);
    for (uint32_t i = 0; i < a->variables.count; i++)
        vec_push(&a->job.plan.env, mem_strdup(a->variables.at[i]));
}

static int finish(struct streaming_args *a, struct err *err)
{
    const char *missing = a->job.inputs.texts.count == 0 ? "input"
                          : !a->job.output               ? "output"
                          : !a->mapper                   ? "mapper"
                                                         : NULL;

    if (missing)
        return err_set(err, "-%s is missing", missing);
    if (apply_settings(a, err) < 0 || check_nodes(a, err) < 0 ||
        streaming_commands_ship(a, err) < 0 ||
        datajob_add_self(&a->aggregate[0], "task aggregate", err) < 0 ||
        datajob_add_self(&a->aggregate[1], "task aggregate again", err) < 0)
        return -1;
    if (!a->job.plan.job)
        mem_replace(&a->job.plan.job, "streaming");
    a->job.piece_lines = a->format != FORMAT_NLINE ? 0 : a->lines > 0 ? (uint64_t)a->lines : 1;
    a->job.how = (struct pieces_how){.recursive = a->job.how.recursive,
                                     .refuses_folders = true,
                                     .commas = true,
                                     .may_be_empty = true};
    if (a->failures.text)
        vec_push(&a->job.run.settings.texts, a->failures.text);
    set_variables(a);
    add_mapper(a);
    if (a->reducers > 0)
        add_reducer(a);
    return 0;
}

int streaming_args_read(struct streaming_args *a, int argc, char **argv, struct err *err)
{
    *a = (struct streaming_args){.reducers = 1,
                                 .reducers_asked = -1,
                                 .quiet_us = PLAN_QUIET_US,
                                 .key_fields = 1,
                                 .result_fields = 1,
                                 .separator = "\t",
                                 .key_separator = "\t",
                                 .reduce_separator = "\t",
                                 .printed_separator = "\t",
                                 .result_separator = "\t",
                                 .offset_separator = "\t",
                                 .pair_separator = "\t",
                                 .keys = -1,
                                 .codec = CODEC_LZ4,
                                 .job.run.where = WHERE_UNSAID,
                                 .memory = UINT64_C(128) << 20};
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i];
        if (name[0] != '-' || !name[1])
            return err_set(err, "unexpected argument '%s'; expected an option before it", name);
        name += name[1] == '-' && name[2] ? 2 : 1;
        if (take_flag(a, name))
            continue;
        if (refuse(name, err) < 0)
            return -1;
        if (name[0] == 'D' && name[1]) { /* -Dname=value */
            if (take_setting(a, FROM_D, name + 1, err) < 0)
                return -1;
            continue;
        }
        if (i + 1 == argc)
            return err_set(err, "-%s: its value is missing", name);
        do /* of a pattern for -input that has no quotes a shell makes several words */
            if (take_option(a, name, argv[++i], err) < 0)
                return -1;
        while (strcmp(name, "input") == 0 && i + 1 < argc && *argv[i + 1] && *argv[i + 1] != '-');
    }
    return a->help ? 0 : finish(a, err);
}

void streaming_args_fini(struct streaming_args *a)
{
    for (int i = 0; i < 2; i++)
        str_free(&a->aggregate[i]);
    str_free(&a->slow_start);
    str_free(&a->failures);
    str_free(&a->hints);
    str_free(&a->unknown);
    datajob_fini(&a->job);
    vec_free_each(&a->notes);
    vec_free_each(&a->variables);
    vec_free_each(&a->owned);
    for (int i = 0; i < STREAMING_SOURCES; i++)
        vec_free_each(&a->settings[i]);
}
