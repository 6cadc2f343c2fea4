/* job_pack.c - a job as bytes: numbers as they are in memory, texts with their zeros, arrays with
 * their counts, one after the other in the order in which the block of the job holds them.
 *
 * Reading walks the bytes twice, as job_template.c does: once to count what the block needs, once
 * to fill it. */
#include "import/job_pack.h"

#include "base/check.h"
#include "base/hash.h"
#include "base/mem.h"

/* ---- writing ---- */

static void put_text(struct row_bytes *to, const char *text)
{
    row_bytes_put(to, text, strlen(text) + 1);
}

/* Which arrays the phase has. */
enum { HAS_INPUTS = 1, HAS_SIZES = 2, HAS_ATTEMPTS = 4 };

static void put_phase(struct row_bytes *to, const struct phase_spec *p, const struct phase_truth *t)
{
    uint8_t has = (uint8_t)((p->input_each ? HAS_INPUTS : 0) | (t->size_each ? HAS_SIZES : 0) |
                            (t->attempt_from ? HAS_ATTEMPTS : 0));
    put_text(to, p->name);
    row_bytes_put(to, p, sizeof *p); /* its numbers; what it points to follows */
    row_bytes_put(to, t, sizeof *t);
    row_bytes_put(to, &has, 1);
    row_bytes_put(to, p->edges, p->edge_count * sizeof *p->edges);
    if (p->input_each)
        row_bytes_put(to, p->input_each, p->tasks * sizeof *p->input_each);
    if (t->size_each)
        row_bytes_put(to, t->size_each, p->tasks * sizeof *t->size_each);
    if (t->attempt_from) {
        row_bytes_put(to, t->attempt_from, (p->tasks + (size_t)1) * sizeof *t->attempt_from);
        row_bytes_put(to, t->attempts, t->attempt_from[p->tasks] * sizeof *t->attempts);
    }
}

void job_pack(const struct workload_job *job, struct row_bytes *to)
{
    row_bytes_put(to, job, sizeof *job);
    put_text(to, job->spec.name);
    put_text(to, job->spec.app ? job->spec.app : "");
    put_text(to, job->spec.user);
    put_text(to, job->spec.queue);
    for (uint16_t k = 0; k < job->spec.phase_count; k++)
        put_phase(to, &job->spec.phases[k], &job->truth[k]);
}

/* ---- reading ---- */

struct pack {
    const char *at, *end;
    char *base; /* of the block; NULL: only count */
    size_t used, size;
    const struct job_fill *fill;
    struct job_fill_key key;
};

static const char *skip(struct pack *p, size_t length)
{
    const char *at = p->at;
    check((size_t)(p->end - at) >= length);
    p->at += length;
    return at;
}

/* Room in the block; NULL while counting. */
static void *room(struct pack *p, size_t length)
{
    void *to = p->base ? p->base + p->used : NULL;
    p->used += (length + 7) & ~(size_t)7;
    check(!p->base || p->used <= p->size);
    return to;
}

/* The next bytes, copied to the block. */
static void *copy(struct pack *p, size_t length)
{
    const char *from = skip(p, length);
    void *to = room(p, length);
    if (to && length)
        memcpy(to, from, length);
    return to;
}

static const char *copy_text(struct pack *p)
{
    const char *end = memchr(p->at, 0, (size_t)(p->end - p->at));
    check(end);
    return copy(p, (size_t)(end - p->at) + 1);
}

/* Recorded times, and those of copies that are added to them. */
static void get_attempts(struct pack *p, const struct phase_spec *s, struct phase_truth *t)
{
    uint32_t count, more = job_fill_copies(p->fill, s->tasks), *from;
    memcpy(&count, p->at + s->tasks * sizeof count, sizeof count);
    from = copy(p, (s->tasks + (size_t)1) * sizeof *from);
    const char *recorded = skip(p, count * sizeof *t->attempts);
    int64_t *times = room(p, (count + (size_t)more) * sizeof *times);
    t->attempt_from = from;
    t->attempts = times;
    if (!times)
        return;
    if (count)
        memcpy(times, recorded, count * sizeof *times);
    if (more && count) {
        job_fill_times(p->fill, p->key, times[count - 1], times + count);
        from[1] += more;
        t->copies_drawn = true;
    }
}

/* Where the input of each task lies. */
static void add_replicas(struct pack *p, struct phase_spec *s, bool has_inputs)
{
    bool reads = s->edge_count == 0 && (has_inputs || s->input_bytes > 0);
    uint32_t each = job_fill_replicas(p->fill, reads);
    s->replica_from = NULL;
    s->replicas = NULL;
    if (each == 0)
        return;
    uint32_t *from = room(p, (s->tasks + (size_t)1) * sizeof *from);
    struct node_id *nodes = room(p, (size_t)s->tasks * each * sizeof *nodes);
    if (!from)
        return;
    for (uint32_t i = 0; i <= s->tasks; i++)
        from[i] = i * each;
    job_fill_nodes(p->fill, p->key, s->tasks, nodes);
    s->replica_from = from;
    s->replicas = nodes;
}

static void get_phase(struct pack *p, struct phase_spec *spec, struct phase_truth *truth)
{
    struct phase_spec s;
    struct phase_truth t;
    const char *name = copy_text(p);
    memcpy(&s, skip(p, sizeof s), sizeof s);
    memcpy(&t, skip(p, sizeof t), sizeof t);
    uint8_t has = (uint8_t)*skip(p, 1);
    s.name = name;
    s.edges = copy(p, s.edge_count * sizeof *s.edges);
    s.input_each = has & HAS_INPUTS ? copy(p, s.tasks * sizeof *s.input_each) : NULL;
    t.size_each = has & HAS_SIZES ? copy(p, s.tasks * sizeof *t.size_each) : NULL;
    t.attempt_from = NULL;
    t.attempts = NULL;
    if (has & HAS_ATTEMPTS)
        get_attempts(p, &s, &t);
    add_replicas(p, &s, has & HAS_INPUTS);
    s.past_us = NULL;
    t.command = NULL;
    t.command_each = NULL;
    if (spec) {
        *spec = s;
        *truth = t;
    }
}

static void get_job(struct pack *p)
{
    struct workload_job job, *to = room(p, sizeof *to);
    memcpy(&job, skip(p, sizeof job), sizeof job);
    p->key.job = hash_text(p->at);
    job.spec.name = copy_text(p);
    const char *app = copy_text(p);
    job.spec.app = app && *app ? app : NULL;
    job.spec.user = copy_text(p);
    job.spec.queue = copy_text(p);
    uint16_t phases = job.spec.phase_count;
    struct phase_spec *specs = room(p, phases * sizeof *specs);
    struct phase_truth *truths = room(p, phases * sizeof *truths);
    for (uint16_t k = 0; k < phases; k++) {
        p->key.phase = k;
        get_phase(p, specs ? &specs[k] : NULL, truths ? &truths[k] : NULL);
    }
    job.spec.phases = specs;
    job.truth = truths;
    job.memory = p->base;
    if (to)
        *to = job;
}

struct workload_job *job_pack_read(const char *at, size_t length, const struct job_fill *fill)
{
    struct pack p = {.at = at, .end = at + length, .fill = fill};
    get_job(&p);
    p.size = p.used;
    p.base = mem_zalloc(1, p.size);
    p.used = 0;
    p.at = at;
    get_job(&p);
    check(p.at == p.end);
    return (struct workload_job *)(void *)p.base;
}
