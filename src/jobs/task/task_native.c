/* task_native.c - functions of the user in this process, and the code between them and the data.
 *
 * They are called for lines or for keys, and what they emit becomes records or lines. An error of
 * the data path within a call (a full disk, say) is kept until they return: so they need not look
 * after errors that are not theirs. What they print by themselves goes to standard error, because
 * standard output is the output of the task. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "data/key_table.h"
#include "data/line_record.h"
#include "include/dolly.h"
#include "jobs/task/native_crash.h"
#include "jobs/task/native_object.h"
#include "jobs/task/task_state.h"

enum {
    PRINT_BYTES = 1 << 18,
    TABLE_SHARE = 16,      /* that part of the memory for sorting is for what meets before it, */
    TABLE_BYTES = 8 << 20, /* and no more than this, of which caches still hold a part */
};

/* What the functions are given is the first member. */
struct native_task {
    struct dolly_task given;
    const struct task_attempt *task;
    const struct dolly_functions *functions;
    struct task_output *out;          /* records; or else ... */
    FILE *print;                      /* ... lines, ... */
    char *buffer;                     /* ... gathered here */
    struct key_table *table;          /* where records go first if there is a combiner */
    struct task_combined *combined;   /* where they go while it writes them */
    struct line_record_cutter cutter; /* of lines that they read */
    const char *in;                   /* the function that runs */
    struct err err;
    bool failed;
    bool combining;   /* emissions replace earlier ones */
    uint64_t emitted; /* records or lines */
};

static struct native_task *of(struct dolly_task *given)
{
    return (struct native_task *)(void *)given;
}

/* The first error is the one that is told. */
static void fail(struct native_task *n, const struct err *err)
{
    if (!n->failed)
        n->err = *err;
    n->failed = true;
}

/* ---- what they call ---- */

static void put_bytes(struct native_task *n, struct dolly_bytes bytes)
{
    fwrite_unlocked(bytes.at, 1, bytes.length, n->print);
}

/* A line is whole. What could not be written is not written later, either: closing the file would
 * say nothing of it. */
static void end_line(struct native_task *n)
{
    struct err err;

    putc_unlocked('\n', n->print);
    if (!ferror_unlocked(n->print))
        return;
    err_system(&err, "the output: %s", strerror(errno));
    fail(n, &err);
}

static void take_record(struct native_task *n, const struct data_record *r)
{
    struct err err;
    int result = n->combined ? task_combine_add(n->combined, r, &err)
                 : n->table  ? key_table_add(n->table, r, &err)
                             : task_output_add(n->out, r, &err);

    if (result < 0)
        fail(n, &err);
}

static bool fits(struct native_task *n, size_t length)
{
    struct err err;

    if (length <= INT32_MAX)
        return true;
    err_set(&err, "a key, a value or a line has more than 2 GiB");
    fail(n, &err);
    return false;
}

/* What children of the functions give us would be lost, or be there twice. */
static void of_child(const char *call)
{
    if (!native_crash_is_child())
        return;
    dprintf(STDERR_FILENO, "dolly: %s was called by a child that was forked; only the task may\n",
            call);
    _exit(EXIT_FAILURE);
}

static void emit(struct dolly_task *given, struct dolly_bytes key, struct dolly_bytes value)
{
    struct native_task *n = of(given);

    of_child("dolly_emit");
    if (n->failed || !fits(n, key.length) || !fits(n, value.length))
        return;
    task_report_beat();
    n->emitted += !n->combining;
    if (n->out) {
        take_record(n, &(struct data_record){key.at, value.at, (uint32_t)key.length,
                                             (uint32_t)value.length});
        return;
    }
    put_bytes(n, key);
    fputs(n->task->phase->separator, n->print);
    put_bytes(n, value);
    end_line(n);
}

static void print(struct dolly_task *given, struct dolly_bytes line)
{
    struct native_task *n = of(given);
    const struct plan_phase *p = n->task->phase;

    of_child("dolly_print");
    if (n->failed || !fits(n, line.length))
        return;
    task_report_beat();
    n->emitted += !n->combining;
    if (n->out) {
        struct data_record r =
            line_record_of(line.at, (uint32_t)line.length, p->separator, p->key_fields);
        take_record(n, &r);
        return;
    }
    put_bytes(n, line);
    end_line(n);
}

static int fail_call(struct dolly_task *given, const char *why)
{
    struct err err;

    err_set(&err, "%s: %s", of(given)->task->phase->native, why);
    fail(of(given), &err);
    return -1;
}

