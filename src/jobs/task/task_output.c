/* task_output.c - what a command prints, as records, dealt out to partitions and sorted. */
#include "base/mem.h"
#include "data/line_record.h"
#include "data/sorter.h"
#include "jobs/task/task_state.h"

struct task_output {
    struct task_keys keys;
    struct task_combiner combiner;
    struct sorter *sorter;
    struct line_record_cutter cutter;
    uint64_t lines; /* taken so far */
};

/* Its readers have a block of each task's output in memory, and need the rest for their own. */
static struct sorted_file_form form_of(const struct task_attempt *t)
{
    uint64_t memory = t->phase->memory;

    for (uint32_t i = 0; i < t->plan->phases.count; i++) {
        const struct plan_phase *reader = &t->plan->phases.at[i];
        if (reader->above != PLAN_INPUTS && &t->plan->phases.at[reader->above] == t->phase)
            memory = reader->memory;
    }
    return sorted_file_form(t->phase->codec, memory / 2, t->phase->tasks);
}

struct task_output *task_output_create(const struct task_attempt *t, char *const *env,
                                       sorter_combine *combine, void *ctx)
{
    struct task_output *o = mem_zalloc(1, sizeof *o);

    task_keys_init(&o->keys, t->phase);
    o->combiner = (struct task_combiner){t->phase, env, t->report, t->scratch};
    if (t->phase->combiner) {
        combine = task_combine;
        ctx = &o->combiner;
    }
    o->sorter = sorter_create(&(struct sorter_options){.partitions = t->phase->partitions,
                                                       .memory = t->phase->memory,
                                                       .folder = t->scratch,
                                                       .combine = combine,
                                                       .ctx = ctx,
                                                       .form = form_of(t)});
    return o;
}

void task_output_destroy(struct task_output *o)
{
    if (!o)
        return;
    sorter_destroy(o->sorter);
    task_keys_fini(&o->keys);
    vec_free(&o->cutter.rest);
    mem_free(o);
}

int task_output_add(struct task_output *o, const struct data_record *r, struct err *err)
{
    return sorter_add(o->sorter, task_keys_partition(&o->keys, r), r, err);
}

static int take_line(void *ctx, const char *line, uint32_t length, struct err *err)
{
    struct task_output *o = ctx;
    struct data_record r = task_keys_record(&o->keys, line, length);

    o->lines++;
    return task_output_add(o, &r, err);
}

int task_output_take(void *ctx, const char *at, size_t count, struct err *err)
{
    struct task_output *o = ctx;

    return line_record_cut(&o->cutter, at, count, take_line, o, err);
}

int task_output_finish(struct task_output *o, int fd, uint64_t *lines, struct err *err)
{
    if (line_record_cut_end(&o->cutter, take_line, o, err) < 0)
        return -1;
    *lines = o->lines;
    return sorter_finish(o->sorter, fd, "the output", err);
}
