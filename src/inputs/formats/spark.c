/* spark.c - Spark event logs: JSON lines, of which those about jobs, stages and tasks are read.
 *
 * A job of Spark becomes a job, a stage a phase, a partition a task. The job of a stage is named
 * only when the job starts, so the log is read in order and the jobs of stages are remembered.
 * Parents in another job, or skipped because their output existed, are left out: a stage is
 * submitted after the stages that it really waits for, so only those count.
 * docs/reference/formats/spark.md */
#include <inttypes.h>
#include <stdio.h>

#include "base/lookup.h"
#include "inputs/formats/spark_files.h"
#include "inputs/formats/table.h"
#include "inputs/trace/feed.h"
#include "inputs/trace/json_walk.h"
#include "inputs/trace/number.h"

enum {
    EVENT_OTHER,
    EVENT_APPLICATION,
    EVENT_EXECUTOR,
    EVENT_JOB,
    EVENT_STAGE,
    EVENT_TASK_START,
    EVENT_TASK_END,
};

enum { ID_MAX = 200 };

/* What one line says. */
struct spark_event {
    int kind;
    int64_t cores, job, stage, index, partition, launch, finish, task_id, submitted;
    int64_t input, shuffle_remote, shuffle_local, output, shuffle_written;
    char reason[64], host[256], executor[64], id[ID_MAX], user[64], name[128];
    VEC(int64_t) stages;  /* of a job */
    VEC(int64_t) parents; /* of a stage */
};

struct spark_open_task {
    int64_t task_id, stage, partition, launch;
};

struct spark_state {
    struct json_walk *walk;
    struct spark_event e;
    char id[ID_MAX], user[64], name[128]; /* of the application */
    struct lookup job_of;                 /* stage -> job */
    struct lookup submitted;              /* stages that were */
    VEC(struct spark_open_task) running;
    int64_t last_ms;
};

/* ---- reading a line ---- */

static int64_t int_of(const struct json_walk_item *i)
{
    int64_t value;
    return number_int(i->text, &value) && value >= 0 && value < NUMBER_US_MAX / FEED_MS ? value
                                                                                        : -1;
}

static void text_of(const struct json_walk_item *i, char *to, size_t size)
{
    size_t n = i->text.length < size - 1 ? i->text.length : size - 1;
    memcpy(to, i->text.at, n);
    to[n] = '\0';
}

