/* job_template_read.c - reads the workload format of docs/reference/workload-file.md into
 * templates.
 *
 * A file is a list of jobs; a job has lines `phase`, and a phase may have lines `task` about single
 * tasks. Lines are read one after the other: the tables of workload_keys.c check single values, and
 * this file checks lines against each other.
 *
 * A phase is complete when the next phase or job begins, so checks that need its tasks wait until
 * then. A phase may only come after phases above it: that excludes cycles without looking for them.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "inputs/cluster/cluster.h"
#include "inputs/config/names.h"
#include "inputs/workload/job_template.h"
#include "inputs/workload/workload_keys.h"

enum {
    REPLICAS_MAX = 64,         /* of one task's input */
    ATTEMPTS_MAX = UINT16_MAX, /* explicit times of one task: as many as attempts can be named */
};

/* Totals of a job stay well inside int64_t, so that sums over its tasks cannot
 * overflow elsewhere. */
#define JOB_US_MAX 1e18 /* 1e12 s */
#define JOB_BYTES_MAX (1048576.0 * (1ll << 40))

struct job_reader {
    struct line_file *file;
    struct job_templates *t;
    const struct cluster *cluster; /* or NULL */
    struct err *err;
    struct names phase_names; /* of the job being read */
    double job_us, job_bytes; /* what the job being read asks for in all */
    uint64_t jobs;            /* repetitions included */
};

/* The job and the phase being read; NULL before the first. */
static struct job_template *job_now(struct job_reader *r)
{
    return r->t->jobs.count ? &r->t->jobs.at[r->t->jobs.count - 1] : NULL;
}

static struct phase_template *phase_now(struct job_reader *r)
{
    struct job_template *j = job_now(r);
    return j && j->phases.count ? &r->t->phases.at[r->t->phases.count - 1] : NULL;
}

/* strsep for lists of millions of values, which are divided by commas. */
static char *next_item(char **list)
{
    char *item = *list, *comma = item ? strchr(item, ',') : NULL;
    *list = comma ? comma + 1 : NULL;
    if (comma)
        *comma = '\0';
    return item;
}

/* Appends the values of a list such as sizes=4s,5s to the pool of numbers. */
static int read_numbers(struct job_reader *r, const struct line *line, const struct field *item,
                        const char *as, char *list, struct span *span)
{
    *span = (struct span){.from = r->t->numbers.count};
    for (char *text; (text = next_item(&list)); span->count++) {
        int64_t value;
        if (key_value(line, item, as, text, &value, r->err))
            return -1;
        vec_push(&r->t->numbers, value);
    }
    return 0;
}

/* ---- the end of a phase and of a job ---- */

