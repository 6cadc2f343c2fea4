/* task_combine.c - a combiner: a reducer's command on what one mapper has so far.
 *
 * It gets the records of a partition in order and prints others, in any order: one that sums up in
 * a table prints them as the table has them. So they are sorted once more. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/path.h"
#include "data/hadoop_words.h"
#include "data/line_record.h"
#include "data/sorted_writer.h"
#include "data/sorter.h"
#include "jobs/task/task_state.h"

struct combining {
    struct task_keys keys;
    struct task_lines lines;
    struct line_record_cutter cutter;
    struct sorter *sorter;
    struct task_report *report;
};

static int64_t feed(void *ctx, const char **at, struct err *err)
{
    return task_lines_feed(&((struct combining *)ctx)->lines, at, err);
}

int task_combine_add(struct task_combined *c, const struct data_record *r, struct err *err)
{
    if (c->any && record_compare(r->key, r->key_length, c->last.at, c->last.count) < 0)
        return err_set(err, "the combiner emits keys out of order: '%.*s' after '%.*s'",
                       (int)(r->key_length < 40 ? r->key_length : 40), r->key,
                       (int)(c->last.count < 40 ? c->last.count : 40), c->last.at);
    vec_clear(&c->last);
    vec_append(&c->last, r->key, r->key_length);
    c->any = true;
    sorted_writer_add(c->out, c->partition, r);
    return 0;
}

static int take_line(void *ctx, const char *line, uint32_t length, struct err *err)
{
    struct combining *c = ctx;
    struct data_record r = task_keys_record(&c->keys, line, length);

    return sorter_add(c->sorter, 0, &r, err);
}

static int note(void *ctx, const char *at, size_t count, struct err *err)
{
    (void)err;
    task_report_note(((struct combining *)ctx)->report, at, count);
    return 0;
}

static int take(void *ctx, const char *at, size_t count, struct err *err)
{
    struct combining *c = ctx;

    return line_record_cut(&c->cutter, at, count, take_line, c, err);
}

/* All that a sorter has, by a file at this path, which is removed again. */
static int write_sorted(struct sorter *s, const char *path, uint32_t partition,
                        struct sorted_writer *out, struct err *err)
{
    struct sorted_file file = {0};
    struct sorted_file_cursor cursor = {0};
    struct data_record r;
    int n = -1, fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (fd < 0)
        return err_system(err, "%s: %s", path, strerror(errno));
    if (sorter_finish(s, fd, path, err) == 0 && sorted_file_open(&file, path, err) == 0 &&
        sorted_file_begin(&file, 0, &cursor, err) == 0)
        while ((n = sorted_file_next(&cursor, &r, err)) > 0)
            sorted_writer_add(out, partition, &r);
    sorted_file_end(&cursor);
    sorted_file_close(&file);
    close(fd);
    unlink(path);
    return n < 0 ? -1 : 0;
}

static int run(const struct task_combiner *t, struct combining *c, struct err *err)
{
    struct hadoop_words words = {0};
    struct pump pump = {
        .command = t->phase->combiner,
        .words = t->phase->as_hadoop ? hadoop_words_find(&words, t->phase->combiner, t->env) : NULL,
        .env = t->env,
        .quiet_ms = task_quiet_ms(t->phase),
        .status = t->report->status,
        .ctx = c,
        .feed = feed,
        .take = take,
        .note = note};
    int status;
    int result = pump_run(&pump, &status, err);

    vec_free_each(&words.at);
    task_report_note_end(t->report);
    if (result == 0 && status != 0)
        result = err_set(err, "the combiner ended with status %d", task_env_status(status));
    if (line_record_cut_end(&c->cutter, take_line, c, err) < 0)
        result = -1;
    return result;
}

int task_combine(void *ctx, struct record_stream in, uint32_t partition, struct sorted_writer *out,
                 struct err *err)
{
    const struct task_combiner *t = ctx;
    struct combining c = {.lines = {.in = in, .of = t->phase}, .report = t->report};
    uint64_t memory = t->phase->memory / 4;
    struct path folder = path_of("%s/combined", t->scratch);
    struct path path = path_of("%s/all", folder.text);

    mkdir(folder.text, 0700); /* or it is there */
    task_keys_init_combined(&c.keys, t->phase);
    c.sorter = sorter_create(
        &(struct sorter_options){.partitions = 1,
                                 .memory = memory < SORTER_MEMORY_MIN ? SORTER_MEMORY_MIN : memory,
                                 .folder = folder.text});
    int result = run(t, &c, err);

    if (result == 0)
        result = write_sorted(c.sorter, path.text, partition, out, err);
    sorter_destroy(c.sorter);
    rmdir(folder.text);
    vec_free(&c.lines.piece);
    task_keys_fini(&c.keys);
    return result;
}