static void count_call(struct dolly_task *given, const char *group, const char *name, int64_t n)
{
    task_report_count(of(given)->task->report, group, name, n);
}

static void status_call(struct dolly_task *given, const char *text)
{
    task_report_status(of(given)->task->report, text);
}

static const struct dolly_calls calls = {emit, print, fail_call, count_call, status_call};

/* ---- calling them ---- */

/* A function begins, or goes on. Returns which one ran before. */
static const char *enter(struct native_task *n, const char *function)
{
    const char *before = n->in;

    n->in = function;
    native_crash_in(function);
    return before;
}

/* After a call that returned `result`. */
static int judge(struct native_task *n, const char *function, int result, struct err *err)
{
    if (result != 0 && !n->failed) {
        n->failed = true;
        err_set(&n->err, "%s: %s of phase '%s' returned %d", n->task->phase->native, function,
                n->task->phase->name, result);
    }
    if (n->failed)
        *err = n->err;
    return n->failed ? -1 : 0;
}

static int call_plain(struct native_task *n, const char *name,
                      int (*function)(struct dolly_task *task), struct err *err)
{
    if (!function)
        return 0;
    enter(n, name);
    return judge(n, name, function(&n->given), err);
}

static int map_line(void *ctx, const char *line, uint32_t length, struct err *err)
{
    struct native_task *n = ctx;

    task_report_beat();
    return judge(n, "map", n->functions->map(&n->given, dolly_slice(line, length)), err);
}

static int map_lines(struct native_task *n, struct task_input *in, struct err *err)
{
    const char *at;
    int64_t count;

    enter(n, "map");
    while ((count = in->feed(in, &at, err)) > 0) {
        task_report_beat();
        if (line_record_cut(&n->cutter, at, (size_t)count, map_line, n, err) < 0)
            return -1;
    }
    return count < 0 ? -1 : line_record_cut_end(&n->cutter, map_line, n, err);
}

/* Records one key at a time. A record lives until another is asked for, so the key is copied. */
struct native_values {
    struct dolly_values given; /* first */
    struct record_stream in;
    struct data_record now; /* the record that it is at */
    bool taken;             /* its value has been handed out */
    VEC(char) key;          /* of which the values are asked for */
    int more;               /* as record_stream_next says */
    struct err *err;
};

static int next_value(struct dolly_values *given, struct dolly_bytes *value)
{
    struct native_values *v = (struct native_values *)(void *)given;

    if (v->taken && v->more > 0) {
        v->more = record_stream_next(v->in, &v->now, v->err);
        v->taken = false;
    }
    if (v->more <= 0 || record_compare(v->now.key, v->now.key_length, v->key.at, v->key.count) != 0)
        return 0;
    task_report_beat();
    *value = dolly_slice(v->now.value, v->now.value_length);
    v->taken = true;
    return 1;
}

typedef int native_of_key(struct dolly_task *task, struct dolly_bytes key,
                          struct dolly_values *values);

static int call_for_keys(struct native_task *n, const char *name, native_of_key *function,
                         struct record_stream in, struct err *err)
{
    struct native_values v = {.given = {next_value}, .in = in, .err = err};
    struct dolly_bytes ignored;

    enter(n, name);
    v.more = record_stream_next(in, &v.now, err);
    while (v.more > 0) {
        vec_clear(&v.key);
        vec_append(&v.key, v.now.key, v.now.key_length);
        task_report_beat();
        int result = function(&n->given, dolly_slice(v.key.at, v.key.count), &v.given);
        if (v.more >= 0 && judge(n, name, result, err) < 0)
            v.more = -1;
        while (next_value(&v.given, &ignored))
            ;
    }
    vec_free(&v.key);
    return v.more;
}

/* A sorter_combine. */
static int combine(void *ctx, struct record_stream in, uint32_t partition,
                   struct sorted_writer *out, struct err *err)
{
    struct native_task *n = ctx;
    struct task_combined to = {.out = out, .partition = partition};
    const char *before = n->in;

    n->combined = &to;
    n->combining = true;
    int result = call_for_keys(n, "combine", n->functions->combine, in, err);
    n->combined = NULL;
    n->combining = false;
    enter(n, before);
    vec_free(&to.last);
    return result;
}

/* ---- what meets before the sort ---- */

struct gathered_values {
    struct dolly_values given; /* first */
    struct key_table_values left;
};

