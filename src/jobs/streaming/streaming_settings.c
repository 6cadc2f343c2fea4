/* streaming_settings.c - `-D name=value`. See streaming_settings.h. */
#include "jobs/streaming/streaming_settings.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/text.h"
#include "data/key_order.h"
#include "data/sorted_file.h"
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

/* A setting that was given: its name and its value. */
struct given {
    const char *name, *text;
};

static int set_job(struct streaming_args *a, void *to, struct given g, struct err *err)
{
    (void)to, (void)err;
    mem_replace(&a->job.plan.job, g.text);
    return 0;
}

static int take_count(struct given g, int64_t min, int64_t max, int64_t *value, struct err *err)
{
    return streaming_settings_count(g.name, g.text, min, max, value, err);
}

static int set_reducers(struct streaming_args *a, void *to, struct given g, struct err *err)
{
    int64_t value;

    (void)to;
    if (take_count(g, 0, SORTED_FILE_PARTITIONS_MAX, &value, err) < 0)
        return -1;
    a->reducers = (uint32_t)value;
    return 0;
}

static int set_fields(struct streaming_args *a, void *to, struct given g, struct err *err)
{
    int64_t value;

    (void)a;
    if (take_count(g, 0, 1000000, &value, err) < 0)
        return -1;
    *(uint32_t *)to = value > 0 ? (uint32_t)value : 1; /* as Hadoop has it */
    return 0;
}

static int set_mebibytes(uint64_t *to, uint64_t max, struct given g, struct err *err)
{
    int64_t value;

    if (take_count(g, 1, (int64_t)max, &value, err) < 0)
        return -1;
    *to = (uint64_t)value << 20;
    return 0;
}

static int set_memory(struct streaming_args *a, void *to, struct given g, struct err *err)
{
    (void)a;
    return set_mebibytes(to, SORTER_MEMORY_MAX >> 20, g, err);
}

static int set_limit(struct streaming_args *a, void *to, struct given g, struct err *err)
{
    (void)a;
    return set_mebibytes(to, UINT64_C(1) << 40, g, err);
}

/* Milliseconds; 0 is for ever. */
static int set_timeout(struct streaming_args *a, void *to, struct given g, struct err *err)
{
    int64_t value;

    (void)to;
    if (take_count(g, 0, 1000000000, &value, err) < 0)
        return -1;
    a->quiet_us = value * 1000;
    return 0;
}

static int set_piece(struct streaming_args *a, void *to, struct given g, struct err *err)
{
    int64_t value;

    (void)to;
    if (take_count(g, 1, INT64_MAX, &value, err) < 0)
        return -1;
    a->job.piece_bytes = (uint64_t)value;
    return 0;
}

static int set_lines(struct streaming_args *a, void *to, struct given g, struct err *err)
{
    (void)to;
    return take_count(g, 1, INT64_MAX, &a->lines, err);
}

static int set_truth(struct streaming_args *a, void *to, struct given g, struct err *err)
{
    bool *value = to;

    (void)a;
    *value = strcasecmp(g.text, "true") == 0;
    return *value || strcasecmp(g.text, "false") == 0
               ? 0
               : err_set(err, "%s: expected true or false, not '%s'", g.name, g.text);
}

/* A class of Hadoop without its package. */
const char *streaming_settings_class_of(const char *text)
{
    const char *dot = strrchr(text, '.');

    return dot ? dot + 1 : text;
}

