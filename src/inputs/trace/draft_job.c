/* draft_job.c - makes a job from a draft: valid names, demands in dolly's units, numbers of tasks
 * and times, each from the trace or, where it has none, from an assumption.
 *
 * The job is built in arrays that are used again for the next one, and packed from there. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/field.h"
#include "base/hash.h"
#include "base/stat.h"
#include "inputs/trace/draft.h"
#include "inputs/trace/job_pack.h"
#include "inputs/trace/number.h"

#define JOB_US_MAX 1e18 /* 1e12 s: what a workload file may ask for */

enum { ATTEMPTS_MAX = UINT16_MAX, NAME_BYTES = FIELD_NAME_BYTES_MAX + 1 };

struct phase_name {
    char text[NAME_BYTES];
};

/* Arrays of one phase, owned. */
struct phase_arrays {
    struct edge_spec *edges;
    int64_t *inputs, *times, *sizes;
    uint32_t *from, *host_from;
    uint64_t *hosts;
};

struct draft_job {
    struct draft_times times;
    VEC(double) medians;
    VEC(struct phase_spec) specs;
    VEC(struct phase_truth) truths;
    VEC(struct job_hosts) hosts;
    VEC(struct phase_arrays) arrays;
    VEC(struct phase_name) names;
};

struct draft_job *draft_job_create(void)
{
    return mem_zalloc(1, sizeof(struct draft_job));
}

static void drop_arrays(struct draft_job *s)
{
    for (uint32_t i = 0; i < s->arrays.count; i++) {
        mem_free(s->arrays.at[i].edges);
        mem_free(s->arrays.at[i].inputs);
        mem_free(s->arrays.at[i].times);
        mem_free(s->arrays.at[i].sizes);
        mem_free(s->arrays.at[i].from);
        mem_free(s->arrays.at[i].host_from);
        mem_free(s->arrays.at[i].hosts);
    }
    vec_clear(&s->arrays);
}

void draft_job_destroy(struct draft_job *s)
{
    if (!s)
        return;
    drop_arrays(s);
    vec_free(&s->times.times);
    vec_free(&s->times.from);
    vec_free(&s->times.done.us);
    vec_free(&s->medians);
    vec_free(&s->specs);
    vec_free(&s->truths);
    vec_free(&s->hosts);
    vec_free(&s->arrays);
    vec_free(&s->names);
    mem_free(s);
}

/* ---- names ---- */

