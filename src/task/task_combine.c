/* task_combine.c - a combiner: a reducer's command on what one mapper has so far.
 *
 * It gets the records of a partition in order and prints others. Those are taken as they come, so
 * their keys must be in order as well, which they are as long as it prints what it has of a key
 * before it goes on to the next. */
#include <stdbool.h>

#include "base/mem.h"
#include "data/line_record.h"
#include "data/run_writer.h"
#include "task/task_state.h"

struct combining {
    struct task_keys keys;
    struct task_lines lines;
    struct line_record_cutter cutter;
    struct task_combined to;
    struct task_report *report;
};

static int64_t feed(void *ctx, const char **at, struct err *err)
{
    return task_lines_feed(&((struct combining *)ctx)->lines, at, err);
}

int task_combine_add(struct task_combined *c, const struct data_record *r, struct err *err)
{
    if (c->any && record_compare(r->key, r->key_length, c->last.at, c->last.count) < 0)
        return err_set(err, "the combiner prints keys out of order: '%.*s' behind '%.*s'",
                       (int)(r->key_length < 40 ? r->key_length : 40), r->key,
                       (int)(c->last.count < 40 ? c->last.count : 40), c->last.at);
    vec_clear(&c->last);
    vec_reserve(&c->last, r->key_length + UINT64_C(1));
    if (r->key_length > 0)
        memcpy(c->last.at, r->key, r->key_length);
    c->last.count = r->key_length;
    c->any = true;
    run_writer_add(c->out, c->partition, r);
    return 0;
}

static int take_line(void *ctx, const char *line, uint32_t length, struct err *err)
{
    struct combining *c = ctx;
    struct data_record r = task_keys_record(&c->keys, line, length);

    return task_combine_add(&c->to, &r, err);
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

int task_combine(void *ctx, struct record_stream in, uint32_t partition, struct run_writer *out,
                 struct err *err)
{
    const struct task_combiner *t = ctx;
    struct combining c = {.lines = {.in = in, .of = t->phase},
                          .to = {.out = out, .partition = partition},
                          .report = t->report};
    struct pump pump = {.command = t->phase->combiner,
                        .env = t->env,
                        .quiet_ms = task_quiet_ms(t->phase),
                        .status = t->report->status,
                        .ctx = &c,
                        .feed = feed,
                        .take = take,
                        .note = note};
    int status;

    task_keys_init(&c.keys, t->phase);
    int result = pump_run(&pump, &status, err);

    task_report_note_end(t->report);
    if (result == 0 && status != 0)
        result = err_set(err, "the combiner ended with status %d", task_room_status(status));
    if (line_record_cut_end(&c.cutter, take_line, &c, err) < 0)
        result = -1;
    vec_free(&c.lines.piece);
    vec_free(&c.to.last);
    task_keys_fini(&c.keys);
    return result;
}