static int compare_tasks(const void *a, const void *b)
{
    const struct task_template *x = a, *y = b;
    if (x->task != y->task)
        return x->task < y->task ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

static double largest(const struct job_reader *r, struct span list, int64_t plain)
{
    int64_t max = list.count ? 0 : plain;
    for (uint32_t i = 0; i < list.count; i++)
        if (r->t->numbers.at[list.from + i] > max)
            max = r->t->numbers.at[list.from + i];
    return (double)max;
}

/* Adds a complete phase to what its job asks for in all. */
static int add_totals(struct job_reader *r, const struct phase_template *p)
{
    r->job_us += largest(r, p->sizes, p->size_us) * p->tasks;
    r->job_bytes += (largest(r, p->inputs, p->input_bytes) + (double)p->output_bytes) * p->tasks;
    for (uint32_t i = 0; i < p->special.count; i++) {
        const struct task_template *s = &r->t->tasks.at[p->special.from + i];
        r->job_us += s->size_us > 0 ? (double)s->size_us : 0;
        r->job_bytes += s->input_bytes > 0 ? (double)s->input_bytes : 0;
    }
    if (r->job_us <= JOB_US_MAX && r->job_bytes <= JOB_BYTES_MAX)
        return 0;
    return line_error(r->file, p->line, r->err,
                      "job '%s' is too large with phase '%s'; expected at most %s in all its tasks",
                      job_now(r)->name, p->name,
                      r->job_us > JOB_US_MAX ? "1e12 s of work" : "1048576T of data");
}

static int end_phase(struct job_reader *r)
{
    struct phase_template *p = phase_now(r);
    if (!p)
        return 0;
    struct task_template *special = p->special.count ? &r->t->tasks.at[p->special.from] : NULL;
    if (special)
        qsort(special, p->special.count, sizeof *special, compare_tasks);
    for (uint32_t i = 1; i < p->special.count; i++)
        if (special[i].task == special[i - 1].task)
            return line_error(
                r->file, special[i].line, r->err,
                "task %u of phase '%s' is described already in line %llu; expected one line",
                special[i].task, p->name, (unsigned long long)special[i - 1].line);
    return add_totals(r, p);
}

static int end_job(struct job_reader *r)
{
    struct job_template *j = job_now(r);
    if (!j)
        return 0;
    if (j->phases.count == 0)
        return line_error(
            r->file, j->line, r->err,
            "job '%s' has no phase; expected at least one line below it: phase NAME ...", j->name);
    return end_phase(r);
}

/* ---- lines ---- */

static int read_job(struct job_reader *r, const struct line *line)
{
    struct job_template j = {
        .name = line->name,
        .user = "default",
        .queue = "default",
        .line = line->number,
        .weight = JOB_WEIGHT_ONE,
        .repeat = 1,
        .phases = {.from = r->t->phases.count},
    };
    uint64_t given = 0;
    if (end_job(r) || key_name(line, line->word, line->name, r->err) ||
        key_fill(line, &workload_keys[WORKLOAD_JOB], &j, &given, r->err) ||
        key_needs(r->file, line->number, &workload_keys[WORKLOAD_JOB], given, r->err))
        return -1;
    if ((double)j.at_us + (double)(j.repeat - 1) * (double)j.every_us + (double)j.setup_us >
        KEY_TIME_MAX * 1e6)
        return line_fail(line, r->err,
                         "the last repetition of job '%s' is too late; expected it within 36500d",
                         j.name);
    r->jobs += j.repeat;
    if (r->jobs > WORKLOAD_JOBS_MAX)
        return line_fail(line, r->err, "too many jobs; expected at most %d, repetitions included",
                         WORKLOAD_JOBS_MAX);
    names_fini(&r->phase_names);
    r->job_us = r->job_bytes = 0;
    vec_push(&r->t->jobs, j);
    return 0;
}

/* Why a name in after= is unknown: two messages, because the remedies differ. */
static int unknown_phase(struct job_reader *r, const struct line *line, const char *name)
{
    const struct job_template *j = job_now(r);
    if (!strcmp(name, line->name))
        return line_fail(line, r->err,
                         "phase '%s' cannot come after itself; expected after= a phase above it",
                         name);
    const char *above[JOB_PHASES_MAX] = {NULL};
    for (uint32_t i = 0; i < j->phases.count; i++)
        above[i] = r->t->phases.at[j->phases.from + i].name;
    struct key_hint hint = key_hint(name, above, j->phases.count);
    return line_fail(line, r->err, "after=%s: job '%s' has no such phase above%s",
                     line_quote(name).text, j->name,
                     hint.text[0] ? hint.text : "; expected the name of a phase above this line");
}

static int check_pattern(struct job_reader *r, const struct line *line,
                         const struct phase_fields *f, const struct phase_template *above)
{
    uint32_t mine = f->phase.tasks, theirs = above->tasks;
    if (f->pattern == EDGE_ONE_TO_ONE && mine != theirs)
        return line_fail(
            line, r->err,
            "pattern=one-to-one with %u tasks after '%s' with %u; expected equal numbers", mine,
            above->name, theirs);
    if (f->pattern == EDGE_MANY_TO_ONE && mine > theirs)
        return line_fail(
            line, r->err,
            "pattern=many-to-one with %u tasks after '%s' with %u; expected no more than above",
            mine, above->name, theirs);
    return 0;
}

static int read_edges(struct job_reader *r, const struct line *line, struct phase_fields *f)
{
    const struct job_template *j = job_now(r);
    struct span *edges = &f->phase.edges;
    bool seen[JOB_PHASES_MAX] = {false};
    *edges = (struct span){.from = r->t->edges.count};
    for (char *name; (name = strsep(&f->after, ",")); edges->count++) {
        if (!name[0])
            return line_fail(line, r->err,
                             "an empty name in after=; expected after=NAME or after=NAME,NAME");
        uint32_t from = names_find(&r->phase_names, name);
        if (from == UINT32_MAX)
            return unknown_phase(r, line, name);
        if (seen[from])
            return line_fail(line, r->err, "phase '%s' is given twice in after=; expected it once",
                             name);
        seen[from] = true;
        if (check_pattern(r, line, f, &r->t->phases.at[j->phases.from + from]))
            return -1;
        vec_push(&r->t->edges,
                 ((struct edge_spec){(uint16_t)from, (uint8_t)f->pattern, f->slowstart}));
    }
    return 0;
}

/* Reads sizes= and inputs=, whose values the tasks take in turn. */
static int read_lists(struct job_reader *r, const struct line *line, struct phase_fields *f,
                      uint64_t given)
{
    const struct field *items = workload_keys[WORKLOAD_TASK].keys;
    struct span *sizes = &f->phase.sizes, *inputs = &f->phase.inputs;
    if (f->sizes && (given & (1ull << PHASE_SIZE)))
        return line_fail(line, r->err, "both size= and sizes= of phase; expected one of them");
    if (f->inputs && (given & (1ull << PHASE_INPUT)))
        return line_fail(line, r->err, "both input= and inputs= of phase; expected one of them");
    if (read_numbers(r, line, &items[TASK_SIZE], "sizes", f->sizes, sizes) ||
        read_numbers(r, line, &items[TASK_INPUT], "inputs", f->inputs, inputs))
        return -1;
    bool too_many_inputs = inputs->count > f->phase.tasks;
    if (sizes->count > f->phase.tasks || too_many_inputs)
        return line_fail(line, r->err,
                         "%s= has %u values for %u tasks; expected at most one per task",
                         too_many_inputs ? "inputs" : "sizes",
                         too_many_inputs ? inputs->count : sizes->count, f->phase.tasks);
    return 0;
}

static int read_phase(struct job_reader *r, const struct line *line)
{
    struct job_template *j = job_now(r);
    if (!j)
        return line_fail(line, r->err,
                         "a phase before any job; expected a line above it: job NAME ...");
    if (end_phase(r) || key_name(line, line->word, line->name, r->err))
        return -1;
    if (j->phases.count == JOB_PHASES_MAX)
        return line_fail(line, r->err, "job '%s' has too many phases; expected at most %d", j->name,
                         JOB_PHASES_MAX);
    struct phase_fields f = {
        .phase = {.name = line->name, .line = line->number, .tasks = 1, .size_us = 1000000},
    };
    f.phase.demand.v[RES_CPU] = RES_SLOT;
    f.phase.special.from = r->t->tasks.count;
    uint64_t given = 0;
    if (key_fill(line, &workload_keys[WORKLOAD_PHASE], &f, &given, r->err) ||
        key_needs(r->file, line->number, &workload_keys[WORKLOAD_PHASE], given, r->err) ||
        read_lists(r, line, &f, given) || read_edges(r, line, &f))
        return -1;
    if (res_equal(&f.phase.demand, &(struct res){{0}}))
        return line_fail(line, r->err,
                         "a phase that needs nothing; expected one of cpu, mem, x, y above 0");
    if (names_add(&r->phase_names, line->name, j->phases.count) != UINT32_MAX)
        return line_fail(line, r->err, "job '%s' has a phase '%s' already; expected another name",
                         j->name, line->name);
    vec_push(&r->t->phases, f.phase);
    j->phases.count++;
    return 0;
}

static int unknown_node(struct job_reader *r, const struct line *line, const char *name)
{
    const struct cluster *c = r->cluster;
    if (!c)
        return line_fail(line, r->err,
                         "on=%s of task without a cluster; expected a cluster file with that node",
                         line_quote(name).text);
    const char **nodes = mem_zalloc(c->node_count, sizeof *nodes);
    for (uint32_t i = 0; i < c->node_count; i++)
        nodes[i] = c->nodes[i].name;
    struct key_hint hint = key_hint(name, nodes, c->node_count);
    mem_free(nodes);
    return line_fail(line, r->err, "on=%s of task: the cluster has no such node%s",
                     line_quote(name).text,
                     hint.text[0] ? hint.text : "; expected a name of its file, or n0, n1, ...");
}

static int read_replicas(struct job_reader *r, const struct line *line, char *list,
                         struct span *span)
{
    *span = (struct span){.from = r->t->nodes.count};
    for (char *name; (name = strsep(&list, ",")); span->count++) {
        uint32_t node = r->cluster ? cluster_find(r->cluster, name) : UINT32_MAX;
        if (node == UINT32_MAX)
            return unknown_node(r, line, name);
        for (uint32_t i = 0; i < span->count; i++)
            if (r->t->nodes.at[span->from + i].v == node)
                return line_fail(line, r->err, "node '%s' is given twice in on=; expected it once",
                                 name);
        if (span->count == REPLICAS_MAX)
            return line_fail(line, r->err, "too many nodes in on=; expected at most %d",
                             REPLICAS_MAX);
        vec_push(&r->t->nodes, ((struct node_id){node}));
    }
    return 0;
}

static int read_task(struct job_reader *r, const struct line *line)
{
    struct phase_template *p = phase_now(r);
    if (!p)
        return line_fail(line, r->err,
                         "a task outside of a phase; expected a line above it: phase NAME ...");
    int64_t number;
    if (!text_int(line->name, &number) || number < 0 || number >= p->tasks)
        return line_fail(line, r->err, "task %s of phase '%s' is out of range; expected 0 to %u",
                         line_quote(line->name).text, p->name, p->tasks - 1);
    struct task_fields f = {
        .task = {.line = line->number, .task = (uint32_t)number, .size_us = -1, .input_bytes = -1},
    };
    uint64_t given = 0;
    if (key_fill(line, &workload_keys[WORKLOAD_TASK], &f, &given, r->err) ||
        read_replicas(r, line, f.on, &f.task.nodes) ||
        read_numbers(r, line, &workload_keys[WORKLOAD_TASK].keys[TASK_SIZE], "attempts", f.attempts,
                     &f.task.attempts))
        return -1;
    if (f.task.attempts.count > ATTEMPTS_MAX)
        return line_fail(line, r->err, "too many values in attempts=; expected at most %d",
                         ATTEMPTS_MAX);
    vec_push(&r->t->tasks, f.task);
    p->special.count++;
    return 0;
}

static int read_line(struct job_reader *r, const struct line *line)
{
    static int (*const read_kind[])(struct job_reader *, const struct line *) = {
        [WORKLOAD_JOB] = read_job,
        [WORKLOAD_PHASE] = read_phase,
        [WORKLOAD_TASK] = read_task,
    };
    const struct key_kind *kind = key_kind(line, workload_keys, WORKLOAD_KINDS, r->err);
    return kind ? read_kind[kind - workload_keys](r, line) : -1;
}

static int read_lines(struct job_reader *r, const struct line *first)
{
    const struct line *line;
    int rc;
    if (first && read_line(r, first))
        return -1;
    while ((rc = line_next(r->file, &line, r->err)) > 0)
        if (read_line(r, line))
            return -1;
    if (rc < 0 || end_job(r))
        return -1;
    if (r->jobs == 0)
        return line_error(r->file, line_count(r->file), r->err,
                          "no jobs; expected at least: job NAME, and below it: phase NAME");
    return 0;
}

int job_template_read(struct job_templates *t, struct line_file *file, const struct line *first,
                      const struct cluster *cluster, struct err *err)
{
    struct job_reader r = {.file = file, .t = t, .cluster = cluster, .err = err};
    int rc = read_lines(&r, first);
    names_fini(&r.phase_names);
    return rc;
}
