/* job_file.c - a data-parallel job as people write it. See job_file.h.
 *
 * Keys that workload files have as well are checked by their tables
 * (inputs/workload/workload_keys.h) and handed on as they are written; so they have the same units,
 * ranges and messages. */
#include "jobs/run/job_file.h"

#include <limits.h>
#include <string.h>

#include "base/mem.h"
#include "data/key_order.h"
#include "data/sorted_file.h"
#include "data/sorter.h"
#include "inputs/config/key.h"
#include "inputs/workload/workload_keys.h"
#include "jobs/run/job_sim.h"
#include "jobs/run/native_bind.h"

/* Texts of keys that are handed on. */
struct job_keys {
    const char *user, *queue, *weight, *running_max, *app;
    const char *output, *policy, *nodes;
    struct field_list inputs, files, archives, env, settings;
    int64_t split;
    uint32_t slots, split_lines;
    int compress;
};

struct phase_keys {
    const char *cpu, *mem, *x, *y, *clone, *expect, *expect_dev, *pattern, *slowstart;
    const char *run, *native, *combine, *after, *separator, *key_separator, *order, *partition_by;
    struct field_list sim;
    int64_t sort_memory, memory_limit, timeout;
    uint32_t tasks, key_fields, partition_fields;
    int compress;
};

#define JOB_ROW(name, type, field, min, max) FIELD_ROW(name, type, struct job_keys, field, min, max)
#define PHASE_ROW(name, type, field, min, max)                                                     \
    FIELD_ROW(name, type, struct phase_keys, field, min, max)

enum { TEXT_MAX = 100 * 1000, JOB_HANDED_ON = 5, PHASE_HANDED_ON = 9 };

static const struct field job_rows[] = {
    {JOB_ROW("user", FIELD_TEXT, user, 1, TEXT_MAX)},
    {JOB_ROW("queue", FIELD_TEXT, queue, 1, TEXT_MAX)},
    {JOB_ROW("weight", FIELD_TEXT, weight, 1, TEXT_MAX)},
    {JOB_ROW("running_max", FIELD_TEXT, running_max, 1, TEXT_MAX)},
    {JOB_ROW("app", FIELD_TEXT, app, 1, TEXT_MAX)}, /* JOB_HANDED_ON so far */
    {JOB_ROW("input", FIELD_LIST, inputs, 1, TEXT_MAX)},
    {JOB_ROW("output", FIELD_TEXT, output, 1, PATH_MAX - 1)},
    {JOB_ROW("split", FIELD_BYTES, split, 1, KEY_BYTES_MAX)},
    {JOB_ROW("split_lines", FIELD_COUNT, split_lines, 1, UINT32_MAX)},
    {JOB_ROW("files", FIELD_LIST, files, 1, TEXT_MAX)},
    {JOB_ROW("archives", FIELD_LIST, archives, 1, TEXT_MAX)},
    {JOB_ROW("env", FIELD_LIST, env, 1, TEXT_MAX)},
    {JOB_ROW("policy", FIELD_TEXT, policy, 1, TEXT_MAX)},
    {JOB_ROW("set", FIELD_LIST, settings, 1, TEXT_MAX)},
    {JOB_ROW("slots", FIELD_COUNT, slots, 1, 100000)},
    {JOB_ROW("nodes", FIELD_TEXT, nodes, 1, TEXT_MAX)},
    {JOB_ROW("compress", FIELD_CHOICE, compress, 0, 0), .choices = CODEC_NAMES},
    {0},
};

