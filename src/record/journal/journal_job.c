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

static unsigned char *put_past(unsigned char *p, const struct phase_spec *phase)
{
    check(phase->past_count <= JOB_PAST_MAX && phase->past_straggled <= phase->past_seen);
    p = wire_put_uint(p, phase->past_count);
    for (uint32_t i = 0; i < phase->past_count; i++)
        p = wire_put_int(p, phase->past_us[i]);
    p = wire_put_uint(p, phase->past_seen);
    return wire_put_uint(p, phase->past_straggled);
}

static unsigned char *put_phase(unsigned char *p, const struct phase_spec *phase)
{
    check(phase->tasks >= 1 && phase->tasks <= JOB_TASKS_MAX);
    check(phase->clone <= PHASE_CLONE_NEVER && phase->edge_count <= JOB_PHASES_MAX);
    p = wire_put_string(p, phase->name);
    p = wire_put_uint(p, phase->tasks);
    for (int i = 0; i < RES_COUNT; i++)
        p = wire_put_int(p, phase->demand.v[i]);
    p = wire_put_uint(p, phase->clone);
    p = wire_put_int(p, phase->input_bytes);
    p = wire_put_uint(p, phase->edge_count);
    for (uint16_t i = 0; i < phase->edge_count; i++) {
        check(phase->edges[i].pattern <= EDGE_ONE_TO_ONE && phase->edges[i].slowstart <= 100);
        p = wire_put_uint(p, phase->edges[i].from);
        *p++ = phase->edges[i].pattern;
        *p++ = phase->edges[i].slowstart;
    }

    *p++ = (unsigned char)((phase->input_each ? HAS_INPUT_EACH : 0) |
                           (phase->replica_from ? HAS_REPLICAS : 0) |
                           (phase->failures_allowed ? HAS_FAILURES_ALLOWED : 0) |
                           (has_past(phase) ? HAS_PAST : 0) | (has_expect(phase) ? HAS_EXPECT : 0));
    if (phase->input_each)
        for (uint32_t t = 0; t < phase->tasks; t++)
            p = wire_put_int(p, phase->input_each[t]);
    if (phase->replica_from) {
        const uint32_t *from = phase->replica_from;
        for (uint32_t t = 0; t < phase->tasks; t++)
            p = wire_put_uint(p, from[t + 1] - from[t]);
        for (uint32_t i = from[0]; i < from[phase->tasks]; i++)
            p = wire_put_node(p, phase->replicas[i]);
    }
    if (phase->failures_allowed)
        p = wire_put_uint(p, phase->failures_allowed);
    if (has_past(phase))
        p = put_past(p, phase);
    if (has_expect(phase))
        p = wire_put_int(wire_put_int(p, phase->expect_us), phase->expect_dev_us);
    return p;
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
    check(job->weight > 0 && job->phase_count >= 1 && job->phase_count <= JOB_PHASES_MAX);
    p = wire_put_uint(p, job->id.v);
    p = wire_put_string(p, job->name);
    p = wire_put_string(p, job->user);
    p = wire_put_string(p, job->queue);
    if (old)
        check_old(job);
    else
        p = wire_put_string(p, job->app);
    p = wire_put_uint(p, job->weight);
    p = wire_put_uint(p, job->running_max);
    p = wire_put_int(p, job->arrived_us);
    p = wire_put_int(p, job->wrapup_us);
    p = wire_put_uint(p, job->phase_count);
    for (uint16_t i = 0; i < job->phase_count; i++)
        p = put_phase(p, &job->phases[i]);
    return p;
}

static void get_edges(struct wire_in *in, struct phase_spec *phase, uint16_t own_index,
                      struct wire_scratch *s)
{
    phase->edge_count = (uint16_t)wire_get_max(in, JOB_PHASES_MAX);
    if (phase->edge_count == 0 || in->bad)
        return;
    if (own_index == 0 || phase->edge_count > wire_left(in)) {
        wire_spoil(in);
        return;
    }
    struct edge_spec *edges = wire_scratch_add(s, phase->edge_count, sizeof *edges);
    for (uint16_t i = 0; i < phase->edge_count; i++) {
        edges[i].from = (uint16_t)wire_get_max(in, own_index - 1u);
        edges[i].pattern = wire_get_enum(in, EDGE_ONE_TO_ONE + 1);
        edges[i].slowstart = wire_get_enum(in, 101);
    }
    phase->edges = edges;
}

