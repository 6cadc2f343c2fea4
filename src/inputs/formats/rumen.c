/* rumen.c - Hadoop Rumen's job traces: a JSON document for each job, one after the other.
 *
 * A job is kept until its end, because its id may be anywhere in it. A document that is not JSON is
 * left out, and reading continues where a line begins with a brace: only documents do, since their
 * contents are indented. docs/reference/formats/rumen.md */

#include "inputs/trace/feed.h"
#include "inputs/trace/job_fill.h"
#include "inputs/trace/json_walk.h"
#include "inputs/trace/number.h"

struct rumen_attempt {
    uint32_t task;
    int64_t number; /* at the end of its id; ROW_UNKNOWN: it has none */
    int64_t start_ms, finish_ms, hdfs_read, hdfs_written, shuffled, map_output;
    struct row_kept result, host;
    uint64_t byte;
};

struct rumen_task {
    struct row_kept id;
    struct row_kept hosts; /* among `hosts` */
    uint32_t locations;    /* seen of it */
    bool is_reduce, is_other;
};

struct rumen_state {
    struct json_walk *walk;
    struct row_bytes texts;
    struct row_bytes hosts; /* of the inputs of tasks: names, each ended by a newline */
    uint32_t location;      /* where the name of the location at hand begins there */
    struct row_kept job, name, user, queue;
    int64_t submit_ms;
    VEC(struct rumen_task) tasks;
    VEC(struct rumen_attempt) attempts;
    struct feed_reader *reader;
    uint64_t begun; /* byte at which the job was given out last */
    bool is_lost;   /* looks for the beginning of a document ... */
    bool is_line;   /* ... and a line has just ended */
};

/* ---- the walk ---- */

static int64_t int_of(struct row_text t)
{
    int64_t value;
    return number_int(t, &value) ? value : -1;
}

/* 1 of "attempt_1371222054925_0001_m_000005_1". */
static int64_t number_of(struct row_text id)
{
    const char *mark = memrchr(id.at, '_', id.length);
    int64_t value;
    if (!mark)
        return ROW_UNKNOWN;
    size_t before = (size_t)(mark + 1 - id.at);
    return number_int((struct row_text){mark + 1, id.length - before}, &value) && value >= 0
               ? value
               : ROW_UNKNOWN;
}

static void take_attempt(struct rumen_state *s, const char *key, struct row_text text)
{
    struct rumen_attempt *a = &s->attempts.at[s->attempts.count - 1];
    if (!strcmp(key, "/startTime"))
        a->start_ms = int_of(text);
    else if (!strcmp(key, "/attemptID"))
        a->number = number_of(text);
    else if (!strcmp(key, "/finishTime"))
        a->finish_ms = int_of(text);
    else if (!strcmp(key, "/hdfsBytesRead"))
        a->hdfs_read = int_of(text);
    else if (!strcmp(key, "/hdfsBytesWritten"))
        a->hdfs_written = int_of(text);
    else if (!strcmp(key, "/reduceShuffleBytes"))
        a->shuffled = int_of(text);
    else if (!strcmp(key, "/mapOutputBytes"))
        a->map_output = int_of(text);
    else if (!strcmp(key, "/result"))
        a->result = row_bytes_keep(&s->texts, text);
    else if (!strcmp(key, "/hostName"))
        a->host = row_bytes_keep(&s->texts, text);
}

static void open_location(struct rumen_state *s)
{
    s->tasks.at[s->tasks.count - 1].locations++;
    s->location = s->hosts.at.count;
}

/* A location is a list such as ["rack", "host"], of which the last one is the host. */
static void take_layer(struct rumen_state *s, struct row_text name)
{
    struct rumen_task *t = &s->tasks.at[s->tasks.count - 1];
    if (t->locations > JOB_FILL_HOSTS_MAX)
        return;
    s->hosts.at.count = s->location;
    row_bytes_put(&s->hosts, name.at, name.length);
    row_bytes_put(&s->hosts, "\n", 1);
    t->hosts.length = s->hosts.at.count - t->hosts.at;
}

static void take_job(struct rumen_state *s, const char *path, struct row_text text)
{
    if (!strcmp(path, "/jobID"))
        s->job = row_bytes_keep(&s->texts, text);
    else if (!strcmp(path, "/jobName"))
        s->name = row_bytes_keep(&s->texts, text);
    else if (!strcmp(path, "/user"))
        s->user = row_bytes_keep(&s->texts, text);
    else if (!strcmp(path, "/queue"))
        s->queue = row_bytes_keep(&s->texts, text);
    else if (!strcmp(path, "/submitTime"))
        s->submit_ms = int_of(text);
}

