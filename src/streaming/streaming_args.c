/* streaming_args.c - Hadoop Streaming's command line. See streaming_args.h.
 *
 * Options have one dash (two are fine) and a value. `-D name=value` settings that mean something
 * here are in a table; commands find all of them in their environment, as they do under Hadoop. */
#include "streaming/streaming_args.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "data/run_file.h"
#include "data/sorter.h"

static int take_count(const char *name, const char *text, int64_t min, int64_t max, int64_t *value,
                      struct err *err)
{
    if (!text_int(text, value) || *value < min || *value > max)
        return err_set(err, "%s: want a whole number from %lld to %lld, not '%s'", name,
                       (long long)min, (long long)max, text);
    return 0;
}

/* ---- settings: -D name=value ---- */

enum setting {
    SET_JOB,
    SET_REDUCERS,
    SET_KEY_FIELDS,
    SET_PARTITION_FIELDS,
    SET_SEPARATOR,
    SET_PIECE,
    SET_MEMORY,
    SET_TIMEOUT,
    SET_ONCE,
    SET_COMPRESS,
    SET_CODEC,
    SET_TEXT_ONLY,
};

static const struct {
    const char *name;
    enum setting what;
} settings[] = {
    {"mapreduce.job.name", SET_JOB},
    {"mapred.job.name", SET_JOB},
    {"mapreduce.job.reduces", SET_REDUCERS},
    {"mapred.reduce.tasks", SET_REDUCERS},
    {"stream.num.map.output.key.fields", SET_KEY_FIELDS},
    {"num.key.fields.for.partition", SET_PARTITION_FIELDS},
    {"stream.map.output.field.separator", SET_SEPARATOR},
    {"map.output.key.field.separator", SET_SEPARATOR},
    {"mapreduce.map.output.key.field.separator", SET_SEPARATOR},
    {"mapreduce.input.fileinputformat.split.maxsize", SET_PIECE},
    {"mapred.max.split.size", SET_PIECE},
    {"mapreduce.task.io.sort.mb", SET_MEMORY},
    {"io.sort.mb", SET_MEMORY},
    {"mapreduce.task.timeout", SET_TIMEOUT},
    {"mapred.task.timeout", SET_TIMEOUT},
    {"mapreduce.map.speculative", SET_ONCE},
    {"mapred.map.tasks.speculative.execution", SET_ONCE},
    {"mapreduce.reduce.speculative", SET_ONCE},
    {"mapred.reduce.tasks.speculative.execution", SET_ONCE},
    {"mapreduce.map.output.compress", SET_COMPRESS},
    {"mapred.compress.map.output", SET_COMPRESS},
    {"mapreduce.map.output.compress.codec", SET_CODEC},
    {"mapred.map.output.compression.codec", SET_CODEC},
    {"mapreduce.job.output.key.comparator.class", SET_TEXT_ONLY},
    {"mapred.output.key.comparator.class", SET_TEXT_ONLY},
    {"mapreduce.partition.keycomparator.options", SET_TEXT_ONLY},
    {"mapred.text.key.comparator.options", SET_TEXT_ONLY},
};

static int set_reducers(struct streaming_args *a, const char *name, const char *text,
                        struct err *err)
{
    int64_t value;

    if (take_count(name, text, 0, RUN_FILE_PARTITIONS_MAX, &value, err) < 0)
        return -1;
    a->reducers = (uint32_t)value;
    return 0;
}

static int set_fields(uint32_t *fields, const char *name, const char *text, struct err *err)
{
    int64_t value;

    if (take_count(name, text, 1, 1000000, &value, err) < 0)
        return -1;
    *fields = (uint32_t)value;
    return 0;
}

static int set_memory(struct streaming_args *a, const char *name, const char *text, struct err *err)
{
    int64_t value;

    if (take_count(name, text, 1, (int64_t)(SORTER_MEMORY_MAX >> 20), &value, err) < 0)
        return -1;
    a->memory = (uint64_t)value << 20;
    return 0;
}

/* Milliseconds; 0 is for ever. */
static int set_timeout(struct streaming_args *a, const char *name, const char *text,
                       struct err *err)
{
    int64_t value;

    if (take_count(name, text, 0, 1000000000, &value, err) < 0)
        return -1;
    a->quiet_us = value * 1000;
    return 0;
}

static int set_piece(struct streaming_args *a, const char *name, const char *text, struct err *err)
{
    int64_t value;

    if (take_count(name, text, 1, INT64_MAX, &value, err) < 0)
        return -1;
    a->job.piece_bytes = (uint64_t)value;
    return 0;
}

static int set_compress(struct streaming_args *a, const char *name, const char *text,
                        struct err *err)
{
    a->compress = strcmp(text, "true") == 0;
    return a->compress || strcmp(text, "false") == 0
               ? 0
               : err_set(err, "%s: want true or false, not '%s'", name, text);
}

