/* task_reduce.c - an attempt of a reducer: its partition of all run files, merged, as lines. */
#include <inttypes.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "data/merge.h"
#include "task/task_state.h"

struct reducing {
    const struct task_attempt *task;
    struct run_file *files;
    uint32_t opened;
    uint64_t records;
};

static void tell(void *ctx, uint64_t done)
{
    const struct reducing *r = ctx;

    task_room_progress(r->task, done, r->records);
}

static int open_files(struct reducing *r, struct err *err)
{
    const struct task_attempt *t = r->task;
    uint32_t count = t->plan->splits.count;

    r->files = mem_zalloc(count, sizeof *r->files);
    for (; r->opened < count; r->opened++) {
        struct run_file *f = &r->files[r->opened];
        struct str path = {0};
        str_addf(&path, "%s/%" PRIu32, t->inputs, r->opened);
        int result = run_file_open(f, path.text, err);
        str_free(&path);
        if (result < 0)
            return -1;
        r->records += t->number < f->partitions ? run_file_part(f, t->number).records : 0;
    }
    return 0;
}

static int run_reducer(struct reducing *r, struct err *err)
{
    const struct task_plan *p = r->task->plan;
    struct merge *m = merge_create(r->files, r->opened, r->task->number, err);
    int status;

    if (!m)
        return -1;
    struct task_lines lines = {
        .in = merge_stream(m), .separator = p->separator[0], .tell = tell, .ctx = r};
    struct pump pump = {.command = p->reducer,
                        .env = task_room_env(r->task, NULL),
                        .ctx = &lines,
                        .feed = task_lines_feed};
    int result = pump_run(&pump, &status, err);
    vec_free(&lines.piece);
    merge_destroy(m);
    return result < 0 ? -1 : task_room_status(status);
}

int task_reduce(const struct task_attempt *t, struct err *err)
{
    struct reducing r = {.task = t};
    int result = -1;

    if (open_files(&r, err) == 0 && task_room_enter(t, err) == 0)
        result = run_reducer(&r, err);
    for (uint32_t i = 0; i < r.opened; i++)
        run_file_close(&r.files[i]);
    mem_free(r.files);
    return result;
}