static const struct field phase_rows[] = {
    {PHASE_ROW("cpu", FIELD_TEXT, cpu, 1, TEXT_MAX)},
    {PHASE_ROW("mem", FIELD_TEXT, mem, 1, TEXT_MAX)},
    {PHASE_ROW("x", FIELD_TEXT, x, 1, TEXT_MAX)},
    {PHASE_ROW("y", FIELD_TEXT, y, 1, TEXT_MAX)},
    {PHASE_ROW("clone", FIELD_TEXT, clone, 1, TEXT_MAX)},
    {PHASE_ROW("expect", FIELD_TEXT, expect, 1, TEXT_MAX)},
    {PHASE_ROW("expect_dev", FIELD_TEXT, expect_dev, 1, TEXT_MAX), .needs = "expect"},
    {PHASE_ROW("pattern", FIELD_TEXT, pattern, 1, TEXT_MAX), .needs = "after"},
    {PHASE_ROW("slowstart", FIELD_TEXT, slowstart, 1, TEXT_MAX), .needs = "after"}, /* handed on */
    {PHASE_ROW("run", FIELD_TEXT, run, 1, TEXT_MAX)},
    {PHASE_ROW("native", FIELD_TEXT, native, 1, TEXT_MAX)},
    {PHASE_ROW("combine", FIELD_TEXT, combine, 1, TEXT_MAX)},
    {PHASE_ROW("after", FIELD_TEXT, after, 1, TEXT_MAX)},
    {PHASE_ROW("tasks", FIELD_COUNT, tasks, 1, SORTED_FILE_PARTITIONS_MAX), .needs = "after"},
    {PHASE_ROW("separator", FIELD_TEXT, separator, 1, 1)},
    {PHASE_ROW("key_separator", FIELD_TEXT, key_separator, 1, 1)},
    {PHASE_ROW("order", FIELD_TEXT, order, 1, TEXT_MAX)},
    {PHASE_ROW("partition_by", FIELD_TEXT, partition_by, 1, TEXT_MAX)},
    {PHASE_ROW("key_fields", FIELD_COUNT, key_fields, 1, 1e6)},
    {PHASE_ROW("partition_fields", FIELD_COUNT, partition_fields, 1, 1e6)},
    {PHASE_ROW("sim", FIELD_LIST, sim, 1, TEXT_MAX)},
    {PHASE_ROW("memory_limit", FIELD_BYTES, memory_limit, 1 << 20, KEY_BYTES_MAX)},
    {PHASE_ROW("timeout", FIELD_TIME, timeout, 0, 1e6)},
    {PHASE_ROW("sort_memory", FIELD_BYTES, sort_memory, SORTER_MEMORY_MIN, SORTER_MEMORY_MAX)},
    {PHASE_ROW("compress", FIELD_CHOICE, compress, 0, 0), .choices = CODEC_NAMES},
    {0},
};

static const struct key_kind job_kind = {"job", "NAME", job_rows};
static const struct key_kind phase_kind = {"phase", "NAME", phase_rows};

/* Checks the first `count` keys of a line by the workload's table, and hands them on. */
static int hand_on(const struct line *line, const struct field *rows, int count, const void *values,
                   const struct key_kind *as, void *scratch, struct str *to, struct err *err)
{
    for (int i = 0; i < count; i++) {
        char *text = *(char *const *)(const void *)((const char *)values + rows[i].offset);
        const struct field *row = field_find(as->keys, rows[i].name);
        if (!text)
            continue;
        struct line at = *line; /* borrows its pairs */
        at.number = line_number(line, row->name);
        if (key_value(&at, row, row->name, text, (char *)scratch + row->offset, err) < 0)
            return -1;
        str_addf(to, " %s=%s", row->name, text);
    }
    return 0;
}

/* ---- the job ---- */

