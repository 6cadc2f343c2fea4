/* assemble.c - reads the rows of one job in order and gathers them in a draft.
 *
 * Rows are partial facts. Those of one task are neighbours, and its events (submitted, started,
 * ended) are in order of time, so joining them to attempts is one walk. Two events of the same
 * microsecond are sorted end, submit, start: a task that was evicted is usually submitted again at
 * once. An attempt that ends in the instant in which it starts is then seen ending first; its end
 * is kept until the start of the same instant arrives. */
#include "inputs/trace/assemble.h"

#include "base/mem.h"

struct assemble {
    struct draft_context context;
    struct draft draft;
    struct draft_job *maker;
    /* Of the task at hand. */
    int64_t opened_us; /* of the attempt that runs; ROW_UNKNOWN: none does */
    int64_t ended_us;  /* an end without a start so far; ROW_UNKNOWN: none */
    enum row_end ended;
    uint64_t rows; /* of the job */
};

struct assemble *assemble_create(struct draft_context context)
{
    struct assemble *a = mem_zalloc(1, sizeof *a);
    a->context = context;
    a->maker = draft_job_create();
    draft_clear(&a->draft);
    return a;
}

void assemble_destroy(struct assemble *a)
{
    if (!a)
        return;
    draft_job_destroy(a->maker);
    draft_fini(&a->draft);
    mem_free(a);
}

static bool texts_equal(struct row_text x, struct row_text y)
{
    return x.length == y.length && (x.length == 0 || !memcmp(x.at, y.at, x.length));
}

static void take_text(struct row_text *to, struct row_text from)
{
    if (to->length == 0)
        *to = from;
}

static void take_number(int64_t *to, int64_t from)
{
    if (*to == ROW_UNKNOWN)
        *to = from;
}

/* ---- attempts ---- */

static struct draft_task *task_now(struct draft *d)
{
    return &d->tasks.at[d->tasks.count - 1];
}

static void add_attempt(struct assemble *a, const struct row *r, int64_t start_us, int64_t time_us,
                        enum row_end end)
{
    struct draft *d = &a->draft;
    struct draft_task *t = task_now(d);
    const struct draft_attempt *last =
        t->attempts ? &d->attempts.at[t->attempt + t->attempts - 1] : NULL;
    int64_t number = r ? r->attempt : ROW_UNKNOWN;
    bool same_number = last && number != ROW_UNKNOWN && last->number == number;
    bool same_time = last && number == ROW_UNKNOWN && start_us != ROW_UNKNOWN &&
                     last->number == ROW_UNKNOWN && last->start_us == start_us && r &&
                     r->kind == ROW_ATTEMPT;
    if (same_number || same_time) {
        trouble_add(a->context.trouble, TROUBLE_DUPLICATE, r->where, true);
        return;
    }
    vec_push(&d->attempts, ((struct draft_attempt){number, start_us, time_us, (uint8_t)end}));
    t->attempts++;
    a->context.survey->attempts++;
    a->context.survey->ends[end]++;
}

/* The attempt that runs has ended, or was seen last. */
static void close_attempt(struct assemble *a, const struct row *r, int64_t end_us, enum row_end end)
{
    int64_t start_us = a->opened_us;
    a->opened_us = ROW_UNKNOWN;
    add_attempt(a, r, start_us, end_us - start_us, end);
}

/* How long an attempt has run when the trace ends. */
static int64_t seen_us(const struct assemble *a, int64_t start_us)
{
    int64_t end_us = a->context.survey->trace_end_us;
    return end_us > start_us ? end_us - start_us : 0;
}

/* All rows of a task are there. */
static void end_task(struct assemble *a)
{
    struct survey *s = a->context.survey;
    if (a->opened_us != ROW_UNKNOWN)
        close_attempt(a, NULL, a->opened_us + seen_us(a, a->opened_us), ROW_RUNNING);
    s->not_started += a->ended_us != ROW_UNKNOWN;
    a->ended_us = ROW_UNKNOWN;
}

static void take_end(struct assemble *a, const struct row *r)
{
    if (r->end_us == ROW_UNKNOWN) {
        a->context.survey->not_started++;
        return;
    }
    if (a->opened_us != ROW_UNKNOWN) {
        close_attempt(a, r, r->end_us, r->end);
        return;
    }
    a->context.survey->not_started += a->ended_us != ROW_UNKNOWN;
    a->ended_us = r->end_us;
    a->ended = r->end;
}