static int next_gathered(struct dolly_values *given, struct dolly_bytes *value)
{
    struct gathered_values *v = (struct gathered_values *)(void *)given;
    uint32_t length;

    if (!key_table_next(&v->left, &value->at, &length))
        return 0;
    value->length = length;
    return 1;
}

static int combine_gathered(void *ctx, const char *key, uint32_t key_length,
                            struct key_table_values values, struct err *err)
{
    struct native_task *n = ctx;
    struct gathered_values v = {{next_gathered}, values};
    const char *before = enter(n, "combine");

    n->combining = true;
    int result = n->functions->combine(&n->given, dolly_slice(key, key_length), &v.given);
    n->combining = false;
    enter(n, before);
    return judge(n, "combine", result, err);
}

static int leave_gathered(void *ctx, const struct data_record *r, struct err *err)
{
    return task_output_add(((struct native_task *)ctx)->out, r, err);
}

static struct key_table *table_for(struct native_task *n)
{
    uint64_t share = n->task->phase->memory / TABLE_SHARE;
    struct key_table_calls to = {combine_gathered, leave_gathered, n};

    return key_table_create(share < TABLE_BYTES ? share : TABLE_BYTES, &to);
}

/* ---- the attempt ---- */

static int run(struct native_task *n, struct task_input *in, struct err *err)
{
    const struct dolly_functions *f = n->functions;

    if (call_plain(n, "begin", f->begin, err) < 0)
        return -1;
    if ((task_reads_keys(n->task) ? call_for_keys(n, "reduce", f->reduce, in->records, err)
                                  : map_lines(n, in, err)) < 0)
        return -1;
    if (call_plain(n, "end", f->end, err) < 0 || (n->table && key_table_flush(n->table, err) < 0))
        return -1;
    return in->check ? in->check(in, err) : 0;
}

/* Standard output becomes ours alone; what the functions print goes to standard error. */
static int take_stdout(struct err *err)
{
    int fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);

    if (fd >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
        return fd;
    err_system(err, "standard output: %s", strerror(errno));
    if (fd >= 0)
        close(fd);
    return -1;
}

static int finish(struct native_task *n, int fd, int result, struct err *err)
{
    uint64_t lines;

    if (n->out) {
        if (result == 0)
            result = task_output_finish(n->out, fd, &lines, err);
        task_output_destroy(n->out);
        key_table_destroy(n->table);
        close(fd);
    } else if (!n->print) {
        close(fd);
    } else if (fclose(n->print) != 0 && result == 0) {
        result = err_system(err, "the output: %s", strerror(errno));
    }
    mem_free(n->buffer);
    vec_free(&n->cutter.rest);
    return result;
}

static int open_output(struct native_task *n, char *const *env, int fd, struct err *err)
{
    const struct plan_phase *p = n->task->phase;

    if (p->partitions > 0) {
        bool own = n->functions->combine && !p->combiner;
        n->out = task_output_create(n->task, env, own ? combine : NULL, n);
        n->table = own ? table_for(n) : NULL;
        return 0;
    }
    n->print = fdopen(fd, "w");
    if (!n->print)
        return err_system(err, "the output: %s", strerror(errno));
    n->buffer = mem_resize(NULL, PRINT_BYTES, 1);
    setvbuf(n->print, n->buffer, _IOFBF, PRINT_BYTES);
    native_crash_file(n->print);
    return 0;
}

int task_native_run(const struct task_attempt *t, struct task_input *in, char **env,
                    uint64_t *emitted, struct err *err)
{
    const struct plan_split *split = task_split(t);
    struct native_task n = {.given = {.calls = &calls,
                                      .phase = t->phase->name,
                                      .input = split ? split->path : NULL,
                                      .number = t->number,
                                      .attempt = t->attempt},
                            .task = t,
                            .in = "a constructor"};
    int fd = take_stdout(err);

    if (fd < 0)
        return -1;
    char **environ_before = environ;
    environ = env;
    native_crash_watch(t->phase->native, t->phase->name);
    native_crash_in(n.in);
    n.functions = native_object_load(t->phase->native, t->phase->functions, t->phase->native_hash,
                                     task_reads_keys(t) ? "reduce" : "map", err);
    int result = n.functions && task_apart_watch(t, err) == 0 ? open_output(&n, env, fd, err) : -1;
    if (result == 0)
        result = run(&n, in, err);
    task_apart_unwatch();
    result = finish(&n, fd, result, err);
    *emitted = n.emitted;
    native_crash_leave();
    environ = environ_before;
    return result;
}
