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

/* A setting that is honoured. */
struct setting {
    const char *name;
    int (*set)(struct streaming_args *a, const struct setting *s, const char *text,
               struct err *err);
    size_t field;     /* of the arguments */
    int64_t min, max; /* of a number */
};

static void *field_of(struct streaming_args *a, const struct setting *s)
{
    return (char *)a + s->field;
}

static int set_job(struct streaming_args *a, const struct setting *s, const char *text,
                   struct err *err)
{
    (void)err;
    mem_replace(field_of(a, s), text);
    return 0;
}

static int set_number(struct streaming_args *a, const struct setting *s, const char *text,
                      struct err *err)
{
    return streaming_settings_count(s->name, text, s->min, s->max, field_of(a, s), err);
}

static int set_count(struct streaming_args *a, const struct setting *s, const char *text,
                     struct err *err)
{
    int64_t value;

    if (streaming_settings_count(s->name, text, s->min, s->max, &value, err) < 0)
        return -1;
    *(uint32_t *)field_of(a, s) = (uint32_t)value;
    return 0;
}

static int set_fields(struct streaming_args *a, const struct setting *s, const char *text,
                      struct err *err)
{
    uint32_t *fields = field_of(a, s);
    int result = set_count(a, s, text, err);

    *fields += *fields == 0; /* as Hadoop has it */
    return result;
}

static int set_mebibytes(struct streaming_args *a, const struct setting *s, const char *text,
                         struct err *err)
{
    int result = set_number(a, s, text, err);

    *(uint64_t *)field_of(a, s) <<= result < 0 ? 0 : 20;
    return result;
}

/* Milliseconds; 0 is for ever. */
static int set_timeout(struct streaming_args *a, const struct setting *s, const char *text,
                       struct err *err)
{
    int result = set_number(a, s, text, err);

    a->quiet_us *= result < 0 ? 1 : 1000;
    return result;
}

static int set_truth(struct streaming_args *a, const struct setting *s, const char *text,
                     struct err *err)
{
    bool *value = field_of(a, s);

    *value = strcasecmp(text, "true") == 0;
    return *value || strcasecmp(text, "false") == 0
               ? 0
               : err_set(err, "%s: expected true or false, not '%s'", s->name, text);
}

/* A class of Hadoop without its package. */
const char *streaming_settings_class_of(const char *text)
{
    const char *dot = strrchr(text, '.');

    return dot ? dot + 1 : text;
}

/* Nobody sees what is packed by it, so another will do. */
static int set_codec(struct streaming_args *a, const struct setting *s, const char *text,
                     struct err *err)
{
    const char *class = streaming_settings_class_of(text);

    (void)err;
    a->codec = strcmp(class, "ZStandardCodec") == 0 ? CODEC_ZSTD : CODEC_LZ4;
    if (a->codec == CODEC_LZ4 && strcmp(class, "Lz4Codec") != 0)
        streaming_notes_add(a, "%s: lz4 is used in the place of %s", s->name, class);
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

static int set_comparator(struct streaming_args *a, const struct setting *s, const char *text,
                          struct err *err)
{
    return streaming_settings_class(s->name, text, "KeyFieldBasedComparator", "Text$Comparator",
                                    field_of(a, s), err);
}

static int set_partitioner(struct streaming_args *a, const struct setting *s, const char *text,
                           struct err *err)
{
    return streaming_settings_class(s->name, text, "KeyFieldBasedPartitioner", "HashPartitioner",
                                    field_of(a, s), err);
}

/* Any text; \\t is how some write a TAB. */
static int set_separator(struct streaming_args *a, const struct setting *s, const char *text,
                         struct err *err)
{
    *(const char **)field_of(a, s) = strcmp(text, "\\t") == 0 ? "\t" : text;
    return *text ? 0 : err_set(err, "%s: expected a character or more", s->name);
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

static int set_order(struct streaming_args *a, const struct setting *s, const char *text,
                     struct err *err)
{
    const char *parsed = without_field_0(a, text);
    struct key_order order = {0};
    struct err why;

