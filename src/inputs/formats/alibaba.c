/* alibaba.c - the tables of Alibaba's traces of 2017 and 2018: batch_task has a row for each task,
 * which becomes a phase, and batch_instance one for each attempt; samples of 2018 have the mean
 * time of each task's instances. They differ in their columns and in names.
 * docs/reference/formats/alibaba2017.md, docs/reference/formats/alibaba2018.md
 *
 * The name of a task of 2018 encodes the graph: a letter or more, its number, and the numbers of
 * those that it reads: M1, R2_1, J3_1_2. Other names (task_NzA...) encode nothing and have no
 * parents. In 2017 there is no graph, and instances have no names: each row is a task of its own.
 */
#include <ctype.h>

#include "inputs/formats/table.h"
#include "inputs/trace/feed.h"

/* ---- the columns ---- */

struct alibaba_table {
    bool is_2018;          /* by its names */
    char mark;             /* between columns */
    uint32_t least, count; /* columns that a line must have, and all: the plan may be missing */
    uint32_t number;       /* a column of whole numbers, by which the table is known */
    uint32_t job, task, status, start, end;
    uint32_t instances, cpu, mem, mean;   /* of a task; mean 0: not there */
    double whole;                         /* mem of the largest machine */
    uint32_t machine, instance, sequence; /* of an instance */
};

/* clang-format off */
static const struct alibaba_table
    task_2017     = {false, ',',   6,  8, 4,  2, 3, 5, 0, 1,  4, 6,  7, 0,   1,  0, 0, 0},
    task_2018     = {true,  ',',   7,  9, 5,  2, 0, 4, 5, 6,  1, 7,  8, 0, 100,  0, 0, 0},
    dag_2018      = {true,  '\t', 11, 11, 2,  0, 1, 3, 4, 5,  2, 8, 10, 7, 100,  0, 0, 0},
    instance_2017 = {false, ',',   8, 12, 0,  2, 3, 5, 0, 1,  0, 0,  0, 0,   0,  4, 0, 0},
    instance_2018 = {true,  ',',   9, 14, 5,  2, 1, 4, 5, 6,  0, 0,  0, 0,   0,  7, 0, 8};
/* clang-format on */

/* ---- fields ---- */

/* The status of an instance, which is one of a task's, or of a task. */
static bool status_of(struct row_text word, enum row_end *end)
{
    static const struct row_end_word words[] = {
        {"Terminated", ROW_DONE},   {"Failed", ROW_FAILED},    {"Interrupted", ROW_KILLED},
        {"Interupted", ROW_KILLED}, {"Cancelled", ROW_KILLED}, {"Running", ROW_RUNNING},
        {"Waiting", ROW_WAITING},   {"Ready", ROW_WAITING},    {0},
    };
    return row_end_read(words, word, end);
}

/* Digits from `at` on; moves it behind them. */
static struct row_text digits(const char **at, const char *end)
{
    const char *from = *at;
    while (*at < end && isdigit((unsigned char)**at))
        (*at)++;
    return (struct row_text){from, (size_t)(*at - from)};
}

struct alibaba_state {
    uint64_t line;            /* its number */
    struct row_bytes parents; /* of the task at hand */
};

/* What the name of a task of 2018 says: its key in the job ("3" for R3_1_2, else the name) and the
 * keys of its parents, which are kept in `parents`. */
struct alibaba_name {
    struct row_text key, parents;
};

static struct alibaba_name name_of(struct row_text task, struct row_bytes *parents)
{
    struct alibaba_name plain = {.key = task}, name = {0};
    const char *at = task.at, *end = task.at + task.length;
    vec_clear(&parents->at);
    if (task.length > ROW_NAME_MAX)
        return plain;
    while (at < end && isalpha((unsigned char)*at))
        at++;
    name.key = digits(&at, end);
    if (name.key.length == 0 || at == task.at + name.key.length)
        return plain;
    while (at < end && *at == '_') {
        at++;
        struct row_text parent = digits(&at, end);
        if (parent.length == 0)
            break; /* R2_1_Stg4 and the like: the rest is not a parent */
        row_bytes_put(parents, parent.at, parent.length);
        row_bytes_put(parents, "\n", 1);
    }
    name.parents = (struct row_text){parents->at.at, parents->at.count};
    return name;
}

/* The phase of the task, its parents, and its end; false: a bad line, which was counted. */
static bool take_name(struct feed_reader *r, struct alibaba_state *s, const struct alibaba_table *t,
                      const struct table_row *f, struct row *row)
{
    row->phase = f->at[t->task];
    if (t->is_2018) {
        struct alibaba_name name = name_of(f->at[t->task], &s->parents);
        row->phase = name.key;
        row->name = f->at[t->task];
        row->parents = name.parents;
    }
    return feed_check(r, status_of(f->at[t->status], &row->end), TROUBLE_WORD);
}

/* A phase that ran from start to end, in seconds, or, according to row->end, did not; 0 and -1:
 * unknown; negative: before the trace, whose beginning is then the submission. */
static bool take_span(struct feed_reader *r, struct row_text start, struct row_text end,
                      struct row *row)
{
    int64_t from = 0, to = 0;
    if ((start.length && !feed_time(r, start, FEED_S, &from)) ||
        (end.length && !feed_time(r, end, FEED_S, &to)))
        return false;
    bool has_start = from != 0 && from != -FEED_S, has_end = to != 0 && to != -FEED_S;
    if (!feed_check(r, !has_start || !has_end || to >= from, TROUBLE_BACKWARDS))
        return false;
    if (has_start)
        row->submit_us = from > 0 ? from : 0;
    if (has_start && has_end && row->end != ROW_WAITING)
        row->span_us = to - from;
    return true;
}

