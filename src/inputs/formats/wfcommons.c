/* wfcommons.c - WfFormat 1.5 of WfCommons: one workflow in one JSON document.
 *
 * The inputs of a task, the sizes of files and its time are in three different places of the
 * document, in any order, so the whole document is kept until its end. The phase of a task is its
 * program. docs/reference/formats/wfcommons.md */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "inputs/trace/feed.h"
#include "inputs/trace/json_walk.h"
#include "inputs/trace/number.h"

struct wf_task {
    struct row_kept id, program, machine, parents, inputs, outputs; /* lists: names with newlines */
    int64_t time_us;                                                /* ROW_UNKNOWN */
    bool is_time_bad;                                               /* not a number */
    double cores, mem;
    uint64_t byte;
};

struct wf_machine {
    struct row_kept name;
    double cores, mem;
};

struct wf_file {
    struct row_kept id;
    double bytes;
};

struct wfcommons_state {
    struct json_walk *walk;
    struct row_bytes texts;
    struct row_kept name;
    VEC(struct wf_task) spec, run; /* of the specification and of the execution */
    VEC(struct wf_file) files;
    VEC(struct wf_machine) machines;
    bool is_bad; /* the document is over at an error */
};

/* ---- the walk ---- */

/* Appends a name to a list. Items of a list follow each other in the document, so nothing else is
 * kept between them. */
static void keep_item(struct wfcommons_state *s, struct row_kept *list, struct row_text t)
{
    struct row_kept item = row_bytes_keep(&s->texts, t);
    row_bytes_keep(&s->texts, ROW_TEXT("\n"));
    if (list->length == 0)
        list->at = item.at;
    list->length = s->texts.at.count - list->at;
}

static const char spec_path[] = "/workflow/specification/tasks[]";
static const char run_path[] = "/workflow/execution/tasks[]";
static const char machine_path[] = "/workflow/execution/machines[]";
static const char file_path[] = "/workflow/specification/files[]";

/* The rest of a path behind its beginning, or NULL. */
static const char *behind(const char *path, const char *beginning)
{
    size_t n = strlen(beginning);
    return strncmp(path, beginning, n) ? NULL : path + n;
}

static void take_spec(struct wfcommons_state *s, const char *key, struct row_text text)
{
    struct wf_task *t = &s->spec.at[s->spec.count - 1];
    if (!strcmp(key, "/id"))
        t->id = row_bytes_keep(&s->texts, text);
    else if (!strcmp(key, "/name") && t->program.length == 0)
        t->program = row_bytes_keep(&s->texts, text);
    else if (!strcmp(key, "/parents[]"))
        keep_item(s, &t->parents, text);
    else if (!strcmp(key, "/inputFiles[]"))
        keep_item(s, &t->inputs, text);
    else if (!strcmp(key, "/outputFiles[]"))
        keep_item(s, &t->outputs, text);
}

static void take_run(struct wfcommons_state *s, const char *key, struct row_text text)
{
    struct wf_task *t = &s->run.at[s->run.count - 1];
    double value;
    if (!strcmp(key, "/id"))
        t->id = row_bytes_keep(&s->texts, text);
    else if (!strcmp(key, "/command/program"))
        t->program = row_bytes_keep(&s->texts, text);
    else if (!strcmp(key, "/machines[]") && t->machine.length == 0)
        t->machine = row_bytes_keep(&s->texts, text);
    else if (!strcmp(key, "/runtimeInSeconds"))
        t->is_time_bad = !number_time(text, FEED_S, &t->time_us);
    else if (!strcmp(key, "/coreCount") && number_real(text, &value))
        t->cores = value;
    else if (!strcmp(key, "/memoryInBytes") && number_real(text, &value))
        t->mem = value;
}

static void take_file(struct wfcommons_state *s, const char *key, struct row_text text)
{
    struct wf_file *f = &s->files.at[s->files.count - 1];
    if (!strcmp(key, "/id"))
        f->id = row_bytes_keep(&s->texts, text);
    else if (!strcmp(key, "/sizeInBytes") && !number_real(text, &f->bytes))
        f->bytes = 0;
}

static void take_machine(struct wfcommons_state *s, const char *key, struct row_text text)
{
    struct wf_machine *m = &s->machines.at[s->machines.count - 1];
    double value;
    if (!strcmp(key, "/nodeName"))
        m->name = row_bytes_keep(&s->texts, text);
    else if (!strcmp(key, "/cpu/coreCount") && number_real(text, &value))
        m->cores = value;
    else if (!strcmp(key, "/memoryInBytes") && number_real(text, &value))
        m->mem = value;
}

