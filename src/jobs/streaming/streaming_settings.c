/* streaming_settings.c - `-D name=value`. See streaming_settings.h. */
#include "jobs/streaming/streaming_settings.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/text.h"
#include "data/key_order.h"
#include "data/run_file.h"
#include "data/sorter.h"
#include "jobs/streaming/streaming_known.h"
#include "jobs/streaming/streaming_notes.h"

int streaming_settings_count(const char *name, const char *text, int64_t min, int64_t max,
                             int64_t *value, struct err *err)
{
    if (!text_int(text, value) || *value < min || *value > max)
        return err_set(err, "%s: expected a whole number from %lld to %lld, not '%s'", name,
                       (long long)min, (long long)max, text);
    return 0;
}

enum setting {
    SET_JOB,
    SET_REDUCERS,
    SET_KEY_FIELDS,
    SET_PARTITION_FIELDS,
    SET_SEPARATOR,
    SET_PIECE,
    SET_MEMORY,
    SET_TIMEOUT,
    SET_MAP_ONCE,
    SET_REDUCE_ONCE,
    SET_COMPRESS,
    SET_CODEC,
    SET_KEY_SEPARATOR,
    SET_COMPARATOR,
    SET_ORDER,
    SET_PARTITIONER,
    SET_PARTITION_BY,
    SET_LINES,
    SET_IGNORE_KEY,
    SET_ATTEMPTS,
    SET_SLOW_START,
    SET_MAP_LIMIT,
    SET_REDUCE_LIMIT,
    SET_RECURSIVE,
    SET_REDUCE_SEPARATOR,
    SET_PRINTED_SEPARATOR,
    SET_RESULT_SEPARATOR,
    SET_OFFSET_SEPARATOR,
    SET_PAIR_SEPARATOR,
    SET_RESULT_FIELDS,
    SET_STATUS,
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
    {"map.output.key.field.separator", SET_KEY_SEPARATOR},
    {"mapreduce.map.output.key.field.separator", SET_KEY_SEPARATOR},
    {"mapreduce.input.fileinputformat.split.maxsize", SET_PIECE},
    {"mapred.max.split.size", SET_PIECE},
    {"mapreduce.task.io.sort.mb", SET_MEMORY},
    {"io.sort.mb", SET_MEMORY},
    {"mapreduce.task.timeout", SET_TIMEOUT},
    {"mapred.task.timeout", SET_TIMEOUT},
    {"mapreduce.map.speculative", SET_MAP_ONCE},
    {"mapred.map.tasks.speculative.execution", SET_MAP_ONCE},
    {"mapreduce.reduce.speculative", SET_REDUCE_ONCE},
    {"mapred.reduce.tasks.speculative.execution", SET_REDUCE_ONCE},
    {"mapreduce.map.output.compress", SET_COMPRESS},
    {"mapred.compress.map.output", SET_COMPRESS},
    {"mapreduce.map.output.compress.codec", SET_CODEC},
    {"mapred.map.output.compression.codec", SET_CODEC},
    {"mapreduce.job.output.key.comparator.class", SET_COMPARATOR},
    {"mapred.output.key.comparator.class", SET_COMPARATOR},
    {"mapreduce.partition.keycomparator.options", SET_ORDER},
    {"mapred.text.key.comparator.options", SET_ORDER},
    {"mapreduce.job.partitioner.class", SET_PARTITIONER},
    {"mapred.partitioner.class", SET_PARTITIONER},
    {"mapreduce.partition.keypartitioner.options", SET_PARTITION_BY},
    {"mapred.text.key.partitioner.options", SET_PARTITION_BY},
    {"mapreduce.input.lineinputformat.linespermap", SET_LINES},
    {"mapred.line.input.format.linespermap", SET_LINES},
    {"stream.map.input.ignoreKey", SET_IGNORE_KEY},
    {"mapreduce.map.maxattempts", SET_ATTEMPTS},
    {"mapred.map.max.attempts", SET_ATTEMPTS},
    {"mapreduce.reduce.maxattempts", SET_ATTEMPTS},
    {"mapred.reduce.max.attempts", SET_ATTEMPTS},
    {"mapreduce.job.reduce.slowstart.completedmaps", SET_SLOW_START},
    {"mapred.reduce.slowstart.completed.maps", SET_SLOW_START},
    {"mapreduce.map.memory.mb", SET_MAP_LIMIT},
    {"mapreduce.reduce.memory.mb", SET_REDUCE_LIMIT},
    {"mapreduce.input.fileinputformat.input.dir.recursive", SET_RECURSIVE},
    {"mapred.input.dir.recursive", SET_RECURSIVE},
    {"stream.reduce.input.field.separator", SET_REDUCE_SEPARATOR},
    {"stream.reduce.output.field.separator", SET_PRINTED_SEPARATOR},
    {"stream.num.reduce.output.key.fields", SET_RESULT_FIELDS},
    {"mapreduce.output.textoutputformat.separator", SET_RESULT_SEPARATOR},
    {"mapred.textoutputformat.separator", SET_RESULT_SEPARATOR},
    {"mapreduce.textoutputformat.separator", SET_RESULT_SEPARATOR},
    {"stream.map.input.field.separator", SET_OFFSET_SEPARATOR},
    {"mapreduce.input.keyvaluelinerecordreader.key.value.separator", SET_PAIR_SEPARATOR},
    {"key.value.separator.in.input.line", SET_PAIR_SEPARATOR},
    {"stream.non.zero.exit.is.failure", SET_STATUS},
};