static void take_kind(struct spark_event *e, struct row_text event)
{
    static const struct {
        const char *name;
        int kind;
    } kinds[] = {{"SparkListenerApplicationStart", EVENT_APPLICATION},
                 {"SparkListenerExecutorAdded", EVENT_EXECUTOR},
                 {"SparkListenerJobStart", EVENT_JOB},
                 {"SparkListenerStageSubmitted", EVENT_STAGE},
                 {"SparkListenerTaskStart", EVENT_TASK_START},
                 {"SparkListenerTaskEnd", EVENT_TASK_END}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (row_text_is(event, kinds[i].name))
            e->kind = kinds[i].kind;
}

/* Numbers by their way in the line. */
#define SPARK_NUMBER(way, member)                                                                  \
    {                                                                                              \
        way, offsetof(struct spark_event, member)                                                  \
    }

static const struct {
    const char *path;
    size_t offset;
} numbers[] = {
    SPARK_NUMBER("/Executor Info/Total Cores", cores),
    SPARK_NUMBER("/Job ID", job),
    SPARK_NUMBER("/Submission Time", submitted),
    SPARK_NUMBER("/Stage ID", stage),
    SPARK_NUMBER("/Stage Info/Stage ID", stage),
    SPARK_NUMBER("/Stage Info/Submission Time", submitted),
    SPARK_NUMBER("/Task Info/Task ID", task_id),
    SPARK_NUMBER("/Task Info/Index", index),
    SPARK_NUMBER("/Task Info/Partition ID", partition),
    SPARK_NUMBER("/Task Info/Launch Time", launch),
    SPARK_NUMBER("/Task Info/Finish Time", finish),
    SPARK_NUMBER("/Task Metrics/Input Metrics/Bytes Read", input),
    SPARK_NUMBER("/Task Metrics/Shuffle Read Metrics/Remote Bytes Read", shuffle_remote),
    SPARK_NUMBER("/Task Metrics/Shuffle Read Metrics/Local Bytes Read", shuffle_local),
    SPARK_NUMBER("/Task Metrics/Output Metrics/Bytes Written", output),
    SPARK_NUMBER("/Task Metrics/Shuffle Write Metrics/Shuffle Bytes Written", shuffle_written),
};

static void visit(void *ctx, const struct json_walk_item *i)
{
    struct spark_event *e = &((struct spark_state *)ctx)->e;
    static const char noise[] =
        "/Task Info/Accumulables"; /* most of a log, and none of it for us */
    if (i->kind != JSON_WALK_VALUE || !strncmp(i->path, noise, sizeof noise - 1))
        return;
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
        if (!strcmp(i->path, numbers[k].path)) {
            int64_t value = int_of(i);
            memcpy((char *)e + numbers[k].offset, &value, sizeof value);
            return;
        }
    if (!strcmp(i->path, "/Event"))
        take_kind(e, i->text);
    else if (!strcmp(i->path, "/Stage IDs[]"))
        vec_push(&e->stages, int_of(i));
    else if (!strcmp(i->path, "/Stage Info/Parent IDs[]"))
        vec_push(&e->parents, int_of(i));
    else if (!strcmp(i->path, "/Task End Reason/Reason"))
        text_of(i, e->reason, sizeof e->reason);
    else if (!strcmp(i->path, "/Executor ID"))
        text_of(i, e->executor, sizeof e->executor);
    else if (!strcmp(i->path, "/Task Info/Host"))
        text_of(i, e->host, sizeof e->host);
    else if (!strcmp(i->path, "/App ID"))
        text_of(i, e->id, sizeof e->id);
    else if (!strcmp(i->path, "/App Name"))
        text_of(i, e->name, sizeof e->name);
    else if (!strcmp(i->path, "/User"))
        text_of(i, e->user, sizeof e->user);
}

static void clear_event(struct spark_event *e)
{
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++)
        memcpy((char *)e + numbers[k].offset, &(int64_t){-1}, sizeof(int64_t));
    e->kind = EVENT_OTHER;
    e->reason[0] = e->host[0] = e->executor[0] = e->id[0] = e->user[0] = e->name[0] = '\0';
    vec_clear(&e->stages);
    vec_clear(&e->parents);
}

/* ---- rows ---- */

struct spark_names {
    char job[ID_MAX + 24];
    struct table_text stage, task;
};

/* A row about a stage of a known job; false: the log does not say which. */
static bool begin_row(struct feed_reader *r, const struct spark_state *s, enum row_kind kind,
                      int64_t stage, struct spark_names *n, struct row *row)
{
    uint32_t job = stage >= 0 ? lookup_get(&s->job_of, (uint64_t)stage) : LOOKUP_NONE;
    if (!feed_check(r, job != LOOKUP_NONE, TROUBLE_PARENT))
        return false;
    snprintf(n->job, sizeof n->job, "%s:%" PRIu32, s->id[0] ? s->id : "app", job);
    *row = row_blank(kind, (struct row_text){n->job, strlen(n->job)});
    row->phase = table_number(&n->stage, "stage", stage);
    return true;
}

/* An executor is what its tasks find room in, so it is the machine. */
static void give_executor(struct feed_reader *r, const struct spark_state *s)
{
    char name[ID_MAX + 80];
    snprintf(name, sizeof name, "%s:%s", s->id[0] ? s->id : "app", s->e.executor);
    feed_machine(r, (struct row_text){name, strlen(name)}, (double)s->e.cores, -1);
}