    *(const char **)field_of(a, s) = parsed;
    int result = key_order_parse(&order, parsed, "\t", &why);
    vec_free(&order.terms);
    return result < 0 ? err_set(err, "%s: %s", s->name, why.text) : 0;
}

/* The opposite of what Hadoop's setting is about. */
static int set_not(struct streaming_args *a, const struct setting *s, const char *text,
                   struct err *err)
{
    bool *value = field_of(a, s);
    int result = set_truth(a, s, text, err);

    *value = !*value;
    return result;
}

static int set_keys(struct streaming_args *a, const struct setting *s, const char *text,
                    struct err *err)
{
    bool ignored = strcasecmp(text, "true") == 0;

    if (!ignored && strcasecmp(text, "false") != 0)
        return err_set(err, "%s: expected true or false, not '%s'", s->name, text);
    a->keys = !ignored;
    return 0;
}

static int set_attempts(struct streaming_args *a, const struct setting *s, const char *text,
                        struct err *err)
{
    int64_t value;

    if (streaming_settings_count(s->name, text, s->min, s->max, &value, err) < 0)
        return -1;
    str_cut(&a->failures, 0);
    str_addf(&a->failures, "failures_max=%d", (int)value);
    return 0;
}

/* A share, in whole percents; Hadoop's 0 is to start at once, which is not ours. */
static int set_slow_start(struct streaming_args *a, const struct setting *s, const char *text,
                          struct err *err)
{
    char *end;
    double share = strtod(text, &end);

