/* map_print.c - what becomes of the output of a task that is over.
 *
 * Output is printed in one piece when it is known to be the task's: the winner's, or that of the
 * last attempt of a task that failed for good. It waits in files of the run until then, so an
 * output may be larger than our memory, and with -k any number of them may wait. The line of the
 * job log follows the output. A run that keeps its folder (--dir) notes every step (mark.c), so
 * that it can be resumed at the very byte; without a folder, --resume with the job log may show an
 * output twice, but never misses one. */
#include "jobs/map/map_print.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "base/os/path.h"
#include "base/os/tree.h"
#include "base/os/write_all.h"
#include "jobs/map/map.h"
#include "jobs/map/map_files.h"
#include "jobs/map/map_whole.h"

enum { CHUNK = 1 << 16 };

/* ---- printing ---- */

void map_print_write(struct map *m, int fd, const char *at, size_t length)
{
    if (m->fail.aborts)
        return;
    bool marks = m->mark && m->options.output == OUTPUT_GROUP;
    int result = marks ? mark_write(m->mark, fd, at, length) : write_all(fd, at, length);
    if (result < 0)
        map_fail_unwritable(m, fd == 1 ? "the output" : "to stderr");
}

/* Writes text with the tag before each line, some 64 KiB of whole lines at a time: others may write
 * to the same file. *fresh: the next byte begins a line. */
static void write_tagged(struct map *m, int fd, const char *at, size_t length, const char *tag,
                         bool *fresh)
{
    size_t tag_length = strlen(tag);
    VEC(char) lines = {0};

    while (length > 0) {
        const char *newline = memchr(at, '\n', length);
        size_t line = newline ? (size_t)(newline - at) + 1 : length;
        if (*fresh) {
            vec_append(&lines, tag, tag_length);
            vec_push(&lines, '\t');
        }
        vec_append(&lines, at, line);
        *fresh = newline != NULL;
        at += line;
        length -= line;
        if (lines.count >= CHUNK || length == 0) {
            map_print_write(m, fd, lines.at, lines.count);
            vec_clear(&lines);
        }
    }
    vec_free(&lines);
}

/* Where the last whole line of a file that grows ends; `shown->printed` if there is none behind
 * that. It is looked for from the end, and what was looked through is not looked through again: a
 * line may be longer than memory. */
static int64_t lines_end(int in, struct map_shown *shown)
{
    int64_t from = shown->printed > shown->searched ? shown->printed : shown->searched;
    int64_t size = (int64_t)lseek(in, 0, SEEK_END);
    char chunk[CHUNK];

    for (int64_t end = size; end > from;) {
        int64_t begin = end - from > CHUNK ? end - CHUNK : from;
        ssize_t n = pread(in, chunk, (size_t)(end - begin), begin);
        const char *last = n > 0 ? memrchr(chunk, '\n', (size_t)n) : NULL;
        if (last)
            return begin + (last - chunk) + 1;
        end = begin;
    }
    if (size > from)
        shown->searched = size;
    return shown->printed;
}

int map_print_show(struct map *m, const char *path, struct map_shown *shown, int fd,
                   const char *tag, bool lines)
{
    int in = open(path, O_RDONLY | O_CLOEXEC);
    char chunk[CHUNK];
    bool fresh = true;
    ssize_t n;

    if (in < 0)
        return errno == ENOENT ? 0 : -1;
    int64_t end = lines ? lines_end(in, shown) : INT64_MAX;
    int error = 0;
    while (!m->fail.aborts && shown->printed < end) {
        size_t most = end - shown->printed < CHUNK ? (size_t)(end - shown->printed) : CHUNK;
        if ((n = pread(in, chunk, most, shown->printed)) < 0 && errno == EINTR)
            continue;
        error = n < 0 ? errno : 0;
        if (n <= 0)
            break;
        const char *last = memrchr(chunk, '\n', (size_t)n);
        if (last) /* else it is a piece of a long line, or the end of an output without one */
            n = last - chunk + 1;
        progress_line_clear(&m->progress);
        if (tag)
            write_tagged(m, fd, chunk, (size_t)n, tag, &fresh);
        else
            map_print_write(m, fd, chunk, (size_t)n);
        shown->printed += n;
    }
    close(in);
    errno = error;
    return error ? -1 : 0;
}

