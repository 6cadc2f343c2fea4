/* job_pack.c - a job as bytes: numbers as they are in memory, texts with their zeros, arrays with
 * their counts, one after the other in the order in which the block of the job holds them.
 *
 * Reading walks the bytes twice, as job_template.c does: once to count what the block needs, once
 * to fill it. */
#include "inputs/trace/job_pack.h"

#include "base/check.h"
#include "base/hash.h"
#include "base/mem.h"

/* ---- writing ---- */

static void put_text(struct row_bytes *to, const char *text)
{
    row_bytes_put(to, text, strlen(text) + 1);
}

/* Which arrays the phase has. */
enum { HAS_INPUTS = 1, HAS_SIZES = 2, HAS_ATTEMPTS = 4, HAS_HOSTS = 8 };

static void put_phase(struct row_bytes *to, const struct phase_spec *p, const struct phase_truth *t,
                      const struct job_hosts *hosts)
{
    uint8_t has =
        (uint8_t)((p->input_each ? HAS_INPUTS : 0) | (t->size_each ? HAS_SIZES : 0) |
                  (t->attempt_from ? HAS_ATTEMPTS : 0) | (hosts && hosts->from ? HAS_HOSTS : 0));
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
    if (has & HAS_HOSTS) {
        row_bytes_put(to, hosts->from, (p->tasks + (size_t)1) * sizeof *hosts->from);
        row_bytes_put(to, hosts->at, hosts->from[p->tasks] * sizeof *hosts->at);
    }
}

void job_pack(const struct workload_job *job, const struct job_hosts *hosts, struct row_bytes *to)
{
    row_bytes_put(to, job, sizeof *job);
    put_text(to, job->spec.name);
    put_text(to, job->spec.app ? job->spec.app : "");
    put_text(to, job->spec.user);
    put_text(to, job->spec.queue);
    for (uint16_t k = 0; k < job->spec.phase_count; k++)
        put_phase(to, &job->spec.phases[k], &job->truth[k], hosts ? &hosts[k] : NULL);
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

/* Memory of the block; NULL while counting. */
static void *allot(struct pack *p, size_t length)
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
    void *to = allot(p, length);
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
    int64_t *times = allot(p, (count + (size_t)more) * sizeof *times);
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

/* Hosts of a phase, as they lie in the bytes: numbers at any address. */
struct packed_hosts {
    const char *from, *at; /* from: NULL: none are known */
};

static uint32_t host_from(const struct packed_hosts *h, uint32_t task)
{
    uint32_t from;
    memcpy(&from, h->from + task * sizeof from, sizeof from);
    return from;
}

static struct packed_hosts get_hosts(struct pack *p, uint32_t tasks, uint8_t has)
{
    struct packed_hosts h = {0};
    if (has & HAS_HOSTS) {
        h.from = skip(p, (tasks + (size_t)1) * sizeof(uint32_t));
        h.at = skip(p, host_from(&h, tasks) * sizeof(uint64_t));
    }
    return h;
}

/* Fills nodes with those that hold the input of a task, at most as many as replicas_most says. */
static uint32_t fill_task(const struct pack *p, const struct packed_hosts *h, uint32_t task,
                          uint32_t drawn, struct node_id *nodes)
{
    struct job_fill_key key = p->key;
    uint32_t count = 0;
    for (uint32_t i = h->from ? host_from(h, task) : 0; h->from && i < host_from(h, task + 1);
         i++) {
        uint64_t host;
        memcpy(&host, h->at + i * sizeof host, sizeof host);
        job_fill_host(p->fill, host, nodes, &count);
    }
    if (count > 0 || drawn == 0)
        return count;
    key.task = task;
    job_fill_nodes(p->fill, key, nodes);
    return drawn;
}

/* As many as the tasks of a phase may have in all. */
static size_t replicas_most(const struct packed_hosts *h, uint32_t tasks, uint32_t drawn)
{
    size_t most = h->from ? 0 : (size_t)tasks * drawn;
    for (uint32_t t = 0; t < tasks && h->from; t++) {
        uint32_t hosts = host_from(h, t + 1) - host_from(h, t);
        most += hosts > drawn ? hosts : drawn;
    }
    return most;
}

/* Where the input of each task lies. */
static void add_replicas(struct pack *p, struct phase_spec *s, uint8_t has)
{
    bool reads = s->edge_count == 0 && (has & HAS_INPUTS || s->input_bytes > 0);
    uint32_t drawn = job_fill_replicas(p->fill, reads);
    struct packed_hosts hosts = get_hosts(p, s->tasks, has);
    size_t most = p->fill->nodes ? replicas_most(&hosts, s->tasks, drawn) : 0;
    s->replica_from = NULL;
    s->replicas = NULL;
    if (most == 0)
        return;
    uint32_t *from = allot(p, (s->tasks + (size_t)1) * sizeof *from);
    struct node_id *nodes = allot(p, most * sizeof *nodes);
    if (!from)
        return;
    for (uint32_t t = 0; t < s->tasks; t++)
        from[t + 1] = from[t] + fill_task(p, &hosts, t, drawn, nodes + from[t]);
    if (from[s->tasks] == 0) /* of no host there is a node */
        return;
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
    add_replicas(p, &s, has);
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
    struct workload_job job, *to = allot(p, sizeof *to);
    memcpy(&job, skip(p, sizeof job), sizeof job);
    p->key.job = hash_text(p->at);
    job.spec.name = copy_text(p);
    const char *app = copy_text(p);
    job.spec.app = app && *app ? app : NULL;
    job.spec.user = copy_text(p);
    job.spec.queue = copy_text(p);
    uint16_t phases = job.spec.phase_count;
    struct phase_spec *specs = allot(p, phases * sizeof *specs);
    struct phase_truth *truths = allot(p, phases * sizeof *truths);
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