    if (end == text || *end || !(share >= 0 && share <= 1))
        return err_set(err, "%s: expected a share from 0 to 1, not '%s'", s->name, text);
    str_cut(&a->slow_start, 0);
    int percent = (int)(share * 100 + 0.5);
    str_addf(&a->slow_start, " slowstart=%d%%", percent > 0 ? percent : 1);
    return 0;
}

#define FILLS(member) offsetof(struct streaming_args, member), 0, 0
#define RANGE(member, least, most) offsetof(struct streaming_args, member), least, most
static const struct setting settings[] = {
    {"mapreduce.job.name", set_job, FILLS(job.plan.job)},
    {"mapred.job.name", set_job, FILLS(job.plan.job)},
    {"mapreduce.job.reduces", set_count, RANGE(reducers, 0, SORTED_FILE_PARTITIONS_MAX)},
    {"mapred.reduce.tasks", set_count, RANGE(reducers, 0, SORTED_FILE_PARTITIONS_MAX)},
    {"stream.num.map.output.key.fields", set_fields, RANGE(key_fields, 0, 1000000)},
    {"num.key.fields.for.partition", set_fields, RANGE(partition_fields, 0, 1000000)},
    {"stream.map.output.field.separator", set_separator, FILLS(separator)},
    {"map.output.key.field.separator", set_separator, FILLS(key_separator)},
    {"mapreduce.map.output.key.field.separator", set_separator, FILLS(key_separator)},
    {"mapreduce.input.fileinputformat.split.maxsize", set_number,
     RANGE(job.piece_bytes, 1, INT64_MAX)},
    {"mapred.max.split.size", set_number, RANGE(job.piece_bytes, 1, INT64_MAX)},
    {"mapreduce.task.io.sort.mb", set_mebibytes, RANGE(memory, 1, SORTER_MEMORY_MAX >> 20)},
    {"io.sort.mb", set_mebibytes, RANGE(memory, 1, SORTER_MEMORY_MAX >> 20)},
    {"mapreduce.task.timeout", set_timeout, RANGE(quiet_us, 0, 1000000000)},
    {"mapred.task.timeout", set_timeout, RANGE(quiet_us, 0, 1000000000)},
    {"mapreduce.map.speculative", set_not, FILLS(map_once)},
    {"mapred.map.tasks.speculative.execution", set_not, FILLS(map_once)},
    {"mapreduce.reduce.speculative", set_not, FILLS(reduce_once)},
    {"mapred.reduce.tasks.speculative.execution", set_not, FILLS(reduce_once)},
    {"mapreduce.map.output.compress", set_truth, FILLS(compress)},
    {"mapred.compress.map.output", set_truth, FILLS(compress)},
    {"mapreduce.map.output.compress.codec", set_codec, FILLS(codec)},
    {"mapred.map.output.compression.codec", set_codec, FILLS(codec)},
    {"mapreduce.job.output.key.comparator.class", set_comparator, FILLS(comparator)},
    {"mapred.output.key.comparator.class", set_comparator, FILLS(comparator)},
    {"mapreduce.partition.keycomparator.options", set_order, FILLS(order)},
    {"mapred.text.key.comparator.options", set_order, FILLS(order)},
    {"mapreduce.job.partitioner.class", set_partitioner, FILLS(partitioner)},
    {"mapred.partitioner.class", set_partitioner, FILLS(partitioner)},
    {"mapreduce.partition.keypartitioner.options", set_order, FILLS(partition_by)},
    {"mapred.text.key.partitioner.options", set_order, FILLS(partition_by)},
    {"mapreduce.input.lineinputformat.linespermap", set_number, RANGE(lines, 1, INT64_MAX)},
    {"mapred.line.input.format.linespermap", set_number, RANGE(lines, 1, INT64_MAX)},
    {"stream.map.input.ignoreKey", set_keys, FILLS(keys)},
    {"mapreduce.map.maxattempts", set_attempts, RANGE(failures, 1, 100)},
    {"mapred.map.max.attempts", set_attempts, RANGE(failures, 1, 100)},
    {"mapreduce.reduce.maxattempts", set_attempts, RANGE(failures, 1, 100)},
    {"mapred.reduce.max.attempts", set_attempts, RANGE(failures, 1, 100)},
    {"mapreduce.job.reduce.slowstart.completedmaps", set_slow_start, FILLS(slow_start)},
    {"mapred.reduce.slowstart.completed.maps", set_slow_start, FILLS(slow_start)},
    {"mapreduce.map.memory.mb", set_mebibytes, RANGE(memory_limit[0], 1, INT64_C(1) << 40)},
    {"mapreduce.reduce.memory.mb", set_mebibytes, RANGE(memory_limit[1], 1, INT64_C(1) << 40)},
    {"mapreduce.input.fileinputformat.input.dir.recursive", set_truth, FILLS(job.how.recursive)},
    {"mapred.input.dir.recursive", set_truth, FILLS(job.how.recursive)},
    {"stream.reduce.input.field.separator", set_separator, FILLS(reduce_separator)},
    {"stream.reduce.output.field.separator", set_separator, FILLS(printed_separator)},
    {"stream.num.reduce.output.key.fields", set_fields, RANGE(result_fields, 0, 1000000)},
    {"mapreduce.output.textoutputformat.separator", set_separator, FILLS(result_separator)},
    {"mapred.textoutputformat.separator", set_separator, FILLS(result_separator)},
    {"mapreduce.textoutputformat.separator", set_separator, FILLS(result_separator)},
    {"stream.map.input.field.separator", set_separator, FILLS(offset_separator)},
    {"mapreduce.input.keyvaluelinerecordreader.key.value.separator", set_separator,
     FILLS(pair_separator)},
    {"key.value.separator.in.input.line", set_separator, FILLS(pair_separator)},
    {"stream.non.zero.exit.is.failure", set_not, FILLS(any_status)},
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
            result = settings[i].set(a, &settings[i], equals + 1, err);
            honoured = true;
        }
    if (!honoured)
        result = streaming_known_take(a, name.text, equals + 1, nearest(name.text), err);
    str_free(&name);
    return result;
}