/* ---- one task ---- */

static void keep_results(struct map *m, const struct map_output *p)
{
    struct str command = {0};

    if (m->table.file) {
        struct joblog_entry e = map_log_entry(m, p, &command);
        struct fields arguments = plan_arguments(m->plan, p->task);
        struct fields names = m->inputs ? inputs_names(m->inputs) : (struct fields){NULL, 0};
        if (results_table_add(&m->table, &e, arguments, names, p->out.text, p->err.text) < 0)
            map_fail_unwritable(m, m->options.results);
    } else {
        map_files_results(m, p);
    }
    str_free(&command);
}

/* -v: the command before its output. */
static void print_command(struct map *m, const struct map_output *p)
{
    struct str line = {0};

    if (p->tag.text)
        str_addf(&line, "%s\t", p->tag.text);
    plan_command(m->plan, p->task, p->end->slot, &line);
    str_add(&line, "\n");
    progress_line_clear(&m->progress);
    map_print_write(m, 1, line.text, line.length);
    str_free(&line);
}

/* --files: the name of the file that the output stays in. */
static void print_name(struct map *m, const struct map_output *p)
{
    const char *tag = p->tag.text;
    struct str path = {0}, line = {0};

    map_files_name(m, p, &path);
    str_addf(&line, "%s%s%s\n", tag ? tag : "", tag ? "\t" : "", path.text);
    progress_line_clear(&m->progress);
    map_print_write(m, 1, line.text, line.length);
    str_free(&path);
    str_free(&line);
}

/* Prints the whole of one of its outputs, of which there were `bytes`; -1: any number. */
static void print_stream(struct map *m, struct map_output *p, int fd, int64_t bytes)
{
    struct map_shown shown = {0};
    const char *path = fd == 1 ? p->out.text : p->err.text;
    int read = map_print_show(m, path, &shown, fd, p->tag.text, false);

    if (!m->fail.aborts && (read < 0 || (bytes >= 0 && shown.printed != bytes)))
        map_whole_unread(m, p, read < 0 ? errno : 0);
}

/* Without a tag its stderr is that of another task, to the letter: a command that does not exist.
 */
static bool is_repeated(struct map *m, const struct map_output *p)
{
    return p->end->exit == MAP_MISSING_EXIT && !p->tag.text &&
           map_missing_again(&m->print.missing, p->err.text, plan_seq(m->plan, p->task));
}

static void print_streams(struct map *m, struct map_output *p)
{
    const struct options *o = &m->options;
    bool streams = o->output == OUTPUT_RAW || (o->output == OUTPUT_LINES && !o->keep_order);
    bool shows = !streams && !o->json && !o->results && m->print.streamed != p->task + 1ULL;

    mark_stage(m->mark, p->task, MARK_OUT);
    if (o->show && !o->files && !o->results)
        print_command(m, p);
    if (o->files && !o->json)
        print_name(m, p);
    else if (!o->out_file && shows && p->has_out)
        print_stream(m, p, 1, p->end->state == MAP_TASK_DONE ? p->end->received : -1);
    mark_stage(m->mark, p->task, MARK_ERR);
    bool named = o->files && p->end->state == MAP_TASK_DONE; /* its stderr is not asked for */
    if (!o->err_file && shows && !p->end->silent && !named && !is_repeated(m, p))
        print_stream(m, p, 2, -1);
}

