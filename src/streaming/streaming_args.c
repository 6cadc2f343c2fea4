/* streaming_args.c - Hadoop Streaming's command line. See streaming_args.h.
 *
 * Options have one dash (two are fine) and a value. */
#include "streaming/streaming_args.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "streaming/streaming_settings.h"

/* ---- options ---- */

static int take_files(struct streaming_args *a, const char *text,
                      int (*add)(struct datajob *j, const char *text, struct err *err),
                      struct err *err)
{
    char *list = mem_strdup(text), *rest = list;
    int result = 0;

    for (char *item; result == 0 && (item = strsep(&rest, ","));)
        result = add(&a->job, item, err);
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

static int take_format(struct streaming_args *a, const char *option, const char *text,
                       struct err *err)
{
    const char *name = streaming_settings_class_of(text);

    a->nline = strcmp(name, "NLineInputFormat") == 0;
    if (a->nline || strcmp(name, "TextInputFormat") == 0 || strcmp(name, "TextOutputFormat") == 0)
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

    if (streaming_settings_count("-slots", text, 1, 100000, &value, err) < 0)
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
    a->aggregates = strcmp(text, "aggregate") == 0;
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
    if (IS("combiner")) {
        a->combiner_aggregates = strcmp(text, "aggregate") == 0;
        return take_command(&a->combiner, name, text, err);
    }
    if (IS("reducer"))
        return take_reducer(a, text, err);
    if (IS("numReduceTasks"))
        return streaming_settings_reducers(a, "-numReduceTasks", text, err);
    if (IS("files") || IS("file"))
        return take_files(a, text, datajob_add_file, err);
    if (IS("archives"))
        return take_files(a, text, datajob_add_archive, err);
    if (IS("cmdenv"))
        return take_variable(a, text, err);
    if (IS("D") || IS("jobconf"))
        return streaming_settings_take(a, text, err);
    if (IS("partitioner"))
        return streaming_settings_class("-partitioner", text, "KeyFieldBasedPartitioner",
                                        &a->partitioner, err);
    if (IS("inputformat") || IS("outputformat"))
        return take_format(a, name, text, err);
    if (IS("slots"))
        return take_slots(a, text, err);
    const char **of_agents = IS("on")        ? &a->job.on.on
                             : IS("scratch") ? &a->job.on.scratch
                             : IS("slurm")   ? &a->job.on.slurm
                                             : NULL;
    char **place = IS("output")   ? &a->job.output
                   : IS("policy") ? &a->job.policy
                   : IS("chaos")  ? &a->job.chaos
                                  : NULL;
#undef IS
    if (of_agents)
        *of_agents = text;
    if (place)
        mem_replace(place, text);
    if (of_agents || place)
        return 0;
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
    if (strcmp(name, "pull") == 0)
        return a->job.on.pull = true;
    return is_help || strcmp(name, "verbose") == 0 || strcmp(name, "lazyOutput") == 0 ||
           strcmp(name, "background") == 0;
}

/* ---- the job ---- */

static struct plan_phase *add_phase(struct streaming_args *a, const char *name, const char *command,
                                    bool once, uint64_t memory_limit)
{
    struct plan_phase *p = datajob_add_phase(&a->job, name, command);

    p->quiet_us = a->quiet_us;
    p->memory_limit = memory_limit;
    if (once)
        str_add(&a->job.keys.at[a->job.keys.count - 1], " clone=never");
    return p;
}

static void add_mapper(struct streaming_args *a)
{
    struct plan_phase *map = add_phase(a, "map", a->mapper, a->map_once, a->memory_limit[0]);

    map->partitions = a->reducers;
    map->key_fields = a->key_fields;
    map->partition_fields = a->partition_fields;
    map->memory = a->memory;
    map->codec = a->compress ? a->codec : CODEC_PLAIN;
    map->separator[0] = a->separator[0];
    map->key_separator = mem_strdup(a->key_separator);
    map->order = a->comparator ? mem_strdup(a->order ? a->order : "") : NULL;
    map->partition_by = a->partitioner ? mem_strdup(a->partition_by) : NULL;
    map->offsets = a->keys < 0 ? a->nline : (uint32_t)a->keys;
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
    if (a->slow_start.text)
        str_add(&a->job.keys.at[1], a->slow_start.text);
}

/* Under Hadoop, an order or parts of keys without the class for it are not looked at. */
static int check_classes(const struct streaming_args *a, struct err *err)
{
    if (a->order && !a->comparator)
        return err_set(err, "an order of keys needs -D mapreduce.job.output.key.comparator.class="
                            "KeyFieldBasedComparator");
    if (a->partition_by && !a->partitioner)
        return err_set(err, "parts of keys to partition by need -partitioner "
                            "KeyFieldBasedPartitioner");
    return 0;
}

/* Nodes that share no folder do not see what was unpacked in that of the results. */
static int check_nodes(struct streaming_args *a, struct err *err)
{
    a->job.on.slots = a->job.slots;
    if (on_check(&a->job.on, err) < 0)
        return -1;
    if (a->job.on.pull && a->job.archives.count > 0)
        return err_set(err, "-archives: nodes would not see what was unpacked, because of -pull");
    return 0;
}

static int finish(struct streaming_args *a, struct err *err)
{
    const char *missing = a->job.inputs.texts.count == 0 ? "input"
                          : !a->job.output               ? "output"
                          : !a->mapper                   ? "mapper"
                                                         : NULL;

    if (missing)
        return err_set(err, "-%s is missing", missing);
    if (check_classes(a, err) < 0 || check_nodes(a, err) < 0 ||
        datajob_add_self(&a->aggregate[0], "task aggregate", err) < 0 ||
        datajob_add_self(&a->aggregate[1], "task aggregate again", err) < 0)
        return -1;
    if (!a->job.plan.job)
        mem_replace(&a->job.plan.job, "streaming");
    a->job.piece_lines = a->nline ? (uint64_t)a->lines : 0;
    if (a->failures.text)
        vec_push(&a->job.settings.texts, a->failures.text);
    add_mapper(a);
    if (a->reducers > 0)
        add_reducer(a);
    return 0;
}

int streaming_args_read(struct streaming_args *a, int argc, char **argv, struct err *err)
{
    *a = (struct streaming_args){.reducers = 1,
                                 .quiet_us = PLAN_QUIET_US,
                                 .key_fields = 1,
                                 .separator = "\t",
                                 .key_separator = "\t",
                                 .lines = 1,
                                 .keys = -1,
                                 .codec = CODEC_LZ4,
                                 .job.on = ON_UNSAID,
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
            if (streaming_settings_take(a, name + 1, err) < 0)
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
    for (int i = 0; i < 2; i++)
        str_free(&a->aggregate[i]);
    str_free(&a->slow_start);
    str_free(&a->failures);
    datajob_fini(&a->job);
}