/* A class of Hadoop, with its package or without. */
static int set_codec(struct streaming_args *a, const char *name, const char *text, struct err *err)
{
    const char *dot = strrchr(text, '.'), *class = dot ? dot + 1 : text;

    a->codec = strcmp(class, "Lz4Codec") == 0         ? CODEC_LZ4
               : strcmp(class, "ZStandardCodec") == 0 ? CODEC_ZSTD
                                                      : CODEC_PLAIN;
    return a->codec != CODEC_PLAIN
               ? 0
               : err_set(err, "%s: %s is not supported; want Lz4Codec or ZStandardCodec", name,
                         text);
}

static int set_one(struct streaming_args *a, enum setting what, const char *name, const char *text,
                   struct err *err)
{
    switch (what) {
    case SET_JOB:
        mem_replace(&a->job.plan.job, text);
        return 0;
    case SET_REDUCERS:
        return set_reducers(a, name, text, err);
    case SET_KEY_FIELDS:
        return set_fields(&a->key_fields, name, text, err);
    case SET_PARTITION_FIELDS:
        return set_fields(&a->partition_fields, name, text, err);
    case SET_SEPARATOR:
        if (strlen(text) != 1)
            return err_set(err, "%s: want a single character, not '%s'", name, text);
        a->separator = text;
        return 0;
    case SET_PIECE:
        return set_piece(a, name, text, err);
    case SET_MEMORY:
        return set_memory(a, name, text, err);
    case SET_TIMEOUT:
        return set_timeout(a, name, text, err);
    case SET_ONCE:
        a->once |= strcmp(text, "false") == 0;
        return 0;
    case SET_COMPRESS:
        return set_compress(a, name, text, err);
    case SET_CODEC:
        return set_codec(a, name, text, err);
    case SET_TEXT_ONLY:
        break;
    }
    return err_set(err, "%s: keys are in the order of their bytes; no other order is supported",
                   name);
}

/* A setting as a variable: what is neither a letter nor a digit is written _. */
static void set_variable(struct streaming_args *a, const char *text)
{
    char *entry = mem_strdup(text);

    for (char *c = entry; *c && *c != '='; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
    vec_push(&a->job.plan.env, entry);
}

static int take_setting(struct streaming_args *a, const char *text, struct err *err)
{
    const char *equals = strchr(text, '=');

    if (!equals || equals == text)
        return err_set(err, "-D: want NAME=VALUE, not '%s'", text);
    set_variable(a, text);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        size_t length = strlen(settings[i].name);
        if (length == (size_t)(equals - text) && strncmp(text, settings[i].name, length) == 0)
            return set_one(a, settings[i].what, settings[i].name, equals + 1, err);
    }
    return 0;
}

/* ---- options ---- */

static int take_files(struct streaming_args *a, const char *text, struct err *err)
{
    char *list = mem_strdup(text), *rest = list;
    int result = 0;

    for (char *item; result == 0 && (item = strsep(&rest, ","));)
        result = datajob_add_file(&a->job, item, err);
    mem_free(list);
    return result;
}

static bool is_class(const char *text)
{
    return strncmp(text, "org.apache.", 11) == 0 || strncmp(text, "java.", 5) == 0;
}

static int take_command(const char **command, const char *option, const char *text, struct err *err)
{
    if (is_class(text))
        return err_set(err, "-%s %s: Java classes cannot be run; want a command", option, text);
    if (!*text)
        return err_set(err, "-%s: the command is empty", option);
    *command = text;
    return 0;
}

static int take_partitioner(const char *text, struct err *err)
{
    if (strstr(text, "KeyFieldBasedPartitioner"))
        return 0; /* num.key.fields.for.partition says by what */
    return err_set(err, "-partitioner %s: only KeyFieldBasedPartitioner is supported", text);
}

static int take_format(const char *option, const char *text, struct err *err)
{
    const char *name = strrchr(text, '.') ? strrchr(text, '.') + 1 : text;

    if (strcmp(name, "TextInputFormat") == 0 || strcmp(name, "TextOutputFormat") == 0)
        return 0;
    return err_set(err, "-%s %s: only lines of text are supported", option, text);
}

static int take_variable(struct streaming_args *a, const char *text, struct err *err)
{
    const char *equals = strchr(text, '=');

    if (!equals || equals == text)
        return err_set(err, "-cmdenv: want NAME=VALUE, not '%s'", text);
    vec_push(&a->job.plan.env, mem_strdup(text));
    return 0;
}

static int take_inputs(struct streaming_args *a, const char *text)
{
    vec_push(&a->job.inputs.texts, text);
    return 0;
}

static int take_slots(struct streaming_args *a, const char *text, struct err *err)
{
    int64_t value;

    if (take_count("-slots", text, 1, 100000, &value, err) < 0)
        return -1;
    a->job.slots = (uint32_t)value;
    return 0;
}

static int take_reducer(struct streaming_args *a, const char *text, struct err *err)
{
    if (strcmp(text, "NONE") == 0) {
        a->reducers = 0;
        return 0;
    }
    if (strcmp(text, "aggregate") == 0)
        return err_set(err, "-reducer aggregate is not supported; sum up with awk");
    return take_command(&a->reducer, "reducer", text, err);
}