static int take_job(struct datajob *j, const struct line *line, struct job_keys *k, struct err *err)
{
    struct job_template scratch = {0};
    struct err why;

    if (k->inputs.texts.count == 0 || !k->output)
        return line_fail(line, err, "a job without %s; expected `%s: PATH`",
                         k->output ? "an input" : "an output", k->output ? "input" : "output");
    if (hand_on(line, job_rows, JOB_HANDED_ON, k, &workload_keys[WORKLOAD_JOB], &scratch,
                &j->job_keys, err) < 0)
        return -1;
    for (uint32_t i = 0; i < k->files.texts.count; i++)
        if (datajob_add_file(j, k->files.texts.at[i], &why) < 0)
            return line_fail_at(line, "files", err, "%s", why.text);
    for (uint32_t i = 0; i < k->archives.texts.count; i++)
        if (datajob_add_archive(j, k->archives.texts.at[i], &why) < 0)
            return line_fail_at(line, "archives", err, "%s", why.text);
    for (uint32_t i = 0; i < k->env.texts.count; i++) {
        const char *pair = k->env.texts.at[i];
        if (pair[0] == '=' || !strchr(pair, '='))
            return line_fail_at(line, "env", err, "env: expected NAME=VALUE, not '%s'",
                                line_quote(pair).text);
        vec_push(&j->plan.env, mem_strdup(pair));
    }
    j->output = mem_strdup(k->output);
    j->run.policy = k->policy;
    j->piece_bytes = (uint64_t)k->split;
    j->piece_lines = k->split_lines;
    j->run.slots = k->slots;
    j->codec = (enum codec)k->compress;
    j->run.nodes = k->nodes;
    return 0;
}

static int read_job(struct datajob *j, const struct line *line, struct err *err)
{
    struct job_keys k = {0};
    uint64_t given = 0;

    if (line->name && key_name(line, "job", line->name, err) < 0)
        return -1;
    j->plan.job = mem_strdup(line->name ? line->name : "job");
    int result = key_fill(line, &job_kind, &k, &given, err);
    if (result == 0)
        result = take_job(j, line, &k, err);
    j->inputs = k.inputs;
    j->run.settings = k.settings;
    vec_free(&k.files.texts);
    vec_free(&k.archives.texts);
    vec_free(&k.env.texts);
    return result;
}

/* ---- phases ---- */

/* Each phase but the last is read by one, the next: the first alone has nothing above it, and a
 * phase is read once. */
static int find_above(const struct datajob *j, uint32_t index, const struct line *line,
                      const char *after, uint32_t *above, struct err *err)
{
    if (strchr(after, ','))
        return line_fail_at(line, "after", err,
                            "after: a phase reads one phase; expected a single name");
    *above = plan_find_phase(&j->plan, after);
    if (*above >= index) /* PLAN_INPUTS, or the phase itself */
        return line_fail_at(line, "after", err, "after: no phase above is called '%s'",
                            line_quote(after).text);
    for (uint32_t i = 0; i < j->plan.phases.count; i++)
        if (j->plan.phases.at[i].above == *above)
            return line_fail_at(line, "after", err, "after: phase '%s' is read by '%s' already",
                                after, j->plan.phases.at[i].name);
    return 0;
}

/* Who reads partitions has as many tasks as there are partitions; whoever reads what one task
 * printed, as there are tasks. */
static int join_phases(struct datajob *j, const struct line *line, const struct phase_keys *k,
                       struct plan_phase *p, struct err *err)
{
    uint32_t index = (uint32_t)(p - j->plan.phases.at), above = PLAN_INPUTS;

    if (!k->after)
        return index == 0 ? 0
                          : line_fail(line, err,
                                      "only the first phase reads the input; expected "
                                      "`after: PHASE`");
    if (find_above(j, index, line, k->after, &above, err) < 0)
        return -1;
    if (k->native && j->plan.phases.at[above].order)
        return line_fail_at(line, "native", err,
                            "native: functions read keys in the order of their bytes, and phase "
                            "'%s' has another order",
                            k->after);
    p->above = above;
    p->tasks = k->tasks > 0 ? k->tasks : 1;
    if (!k->pattern || strcmp(k->pattern, "all-to-all") == 0)
        j->plan.phases.at[above].partitions = p->tasks;
    if (k->pattern && strcmp(k->pattern, "one-to-one") == 0) {
        if (k->tasks > 0)
            return line_fail_at(line, "tasks", err,
                                "tasks: expected as many as in the phase above, because this one "
                                "is one-to-one");
        p->tasks = 0;
    }
    return 0;
}

