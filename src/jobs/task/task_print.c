/* task_print.c - what a command prints, as Hadoop writes results. See task_state.h. */
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "data/line_ends.h"
#include "data/line_record.h"
#include "jobs/task/task_state.h"

struct task_print {
    const struct plan_phase *phase;
    struct write_behind *to;
    struct line_ends ends;
    bool replaces; /* separators, */
    struct line_record_cutter cutter;
};

struct task_print *task_print_create(const struct plan_phase *p)
{
    struct task_print *o = mem_zalloc(1, sizeof *o);

    o->phase = p;
    o->to = write_behind_create(STDOUT_FILENO);
    o->ends = (struct line_ends){.always = true, .drops_cr = true};
    o->replaces = strcmp(p->separator, plan_to_separator(p)) != 0;
    return o;
}

/* A line that is all key stays as it is: nothing is added to it. */
static int take_line(void *ctx, const char *line, uint32_t length, struct err *err)
{
    struct task_print *o = ctx;
    const struct plan_phase *p = o->phase;
    const char *separator = plan_to_separator(p);
    uint32_t key = line_record_fields(line, length, p->separator, p->key_fields);
    uint32_t value = key == length ? length : key + (uint32_t)strlen(p->separator);

    if (write_behind_add(o->to, line, key, err) < 0 ||
        (key < length && write_behind_add(o->to, separator, strlen(separator), err) < 0) ||
        write_behind_add(o->to, line + value, length - value, err) < 0)
        return -1;
    return write_behind_add(o->to, "\n", 1, err);
}

int task_print_take(void *ctx, const char *at, size_t count, struct err *err)
{
    struct task_print *o = ctx;
    size_t left = (size_t)line_ends_pass(&o->ends, &at, (int64_t)count);

    if (left == 0)
        return 0;
    return o->replaces ? line_record_cut(&o->cutter, at, left, take_line, o, err)
                       : write_behind_add(o->to, at, left, err);
}

static int end_last_line(struct task_print *o, struct err *err)
{
    const char *at;

    if (line_ends_finish(&o->ends, &at) == 0)
        return 0;
    return o->replaces ? line_record_cut(&o->cutter, at, 1, take_line, o, err)
                       : write_behind_add(o->to, at, 1, err);
}

int task_print_finish(struct task_print *o, struct task_sum *sum, struct err *err)
{
    struct err later; /* of two errors the first is told */
    int result = end_last_line(o, err);

    if (write_behind_finish(o->to, &sum->of, result < 0 ? &later : err) < 0)
        result = -1;
    sum->is_known = result == 0;
    vec_free(&o->cutter.rest);
    vec_free(&o->ends.copy);
    mem_free(o);
    return result;
}
