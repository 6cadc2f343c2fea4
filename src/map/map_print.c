/* map_print.c - what becomes of the output of a task that is over.
 *
 * Output is printed in one piece when it is known to be the task's: the winner's, or that of the
 * last attempt of a task that failed for good. It waits in files of the run until then, so an
 * output may be larger than our memory, and with -k any number of them may wait. The line of the
 * job log follows the output. A run that keeps its folder (--dir) notes every step (map_mark.c), so
 * that whoever resumes after a crash goes on at the very byte; without a folder, --resume with the
 * job log may show an output twice, but never misses one. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exec/run_dir.h"
#include "map/joblog.h"
#include "map/map_state.h"

enum { CHUNK = 1 << 16 };

void map_broken(struct map *m, const char *what)
{
    if (m->is_broken)
        return;
    m->is_broken = true;
    err_system(&m->broken, "cannot write %s: %s", what, strerror(errno));
}

/* ---- paths ---- */

void map_attempt_path(const struct map *m, struct attempt_ref at, const char *name,
                      struct str *path)
{
    char text[PATH_MAX];

    exec_place(m->exec, map_told(m, at), name, text);
    str_add(path, text);
}

void map_output_path(const struct map *m, uint32_t task, uint8_t state, int which, struct str *path)
{
    struct attempt_ref at = map_told(m, (struct attempt_ref){.task = task});

    if (state == MAP_FAILED)
        str_addf(path, "%s/failed/%u%s", m->dir, task,
                 which == 0   ? ""
                 : which == 1 ? "/stdout"
                              : "/stderr");
    else if (which == 1)
        str_addf(path, "%s/out/%u/map/%u", m->dir, at.job.v, at.task);
    else
        str_addf(path, "%s/err/%u", m->dir, task);
}

/* ---- printing ---- */

void map_write(struct map *m, int fd, const char *at, size_t length)
{
    if (m->mark && m->options.output == OUTPUT_GROUP) {
        if (!m->is_broken && map_mark_write(m, fd, at, length) < 0)
            map_broken(m, fd == 1 ? "the output" : "to stderr");
        return;
    }
    while (length > 0 && !m->is_broken) {
        ssize_t n = write(fd, at, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            map_broken(m, fd == 1 ? "the output" : "to stderr");
            return;
        }
        at += n;
        length -= (size_t)n;
    }
}

/* Writes text with the tag before each line. *fresh: the next byte begins a line. */
static void write_tagged(struct map *m, int fd, const char *at, size_t length, const char *tag,
                         bool *fresh)
{
    while (length > 0 && !m->is_broken) {
        const char *newline = memchr(at, '\n', length);
        size_t line = newline ? (size_t)(newline - at) + 1 : length;
        if (*fresh) {
            map_write(m, fd, tag, strlen(tag));
            map_write(m, fd, "\t", 1);
        }
        map_write(m, fd, at, line);
        *fresh = newline != NULL;
        at += line;
        length -= line;
    }
}

int64_t map_show(struct map *m, const char *path, int64_t from, int fd, const char *tag, bool lines)
{
    int in = open(path, O_RDONLY | O_CLOEXEC);
    char chunk[CHUNK];
    int64_t at = from;
    ssize_t n;
    bool fresh = true;

    if (in < 0)
        return 0;
    while (!m->is_broken && (n = pread(in, chunk, sizeof chunk, at)) > 0) {
        if (lines) {
            const char *last = memrchr(chunk, '\n', (size_t)n);
            if (!last && n < CHUNK)
                break; /* a line that is still being written */
            n = last ? last - chunk + 1 : n;
        }
        if (at == from)
            map_clear_line(m);
        if (tag)
            write_tagged(m, fd, chunk, (size_t)n, tag, &fresh);
        else
            map_write(m, fd, chunk, (size_t)n);
        at += n;
    }
    close(in);
    return at - from;
}

/* ---- the job log ---- */

/* What the log says of a task; `command` is made for it. `out` is the file with its stdout: of an
 * attempt that failed nobody has told the size. */
static struct joblog_entry log_entry(const struct map *m, uint32_t task, const struct map_end *end,
                                     const char *out, struct str *command)
{
    struct stat st;
    bool failed = end->state == MAP_FAILED && stat(out, &st) == 0;

    plan_command(m->plan, task, 1, command);
    return (struct joblog_entry){.seq = plan_seq(m->plan, task),
                                 .host = ":",
                                 .start_s = end->start_s,
                                 .runtime_s = end->runtime_s,
                                 .sent = end->sent,
                                 .received = failed ? (int64_t)st.st_size : end->received,
                                 .exit = end->exit,
                                 .signal = end->signal,
                                 .command = command->text};
}

static void log_task(struct map *m, uint32_t task, const struct map_end *end, const char *out)
{
    struct str line = {0}, command = {0};
    struct stat st;
    struct joblog_entry e = log_entry(m, task, end, out, &command);

    joblog_add(&line, &e);
    map_clear_line(m); /* it may go to a terminal */
    if (m->mark && fstat(fileno(m->joblog), &st) == 0)
        map_mark_log(m, task, (int64_t)st.st_size);
    if (fputs(line.text, m->joblog) < 0 || fflush(m->joblog) != 0)
        map_broken(m, "the job log");
    str_free(&line);
    str_free(&command);
}