static void give_job(struct feed_reader *r, struct spark_state *s)
{
    struct spark_names n;
    const struct spark_event *e = &s->e;
    if (!feed_check(r, e->job >= 0 && e->job < LOOKUP_NONE, TROUBLE_NUMBER))
        return;
    for (uint32_t i = 0; i < e->stages.count; i++)
        if (e->stages.at[i] >= 0 &&
            lookup_get(&s->job_of, (uint64_t)e->stages.at[i]) == LOOKUP_NONE)
            lookup_put(&s->job_of, (uint64_t)e->stages.at[i], (uint32_t)e->job);
    snprintf(n.job, sizeof n.job, "%s:%" PRId64, s->id[0] ? s->id : "app", e->job);
    struct row row = row_blank(ROW_JOB, (struct row_text){n.job, strlen(n.job)});
    if (e->submitted >= 0)
        row.submit_us = e->submitted * FEED_MS;
    row.user = (struct row_text){s->user, strlen(s->user)};
    row.app = (struct row_text){s->name, strlen(s->name)};
    feed_row(r, &row);
}

static void give_stage(struct feed_reader *r, struct spark_state *s)
{
    struct spark_names n;
    struct row row;
    struct str parents = {0};
    const struct spark_event *e = &s->e;
    if (!begin_row(r, s, ROW_PHASE, e->stage, &n, &row))
        return;
    uint32_t job = lookup_get(&s->job_of, (uint64_t)e->stage);
    for (uint32_t i = 0; i < e->parents.count; i++) {
        uint64_t parent = (uint64_t)e->parents.at[i];
        if (lookup_get(&s->job_of, parent) == job &&
            lookup_get(&s->submitted, parent) != LOOKUP_NONE)
            str_addf(&parents, "stage%" PRIu64 "\n", parent);
    }
    lookup_put(&s->submitted, (uint64_t)e->stage, 1);
    if (parents.text)
        row.parents = (struct row_text){parents.text, parents.length};
    /* How many tasks it has the tasks say: a stage that is submitted again has fewer. */
    feed_row(r, &row);
    str_free(&parents);
}

static void give_attempt(struct feed_reader *r, const struct spark_state *s,
                         const struct spark_open_task *t, enum row_end end, int64_t end_ms)
{
    struct spark_names n;
    struct row row;
    const struct spark_event *e = &s->e;
    if (!begin_row(r, s, ROW_ATTEMPT, t->stage, &n, &row))
        return;
    row.task = table_number(&n.task, "", t->partition);
    row.start_us = t->launch * FEED_MS;
    row.end_us = end_ms * FEED_MS;
    row.end = end;
    if (end != ROW_RUNNING) {
        row.node = (struct row_text){e->host, strlen(e->host)};
        int64_t in = (e->input > 0 ? e->input : 0) +
                     (e->shuffle_remote > 0 ? e->shuffle_remote : 0) +
                     (e->shuffle_local > 0 ? e->shuffle_local : 0);
        if (end == ROW_DONE) {
            row.input_bytes = in;
            row.output_bytes =
                (e->output > 0 ? e->output : 0) + (e->shuffle_written > 0 ? e->shuffle_written : 0);
        }
    }
    feed_row(r, &row);
}

static enum row_end end_of(const char *reason)
{
    static const struct row_end_word ends[] = {{"Success", ROW_DONE},
                                               {"TaskKilled", ROW_KILLED},
                                               {"TaskCommitDenied", ROW_KILLED},
                                               {"ExecutorLostFailure", ROW_LOST},
                                               {0}};
    enum row_end end = ROW_FAILED;
    row_end_read(ends, (struct row_text){reason, strlen(reason)}, &end);
    return end;
}

static struct spark_open_task task_of(const struct spark_event *e)
{
    int64_t partition = e->partition >= 0 ? e->partition : e->index;
    return (struct spark_open_task){e->task_id, e->stage, partition, e->launch};
}

static void end_task(struct feed_reader *r, struct spark_state *s)
{
    const struct spark_event *e = &s->e;
    struct spark_open_task t = task_of(e);
    for (uint32_t i = 0; i < s->running.count; i++)
        if (s->running.at[i].task_id == t.task_id) {
            s->running.at[i] = s->running.at[--s->running.count];
            break;
        }
    if (!strcmp(e->reason, "Resubmitted")) /* it was done, and its output is lost: told twice */
        return;
    if (feed_check(r, t.partition >= 0 && t.launch >= 0 && e->finish >= 0, TROUBLE_NUMBER))
        give_attempt(r, s, &t, end_of(e->reason), e->finish);
}