/* The text as a name: what names may not have becomes an underscore. */
static void clean_name(char *to, struct row_text text, const char *fallback)
{
    static const char fine[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                               "_.+@:-";
    size_t n = text.length < FIELD_NAME_BYTES_MAX ? text.length : FIELD_NAME_BYTES_MAX;
    for (size_t i = 0; i < n; i++)
        to[i] = text.at[i] && strchr(fine, text.at[i]) ? text.at[i] : '_';
    to[n] = '\0';
    if (n > 0 && (to[0] == '.' || to[0] == '-'))
        to[0] = '_';
    if (n == 0)
        snprintf(to, NAME_BYTES, "%s", fallback);
}

static bool is_taken(const struct draft_job *s, const char *name)
{
    for (uint32_t i = 0; i < s->names.count; i++)
        if (!strcmp(s->names.at[i].text, name))
            return true;
    return false;
}

/* A name that no phase of the job has yet. */
static void name_phase(struct draft_job *s, const struct draft_phase *p)
{
    struct phase_name name, base;
    clean_name(base.text, p->name.length ? p->name : p->key, "tasks");
    name = base;
    for (uint32_t k = 2; is_taken(s, name.text); k++)
        snprintf(name.text, sizeof name.text, "%.100s.%" PRIu32, base.text, k);
    vec_push(&s->names, name);
}

/* ---- demands ---- */

static int32_t whole(double value, double most)
{
    return (int32_t)(value < most ? ceil(value - 1e-9) : most);
}

static struct res demand_of(const struct draft_phase *p, struct draft_context *c)
{
    struct assume *a = c->assume;
    double cpu = p->cpu, mem = p->mem;
    if (cpu < 0) {
        a->touched[ASSUME_CPU]++;
        cpu = a->cpu;
    } else if (p->is_share) {
        a->touched[ASSUME_MACHINE_CPU]++;
        cpu *= a->machine_cpu;
    }
    if (p->is_mem_share && mem >= 0) {
        a->touched[ASSUME_MACHINE_MEM]++;
        mem *= (double)a->machine_mem;
    }
    struct res r = {0};
    r.v[RES_CPU] = cpu > 0 ? whole(cpu * RES_SLOT, 1e9) : 0;
    r.v[RES_MEM] = mem > 0 ? whole(mem / (1 << 20), 1 << 30) : 0;
    if (r.v[RES_CPU] == 0 && r.v[RES_MEM] == 0)
        r.v[RES_CPU] = 1;
    return r;
}

/* ---- tasks and their times ---- */

/* How many there are; 0: too many. */
static uint32_t tasks_of(const struct draft_phase *p, struct draft_context *c)
{
    int64_t n = p->declared > p->tasks ? p->declared : p->tasks;
    if (n == 0 && p->input_bytes > 0) {
        enum assume_key key = p->edges ? ASSUME_SHUFFLE_BLOCK : ASSUME_BLOCK;
        int64_t block = p->edges ? c->assume->shuffle_block : c->assume->block;
        c->assume->touched[key]++;
        n = (p->input_bytes + block - 1) / block;
    }
    n = n > 0 ? n : 1;
    return n <= JOB_TASKS_MAX ? (uint32_t)n : 0;
}

/* Tasks that run at the same time, if that is asked for: one that is as large as all of them. */
static void join_gang(const struct draft_phase *p, struct phase_spec *spec, struct draft_context *c)
{
    if (!p->is_gang || spec->tasks <= 1)
        return;
    c->assume->touched[ASSUME_GANG]++;
    if (c->assume->gang != ASSUME_GANG_WHOLE)
        return;
    for (int i = 0; i < RES_COUNT; i++)
        spec->demand.v[i] = whole((double)spec->demand.v[i] * spec->tasks, 1e9);
    spec->tasks = 1;
}

/* Where the trace has no times of single tasks. */
static int64_t size_of(const struct draft *d, uint32_t phase, uint32_t tasks,
                       struct draft_context *c)
{
    struct assume *a = c->assume;
    const struct draft_phase *p = &d->phases.at[phase];
    bool is_seen = p->mean_us != ROW_UNKNOWN || p->span_us != ROW_UNKNOWN;
    double us;
    a->touched[ASSUME_STRAGGLERS]++;
    if (p->mean_us != ROW_UNKNOWN) {
        us = (double)p->mean_us;
    } else if (p->span_us != ROW_UNKNOWN) {
        a->touched[ASSUME_SPAN]++;
        us = (double)p->span_us * a->span;
    } else {
        double bytes = p->input_bytes > 0 ? (double)p->input_bytes / tasks : 0;
        a->touched[ASSUME_BASE]++;
        a->touched[ASSUME_RATE] += bytes > 0;
        us = (double)a->base_us + bytes / (double)a->rate * 1e6;
    }
    int64_t size_us = us < 1 ? 1 : us < (double)NUMBER_US_MAX ? (int64_t)us : NUMBER_US_MAX;
    int64_t cut_us = draft_times_cut(d, phase, is_seen ? size_us : 0, c);
    if (cut_us < 0)
        return size_us;
    c->survey->censored_us += (double)cut_us * tasks;
    return cut_us;
}

static bool has_attempts(const struct draft *d, const struct draft_phase *p)
{
    for (uint32_t t = p->task; t < p->task + p->tasks; t++)
        if (d->tasks.at[t].attempts > 0)
            return true;
    return false;
}

static double median_of(struct draft_job *s, uint32_t tasks)
{
    vec_clear(&s->medians);
    for (uint32_t i = 0; i < tasks; i++)
        vec_push(&s->medians, (double)s->times.times.at[s->times.from.at[i]]);
    return stat_quantile(s->medians.at, tasks, 0.5);
}

/* Fills the times of *truth from the attempts; false: a task has too many. */
static bool time_phase(struct draft_job *s, const struct draft *d, uint32_t phase, uint32_t tasks,
                       struct phase_truth *truth, struct phase_arrays *arrays,
                       struct draft_context *c)
{
    draft_times(&s->times, d, phase, tasks, c);
    for (uint32_t i = 0; i < tasks; i++)
        if (s->times.from.at[i + 1] - s->times.from.at[i] > ATTEMPTS_MAX)
            return false;
    arrays->from = mem_copy(s->times.from.at, s->times.from.count, sizeof *arrays->from);
    arrays->times = mem_copy(s->times.times.at, s->times.times.count, sizeof *arrays->times);
    truth->attempt_from = arrays->from;
    truth->attempts = arrays->times;
    truth->size_us = (int64_t)median_of(s, tasks);
    c->survey->phases_timed++;
    c->assume->touched[ASSUME_SINGLE] += tasks == 1;
    return true;
}

static int64_t sane_bytes(double bytes)
{
    return bytes < 0 ? 0 : bytes < (double)JOB_INPUT_MAX ? (int64_t)bytes : JOB_INPUT_MAX;
}

/* How much longer than its mean task a phase of at least four took, as the trace says. */
static void tell_span(const struct draft *d, const struct draft_phase *p, uint32_t tasks,
                      struct survey *s)
{
    uint64_t ticket =
        hash_bytes(hash_bytes(HASH_START, d->job.at, d->job.length), p->key.at, p->key.length);
    s->phases_cut += p->end != ROW_DONE && p->end != ROW_WAITING;
    if (tasks >= 4 && p->end == ROW_DONE && p->span_us != ROW_UNKNOWN && p->mean_us > 0)
        survey_put(&s->span_ratios, ticket, (double)p->span_us / (double)p->mean_us);
}

/* Bytes that tasks read and write, each or on average. */
static void add_bytes(const struct draft *d, const struct draft_phase *p, struct phase_spec *spec,
                      struct phase_truth *truth, struct phase_arrays *arrays)
{
    bool has_input = false;
    double output = 0;
    for (uint32_t i = 0; i < p->tasks; i++) {
        const struct draft_task *t = &d->tasks.at[p->task + i];
        has_input |= t->input_bytes != ROW_UNKNOWN;
        output += t->output_bytes > 0 ? (double)t->output_bytes : 0;
    }
    if (has_input) {
        arrays->inputs = mem_zalloc(spec->tasks, sizeof *arrays->inputs);
        for (uint32_t i = 0; i < p->tasks; i++)
            arrays->inputs[i] = sane_bytes((double)d->tasks.at[p->task + i].input_bytes);
        spec->input_each = arrays->inputs;
    } else if (p->input_bytes > 0) {
        spec->input_bytes = sane_bytes((double)p->input_bytes / spec->tasks);
    }
    if (p->output_bytes > 0)
        output = (double)p->output_bytes;
    truth->output_bytes = sane_bytes(output / spec->tasks);
}

/* Tasks that are known by their bytes alone take times of their own. */
static void size_by_bytes(const struct draft_phase *p, const struct phase_spec *spec,
                          struct phase_truth *truth, struct phase_arrays *arrays,
                          struct draft_context *c)
{
    if (!spec->input_each || p->mean_us != ROW_UNKNOWN || p->span_us != ROW_UNKNOWN)
        return;
    c->assume->touched[ASSUME_RATE]++;
    arrays->sizes = mem_zalloc(spec->tasks, sizeof *arrays->sizes);
    for (uint32_t i = 0; i < spec->tasks; i++) {
        double us = (double)c->assume->base_us +
                    (double)spec->input_each[i] / (double)c->assume->rate * 1e6;
        arrays->sizes[i] = us < (double)NUMBER_US_MAX ? (int64_t)us : NUMBER_US_MAX;
    }
    truth->size_each = arrays->sizes;
}

/* How many hosts of a task count. */
static uint32_t count_hosts(const struct draft_task *t)
{
    struct row_text rest = t->hosts, name;
    uint32_t count = 0;
    while (count < JOB_FILL_HOSTS_MAX && row_text_next(&rest, &name))
        count += name.length > 0;
    return count;
}

static void keep_hosts(const struct draft_task *t, uint64_t *to, uint32_t count, struct survey *s)
{
    struct row_text rest = t->hosts, name;
    for (uint32_t i = 0; i < count && row_text_next(&rest, &name);) {
        if (name.length == 0)
            continue;
        to[i] = hash_bytes(HASH_START, name.at, name.length);
        survey_host(s, to[i++]);
    }
}

/* Hosts that hold what tasks read from outside, as far as the trace names them; *placed: of how
 * many tasks. */
static struct job_hosts find_hosts(const struct draft *d, const struct draft_phase *p,
                                   uint32_t tasks, struct phase_arrays *arrays, struct survey *s,
                                   uint32_t *placed)
{
    const struct draft_task *first = d->tasks.at + p->task;
    uint32_t told = p->tasks < tasks ? p->tasks : tasks, *from;
    from = arrays->host_from = mem_zalloc(tasks + (size_t)1, sizeof *from);
    for (uint32_t t = 0; t < tasks; t++) {
        uint32_t count = t < told ? count_hosts(&first[t]) : 0;
        from[t + 1] = from[t] + count;
        *placed += count > 0;
    }
    if (*placed == 0)
        return (struct job_hosts){0};
    arrays->hosts = mem_zalloc(from[tasks], sizeof *arrays->hosts);
    for (uint32_t t = 0; t < told; t++)
        keep_hosts(&first[t], arrays->hosts + from[t], from[t + 1] - from[t], s);
    return (struct job_hosts){from, arrays->hosts};
}

static void place_inputs(struct draft_job *s, const struct draft *d, const struct draft_phase *p,
                         const struct phase_spec *spec, struct phase_arrays *arrays,
                         struct draft_context *c)
{
    struct job_hosts hosts = {0};
    uint32_t placed = 0;
    bool reads = p->edges == 0 && (spec->input_each || spec->input_bytes > 0);
    if (p->edges == 0 && d->has_hosts)
        hosts = find_hosts(d, p, spec->tasks, arrays, c->survey, &placed);
    bool drawn = placed < spec->tasks || c->assume->hosts == ASSUME_HOSTS_DRAWN;
    c->assume->touched[ASSUME_REPLICAS] += reads && drawn;
    vec_push(&s->hosts, hosts);
}

static bool make_phase(struct draft_job *s, const struct draft *d, uint32_t phase,
                       struct draft_context *c)
{
    const struct draft_phase *p = &d->phases.at[phase];
    struct phase_arrays *arrays = vec_add(&s->arrays);
    *arrays = (struct phase_arrays){0};
    struct phase_spec spec = {.tasks = tasks_of(p, c), .demand = demand_of(p, c)};
    struct phase_truth truth = {0};
    if (spec.tasks == 0 || p->edges > UINT16_MAX)
        return false;
    join_gang(p, &spec, c);
    if (!has_attempts(d, p))
        truth.size_us = size_of(d, phase, spec.tasks, c);
    else if (!time_phase(s, d, phase, spec.tasks, &truth, arrays, c))
        return false;
    add_bytes(d, p, &spec, &truth, arrays);
    tell_span(d, p, spec.tasks, c->survey);
    if (!truth.attempt_from)
        size_by_bytes(p, &spec, &truth, arrays, c);
    place_inputs(s, d, p, &spec, arrays, c);
    arrays->edges = mem_zalloc(p->edges, sizeof *arrays->edges);
    for (uint32_t i = 0; i < p->edges; i++)
        arrays->edges[i] = (struct edge_spec){.from = (uint16_t)d->edges.at[p->edge + i]};
    spec.edges = arrays->edges;
    spec.edge_count = (uint16_t)p->edges;
    name_phase(s, p);
    vec_push(&s->specs, spec);
    vec_push(&s->truths, truth);
    return true;
}

/* ---- the job ---- */

/* Work of one attempt of each task. */
static double phase_work(const struct phase_spec *p, const struct phase_truth *t)
{
    double us = 0;
    if (!t->attempt_from && !t->size_each)
        return (double)t->size_us * p->tasks;
    for (uint32_t i = 0; i < p->tasks; i++)
        us += (double)(t->attempt_from ? t->attempts[t->attempt_from[i]] : t->size_each[i]);
    return us;
}

static void tell_survey(const struct workload_job *job, struct survey *s)
{
    uint64_t tasks = job_tasks(&job->spec), ticket = hash_text(job->spec.name);
    int bin = job_bin(tasks) - 1;
    double input = 0, shuffle = 0;
    s->jobs++;
    s->tasks += tasks;
    s->phases += job->spec.phase_count;
    s->bins[bin]++;
    survey_put(&s->job_tasks, ticket, (double)tasks);
    survey_put(&s->job_phases, ticket, job->spec.phase_count);
    for (uint16_t k = 0; k < job->spec.phase_count; k++) {
        const struct phase_spec *p = &job->spec.phases[k];
        const struct phase_truth *t = &job->truth[k];
        double work = phase_work(p, t), bytes = 0;
        s->edges += p->edge_count;
        survey_put(&s->phase_tasks, ticket + k, p->tasks);
        if (k == 0)
            survey_put(&s->first_tasks, ticket, p->tasks);
        if (p->input_each)
            survey_bytes(s, p->input_each, p->tasks);
        s->bin_work_us[bin] += work;
        s->cpu_us += work * p->demand.v[RES_CPU];
        s->mem_mib_us += work * p->demand.v[RES_MEM];
        s->cpu_max = fmax(s->cpu_max, p->demand.v[RES_CPU]);
        s->mem_mib_max = fmax(s->mem_mib_max, p->demand.v[RES_MEM]);
        for (uint32_t i = 0; i < p->tasks && p->input_each; i++)
            bytes += (double)p->input_each[i];
        bytes += p->input_each ? 0 : (double)p->input_bytes * p->tasks;
        *(p->edge_count ? &shuffle : &input) += bytes;
        if (!t->attempt_from)
            s->work_us += work;
    }
    s->input_bytes += input;
    survey_put(&s->job_input, ticket, input);
    survey_put(&s->job_shuffle, ticket, shuffle);
    s->first_us = job->submit_us < s->first_us ? job->submit_us : s->first_us;
    s->last_us = job->submit_us > s->last_us ? job->submit_us : s->last_us;
}

static bool make_phases(struct draft_job *s, const struct draft *d, struct draft_context *c)
{
    double work = 0;
    uint64_t tasks = 0;
    vec_clear(&s->specs);
    vec_clear(&s->truths);
    vec_clear(&s->hosts);
    vec_clear(&s->names);
    drop_arrays(s);
    if (d->phases.count == 0 || d->phases.count > JOB_PHASES_MAX)
        return false;
    for (uint32_t k = 0; k < d->phases.count; k++) {
        if (!make_phase(s, d, k, c))
            return false;
        work += phase_work(&s->specs.at[k], &s->truths.at[k]);
        tasks += s->specs.at[k].tasks;
    }
    for (uint32_t k = 0; k < d->phases.count; k++)
        s->specs.at[k].name = s->names.at[k].text;
    return work <= JOB_US_MAX && tasks <= JOB_TASKS_ALL_MAX;
}

bool draft_job_make(struct draft_job *s, const struct draft *d, struct draft_context *c,
                    struct row_bytes *to, int64_t *arrived_us)
{
    char name[NAME_BYTES], app[NAME_BYTES], user[NAME_BYTES], queue[NAME_BYTES];
    struct workload_cut before = survey_cut(c->survey), after;
    if (!make_phases(s, d, c)) {
        trouble_add(c->trouble, TROUBLE_LIMIT, d->where, true);
        return false;
    }
    clean_name(name, d->name.length ? d->name : d->job, "job");
    clean_name(app, d->app, "");
    clean_name(user, d->user, "default");
    clean_name(queue, d->queue, "default");
    *arrived_us = d->submit_us == ROW_UNKNOWN ? 0 : d->submit_us;
    struct workload_job job = {
        .spec = {.name = name,
                 .app = app[0] ? app : NULL,
                 .user = user,
                 .queue = queue,
                 .weight = JOB_WEIGHT_ONE,
                 .arrived_us = *arrived_us,
                 .phases = s->specs.at,
                 .phase_count = (uint16_t)s->specs.count},
        .submit_us = *arrived_us,
        .truth = s->truths.at,
        .line = d->where & ((UINT64_C(1) << TROUBLE_LINE_BITS) - 1),
    };
    tell_survey(&job, c->survey);
    after = survey_cut(c->survey);
    job.cut = (struct workload_cut){after.work_us - before.work_us,
                                    after.drawn_us - before.drawn_us, after.drawn - before.drawn};
    job_pack(&job, s->hosts.at, to);
    return true;
}