static int set_reducers(struct streaming_args *a, const char *name, const char *text,
                        struct err *err)
{
    int64_t value;

    if (streaming_settings_count(name, text, 0, RUN_FILE_PARTITIONS_MAX, &value, err) < 0)
        return -1;
    a->reducers = (uint32_t)value;
    return 0;
}

static int set_fields(uint32_t *fields, const char *name, const char *text, struct err *err)
{
    int64_t value;

    if (streaming_settings_count(name, text, 0, 1000000, &value, err) < 0)
        return -1;
    *fields = value > 0 ? (uint32_t)value : 1; /* as Hadoop has it */
    return 0;
}

static int set_memory(struct streaming_args *a, const char *name, const char *text, struct err *err)
{
    int64_t value;

    if (streaming_settings_count(name, text, 1, (int64_t)(SORTER_MEMORY_MAX >> 20), &value, err) <
        0)
        return -1;
    a->memory = (uint64_t)value << 20;
    return 0;
}

/* Milliseconds; 0 is for ever. */
static int set_timeout(struct streaming_args *a, const char *name, const char *text,
                       struct err *err)
{
    int64_t value;

    if (streaming_settings_count(name, text, 0, 1000000000, &value, err) < 0)
        return -1;
    a->quiet_us = value * 1000;
    return 0;
}

static int set_piece(struct streaming_args *a, const char *name, const char *text, struct err *err)
{
    int64_t value;

    if (streaming_settings_count(name, text, 1, INT64_MAX, &value, err) < 0)
        return -1;
    a->job.piece_bytes = (uint64_t)value;
    return 0;
}

static int take_truth(const char *name, const char *text, bool *value, struct err *err)
{
    *value = strcasecmp(text, "true") == 0;
    return *value || strcasecmp(text, "false") == 0
               ? 0
               : err_set(err, "%s: expected true or false, not '%s'", name, text);
}

/* A class of Hadoop without its package. */
const char *streaming_settings_class_of(const char *text)
{
    const char *dot = strrchr(text, '.');

    return dot ? dot + 1 : text;
}

/* Nobody sees what is packed by it, so another will do. */
static int set_codec(struct streaming_args *a, const char *name, const char *text)
{
    const char *class = streaming_settings_class_of(text);

    a->codec = strcmp(class, "ZStandardCodec") == 0 ? CODEC_ZSTD : CODEC_LZ4;
    if (a->codec == CODEC_LZ4 && strcmp(class, "Lz4Codec") != 0)
        streaming_notes_add(a, "%s: lz4 is used in the place of %s", name, class);
    return 0;
}

int streaming_settings_class(const char *name, const char *text, const char *want,
                             const char *other, bool *asked, struct err *err)
{
    const char *class = streaming_settings_class_of(text);

    *asked = strcmp(class, want) == 0;
    return *asked || strcmp(class, other) == 0
               ? 0
               : err_set(err, "%s %s: only %s is supported; leave it out for Hadoop's default, %s",
                         name, text, want, other);
}

/* Any text; \\t is how some write a TAB. */
static int set_separator(const char **to, const char *name, const char *text, struct err *err)
{
    *to = strcmp(text, "\\t") == 0 ? "\t" : text;
    return **to ? 0 : err_set(err, "%s: expected a character or more", name);
}

/* Hadoop takes a field 0 for the first one. */
static const char *without_field_0(struct streaming_args *a, const char *text)
{
    char *copy = mem_strdup(text);

    for (char *at = copy; (at = strstr(at, "-k"));) {
        at += 2 + strspn(at + 2, " ");
        if (*at == '0' && !isdigit((unsigned char)at[1]))
            *at = '1';
    }
    return streaming_notes_keep(a, copy);
}

static int set_order(struct streaming_args *a, const char **to, const char *name, const char *text,
                     struct err *err)
{
    struct key_order order = {0};
    struct err why;

    *to = without_field_0(a, text);
    int result = key_order_parse(&order, *to, "\t", &why);
    key_order_fini(&order);
    return result < 0 ? err_set(err, "%s: %s", name, why.text) : 0;
}

static int set_once(bool *once, const char *name, const char *text, struct err *err)
{
    bool twice = true;

    if (take_truth(name, text, &twice, err) < 0)
        return -1;
    *once = !twice;
    return 0;
}

static int set_keys(struct streaming_args *a, const char *name, const char *text, struct err *err)
{
    bool ignored = true;

    if (take_truth(name, text, &ignored, err) < 0)
        return -1;
    a->keys = !ignored;
    return 0;
}