enum { RUNNING_MAX = 1 << 20 };

static void give(struct feed_reader *r, struct spark_state *s)
{
    const struct spark_event *e = &s->e;
    s->last_ms = e->finish > s->last_ms ? e->finish : s->last_ms;
    s->last_ms = e->launch > s->last_ms ? e->launch : s->last_ms;
    if (e->kind == EVENT_APPLICATION) {
        memcpy(s->id, e->id, sizeof s->id);
        memcpy(s->user, e->user, sizeof s->user);
        memcpy(s->name, e->name, sizeof s->name);
    } else if (e->kind == EVENT_EXECUTOR) {
        give_executor(r, s);
    } else if (e->kind == EVENT_JOB) {
        give_job(r, s);
    } else if (e->kind == EVENT_STAGE) {
        give_stage(r, s);
    } else if (e->kind == EVENT_TASK_END) {
        end_task(r, s);
    } else if (e->kind == EVENT_TASK_START && e->launch >= 0 && s->running.count < RUNNING_MAX) {
        vec_push(&s->running, task_of(e));
    }
}

/* ---- the format ---- */

/* Cuts this word, and blanks before it, off the text. */
static bool cut_word(struct row_text *text, const char *word)
{
    size_t length = strlen(word);
    while (text->length > 0 && (*text->at == ' ' || *text->at == '\t'))
        *text = (struct row_text){text->at + 1, text->length - 1};
    if (text->length < length || memcmp(text->at, word, length) != 0)
        return false;
    *text = (struct row_text){text->at + length, text->length - length};
    return true;
}

/* Cuts off what stands before the name of the event, which is first in a line of a log. Tools that
 * write JSON anew may put blanks there. */
static bool cut_head(struct row_text *line)
{
    return cut_word(line, "{") && cut_word(line, "\"Event\"") && cut_word(line, ":") &&
           cut_word(line, "\"");
}

static int detect(const char *at, size_t length, bool is_all)
{
    (void)is_all;
    static const char word[] = "SparkListener";
    struct row_text name = {at, length};
    return cut_head(&name) &&
                   memmem(name.at, name.length < 200 ? name.length : 200, word, sizeof word - 1)
               ? 100
               : 0;
}

/* Most bytes of a log are plans and updates that we do not read: they are known by their names,
 * which come first. */
static bool is_wanted(struct row_text line)
{
    static const char *const events[] = {"SparkListenerApplicationStart",
                                         "SparkListenerExecutorAdded", "SparkListenerJobStart",
                                         "SparkListenerStageSubmitted", "SparkListenerTask"};
    struct row_text name = line;
    if (!cut_head(&name))
        return true;
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++)
        if (name.length > strlen(events[i]) && !memcmp(name.at, events[i], strlen(events[i])))
            return true;
    return false;
}

static void take_line(struct feed_reader *r, void *state, struct row_text line)
{
    struct spark_state *s = state;
    if (line.length == 0 || !is_wanted(line))
        return;
    if (!s->walk)
        s->walk = json_walk_create(visit, s);
    clear_event(&s->e);
    if (!json_walk_feed(s->walk, line.at, line.length) || !json_walk_is_whole(s->walk)) {
        feed_bad(r, TROUBLE_JSON);
        json_walk_restart(s->walk);
        return;
    }
    json_walk_feed(s->walk, "\n", 1);
    give(r, s);
}

static void end_part(struct feed_reader *r, void *state)
{
    struct spark_state *s = state;
    for (uint32_t i = 0; i < s->running.count; i++)
        give_attempt(r, s, &s->running.at[i], ROW_RUNNING, s->last_ms);
    json_walk_destroy(s->walk);
    vec_free(&s->e.stages);
    vec_free(&s->e.parents);
    lookup_fini(&s->job_of);
    lookup_fini(&s->submitted);
    vec_free(&s->running);
}

const struct import_format spark_format = {
    .name = "spark",
    .help = "Spark event logs: jobs, stages, attempts, lost executors, speculation",
    .detect = detect,
    .state = sizeof(struct spark_state),
    .follows = spark_files_follow,
    .line = take_line,
    .end = end_part,
};
