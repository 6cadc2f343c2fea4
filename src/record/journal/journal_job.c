/* A job on the wire.
 *
 * The brain learns all that it ever knows of a job in advance from one event, so the record holds
 * the whole specification: with a reference to a workload file instead, a journal could not be
 * re-fed on another machine or after the file changed.
 *
 * Two arrays may be long: input bytes and replica nodes of every task. Both are optional. Counts of
 * replicas go first and the nodes after them, so that the reader knows how much memory it needs
 * before it takes any. Every element takes a byte at least; a claimed count larger than the bytes
 * that are left is therefore a lie, and is found before it costs memory. */
#include "record/journal/journal_job.h"

#include "base/check.h"

enum {
    HAS_INPUT_EACH = 1,
    HAS_REPLICAS = 2,
    HAS_FAILURES_ALLOWED = 4,
    HAS_PAST = 8,
    HAS_EXPECT = 16,
    PHASE_FLAGS_END = 32,
    PHASE_FLAGS_END_OLD = 16,
};

size_t journal_job_bound(const struct job_spec *job)
{
    size_t bytes = 4 * WIRE_U32_MAX + 2 * WIRE_U64_MAX + wire_string_bound(job->name) +
                   wire_string_bound(job->user) + wire_string_bound(job->queue) +
                   wire_string_bound(job->app);
    for (uint16_t i = 0; i < job->phase_count; i++) {
        const struct phase_spec *p = &job->phases[i];
        bytes += wire_string_bound(p->name) + (RES_COUNT + 5) * WIRE_U32_MAX + 3 * WIRE_U64_MAX;
        bytes += (size_t)p->edge_count * (WIRE_U16_MAX + 2);
        if (p->past_count || p->past_seen)
            bytes += 3 * WIRE_U32_MAX + (size_t)p->past_count * WIRE_U64_MAX;
        if (p->input_each)
            bytes += (size_t)p->tasks * WIRE_U64_MAX;
        if (p->replica_from)
            bytes += ((size_t)p->tasks + p->replica_from[p->tasks]) * WIRE_U32_MAX;
    }
    return bytes;
}

static bool has_past(const struct phase_spec *phase)
{
    return phase->past_count > 0 || phase->past_seen > 0;
}

static bool has_expect(const struct phase_spec *phase)
{
    return phase->expect_us != 0 || phase->expect_dev_us != 0;
}

/* ---- kinds of fields ---- */

WIRE_BOTH count_field(struct wire *w, uint32_t *count, uint32_t max)
{
    if (w->in)
        *count = (uint32_t)wire_get_max(w->in, max);
    else
        wire_u32(w, count);
}

WIRE_BOTH phase_index(struct wire *w, uint16_t *index, unsigned max)
{
    if (w->in)
        *index = (uint16_t)wire_get_max(w->in, max);
    else
        wire_u16(w, index);
}

WIRE_BOTH int_list(struct wire *w, const int64_t **at, uint32_t count, struct wire_scratch *s)
{
    if (w->in && count > wire_left(w->in))
        wire_spoil(w->in);
    if (w->in)
        *at = count > 0 && !w->in->bad ? wire_scratch_add(s, count, sizeof **at) : NULL;
    for (uint32_t i = 0; i < count && *at; i++)
        wire_int(w, (int64_t *)(uintptr_t)&(*at)[i]);
}

/* ---- a phase ---- */

WIRE_BOTH edge_list(struct wire *w, struct phase_spec *p, uint16_t own_index,
                    struct wire_scratch *s)
{
    phase_index(w, &p->edge_count, JOB_PHASES_MAX);
    if (p->edge_count == 0 || (w->in && w->in->bad))
        return;
    struct edge_spec *edges = (struct edge_spec *)(uintptr_t)p->edges;
    if (w->in) {
        if (own_index == 0 || p->edge_count > wire_left(w->in)) {
            wire_spoil(w->in);
            return;
        }
        p->edges = edges = wire_scratch_add(s, p->edge_count, sizeof *edges);
    }
    for (uint16_t i = 0; i < p->edge_count; i++) {
        check(w->in || (edges[i].pattern <= EDGE_ONE_TO_ONE && edges[i].slowstart <= 100));
        phase_index(w, &edges[i].from, own_index - 1u);
        wire_enum(w, &edges[i].pattern, EDGE_ONE_TO_ONE + 1);
        wire_enum(w, &edges[i].slowstart, 101);
    }
}

static unsigned char *put_replicas(unsigned char *p, const struct phase_spec *phase)
{
    const uint32_t *from = phase->replica_from;
    for (uint32_t t = 0; t < phase->tasks; t++)
        p = wire_put_uint(p, from[t + 1] - from[t]);
    for (uint32_t i = from[0]; i < from[phase->tasks]; i++)
        p = wire_put_node(p, phase->replicas[i]);
    return p;
}

static void get_replicas(struct wire_in *in, struct phase_spec *phase, struct wire_scratch *s)
{
    if (phase->tasks > wire_left(in)) {
        wire_spoil(in);
        return;
    }
    uint32_t *from = wire_scratch_add(s, phase->tasks + 1, sizeof *from);
    for (uint32_t t = 0; t < phase->tasks; t++) {
        uint64_t end = from[t] + wire_get_uint(in);
        if (end < from[t] || end > wire_left(in)) {
            wire_spoil(in);
            return;
        }
        from[t + 1] = (uint32_t)end;
    }
    struct node_id *nodes = wire_scratch_add(s, from[phase->tasks], sizeof *nodes);
    for (uint32_t i = 0; i < from[phase->tasks]; i++)
        nodes[i] = wire_get_node(in);
    phase->replica_from = from;
    phase->replicas = nodes;
}

