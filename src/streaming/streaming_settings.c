/* streaming_settings.c - `-D name=value`. See streaming_settings.h. */
#include "streaming/streaming_settings.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "data/key_order.h"
#include "data/run_file.h"
#include "data/sorter.h"

int streaming_settings_count(const char *name, const char *text, int64_t min, int64_t max,
                             int64_t *value, struct err *err)
{
    if (!text_int(text, value) || *value < min || *value > max)
        return err_set(err, "%s: want a whole number from %lld to %lld, not '%s'", name,
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
};

int streaming_settings_reducers(struct streaming_args *a, const char *name, const char *text,
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

    if (streaming_settings_count(name, text, 1, 1000000, &value, err) < 0)
        return -1;
    *fields = (uint32_t)value;
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
    *value = strcmp(text, "true") == 0;
    return *value || strcmp(text, "false") == 0
               ? 0
               : err_set(err, "%s: want true or false, not '%s'", name, text);
}

/* A class of Hadoop without its package. */
const char *streaming_settings_class_of(const char *text)
{
    const char *dot = strrchr(text, '.');

    return dot ? dot + 1 : text;
}

static int set_codec(struct streaming_args *a, const char *name, const char *text, struct err *err)
{
    const char *class = streaming_settings_class_of(text);

    a->codec = strcmp(class, "Lz4Codec") == 0         ? CODEC_LZ4
               : strcmp(class, "ZStandardCodec") == 0 ? CODEC_ZSTD
                                                      : CODEC_PLAIN;
    return a->codec != CODEC_PLAIN
               ? 0
               : err_set(err, "%s: %s is not supported; want Lz4Codec or ZStandardCodec", name,
                         text);
}

int streaming_settings_class(const char *name, const char *text, const char *want, bool *asked,
                             struct err *err)
{
    *asked = strcmp(streaming_settings_class_of(text), want) == 0;
    return *asked ? 0 : err_set(err, "%s %s: only %s is supported", name, text, want);
}

/* One character; \\t is how some write a TAB. */
static int set_character(const char **to, const char *name, const char *text, struct err *err)
{
    *to = strcmp(text, "\\t") == 0 ? "\t" : text;
    return strlen(*to) == 1 ? 0 : err_set(err, "%s: want a single character, not '%s'", name, text);
}

static int set_order(const char **to, const char *name, const char *text, struct err *err)
{
    struct key_order order = {0};
    struct err why;
    int result = key_order_parse(&order, text, '\t', &why);

    key_order_fini(&order);
    *to = text;
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

/* A share; Hadoop's 0 is to start at once, which is not ours. */
static int set_slow_start(struct streaming_args *a, const char *name, const char *text,
                          struct err *err)
{
    char *end;
    double share = strtod(text, &end);

    if (end == text || *end || !(share >= 0 && share <= 1))
        return err_set(err, "%s: want a share from 0 to 1, not '%s'", name, text);
    str_cut(&a->slow_start, 0);
    str_addf(&a->slow_start, " slowstart=%.6f%%", share > 0 ? share * 100 : 0.000001);
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
        return streaming_settings_reducers(a, name, text, err);
    case SET_KEY_FIELDS:
        return set_fields(&a->key_fields, name, text, err);
    case SET_PARTITION_FIELDS:
        return set_fields(&a->partition_fields, name, text, err);
    case SET_SEPARATOR:
        return set_character(&a->separator, name, text, err);
    case SET_KEY_SEPARATOR:
        return set_character(&a->key_separator, name, text, err);
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
        return set_codec(a, name, text, err);
    case SET_COMPARATOR:
        return streaming_settings_class(name, text, "KeyFieldBasedComparator", &a->comparator, err);
    case SET_ORDER:
        return set_order(&a->order, name, text, err);
    case SET_PARTITIONER:
        return streaming_settings_class(name, text, "KeyFieldBasedPartitioner", &a->partitioner,
                                        err);
    case SET_PARTITION_BY:
        return set_order(&a->partition_by, name, text, err);
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

int streaming_settings_take(struct streaming_args *a, const char *text, struct err *err)
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
