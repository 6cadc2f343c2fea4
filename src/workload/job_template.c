/* job_template.c - makes a job from its template, in one block of memory.
 *
 * A template is short where a job may be long: `tasks=1000000 sizes=4s,5s` is a few words in the
 * file and a million sizes in the job. So jobs are made one by one when they are asked for, and a
 * line with repeat=1000000 costs one template.
 *
 * Sizes that the file lists one by one for every task are not copied: jobs refer to the list.
 *
 * The same walk over the template runs twice: first over an empty block, which only counts, then
 * over one of exactly that size, which is filled. Measuring by separate code was rejected because
 * the two would have to be kept equal by hand. */
#include "workload/job_template.h"

#include <string.h>

#include "base/check.h"
#include "base/mem.h"

void job_templates_fini(struct job_templates *t)
{
    vec_free(&t->jobs);
    vec_free(&t->phases);
    vec_free(&t->tasks);
    vec_free(&t->edges);
    vec_free(&t->numbers);
    vec_free(&t->nodes);
}

/* ---- the block ---- */

struct block {
    char *base; /* NULL: only count */
    size_t used, size;
};

/* Room for an array, zeroed; NULL while counting. */
static void *take(struct block *b, size_t count, size_t size)
{
    void *p = b->base ? b->base + b->used : NULL;
    b->used += (count * size + 7) & ~(size_t)7;
    check(!b->base || b->used <= b->size);
    return p;
}

static const char *copy_text(struct block *b, const char *text)
{
    if (!text)
        return NULL;
    char *p = take(b, strlen(text) + 1, 1);
    return p ? strcpy(p, text) : NULL;
}

/* ---- arrays with an entry per task ---- */

static const struct task_template *special_begin(const struct job_templates *t,
                                                 const struct phase_template *p)
{
    return p->special.count ? t->tasks.at + p->special.from : NULL;
}

static const struct task_template *special_end(const struct job_templates *t,
                                               const struct phase_template *p)
{
    return p->special.count ? t->tasks.at + p->special.from + p->special.count : NULL;
}

/* The values of a list in turn, or one value for all. */
static int64_t in_turn(const struct job_templates *t, struct span list, int64_t plain,
                       uint32_t task)
{
    return list.count ? t->numbers.at[list.from + task % list.count] : plain;
}

static void make_sizes(const struct job_templates *t, const struct phase_template *p,
                       struct block *b, struct phase_truth *truth)
{
    bool each = false;
    for (const struct task_template *s = special_begin(t, p); s < special_end(t, p); s++)
        each |= s->size_us >= 0;
    if (!each && p->sizes.count >= p->tasks) {
        truth->size_each = &t->numbers.at[p->sizes.from]; /* shared by all repetitions */
        return;
    }
    if (!each && p->sizes.count == 0)
        return;
    int64_t *size = take(b, p->tasks, sizeof *size);
    if (!size)
        return;
    for (uint32_t i = 0; i < p->tasks; i++)
        size[i] = in_turn(t, p->sizes, p->size_us, i);
    for (const struct task_template *s = special_begin(t, p); s < special_end(t, p); s++)
        if (s->size_us >= 0)
            size[s->task] = s->size_us;
    truth->size_each = size;
}

static void make_inputs(const struct job_templates *t, const struct phase_template *p,
                        struct block *b, struct phase_spec *spec)
{
    bool each = p->inputs.count > 0;
    for (const struct task_template *s = special_begin(t, p); s < special_end(t, p); s++)
        each |= s->input_bytes >= 0;
    if (!each)
        return;
    int64_t *input = take(b, p->tasks, sizeof *input);
    if (!input)
        return;
    for (uint32_t i = 0; i < p->tasks; i++)
        input[i] = in_turn(t, p->inputs, p->input_bytes, i);
    for (const struct task_template *s = special_begin(t, p); s < special_end(t, p); s++)
        if (s->input_bytes >= 0)
            input[s->task] = s->input_bytes;
    spec->input_each = input;
}

static void make_commands(const struct job_templates *t, const struct phase_template *p,
                          struct block *b, struct phase_truth *truth)
{
    bool each = false;
    for (const struct task_template *s = special_begin(t, p); s < special_end(t, p); s++)
        each |= s->command != NULL;
    if (!each)
        return;
    const char **command = take(b, p->tasks, sizeof *command);
    for (const struct task_template *s = special_begin(t, p); s < special_end(t, p); s++) {
        const char *own = copy_text(b, s->command);
        if (command && own)
            command[s->task] = own;
    }
    truth->command_each = command;
}

/* Fills from[0..tasks] so that the entries of task i are from[i] .. from[i + 1] - 1, where the
 * special tasks have as many entries as `span_at` (an offset in struct task_template) says and
 * others none. */