/* Removes what is not needed any more. */
static void clean_up(struct map *m, const struct map_output *p)
{
    if (m->exec && (m->blocks.dir || (m->dir_private && (p->has_out || !p->end->silent))))
        exec_full_look(m->exec);
    if (m->blocks.dir)
        remove(path_of("%s/%" PRIu64, m->blocks.dir, plan_seq(m->plan, p->task) - 1).text);
    if (!m->dir_private)
        return;
    if (p->has_out)
        unlink(p->out.text);
    if (!p->end->silent)
        unlink(p->err.text);
    if (p->end->state == MAP_TASK_FAILED)
        tree_remove(map_dir_output(m, p->task, p->end->state, 0).text);
}

/* All that is done once: not again for a task that an earlier life has printed. */
static void print_once(struct map *m, struct map_output *p)
{
    const struct options *o = &m->options;

    if (o->results)
        keep_results(m, p);
    if (o->out_file || o->err_file)
        map_files_add(m, p);
    if ((o->tag || o->tagstring) && o->output != OUTPUT_RAW)
        plan_tag(m->plan, p->task, p->end->slot, &p->tag);
    print_streams(m, p);
    if (m->log.file && !m->fail.aborts)
        map_log_add(m, p);
    if (!m->fail.aborts)
        mark_done(m->mark, p->task);
    clean_up(m, p);
}

static void print_task(struct map *m, uint32_t task, const struct map_end *end)
{
    const struct options *o = &m->options;
    bool printed = mark_is_done(m->mark, task); /* in an earlier life */
    bool files = o->results || o->out_file || o->err_file || o->files || o->json;
    struct map_output p;

    if (printed && !o->json)
        return;
    p.task = task;
    p.end = end;
    p.has_out = end->state == MAP_TASK_FAILED || end->received > 0;
    p.tag = (struct str){0};
    p.out.text[0] = p.err.text[0] = 0;
    if (p.has_out || !end->silent || files) { /* else there is nothing to be found there */
        p.out = map_dir_output(m, task, end->state, 1);
        p.err = map_dir_output(m, task, end->state, 2);
        map_whole_look(m, &p);
    }
    if (o->json)
        map_json_task(m, &p);
    if (!printed)
        print_once(m, &p);
    str_free(&p.tag);
}

static void count_task(struct map *m, uint32_t task, const struct map_end *end)
{
    if (end->state == MAP_TASK_FAILED) {
        map_fail_task(m, task, end);
        return;
    }
    m->counts.done++;
    vec_push(&m->counts.runtimes, (float)end->runtime_s);
}

/* -k: as far as there is no gap. */
static void print_in_turn(struct map *m)
{
    while (m->print.next < m->tasks && m->print.ends[m->print.next].state != MAP_TASK_OPEN) {
        print_task(m, m->print.next, &m->print.ends[m->print.next]);
        m->print.next++;
    }
}

void map_print_over(struct map *m, uint32_t task, const struct map_end *end)
{
    count_task(m, task, end);
    if (m->print.ends) {
        m->print.ends[task] = *end;
        m->print.ends[task].command = NULL;
    }
    if (m->recalling)
        vec_push(&m->print.recalled, task);
    else if (m->options.keep_order)
        print_in_turn(m);
    else
        print_task(m, task, end);
}

void map_print_recalled(struct map *m)
{
    if (m->options.keep_order)
        print_in_turn(m);
    for (uint32_t i = 0; !m->options.keep_order && i < m->print.recalled.count; i++)
        if (m->print.ends[m->print.recalled.at[i]].state != MAP_TASK_OPEN)
            print_task(m, m->print.recalled.at[i], &m->print.ends[m->print.recalled.at[i]]);
    vec_free(&m->print.recalled);
}

void map_print_flush(struct map *m)
{
    for (; m->options.keep_order && m->print.next < m->tasks; m->print.next++)
        if (m->print.ends[m->print.next].state != MAP_TASK_OPEN)
            print_task(m, m->print.next, &m->print.ends[m->print.next]);
}