/* The way below a task: "" at the task itself; NULL elsewhere. *kind: 0 map, 1 reduce, 2 other. */
static const char *in_task(const char *path, int *kind)
{
    static const char *const lists[] = {"/mapTasks[]", "/reduceTasks[]", "/otherTasks[]"};
    for (*kind = 0; *kind < 3; ++*kind)
        if (!strncmp(path, lists[*kind], strlen(lists[*kind])))
            return path + strlen(lists[*kind]);
    return NULL;
}

static void give_job(struct rumen_state *s);

static void visit(void *ctx, const struct json_walk_item *i)
{
    struct rumen_state *s = ctx;
    static const char attempts[] = "/attempts[]";
    int kind;
    const char *rest = in_task(i->path, &kind);
    if (!rest) {
        if (i->kind == JSON_WALK_VALUE)
            take_job(s, i->path, i->text);
        else if (i->kind == JSON_WALK_CLOSE && i->path[0] == '\0')
            give_job(s);
        return;
    }
    bool of_attempt = !strncmp(rest, attempts, sizeof attempts - 1);
    if (i->kind == JSON_WALK_OPEN && rest[0] == '\0')
        vec_push(&s->tasks, ((struct rumen_task){.hosts.at = s->hosts.at.count,
                                                 .is_reduce = kind == 1,
                                                 .is_other = kind == 2}));
    else if (i->kind == JSON_WALK_OPEN && !strcmp(rest, "/preferredLocations[]") && s->tasks.count)
        open_location(s);
    else if (i->is_string && !strcmp(rest, "/preferredLocations[]/layers[]") && s->tasks.count)
        take_layer(s, i->text);
    else if (i->kind == JSON_WALK_OPEN && !strcmp(rest, attempts) && s->tasks.count)
        vec_push(&s->attempts, ((struct rumen_attempt){.task = s->tasks.count - 1,
                                                       .number = ROW_UNKNOWN,
                                                       .start_ms = -1,
                                                       .finish_ms = -1,
                                                       .hdfs_read = -1,
                                                       .hdfs_written = -1,
                                                       .shuffled = -1,
                                                       .map_output = -1,
                                                       .byte = json_walk_byte(s->walk)}));
    else if (i->kind == JSON_WALK_VALUE && of_attempt && s->attempts.count)
        take_attempt(s, rest + sizeof attempts - 1, i->text);
    else if (i->kind == JSON_WALK_VALUE && !strcmp(rest, "/taskID") && s->tasks.count)
        s->tasks.at[s->tasks.count - 1].id = row_bytes_keep(&s->texts, i->text);
}

/* ---- a job is whole ---- */

static const struct row_end_word ends[] = {{"SUCCESS", ROW_DONE},
                                           {"SUCCEEDED", ROW_DONE},
                                           {"FAILED", ROW_FAILED},
                                           {"KILLED", ROW_KILLED},
                                           {0}};

/* Hosts are known as "/rack/host". */
static void give_rack(struct rumen_state *s, struct row_text host)
{
    const char *slash = memrchr(host.at, '/', host.length);
    if (slash && slash > host.at)
        feed_rack(s->reader, (struct row_text){host.at, (size_t)(slash - host.at)});
}

static void give_attempt(struct rumen_state *s, const struct rumen_attempt *a)
{
    const struct rumen_task *t = &s->tasks.at[a->task];
    struct row row = row_blank(ROW_ATTEMPT, row_bytes_text(&s->texts, s->job));
    if (t->is_other)
        return; /* set-up and clean-up */
    feed_at(s->reader, a->byte);
    row.phase = t->is_reduce ? ROW_TEXT("reduce") : ROW_TEXT("map");
    row.task = row_bytes_text(&s->texts, t->id);
    row.node = row_bytes_text(&s->texts, a->host);
    row.hosts = row_bytes_text(&s->hosts, t->hosts);
    give_rack(s, row.node);
    bool is_timed = a->start_ms >= 0 && a->finish_ms >= 0 &&
                    a->start_ms <= NUMBER_US_MAX / FEED_MS &&
                    a->finish_ms <= NUMBER_US_MAX / FEED_MS;
    struct row_text result = row_bytes_text(&s->texts, a->result);
    if (!feed_check(s->reader, row_end_read(ends, result, &row.end), TROUBLE_WORD) ||
        !feed_check(s->reader, is_timed && row.task.length > 0, TROUBLE_NUMBER))
        return;
    row.attempt = a->number;
    row.start_us = a->start_ms * FEED_MS;
    row.end_us = a->finish_ms * FEED_MS;
    int64_t in = t->is_reduce ? a->shuffled : a->hdfs_read;
    int64_t out = t->is_reduce || a->map_output < 0 ? a->hdfs_written : a->map_output;
    if (in >= 0 && row.end == ROW_DONE)
        row.input_bytes = in;
    if (out >= 0 && row.end == ROW_DONE)
        row.output_bytes = out;
    feed_row(s->reader, &row);
}

