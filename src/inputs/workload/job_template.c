/* job_template.c - makes a job from its template, in one block of memory.
 *
 * A template is short where a job may be long: `tasks=1000000 sizes=4s,5s` is a few words in the
 * file and a million sizes in the job. So jobs are made one by one on demand, and a line with
 * repeat=1000000 costs one template.
 *
 * Values that the file lists one by one for every task are not copied: jobs refer to the list.
 *
 * The same walk over the template runs twice: first over an empty block, which only counts, then
 * over one of exactly that size, which is filled. Measuring by separate code was rejected because
 * the two would have to be kept equal by hand. */
#include "inputs/workload/job_template.h"

#include <string.h>

#include "base/check.h"
#include "base/mem.h"
#include "inputs/workload/recorded.h"

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

/* Each special task of a phase; where there is none, there may be no list at all. */
#define EACH_SPECIAL(s, t, p)                                                                      \
    const struct task_template *s = (p)->special.count ? (t)->tasks.at + (p)->special.from : NULL, \
                               *end_ = s ? s + (p)->special.count : NULL;                          \
    s < end_;                                                                                      \
    s++

/* A number of each task: the values of the list in turn, or `plain`, but what a special task says
 * of itself (at `offset`, unless negative). NULL where all are alike, and while counting. */
static const int64_t *make_numbers(const struct job_templates *t, const struct phase_template *p,
                                   struct block *b, struct span list, int64_t plain, size_t offset)
{
    bool special = false;
    for (EACH_SPECIAL(s, t, p))
        special |= *(const int64_t *)((const char *)s + offset) >= 0;
    if (!special && list.count >= p->tasks)
        return &t->numbers.at[list.from]; /* shared by all repetitions */
    if (!special && list.count == 0)
        return NULL;
    int64_t *each = take(b, p->tasks, sizeof *each);
    for (uint32_t i = 0; i < p->tasks && each; i++)
        each[i] = list.count ? t->numbers.at[list.from + i % list.count] : plain;
    for (EACH_SPECIAL(s, t, p)) {
        int64_t own = *(const int64_t *)((const char *)s + offset);
        if (each && own >= 0)
            each[s->task] = own;
    }
    return each;
}

static void make_commands(const struct job_templates *t, const struct phase_template *p,
                          struct block *b, struct phase_truth *truth)
{
    bool each = false;
    for (EACH_SPECIAL(s, t, p))
        each |= s->command != NULL;
    if (!each)
        return;
    const char **command = take(b, p->tasks, sizeof *command);
    for (EACH_SPECIAL(s, t, p)) {
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
    for (EACH_SPECIAL(s, t, p)) {
        while (task <= s->task)
            from[task++] = total;
        total += ((const struct span *)((const char *)s + span_at))->count;
    }
    while (task <= p->tasks)
        from[task++] = total;
}

/* Entries that special tasks have in a pool (of `size` bytes each), one after the other, with
 * *from as make_ranges fills it. NULL where there are none, and while counting. */
static const void *make_entries(const struct job_templates *t, const struct phase_template *p,
                                struct block *b, size_t span_at, const void *pool, size_t size,
                                const uint32_t **from)
{
    uint32_t total = 0;
    for (EACH_SPECIAL(s, t, p))
        total += ((const struct span *)((const char *)s + span_at))->count;
    if (!total)
        return NULL;
    uint32_t *ranges = take(b, (size_t)p->tasks + 1, sizeof *ranges);
    char *entries = take(b, total, size), *to = entries;
    if (!ranges || !entries)
        return NULL;
    make_ranges(t, p, span_at, ranges);
    *from = ranges;
    for (EACH_SPECIAL(s, t, p)) {
        const struct span *span = (const struct span *)((const char *)s + span_at);
        memcpy(to, (const char *)pool + span->from * size, span->count * size);
        to += span->count * size;
    }
    return entries;
}

/* ---- the job ---- */

#define SPECIAL(member) offsetof(struct task_template, member)

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
        .expect_us = p->expect_us,
        .expect_dev_us = p->expect_dev_us,
    };
    *truth = (struct phase_truth){
        .size_us = p->size_us,
        .output_bytes = p->output_bytes,
        .skew = p->skew,
        .vary = (uint8_t)p->vary,
        .command = copy_text(b, p->command),
    };
    truth->size_each = make_numbers(t, p, b, p->sizes, p->size_us, SPECIAL(size_us));
    spec->input_each = make_numbers(t, p, b, p->inputs, p->input_bytes, SPECIAL(input_bytes));
    make_commands(t, p, b, truth);
    spec->replicas = make_entries(t, p, b, SPECIAL(nodes), t->nodes.at, sizeof *t->nodes.at,
                                  &spec->replica_from);
    truth->attempts = make_entries(t, p, b, SPECIAL(attempts), t->numbers.at, sizeof *t->numbers.at,
                                   &truth->attempt_from);
    if (truth->vary == RECORDED_BYTES && truth->attempts)
        recorded_fit(spec, truth);
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
        .app = copy_text(b, j->app),
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

struct workload_job *job_template_make_with(const struct job_templates *t, uint32_t index,
                                            uint32_t round, size_t extra, void **at)
{
    const struct job_template *j = &t->jobs.at[index];
    struct block b = {0};
    make_job(t, j, round, &b);
    b = (struct block){.base = mem_zalloc(1, b.used + extra), .size = b.used};
    make_job(t, j, round, &b);
    check(b.used == b.size);
    *at = b.base + b.used;
    return (struct workload_job *)(void *)b.base;
}

struct workload_job *job_template_make(const struct job_templates *t, uint32_t index,
                                       uint32_t round)
{
    void *nothing;
    return job_template_make_with(t, index, round, 0, &nothing);
}