WIRE_BOTH past_fields(struct wire *w, struct phase_spec *p, struct wire_scratch *s)
{
    check(w->in || (p->past_count <= JOB_PAST_MAX && p->past_straggled <= p->past_seen));
    count_field(w, &p->past_count, JOB_PAST_MAX);
    int_list(w, &p->past_us, p->past_count, s);
    wire_u32(w, &p->past_seen);
    count_field(w, &p->past_straggled, p->past_seen);
}

/* What a phase has of that which most lack. Where it has a thing, that is not nothing: there is one
 * way to say it. */
WIRE_BOTH rare_fields(struct wire *w, struct phase_spec *p, struct wire_scratch *s)
{
    uint8_t has = (uint8_t)((p->input_each ? HAS_INPUT_EACH : 0) |
                            (p->replica_from ? HAS_REPLICAS : 0) |
                            (p->failures_allowed ? HAS_FAILURES_ALLOWED : 0) |
                            (has_past(p) ? HAS_PAST : 0) | (has_expect(p) ? HAS_EXPECT : 0));
    wire_enum(w, &has, w->old ? PHASE_FLAGS_END_OLD : PHASE_FLAGS_END);
    if (w->in && p->tasks == 0)
        wire_spoil(w->in);
    if (has & HAS_INPUT_EACH)
        int_list(w, &p->input_each, p->tasks, s);
    if ((has & HAS_REPLICAS) && w->in)
        get_replicas(w->in, p, s);
    else if (has & HAS_REPLICAS)
        w->out = put_replicas(w->out, p);
    if (has & HAS_FAILURES_ALLOWED)
        wire_u32(w, &p->failures_allowed);
    if (has & HAS_PAST)
        past_fields(w, p, s);
    if (has & HAS_EXPECT) {
        wire_int(w, &p->expect_us);
        wire_int(w, &p->expect_dev_us);
    }
    if (w->in && (((has & HAS_FAILURES_ALLOWED) && p->failures_allowed == 0) ||
                  ((has & HAS_PAST) && !has_past(p)) || ((has & HAS_EXPECT) && !has_expect(p))))
        wire_spoil(w->in);
}

WIRE_BOTH phase_fields(struct wire *w, struct phase_spec *p, uint16_t own_index,
                       struct wire_scratch *s)
{
    check(w->in || (p->tasks >= 1 && p->tasks <= JOB_TASKS_MAX && p->clone <= PHASE_CLONE_NEVER &&
                    p->edge_count <= JOB_PHASES_MAX));
    wire_string(w, &p->name);
    count_field(w, &p->tasks, JOB_TASKS_MAX);
    for (int i = 0; i < RES_COUNT; i++)
        wire_i32(w, &p->demand.v[i]);
    wire_enum(w, &p->clone, PHASE_CLONE_NEVER + 1);
    wire_int(w, &p->input_bytes);
    edge_list(w, p, own_index, s);
    rare_fields(w, p, s);
}

/* ---- the job ---- */

/* All but its phases. */
WIRE_BOTH job_fields(struct wire *w, struct job_spec *job)
{
    wire_u32(w, &job->id.v);
    wire_string(w, &job->name);
    wire_string(w, &job->user);
    wire_string(w, &job->queue);
    if (!w->old)
        wire_string(w, &job->app);
    wire_u32(w, &job->weight);
    wire_u32(w, &job->running_max);
    wire_int(w, &job->arrived_us);
    wire_int(w, &job->wrapup_us);
    phase_index(w, &job->phase_count, JOB_PHASES_MAX);
}

/* Who goes on with an old journal has nothing to say that it cannot hold. */
static void check_old(const struct job_spec *job)
{
    check(!job->app || !*job->app);
    for (uint16_t i = 0; i < job->phase_count; i++)
        check(!has_expect(&job->phases[i]));
}

unsigned char *journal_job_put(unsigned char *p, const struct job_spec *job, bool old)
{
    struct wire w = {p, NULL, old};
    check(job->weight > 0 && job->phase_count >= 1 && job->phase_count <= JOB_PHASES_MAX);
    if (old)
        check_old(job);
    job_fields(&w, (struct job_spec *)(uintptr_t)job); /* writing leaves it as it is */
    for (uint16_t i = 0; i < job->phase_count; i++)
        phase_fields(&w, (struct phase_spec *)(uintptr_t)&job->phases[i], i, NULL);
    return w.out;
}

const struct job_spec *journal_job_get(struct wire_in *in, struct wire_scratch *s)
{
    struct wire w = {NULL, in, in->old};
    struct job_spec *job = wire_scratch_add(s, 1, sizeof *job);
    job_fields(&w, job);
    if (job->phase_count == 0 || job->weight == 0 || job->phase_count > wire_left(in)) {
        wire_spoil(in);
        return job;
    }
    struct phase_spec *phases = wire_scratch_add(s, job->phase_count, sizeof *phases);
    for (uint16_t i = 0; i < job->phase_count && !in->bad; i++)
        phase_fields(&w, &phases[i], i, s);
    job->phases = phases;
    return job;
}