static void take_start(struct assemble *a, const struct row *r)
{
    if (r->start_us == ROW_UNKNOWN)
        return;
    if (a->opened_us != ROW_UNKNOWN) /* the trace does not say how the one before ended */
        close_attempt(a, r, r->start_us, ROW_LOST);
    a->opened_us = r->start_us;
    if (a->ended_us == r->start_us) {
        a->ended_us = ROW_UNKNOWN;
        close_attempt(a, r, r->start_us, a->ended);
    }
}

static void take_attempt(struct assemble *a, const struct row *r)
{
    if (r->end == ROW_RUNNING && r->start_us != ROW_UNKNOWN && r->end_us == ROW_UNKNOWN)
        add_attempt(a, r, r->start_us, seen_us(a, r->start_us), ROW_RUNNING);
    else if (r->mean_us != ROW_UNKNOWN && (r->start_us == ROW_UNKNOWN || r->end_us == ROW_UNKNOWN))
        add_attempt(a, r, r->start_us, r->mean_us, r->end);
    else if (r->start_us == ROW_UNKNOWN || r->end_us == ROW_UNKNOWN)
        a->context.survey->not_started++;
    else if (r->end_us < r->start_us)
        trouble_add(a->context.trouble, TROUBLE_BACKWARDS, r->where, true);
    else
        add_attempt(a, r, r->start_us, r->end_us - r->start_us, r->end);
}

/* ---- phases and tasks ---- */

static struct draft_phase *find_phase(struct draft *d, struct row_text key)
{
    /* Rows of a phase are neighbours: it is the last one that tasks had, or one that was declared,
     * or new. */
    if (d->tasks.count > 0) {
        struct draft_phase *last = &d->phases.at[task_now(d)->phase];
        if (texts_equal(last->key, key))
            return last;
    }
    for (uint32_t i = 0; i < d->phases.count; i++)
        if (texts_equal(d->phases.at[i].key, key))
            return &d->phases.at[i];
    if (d->phases.count > JOB_PHASES_MAX) /* too many already: the job will be refused */
        return &d->phases.at[d->phases.count - 1];
    vec_push(&d->phases, ((struct draft_phase){.key = key,
                                               .declared = ROW_UNKNOWN,
                                               .mean_us = ROW_UNKNOWN,
                                               .span_us = ROW_UNKNOWN,
                                               .limit_us = ROW_UNKNOWN,
                                               .input_bytes = ROW_UNKNOWN,
                                               .output_bytes = ROW_UNKNOWN,
                                               .cpu = -1,
                                               .mem = -1,
                                               .end = ROW_WAITING}));
    return &d->phases.at[d->phases.count - 1];
}

/* The demand of a phase is the largest of its tasks'. */
static void take_demand(struct draft_phase *p, const struct row *r)
{
    p->cpu = r->cpu > p->cpu ? r->cpu : p->cpu;
    p->mem = r->mem > p->mem ? r->mem : p->mem;
    p->is_share |= r->is_share;
    p->is_mem_share |= r->is_share || r->is_mem_share;
}

static void take_phase(struct assemble *a, const struct row *r)
{
    struct draft_phase *p = find_phase(&a->draft, r->phase);
    if (p->declared != ROW_UNKNOWN && r->tasks != ROW_UNKNOWN) {
        trouble_add(a->context.trouble, TROUBLE_DUPLICATE, r->where, true);
        return;
    }
    if (p->where == 0)
        p->where = r->where;
    take_demand(p, r);
    take_text(&p->name, r->name);
    take_text(&p->parents, r->parents);
    p->is_gang |= r->is_gang;
    take_number(&p->declared, r->tasks);
    take_number(&p->limit_us, r->limit_us);
    if (r->end != ROW_WAITING) {
        if (p->end == ROW_WAITING || p->end == ROW_DONE)
            p->end = (uint8_t)r->end;
        take_number(&p->mean_us, r->mean_us);
        take_number(&p->span_us, r->span_us);
    }
    take_number(&p->input_bytes, r->input_bytes);
    take_number(&p->output_bytes, r->output_bytes);
}