/* Nobody sees what is packed by it, so another will do. */
static int set_codec(struct streaming_args *a, void *to, struct given g, struct err *err)
{
    const char *class = streaming_settings_class_of(g.text);

    (void)to, (void)err;
    a->codec = strcmp(class, "ZStandardCodec") == 0 ? CODEC_ZSTD : CODEC_LZ4;
    if (a->codec == CODEC_LZ4 && strcmp(class, "Lz4Codec") != 0)
        streaming_notes_add(a, "%s: lz4 is used in the place of %s", g.name, class);
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

static int set_comparator(struct streaming_args *a, void *to, struct given g, struct err *err)
{
    (void)to;
    return streaming_settings_class(g.name, g.text, "KeyFieldBasedComparator", "Text$Comparator",
                                    &a->comparator, err);
}

static int set_partitioner(struct streaming_args *a, void *to, struct given g, struct err *err)
{
    (void)to;
    return streaming_settings_class(g.name, g.text, "KeyFieldBasedPartitioner", "HashPartitioner",
                                    &a->partitioner, err);
}

/* Any text; \\t is how some write a TAB. */
static int set_separator(struct streaming_args *a, void *to, struct given g, struct err *err)
{
    const char *text = strcmp(g.text, "\\t") == 0 ? "\t" : g.text;

    (void)a;
    *(const char **)to = text;
    return *text ? 0 : err_set(err, "%s: expected a character or more", g.name);
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

static int set_order(struct streaming_args *a, void *to, struct given g, struct err *err)
{
    const char *text = without_field_0(a, g.text);
    struct key_order order = {0};
    struct err why;

    *(const char **)to = text;
    int result = key_order_parse(&order, text, "\t", &why);
    key_order_fini(&order);
    return result < 0 ? err_set(err, "%s: %s", g.name, why.text) : 0;
}

/* The opposite of what Hadoop's setting is about. */
static int set_not(struct streaming_args *a, void *to, struct given g, struct err *err)
{
    bool value = true;

    if (set_truth(a, &value, g, err) < 0)
        return -1;
    *(bool *)to = !value;
    return 0;
}

static int set_keys(struct streaming_args *a, void *to, struct given g, struct err *err)
{
    bool keys = false;
    int result = set_not(a, &keys, g, err);

    (void)to;
    a->keys = result < 0 ? a->keys : keys;
    return result;
}

static int set_attempts(struct streaming_args *a, void *to, struct given g, struct err *err)
{
    int64_t value;

    (void)to;
    if (take_count(g, 1, 100, &value, err) < 0)
        return -1;
    str_cut(&a->failures, 0);
    str_addf(&a->failures, "failures_max=%d", (int)value);
    return 0;
}

/* A share, in whole percents; Hadoop's 0 is to start at once, which is not ours. */
static int set_slow_start(struct streaming_args *a, void *to, struct given g, struct err *err)
{
    char *end;
    double share = strtod(g.text, &end);

    (void)to;
    if (end == g.text || *end || !(share >= 0 && share <= 1))
        return err_set(err, "%s: expected a share from 0 to 1, not '%s'", g.name, g.text);
    str_cut(&a->slow_start, 0);
    int percent = (int)(share * 100 + 0.5);
    str_addf(&a->slow_start, " slowstart=%d%%", percent > 0 ? percent : 1);
    return 0;
}

/* `to` is the field of the arguments at `field`, for functions that set several. */
#define AT(name) offsetof(struct streaming_args, name)
static const struct {
    const char *name;
    int (*set)(struct streaming_args *a, void *to, struct given g, struct err *err);
    size_t field;
} settings[] = {
    {"mapreduce.job.name", set_job, 0},
    {"mapred.job.name", set_job, 0},
    {"mapreduce.job.reduces", set_reducers, 0},
    {"mapred.reduce.tasks", set_reducers, 0},
    {"stream.num.map.output.key.fields", set_fields, AT(key_fields)},
    {"num.key.fields.for.partition", set_fields, AT(partition_fields)},
    {"stream.map.output.field.separator", set_separator, AT(separator)},
    {"map.output.key.field.separator", set_separator, AT(key_separator)},
    {"mapreduce.map.output.key.field.separator", set_separator, AT(key_separator)},
    {"mapreduce.input.fileinputformat.split.maxsize", set_piece, 0},
    {"mapred.max.split.size", set_piece, 0},
    {"mapreduce.task.io.sort.mb", set_memory, AT(memory)},
    {"io.sort.mb", set_memory, AT(memory)},
    {"mapreduce.task.timeout", set_timeout, 0},
    {"mapred.task.timeout", set_timeout, 0},
    {"mapreduce.map.speculative", set_not, AT(map_once)},
    {"mapred.map.tasks.speculative.execution", set_not, AT(map_once)},
    {"mapreduce.reduce.speculative", set_not, AT(reduce_once)},
    {"mapred.reduce.tasks.speculative.execution", set_not, AT(reduce_once)},
    {"mapreduce.map.output.compress", set_truth, AT(compress)},
    {"mapred.compress.map.output", set_truth, AT(compress)},
    {"mapreduce.map.output.compress.codec", set_codec, 0},
    {"mapred.map.output.compression.codec", set_codec, 0},
    {"mapreduce.job.output.key.comparator.class", set_comparator, 0},
    {"mapred.output.key.comparator.class", set_comparator, 0},
    {"mapreduce.partition.keycomparator.options", set_order, AT(order)},
    {"mapred.text.key.comparator.options", set_order, AT(order)},
    {"mapreduce.job.partitioner.class", set_partitioner, 0},
    {"mapred.partitioner.class", set_partitioner, 0},
    {"mapreduce.partition.keypartitioner.options", set_order, AT(partition_by)},
    {"mapred.text.key.partitioner.options", set_order, AT(partition_by)},
    {"mapreduce.input.lineinputformat.linespermap", set_lines, 0},
    {"mapred.line.input.format.linespermap", set_lines, 0},
    {"stream.map.input.ignoreKey", set_keys, 0},
    {"mapreduce.map.maxattempts", set_attempts, 0},
    {"mapred.map.max.attempts", set_attempts, 0},
    {"mapreduce.reduce.maxattempts", set_attempts, 0},
    {"mapred.reduce.max.attempts", set_attempts, 0},
    {"mapreduce.job.reduce.slowstart.completedmaps", set_slow_start, 0},
    {"mapred.reduce.slowstart.completed.maps", set_slow_start, 0},
    {"mapreduce.map.memory.mb", set_limit, AT(memory_limit[0])},
    {"mapreduce.reduce.memory.mb", set_limit, AT(memory_limit[1])},
    {"mapreduce.input.fileinputformat.input.dir.recursive", set_truth, AT(job.how.recursive)},
    {"mapred.input.dir.recursive", set_truth, AT(job.how.recursive)},
    {"stream.reduce.input.field.separator", set_separator, AT(reduce_separator)},
    {"stream.reduce.output.field.separator", set_separator, AT(printed_separator)},
    {"stream.num.reduce.output.key.fields", set_fields, AT(result_fields)},
    {"mapreduce.output.textoutputformat.separator", set_separator, AT(result_separator)},
    {"mapred.textoutputformat.separator", set_separator, AT(result_separator)},
    {"mapreduce.textoutputformat.separator", set_separator, AT(result_separator)},
    {"stream.map.input.field.separator", set_separator, AT(offset_separator)},
    {"mapreduce.input.keyvaluelinerecordreader.key.value.separator", set_separator,
     AT(pair_separator)},
    {"key.value.separator.in.input.line", set_separator, AT(pair_separator)},
    {"stream.non.zero.exit.is.failure", set_not, AT(any_status)},
};

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
            struct given given = {settings[i].name, equals + 1};
            result = settings[i].set(a, (char *)a + settings[i].field, given, err);
            honoured = true;
        }
    if (!honoured)
        result = streaming_known_take(a, name.text, equals + 1, nearest(name.text), err);
    str_free(&name);
    return result;
}