static int set_attempts(struct streaming_args *a, const char *name, const char *text,
                        struct err *err)
{
    int64_t value;

    if (streaming_settings_count(name, text, 1, 100, &value, err) < 0)
        return -1;
    str_cut(&a->failures, 0);
    str_addf(&a->failures, "failures_max=%d", (int)value);
    return 0;
}

/* A share, in whole percents; Hadoop's 0 is to start at once, which is not ours. */
static int set_slow_start(struct streaming_args *a, const char *name, const char *text,
                          struct err *err)
{
    char *end;
    double share = strtod(text, &end);

    if (end == text || *end || !(share >= 0 && share <= 1))
        return err_set(err, "%s: expected a share from 0 to 1, not '%s'", name, text);
    str_cut(&a->slow_start, 0);
    int percent = (int)(share * 100 + 0.5);
    str_addf(&a->slow_start, " slowstart=%d%%", percent > 0 ? percent : 1);
    return 0;
}

static int set_limit(uint64_t *limit, const char *name, const char *text, struct err *err)
{
    int64_t value;

    if (streaming_settings_count(name, text, 1, INT64_C(1) << 40, &value, err) < 0)
        return -1;
    *limit = (uint64_t)value << 20;
    return 0;
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
        return set_separator(&a->separator, name, text, err);
    case SET_KEY_SEPARATOR:
        return set_separator(&a->key_separator, name, text, err);
    case SET_PIECE:
        return set_piece(a, name, text, err);
    case SET_MEMORY:
        return set_memory(a, name, text, err);
    case SET_TIMEOUT:
        return set_timeout(a, name, text, err);
    case SET_MAP_ONCE:
        return set_once(&a->map_once, name, text, err);
    case SET_REDUCE_ONCE:
        return set_once(&a->reduce_once, name, text, err);
    case SET_COMPRESS:
        return take_truth(name, text, &a->compress, err);
    case SET_CODEC:
        return set_codec(a, name, text);
    case SET_COMPARATOR:
        return streaming_settings_class(name, text, "KeyFieldBasedComparator", "Text$Comparator",
                                        &a->comparator, err);
    case SET_ORDER:
        return set_order(a, &a->order, name, text, err);
    case SET_PARTITIONER:
        return streaming_settings_class(name, text, "KeyFieldBasedPartitioner", "HashPartitioner",
                                        &a->partitioner, err);
    case SET_PARTITION_BY:
        return set_order(a, &a->partition_by, name, text, err);
    case SET_LINES:
        return streaming_settings_count(name, text, 1, INT64_MAX, &a->lines, err);
    case SET_IGNORE_KEY:
        return set_keys(a, name, text, err);
    case SET_ATTEMPTS:
        return set_attempts(a, name, text, err);
    case SET_SLOW_START:
        return set_slow_start(a, name, text, err);
    case SET_MAP_LIMIT:
        return set_limit(&a->memory_limit[0], name, text, err);
    case SET_REDUCE_LIMIT:
        return set_limit(&a->memory_limit[1], name, text, err);
    case SET_RECURSIVE:
        return take_truth(name, text, &a->job.how.recursive, err);
    case SET_REDUCE_SEPARATOR:
        return set_separator(&a->reduce_separator, name, text, err);
    case SET_PRINTED_SEPARATOR:
        return set_separator(&a->printed_separator, name, text, err);
    case SET_RESULT_SEPARATOR:
        return set_separator(&a->result_separator, name, text, err);
    case SET_OFFSET_SEPARATOR:
        return set_separator(&a->offset_separator, name, text, err);
    case SET_PAIR_SEPARATOR:
        return set_separator(&a->pair_separator, name, text, err);
    case SET_RESULT_FIELDS:
        return set_fields(&a->result_fields, name, text, err);
    case SET_STATUS:
        return set_once(&a->any_status, name, text, err);
    }
    return 0;
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

/* The name of a setting that is honoured and looks like this one, or NULL. */
static const char *nearest(const char *name)
{
    const char *names[sizeof settings / sizeof *settings];

    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        names[i] = settings[i].name;
    return text_nearest(name, names, sizeof settings / sizeof *settings);
}

int streaming_settings_take(struct streaming_args *a, const char *text, struct err *err)
{
    const char *equals = strchr(text, '=');

    if (!equals || equals == text)
        return err_set(err, "-D: expected NAME=VALUE, not '%s'", text);
    set_variable(a, text);
    struct str name = {0};
    str_add_bytes(&name, text, (size_t)(equals - text));
    int result = -1;
    bool honoured = false;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (strcmp(name.text, settings[i].name) == 0) {
            result = set_one(a, settings[i].what, settings[i].name, equals + 1, err);
            honoured = true;
        }
    if (!honoured)
        result = streaming_known_take(a, name.text, equals + 1, nearest(name.text), err);
    str_free(&name);
    return result;
}