static void take_task(struct assemble *a, const struct row *r)
{
    struct draft *d = &a->draft;
    struct draft_phase *p = find_phase(d, r->phase);
    uint32_t phase = (uint32_t)(p - d->phases.at);
    struct draft_task *t = d->tasks.count ? task_now(d) : NULL;
    if (!t || t->phase != phase || !texts_equal(t->name, r->task)) {
        end_task(a);
        if (p->tasks++ == 0)
            p->task = d->tasks.count;
        vec_push(&d->tasks, ((struct draft_task){.name = r->task,
                                                 .phase = phase,
                                                 .attempt = d->attempts.count,
                                                 .input_bytes = ROW_UNKNOWN,
                                                 .output_bytes = ROW_UNKNOWN,
                                                 .where = r->where}));
        t = task_now(d);
    }
    t->is_declared |= r->kind == ROW_TASK;
    take_demand(p, r);
    take_text(&p->name, r->name);
    take_number(&t->input_bytes, r->input_bytes);
    take_number(&t->output_bytes, r->output_bytes);
    take_text(&t->hosts, r->hosts);
    d->has_hosts |= r->hosts.length > 0;
    if (r->tasks_are_parents) {
        d->has_task_parents = true;
        take_text(&t->parents, r->parents);
    } else {
        take_text(&p->parents, r->parents);
    }
    survey_node(a->context.survey, r->node);
}

/* ---- rows ---- */

static void take_submit(struct draft *d, int64_t us)
{
    if (us != ROW_UNKNOWN && (d->submit_us == ROW_UNKNOWN || us < d->submit_us))
        d->submit_us = us;
}

void assemble_row(struct assemble *a, const struct row *r)
{
    struct draft *d = &a->draft;
    if (a->rows++ == 0) {
        d->job = r->job;
        d->where = r->where;
        a->opened_us = a->ended_us = ROW_UNKNOWN;
    }
    take_text(&d->user, r->user);
    take_text(&d->queue, r->queue);
    take_text(&d->app, r->app);
    take_submit(d, r->submit_us);
    if (r->submit_us == ROW_UNKNOWN && r->kind != ROW_END)
        take_submit(d, r->start_us);
    if (r->kind == ROW_JOB)
        take_text(&d->name, r->name);
    else if (r->kind == ROW_PHASE)
        take_phase(a, r);
    else
        take_task(a, r);
    if (r->kind == ROW_START)
        take_start(a, r);
    else if (r->kind == ROW_END)
        take_end(a, r);
    else if (r->kind == ROW_ATTEMPT)
        take_attempt(a, r);
}

/* Whether a phase of which no task is known by itself is one. */
static bool is_told(const struct draft_phase *p)
{
    return p->declared > 0 || p->mean_us != ROW_UNKNOWN || p->input_bytes >= 0;
}

/* Tasks that were only submitted, or killed before they ran, are none, unless the trace declares
 * them; nor is a phase that has neither tasks nor a number of them, or of which the trace says that
 * it never began: what it would have taken nobody knows. */
static void drop_idle(struct draft *d, struct survey *s)
{
    uint32_t kept = 0, *place = mem_zalloc(d->phases.count, sizeof *place), phases = 0;
    for (uint32_t i = 0; i < d->phases.count; i++)
        d->phases.at[i].tasks = 0;
    for (uint32_t i = 0; i < d->tasks.count; i++) {
        const struct draft_task *t = &d->tasks.at[i];
        struct draft_phase *p = &d->phases.at[t->phase];
        if (t->attempts == 0 && !t->is_declared)
            continue;
        if (p->tasks++ == 0)
            p->task = kept;
        d->tasks.at[kept++] = *t;
    }
    d->tasks.count = kept;
    for (uint32_t i = 0; i < d->phases.count; i++) {
        const struct draft_phase *p = &d->phases.at[i];
        place[i] = phases;
        if (p->tasks > 0 || (p->end != ROW_WAITING && is_told(p)))
            d->phases.at[phases++] = *p;
        else if (p->end == ROW_WAITING && p->where)
            s->phases_waiting++;
    }
    d->phases.count = phases;
    for (uint32_t i = 0; i < d->tasks.count; i++)
        d->tasks.at[i].phase = place[d->tasks.at[i].phase];
    mem_free(place);
}

bool assemble_job(struct assemble *a, struct row_bytes *to, int64_t *arrived_us)
{
    struct draft *d = &a->draft;
    bool made = false;
    if (a->rows > 0) {
        end_task(a);
        drop_idle(d, a->context.survey);
        if (d->phases.count > 0) {
            draft_graph(d, &a->context);
            made = draft_job_make(a->maker, d, &a->context, to, arrived_us);
        }
    }
    draft_clear(d);
    a->rows = 0;
    return made;
}