static int take_option(struct streaming_args *a, const char *name, const char *text,
                       struct err *err)
{
#define IS(word) (strcmp(name, word) == 0)
    if (IS("input"))
        return take_inputs(a, text);
    if (IS("mapper"))
        return take_command(&a->mapper, name, text, err);
    if (IS("combiner"))
        return take_command(&a->combiner, name, text, err);
    if (IS("reducer"))
        return take_reducer(a, text, err);
    if (IS("numReduceTasks"))
        return set_reducers(a, "-numReduceTasks", text, err);
    if (IS("files") || IS("file"))
        return take_files(a, text, err);
    if (IS("cmdenv"))
        return take_variable(a, text, err);
    if (IS("D") || IS("jobconf"))
        return take_setting(a, text, err);
    if (IS("partitioner"))
        return take_partitioner(text, err);
    if (IS("inputformat") || IS("outputformat"))
        return take_format(name, text, err);
    if (IS("slots"))
        return take_slots(a, text, err);
    char **place = IS("output")   ? &a->job.output
                   : IS("policy") ? &a->job.policy
                   : IS("chaos")  ? &a->job.chaos
                                  : NULL;
#undef IS
    if (place) {
        mem_replace(place, text);
        return 0;
    }
    static const char *const known[] = {
        "input", "output", "mapper", "reducer",     "combiner",    "numReduceTasks",
        "files", "file",   "cmdenv", "jobconf",     "partitioner", "inputformat",
        "slots", "policy", "chaos",  "outputformat"};
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
        {"archives", "unpack it beforehand, and name its files with -files"},
        {"libjars", "there is no Java here"},
        {"inputreader", "only lines of text are supported"},
        {"mapdebug", "what a failed task wrote to standard error is kept and named"},
        {"reducedebug", "what a failed task wrote to standard error is kept and named"},
        {"io", "only lines of text are supported"},
    };

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (strcmp(name, refused[i].name) == 0)
            return err_set(err, "-%s is not supported: %s", name, refused[i].why);
    return 0;
}

static bool take_flag(struct streaming_args *a, const char *name)
{
    bool is_help = strcmp(name, "help") == 0 || strcmp(name, "h") == 0 || strcmp(name, "info") == 0;

    a->help |= is_help;
    return is_help || strcmp(name, "verbose") == 0 || strcmp(name, "lazyOutput") == 0 ||
           strcmp(name, "background") == 0;
}

/* ---- the job ---- */

static void add_phase(struct streaming_args *a, const char *name, const char *command)
{
    datajob_add_phase(&a->job, name, command)->quiet_us = a->quiet_us;
    if (a->once)
        str_add(&a->job.keys.at[a->job.keys.count - 1], " clone=never");
}

static void add_phases(struct streaming_args *a)
{
    add_phase(a, "map", a->mapper);
    struct plan_phase *map = &a->job.plan.phases.at[0];
    map->partitions = a->reducers;
    map->key_fields = a->key_fields;
    map->partition_fields = a->partition_fields;
    map->memory = a->memory;
    map->codec = a->compress ? a->codec : CODEC_PLAIN;
    map->separator[0] = a->separator[0];
    if (a->reducers == 0)
        return;
    map->combiner = mem_strdup(a->combiner);
    add_phase(a, "reduce", a->reducer ? a->reducer : "cat"); /* Hadoop's IdentityReducer */
    struct plan_phase *reduce = &a->job.plan.phases.at[1];
    reduce->above = 0;
    reduce->tasks = a->reducers;
}

static int finish(struct streaming_args *a, struct err *err)
{
    const char *missing = a->job.inputs.texts.count == 0 ? "input"
                          : !a->job.output               ? "output"
                          : !a->mapper                   ? "mapper"
                                                         : NULL;

    if (missing)
        return err_set(err, "-%s is missing", missing);
    if (!a->job.plan.job)
        mem_replace(&a->job.plan.job, "streaming");
    add_phases(a);
    return 0;
}

int streaming_args_read(struct streaming_args *a, int argc, char **argv, struct err *err)
{
    *a = (struct streaming_args){.reducers = 1,
                                 .quiet_us = PLAN_QUIET_US,
                                 .key_fields = 1,
                                 .separator = "\t",
                                 .codec = CODEC_LZ4,
                                 .memory = UINT64_C(128) << 20};
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i];
        if (name[0] != '-' || !name[1])
            return err_set(err, "unexpected argument '%s'", name);
        name += name[1] == '-' && name[2] ? 2 : 1;
        if (take_flag(a, name))
            continue;
        if (refuse(name, err) < 0)
            return -1;
        if (name[0] == 'D' && name[1]) { /* -Dname=value */
            if (take_setting(a, name + 1, err) < 0)
                return -1;
            continue;
        }
        if (i + 1 == argc)
            return err_set(err, "-%s: its value is missing", name);
        if (take_option(a, name, argv[++i], err) < 0)
            return -1;
    }
    return a->help ? 0 : finish(a, err);
}

void streaming_args_fini(struct streaming_args *a)
{
    datajob_fini(&a->job);
}