static void clear_job(struct rumen_state *s)
{
    vec_clear(&s->texts.at);
    vec_clear(&s->hosts.at);
    vec_clear(&s->tasks);
    vec_clear(&s->attempts);
    s->job = s->name = s->user = s->queue = (struct row_kept){0};
    s->submit_ms = -1;
}

static void give_job(struct rumen_state *s)
{
    bool has_reduce = false, has_map = false;
    feed_at(s->reader, s->begun);
    struct row job = row_blank(ROW_JOB, row_bytes_text(&s->texts, s->job));
    job.name = row_bytes_text(&s->texts, s->name);
    job.user = row_bytes_text(&s->texts, s->user);
    job.queue = row_bytes_text(&s->texts, s->queue);
    if (s->submit_ms >= 0 && s->submit_ms < NUMBER_US_MAX / FEED_MS)
        job.submit_us = s->submit_ms * FEED_MS;
    feed_row(s->reader, &job);
    for (uint32_t i = 0; i < s->tasks.count; i++) {
        has_reduce |= s->tasks.at[i].is_reduce;
        has_map |= !s->tasks.at[i].is_reduce && !s->tasks.at[i].is_other;
    }
    if (has_reduce && has_map) {
        struct row reduce = row_blank(ROW_PHASE, job.job);
        reduce.phase = ROW_TEXT("reduce");
        reduce.parents = ROW_TEXT("map\n");
        feed_row(s->reader, &reduce);
    }
    for (uint32_t i = 0; i < s->attempts.count; i++)
        give_attempt(s, &s->attempts.at[i]);
    clear_job(s);
    s->begun = s->walk ? json_walk_byte(s->walk) : 0;
}

/* ---- the format ---- */

static int detect(const char *at, size_t length, bool is_all)
{
    (void)is_all;
    bool object = length > 0 && memchr("{ \t\r\n", at[0], 5);
    return object && memmem(at, length, "\"jobID\"", 7) && memmem(at, length, "\"mapTasks\"", 10)
               ? 90
               : 0;
}

/* Leaves out the job at hand. */
static void lose(struct feed_reader *r, struct rumen_state *s)
{
    feed_at(r, json_walk_byte(s->walk));
    feed_bad(r, TROUBLE_JSON);
    clear_job(s);
    s->is_lost = true;
    s->is_line = false;
}

/* How many bytes come before the next document; all, while none begins. */
static size_t find_document(struct rumen_state *s, const char *at, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (s->is_line && at[i] == '{') {
            s->is_lost = false;
            return i;
        }
        s->is_line = at[i] == '\n';
    }
    return length;
}

static void take_bytes(struct feed_reader *r, void *state, const char *at, size_t length)
{
    struct rumen_state *s = state;
    s->reader = r;
    if (!s->walk) {
        clear_job(s);
        s->walk = json_walk_create(visit, s);
    }
    while (length > 0) {
        if (s->is_lost) {
            size_t skipped = find_document(s, at, length);
            json_walk_skip(s->walk, skipped);
            at += skipped;
            length -= skipped;
            continue;
        }
        uint64_t from = json_walk_byte(s->walk);
        if (json_walk_feed(s->walk, at, length) && s->texts.at.count < UINT32_MAX / 4 &&
            s->hosts.at.count < UINT32_MAX / 4)
            return;
        size_t used = (size_t)(json_walk_byte(s->walk) - from);
        lose(r, s);
        used = used > length ? length : used > 0 ? used : 1; /* a step, whatever yajl says */
        at += used;
        length -= used;
    }
}

static void end_part(struct feed_reader *r, void *state)
{
    struct rumen_state *s = state;
    if (s->walk && !s->is_lost && !json_walk_is_whole(s->walk))
        lose(r, s);
    json_walk_destroy(s->walk);
    vec_free(&s->texts.at);
    vec_free(&s->hosts.at);
    vec_free(&s->tasks);
    vec_free(&s->attempts);
}

const struct import_format rumen_format = {
    .name = "rumen",
    .help = "Hadoop Rumen job traces: maps, reduces and their attempts",
    .detect = detect,
    .state = sizeof(struct rumen_state),
    .bytes = take_bytes,
    .end = end_part,
};