static void make_ranges(const struct job_templates *t, const struct phase_template *p,
                        size_t span_at, uint32_t *from)
{
    uint32_t total = 0, task = 0;
    for (const struct task_template *s = special_begin(t, p); s < special_end(t, p); s++) {
        while (task <= s->task)
            from[task++] = total;
        total += ((const struct span *)((const char *)s + span_at))->count;
    }
    while (task <= p->tasks)
        from[task++] = total;
}

static void make_replicas(const struct job_templates *t, const struct phase_template *p,
                          struct block *b, struct phase_spec *spec)
{
    uint32_t total = 0;
    for (const struct task_template *s = special_begin(t, p); s < special_end(t, p); s++)
        total += s->nodes.count;
    if (!total)
        return;
    uint32_t *from = take(b, (size_t)p->tasks + 1, sizeof *from);
    struct node_id *nodes = take(b, total, sizeof *nodes);
    if (!from || !nodes)
        return;
    make_ranges(t, p, offsetof(struct task_template, nodes), from);
    spec->replica_from = from;
    spec->replicas = nodes;
    for (const struct task_template *s = special_begin(t, p); s < special_end(t, p); s++)
        for (uint32_t i = 0; i < s->nodes.count; i++)
            *nodes++ = t->nodes.at[s->nodes.from + i];
}

static void make_attempts(const struct job_templates *t, const struct phase_template *p,
                          struct block *b, struct phase_truth *truth)
{
    uint32_t total = 0;
    for (const struct task_template *s = special_begin(t, p); s < special_end(t, p); s++)
        total += s->attempts.count;
    if (!total)
        return;
    uint32_t *from = take(b, (size_t)p->tasks + 1, sizeof *from);
    int64_t *times = take(b, total, sizeof *times);
    if (!from || !times)
        return;
    make_ranges(t, p, offsetof(struct task_template, attempts), from);
    truth->attempt_from = from;
    truth->attempts = times;
    for (const struct task_template *s = special_begin(t, p); s < special_end(t, p); s++)
        for (uint32_t i = 0; i < s->attempts.count; i++)
            *times++ = t->numbers.at[s->attempts.from + i];
}

/* ---- the job ---- */

static void make_phase(const struct job_templates *t, const struct phase_template *p,
                       struct block *b, struct phase_spec *spec, struct phase_truth *truth)
{
    struct edge_spec *edges = take(b, p->edges.count, sizeof *edges);
    for (uint32_t i = 0; i < p->edges.count && edges; i++)
        edges[i] = t->edges.at[p->edges.from + i];
    *spec = (struct phase_spec){
        .name = copy_text(b, p->name),
        .tasks = p->tasks,
        .demand = p->demand,
        .edges = edges,
        .edge_count = (uint16_t)p->edges.count,
        .clone = (uint8_t)p->clone,
        .input_bytes = p->input_bytes,
    };
    *truth = (struct phase_truth){
        .size_us = p->size_us,
        .output_bytes = p->output_bytes,
        .command = copy_text(b, p->command),
    };
    make_sizes(t, p, b, truth);
    make_inputs(t, p, b, spec);
    make_commands(t, p, b, truth);
    make_replicas(t, p, b, spec);
    make_attempts(t, p, b, truth);
}

int64_t job_template_submit_us(const struct job_template *j, uint32_t round)
{
    return j->at_us + round * j->every_us + j->setup_us;
}

static void make_job(const struct job_templates *t, const struct job_template *j, uint32_t round,
                     struct block *b)
{
    struct workload_job *job = take(b, 1, sizeof *job);
    struct phase_spec *specs = take(b, j->phases.count, sizeof *specs);
    struct phase_truth *truths = take(b, j->phases.count, sizeof *truths);
    struct workload_job made = {
        .submit_us = job_template_submit_us(j, round),
        .truth = truths,
        .memory = b->base,
        .line = j->line,
    };
    made.spec = (struct job_spec){
        .name = copy_text(b, j->name),
        .user = copy_text(b, j->user),
        .queue = copy_text(b, j->queue),
        .weight = (uint32_t)j->weight,
        .running_max = j->running_max,
        .arrived_us = made.submit_us - j->setup_us,
        .wrapup_us = j->wrapup_us,
        .phases = specs,
        .phase_count = (uint16_t)j->phases.count,
    };
    for (uint32_t i = 0; i < j->phases.count; i++) {
        struct phase_spec spec;
        struct phase_truth truth;
        make_phase(t, &t->phases.at[j->phases.from + i], b, &spec, &truth);
        if (b->base) {
            specs[i] = spec;
            truths[i] = truth;
        }
    }
    if (job)
        *job = made;
}

struct workload_job *job_template_make(const struct job_templates *t, uint32_t index,
                                       uint32_t round)
{
    const struct job_template *j = &t->jobs.at[index];
    struct block b = {0};
    make_job(t, j, round, &b);
    b = (struct block){.base = mem_zalloc(1, b.used), .size = b.used};
    make_job(t, j, round, &b);
    check(b.used == b.size);
    return (struct workload_job *)(void *)b.base;
}