static int check_order(const struct line *line, const char *key, const char *text, struct err *err)
{
    struct key_order order = {0};
    struct err why;
    int result = text ? key_order_parse(&order, text, " ", &why) : 0;

    vec_free(&order.terms);
    return result < 0 ? line_fail_at(line, key, err, "%s: %s", key, why.text) : 0;
}

/* Functions see keys, and keys in another order are not theirs any more. */
static int take_order(const struct line *line, const struct phase_keys *k, struct plan_phase *p,
                      struct err *err)
{
    if (k->order && k->native)
        return line_fail_at(line, "order", err,
                            "order: expected only where a command prints the keys");
    if (check_order(line, "order", k->order, err) < 0 ||
        check_order(line, "partition_by", k->partition_by, err) < 0)
        return -1;
    p->order = mem_strdup(k->order);
    p->partition_by = mem_strdup(k->partition_by);
    p->key_separator = mem_strdup(k->key_separator);
    return 0;
}

static int take_phase(struct datajob *j, const struct line *line, const struct phase_keys *k,
                      struct err *err)
{
    struct phase_fields scratch = {0};
    struct err why;

    if (!k->run == !k->native)
        return line_fail(line, err,
                         "phase '%s' has %s to do; expected `run: COMMAND` or `native: FILE`",
                         line->name, k->run ? "two things" : "nothing");
    if (plan_find_phase(&j->plan, line->name) != PLAN_INPUTS)
        return line_fail(line, err, "phase '%s' already exists", line->name);
    struct plan_phase *p = datajob_add_phase(j, line->name, k->run ? k->run : "");
    p->combiner = mem_strdup(k->combine);
    p->key_fields = k->key_fields > 0 ? k->key_fields : p->key_fields;
    p->partition_fields = k->partition_fields;
    p->memory = k->sort_memory > 0 ? (uint64_t)k->sort_memory : p->memory;
    p->memory_limit = (uint64_t)k->memory_limit;
    p->quiet_us = k->timeout;
    p->codec = (uint32_t)k->compress;
    if (k->separator)
        p->separator[0] = k->separator[0];
    if (hand_on(line, phase_rows, PHASE_HANDED_ON, k, &workload_keys[WORKLOAD_PHASE], &scratch,
                &j->keys.at[j->keys.count - 1], err) < 0)
        return -1;
    for (uint32_t i = 0; i < k->sim.texts.count; i++)
        if (job_sim_take(&j->sims.at[j->sims.count - 1], k->sim.texts.at[i], &why) < 0)
            return line_fail_at(line, "sim", err, "%s", why.text);
    if (take_order(line, k, p, err) < 0 || join_phases(j, line, k, p, err) < 0)
        return -1;
    return k->native && native_bind(&j->plan, p, k->native, &why) < 0
               ? line_fail_at(line, "native", err, "native: %s", why.text)
               : 0;
}

static int read_phase(struct datajob *j, const struct line *line, struct err *err)
{
    struct phase_keys k = {.timeout = PLAN_QUIET_US, .compress = (int)j->codec};
    uint64_t given = 0;

    if (!line->name)
        return line_fail(line, err, "a phase without a name; expected `name: NAME`");
    int result = key_name(line, "phase", line->name, err) < 0 ||
                         key_fill(line, &phase_kind, &k, &given, err) < 0 ||
                         key_needs(line->file, line->number, &phase_kind, given, err) < 0
                     ? -1
                     : take_phase(j, line, &k, err);
    vec_free(&k.sim.texts);
    return result;
}

/* ---- the file ---- */

int job_file_read(struct datajob *j, struct job_lines *l, const char *path, struct err *err)
{
    if (job_lines_read(l, path, err) < 0 || read_job(j, &l->lines.at[0], err) < 0)
        return -1;
    if (l->lines.count == 1)
        return line_fail(
            &l->lines.at[0], err,
            "a job without phases; expected `phases: [...]`, or lines `phase NAME ...`");
    for (uint32_t i = 1; i < l->lines.count; i++)
        if (read_phase(j, &l->lines.at[i], err) < 0)
            return -1;
    return 0;
}