/* plan_cpu (100: a core; empty: unknown) and plan_mem. */
static bool take_plan(struct feed_reader *r, const struct alibaba_table *t,
                      const struct table_row *f, struct row *row)
{
    if (!feed_real_maybe(r, f->at[t->cpu], &row->cpu) ||
        !feed_real_maybe(r, f->at[t->mem], &row->mem))
        return false;
    row->cpu = row->cpu >= 0 ? row->cpu / 100 : -1;
    row->mem = row->mem >= 0 ? row->mem / t->whole : -1;
    row->is_mem_share = true;
    return true;
}

/* ---- lines ---- */

static void take_phase(struct feed_reader *r, struct alibaba_state *s,
                       const struct alibaba_table *t, struct row_text line)
{
    struct table_row f;
    if (!table_take(r, line, '#', t->mark, t->least, &f))
        return;
    bool has_plan = f.count == t->count || t->least == t->count;
    struct row row = row_blank(ROW_PHASE, f.at[t->job]);
    if (!take_name(r, s, t, &f, &row) || !feed_int_maybe(r, f.at[t->instances], &row.tasks) ||
        !take_span(r, f.at[t->start], f.at[t->end], &row) ||
        (t->mean && !feed_time_maybe(r, f.at[t->mean], FEED_S, &row.mean_us)) ||
        (has_plan && !take_plan(r, t, &f, &row)))
        return;
    /* Where there is no end, the samples have the start for the mean: how far it is from an end at
     * 0. */
    if (row.span_us == ROW_UNKNOWN && row.mean_us == row.submit_us)
        row.mean_us = ROW_UNKNOWN;
    feed_row(r, &row);
}

static void take_attempt(struct feed_reader *r, struct alibaba_state *s,
                         const struct alibaba_table *t, struct row_text line)
{
    struct table_row f;
    struct table_text name;
    s->line++;
    if (!table_take(r, line, '#', t->mark, t->least, &f))
        return;
    struct row row = row_blank(ROW_ATTEMPT, f.at[t->job]);
    row.task = t->is_2018 ? f.at[t->instance] : table_line(&name, line, s->line);
    row.node = f.at[t->machine];
    if (!take_name(r, s, t, &f, &row) || row.end == ROW_WAITING ||
        (t->is_2018 && !feed_int_maybe(r, f.at[t->sequence], &row.attempt)) ||
        !feed_time(r, f.at[t->start], FEED_S, &row.start_us) ||
        !feed_time(r, f.at[t->end], FEED_S, &row.end_us))
        return;
    if (row.end_us == 0) /* not known, as of one that runs */
        row.end_us = ROW_UNKNOWN;
    feed_row(r, &row);
}

/* ---- the formats ---- */

static int detect_table(const char *at, size_t length, bool is_all, const struct alibaba_table *t)
{
    struct table_row f;
    enum row_end end;
    bool is = table_first(at, length, is_all, t->mark, '#', &f) && f.count == t->count &&
              table_is_int(f.at[t->number]) && status_of(f.at[t->status], &end);
    return is ? 90 : 0;
}

static void end_part(struct feed_reader *r, void *state)
{
    struct alibaba_state *s = state;
    (void)r;
    vec_free(&s->parents.at);
}

/* The functions of a format, which have no other argument to know their table by. */
#define FUNCTIONS(table, take)                                                                     \
    static int detect_##table(const char *at, size_t length, bool is_all)                          \
    {                                                                                              \
        return detect_table(at, length, is_all, &table);                                           \
    }                                                                                              \
    static void line_##table(struct feed_reader *r, void *state, struct row_text line)             \
    {                                                                                              \
        take(r, state, &table, line);                                                              \
    }
FUNCTIONS(task_2017, take_phase)
FUNCTIONS(task_2018, take_phase)
FUNCTIONS(instance_2017, take_attempt)
FUNCTIONS(instance_2018, take_attempt)

static int detect_dag(const char *at, size_t length, bool is_all)
{
    static const char header[] = "#job\ttask\tinstances\tstatus\tstart_s\tend_s\tspan_s\tmean_inst";
    return table_begins(at, length, is_all, header) ? 100 : 0;
}

static void line_dag(struct feed_reader *r, void *state, struct row_text line)
{
    take_phase(r, state, &dag_2018, line);
}

#define FORMAT(label, text, detector, taker)                                                       \
    {                                                                                              \
        .name = label, .help = text, .detect = detector, .state = sizeof(struct alibaba_state),    \
        .line = taker, .end = end_part                                                             \
    }
const struct import_format alibaba_2017_task_format =
    FORMAT("alibaba2017-task",
           "Alibaba 2017, batch_task: tasks with their demands and spans, no graph",
           detect_task_2017, line_task_2017);
const struct import_format alibaba_2017_instance_format =
    FORMAT("alibaba2017-instance",
           "Alibaba 2017, batch_instance: attempts; with batch_task, or alone",
           detect_instance_2017, line_instance_2017);
const struct import_format alibaba_2018_task_format =
    FORMAT("alibaba2018-task",
           "Alibaba 2018, batch_task: tasks with their graph, demands and spans",
           detect_task_2018, line_task_2018);
const struct import_format alibaba_2018_instance_format =
    FORMAT("alibaba2018-instance",
           "Alibaba 2018, batch_instance: attempts; with batch_task, or alone",
           detect_instance_2018, line_instance_2018);
const struct import_format alibaba_2018_dag_format =
    FORMAT("alibaba2018-dag",
           "Alibaba 2018, tasks with their graph and the mean time of their instances",
           detect_dag, line_dag);