/* ---- one task ---- */

static void keep_results(struct map *m, uint32_t task, const struct map_end *end, const char *out,
                         const char *err)
{
    struct str command = {0};

    if (m->table) {
        struct joblog_entry e = log_entry(m, task, end, out, &command);
        map_table_add(m, task, &e, out, err);
    } else {
        map_keep_results(m, task, out, err);
    }
    str_free(&command);
}

static void clean_up(struct map *m, uint32_t task, const struct map_end *end, const char *out,
                     const char *err)
{
    bool said = end->state == MAP_FAILED || end->received > 0;

    if (m->exec && (m->spool || (m->dir_private && (said || !end->silent))))
        exec_look_at_disk(m->exec);
    if (m->spool) {
        struct str block = {0};
        str_addf(&block, "%s/%llu", m->spool, (unsigned long long)plan_seq(m->plan, task) - 1);
        remove(block.text);
        str_free(&block);
    }
    if (!m->dir_private)
        return;
    if (said)
        unlink(out);
    if (!end->silent)
        unlink(err);
    if (end->state == MAP_FAILED) {
        struct str place = {0};
        map_output_path(m, task, end->state, 0, &place);
        run_dir_remove(place.text);
        str_free(&place);
    }
}

static void print_task(struct map *m, uint32_t task, const struct map_end *end)
{
    const struct options *o = &m->options;
    struct str out = {0}, err = {0}, tag = {0};

    bool before = map_mark_is_done(m, task); /* in an earlier life */

    if (before && !o->json)
        return;
    bool said = end->state == MAP_FAILED || end->received > 0;
    bool files = o->results || o->out_file || o->err_file || o->files;
    if (said || !end->silent || o->json || files) { /* else there is nothing to be found there */
        map_output_path(m, task, end->state, 1, &out);
        map_output_path(m, task, end->state, 2, &err);
    }
    if (o->json)
        map_json_task(m, task, end, out.text, err.text);
    if (before) {
        str_free(&out);
        str_free(&err);
        return;
    }
    if (o->results)
        keep_results(m, task, end, out.text, err.text);
    if (o->out_file || o->err_file)
        map_keep_files(m, task, out.text, err.text);
    if (o->tag || o->tagstring)
        plan_tag(m->plan, task, 1, &tag);
    map_mark_stage(m, task, MARK_OUT);
    if (o->show && !o->files && !o->results) {
        struct str command = {0};
        if (tag.text)
            str_addf(&command, "%s\t", tag.text);
        plan_command(m->plan, task, 1, &command);
        str_add(&command, "\n");
        map_clear_line(m);
        map_write(m, 1, command.text, command.length);
        str_free(&command);
    }
    bool streams = o->output == OUTPUT_RAW || (o->output == OUTPUT_LINES && !o->keep_order);
    bool shows = !streams && !o->json && !o->results && m->streamed != task + 1ULL;
    if (o->files && !o->json)
        map_print_file(m, task, out.text, tag.text);
    else if (!o->out_file && shows && said)
        map_show(m, out.text, 0, 1, tag.text, false);
    map_mark_stage(m, task, MARK_ERR);
    if (!o->err_file && shows && !end->silent)
        map_show(m, err.text, 0, 2, tag.text, false);
    if (m->joblog && !m->is_broken)
        log_task(m, task, end, out.text);
    if (!m->is_broken)
        map_mark_done(m, task);
    clean_up(m, task, end, out.text, err.text);
    str_free(&out);
    str_free(&err);
    str_free(&tag);
}

static void count_task(struct map *m, uint32_t task, const struct map_end *end)
{
    if (end->state == MAP_FAILED) {
        m->counts.failed++;
        return;
    }
    m->counts.done++;
    vec_push(&m->runtimes, (float)end->runtime_s);
    if (end->runtime_s > m->slowest.end.runtime_s || m->counts.done == 1)
        m->slowest = (struct map_slowest){task, *end};
}

/* -k: as far as there is no gap. */
static void print_in_turn(struct map *m)
{
    while (m->next < m->tasks && m->ends_by_task[m->next].state != MAP_OPEN) {
        print_task(m, m->next, &m->ends_by_task[m->next]);
        m->next++;
    }
}

void map_task_over(struct map *m, uint32_t task, const struct map_end *end)
{
    count_task(m, task, end);
    map_control(m, task, end);
    if (m->ends_by_task)
        m->ends_by_task[task] = *end;
    if (m->recalling) {
        vec_push(&m->unprinted, task);
        return;
    }
    if (!m->options.keep_order) {
        print_task(m, task, end);
        return;
    }
    print_in_turn(m);
}

void map_print_recalled(struct map *m)
{
    if (m->options.keep_order)
        print_in_turn(m);
    for (uint32_t i = 0; !m->options.keep_order && i < m->unprinted.count; i++)
        print_task(m, m->unprinted.at[i], &m->ends_by_task[m->unprinted.at[i]]);
    vec_free(&m->unprinted);
}

void map_flush(struct map *m)
{
    for (; m->options.keep_order && m->next < m->tasks; m->next++)
        if (m->ends_by_task[m->next].state != MAP_OPEN)
            print_task(m, m->next, &m->ends_by_task[m->next]);
}