static void open_item(struct wfcommons_state *s, const char *path)
{
    struct wf_task task = {
        .time_us = ROW_UNKNOWN, .cores = -1, .mem = -1, .byte = json_walk_byte(s->walk)};
    if (!strcmp(path, spec_path))
        vec_push(&s->spec, task);
    else if (!strcmp(path, run_path))
        vec_push(&s->run, task);
    else if (!strcmp(path, file_path))
        vec_push(&s->files, (struct wf_file){0});
    else if (!strcmp(path, machine_path))
        vec_push(&s->machines, ((struct wf_machine){.mem = -1}));
}

static void visit(void *ctx, const struct json_walk_item *i)
{
    struct wfcommons_state *s = ctx;
    const char *key;
    if (i->kind == JSON_WALK_OPEN)
        open_item(s, i->path);
    if (i->kind != JSON_WALK_VALUE)
        return;
    if (s->spec.count && (key = behind(i->path, spec_path)))
        take_spec(s, key, i->text);
    else if (s->run.count && (key = behind(i->path, run_path)))
        take_run(s, key, i->text);
    else if (s->files.count && (key = behind(i->path, file_path)))
        take_file(s, key, i->text);
    else if (s->machines.count && (key = behind(i->path, machine_path)))
        take_machine(s, key, i->text);
    else if (!strcmp(i->path, "/name"))
        s->name = row_bytes_keep(&s->texts, i->text);
}

/* ---- the end of the document ---- */

static int file_by_id(const void *a, const void *b, void *texts)
{
    return row_text_compare(row_bytes_text(texts, ((const struct wf_file *)a)->id),
                            row_bytes_text(texts, ((const struct wf_file *)b)->id));
}

static int task_by_id(const void *a, const void *b, void *texts)
{
    const struct wf_task *x = a, *y = b;
    int c = row_text_compare(row_bytes_text(texts, x->id), row_bytes_text(texts, y->id));
    return c ? c : (x->byte > y->byte) - (x->byte < y->byte);
}

/* Sum of the sizes of the files in a list. */
static int64_t bytes_of(const struct wfcommons_state *s, struct row_kept list)
{
    struct row_text rest = row_bytes_text(&s->texts, list), id;
    double sum = 0;
    while (row_text_next(&rest, &id)) {
        uint32_t low = 0, high = s->files.count;
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if (row_text_compare(row_bytes_text(&s->texts, s->files.at[middle].id), id) < 0)
                low = middle + 1;
            else
                high = middle;
        }
        if (low < s->files.count &&
            row_text_compare(row_bytes_text(&s->texts, s->files.at[low].id), id) == 0)
            sum += fmax(0, s->files.at[low].bytes);
    }
    return sum < 1e15 ? (int64_t)sum : INT64_C(1000000000000000);
}

/* "mProject" of "mProject_ID0000001": the name without digits at its end and what stands before
 * them. */
static struct row_text program_of(struct row_text name)
{
    size_t n = name.length;
    while (n > 0 && isdigit((unsigned char)name.at[n - 1]))
        n--;
    if (n < name.length && n >= 2 && !memcmp(name.at + n - 2, "ID", 2))
        n -= 2;
    while (n > 0 && n < name.length && strchr("_-.", name.at[n - 1]))
        n--;
    return n > 0 ? (struct row_text){name.at, n} : name;
}

/* The execution of a task of the specification; both are sorted by id. */
static const struct wf_task *find_run(const struct wfcommons_state *s, const struct wf_task *t,
                                      uint32_t *at)
{
    while (*at < s->run.count && row_text_compare(row_bytes_text(&s->texts, s->run.at[*at].id),
                                                  row_bytes_text(&s->texts, t->id)) < 0)
        ++*at;
    if (*at < s->run.count && row_text_compare(row_bytes_text(&s->texts, s->run.at[*at].id),
                                               row_bytes_text(&s->texts, t->id)) == 0)
        return &s->run.at[*at];
    return NULL;
}