static void get_input_each(struct wire_in *in, struct phase_spec *phase, struct wire_scratch *s)
{
    if (phase->tasks > wire_left(in)) {
        wire_spoil(in);
        return;
    }
    int64_t *each = wire_scratch_add(s, phase->tasks, sizeof *each);
    for (uint32_t t = 0; t < phase->tasks; t++)
        each[t] = wire_get_int(in);
    phase->input_each = each;
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

static void get_past(struct wire_in *in, struct phase_spec *phase, struct wire_scratch *s)
{
    phase->past_count = (uint32_t)wire_get_max(in, JOB_PAST_MAX);
    int64_t *past = phase->past_count ? wire_scratch_add(s, phase->past_count, sizeof *past) : NULL;
    for (uint32_t i = 0; i < phase->past_count; i++)
        past[i] = wire_get_int(in);
    phase->past_us = past;
    phase->past_seen = wire_get_u32(in);
    phase->past_straggled = (uint32_t)wire_get_max(in, phase->past_seen);
    if (phase->past_count == 0 && phase->past_seen == 0)
        wire_spoil(in); /* there is one way to say nothing */
}

static void get_expect(struct wire_in *in, struct phase_spec *phase)
{
    phase->expect_us = wire_get_int(in);
    phase->expect_dev_us = wire_get_int(in);
    if (!has_expect(phase))
        wire_spoil(in); /* there is one way to say nothing */
}

static void get_phase(struct wire_in *in, struct phase_spec *phase, uint16_t own_index,
                      struct wire_scratch *s)
{
    phase->name = wire_get_string(in);
    phase->tasks = (uint32_t)wire_get_max(in, JOB_TASKS_MAX);
    for (int i = 0; i < RES_COUNT; i++)
        phase->demand.v[i] = wire_get_i32(in);
    phase->clone = wire_get_enum(in, PHASE_CLONE_NEVER + 1);
    phase->input_bytes = wire_get_int(in);
    get_edges(in, phase, own_index, s);

    unsigned has = wire_get_enum(in, in->old ? PHASE_FLAGS_END_OLD : PHASE_FLAGS_END);
    if (phase->tasks == 0)
        wire_spoil(in);
    if ((has & HAS_INPUT_EACH) && !in->bad)
        get_input_each(in, phase, s);
    if ((has & HAS_REPLICAS) && !in->bad)
        get_replicas(in, phase, s);
    if ((has & HAS_FAILURES_ALLOWED) && !in->bad) {
        phase->failures_allowed = wire_get_u32(in);
        if (phase->failures_allowed == 0)
            wire_spoil(in); /* there is one way to say none */
    }
    if ((has & HAS_PAST) && !in->bad)
        get_past(in, phase, s);
    if ((has & HAS_EXPECT) && !in->bad)
        get_expect(in, phase);
}

const struct job_spec *journal_job_get(struct wire_in *in, struct wire_scratch *s)
{
    struct job_spec *job = wire_scratch_add(s, 1, sizeof *job);
    job->id.v = wire_get_u32(in);
    job->name = wire_get_string(in);
    job->user = wire_get_string(in);
    job->queue = wire_get_string(in);
    job->app = in->old ? NULL : wire_get_string(in);
    job->weight = wire_get_u32(in);
    job->running_max = wire_get_u32(in);
    job->arrived_us = wire_get_int(in);
    job->wrapup_us = wire_get_int(in);
    job->phase_count = (uint16_t)wire_get_max(in, JOB_PHASES_MAX);
    if (job->phase_count == 0 || job->weight == 0 || job->phase_count > wire_left(in)) {
        wire_spoil(in);
        return job;
    }
    struct phase_spec *phases = wire_scratch_add(s, job->phase_count, sizeof *phases);
    for (uint16_t i = 0; i < job->phase_count && !in->bad; i++)
        get_phase(in, &phases[i], i, s);
    job->phases = phases;
    return job;
}