static void give_task(struct feed_reader *r, struct wfcommons_state *s, const struct wf_task *t,
                      const struct wf_task *run)
{
    struct row task = row_blank(ROW_TASK, feed_member(r));
    task.phase = run && run->program.length ? row_bytes_text(&s->texts, run->program)
                                            : program_of(row_bytes_text(&s->texts, t->program));
    task.task = row_bytes_text(&s->texts, t->id);
    task.parents = row_bytes_text(&s->texts, t->parents);
    task.tasks_are_parents = true;
    task.input_bytes = bytes_of(s, t->inputs);
    task.output_bytes = bytes_of(s, t->outputs);
    feed_at(r, t->byte);
    feed_row(r, &task);
    if (!run)
        return;
    feed_at(r, run->byte);
    if (!feed_check(r, !run->is_time_bad, TROUBLE_NUMBER) || run->time_us == ROW_UNKNOWN)
        return;
    struct row attempt = row_blank(ROW_ATTEMPT, task.job);
    attempt.phase = task.phase;
    attempt.task = task.task;
    attempt.mean_us = run->time_us;
    attempt.cpu = run->cores > 0 ? run->cores : -1;
    attempt.mem = run->mem;
    attempt.node = row_bytes_text(&s->texts, run->machine);
    feed_row(r, &attempt);
}

/* Executions of tasks that the specification does not have; both are sorted by id. */
static void count_strangers(struct feed_reader *r, const struct wfcommons_state *s)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < s->run.count; i++) {
        struct row_text id = row_bytes_text(&s->texts, s->run.at[i].id);
        while (at < s->spec.count &&
               row_text_compare(row_bytes_text(&s->texts, s->spec.at[at].id), id) < 0)
            at++;
        if (at < s->spec.count &&
            row_text_compare(row_bytes_text(&s->texts, s->spec.at[at].id), id) == 0)
            continue;
        feed_at(r, s->run.at[i].byte);
        feed_bad(r, TROUBLE_PARENT);
    }
}

static void give_all(struct feed_reader *r, struct wfcommons_state *s)
{
    uint32_t at = 0;
    struct row job = row_blank(ROW_JOB, feed_member(r));
    job.name = job.app = row_bytes_text(&s->texts, s->name);
    job.submit_us = 0;
    feed_row(r, &job);
    if (s->files.count)
        qsort_r(s->files.at, s->files.count, sizeof *s->files.at, file_by_id, &s->texts);
    if (s->run.count)
        qsort_r(s->run.at, s->run.count, sizeof *s->run.at, task_by_id, &s->texts);
    if (s->spec.count)
        qsort_r(s->spec.at, s->spec.count, sizeof *s->spec.at, task_by_id, &s->texts);
    for (uint32_t i = 0; i < s->machines.count; i++)
        feed_machine(r, row_bytes_text(&s->texts, s->machines.at[i].name), s->machines.at[i].cores,
                     s->machines.at[i].mem);
    for (uint32_t i = 0; i < s->spec.count; i++)
        give_task(r, s, &s->spec.at[i], find_run(s, &s->spec.at[i], &at));
    count_strangers(r, s);
}

/* ---- the format ---- */

static int detect(const char *at, size_t length, bool is_all)
{
    (void)is_all;
    bool object = length > 0 && memchr("{ \t\r\n", at[0], 5);
    return object && memmem(at, length, "\"schemaVersion\"", 15) &&
                   memmem(at, length, "\"workflow\"", 10)
               ? 90
               : 0;
}

static void take_bytes(struct feed_reader *r, void *state, const char *at, size_t length)
{
    struct wfcommons_state *s = state;
    if (s->is_bad)
        return;
    if (!s->walk)
        s->walk = json_walk_create(visit, s);
    if (s->texts.at.count > UINT32_MAX / 4 || !json_walk_feed(s->walk, at, length)) {
        feed_at(r, json_walk_byte(s->walk));
        feed_bad(r, TROUBLE_JSON);
        s->is_bad = true;
    }
}

static void end_part(struct feed_reader *r, void *state)
{
    struct wfcommons_state *s = state;
    if (s->walk && !s->is_bad && !json_walk_is_whole(s->walk)) {
        feed_at(r, json_walk_byte(s->walk));
        feed_bad(r, TROUBLE_JSON);
        s->is_bad = true;
    }
    if (!s->is_bad)
        give_all(r, s);
    json_walk_destroy(s->walk);
    vec_free(&s->texts.at);
    vec_free(&s->spec);
    vec_free(&s->run);
    vec_free(&s->files);
    vec_free(&s->machines);
}

const struct import_format wfcommons_format = {
    .name = "wfcommons",
    .help = "WfCommons JSON 1.5: one workflow with its files, parents and times",
    .detect = detect,
    .state = sizeof(struct wfcommons_state),
    .bytes = take_bytes,
    .end = end_part,
};
