/* sim_content.c - what outputs consist of: bytes, a checksum, and partitions for their readers.
 *
 * The content of an output is a pure function of its task, unless the cluster has tasks whose
 * attempts differ. Readers get equal partitions, but for phases with skew, whose partitions are
 * reported. */
#include "sim/sim_state.h"

#include "base/rng.h"

static uint64_t checksum(const struct sim *s, const struct sim_phase *phase, struct attempt_ref at)
{
    double p = s->cluster->faults.nondeterministic_p;
    uint64_t who = 0;
    if (p > 0) {
        struct rng r = rng_stream(s->seed, RNG_OUTPUT, at.job.v, at.phase, at.task, 0);
        if (rng_unit(&r) < p)
            who = at.attempt + UINT64_C(1);
    }
    struct rng content = rng_branch(phase->content, at.task, who);
    return rng_u64(&content);
}

int64_t sim_content_partition(const struct sim_phase *phase, uint32_t readers, uint32_t task)
{
    return (int64_t)((double)phase->truth->output_bytes *
                     phase_truth_share(phase->truth, readers, task));
}

int64_t sim_content_bytes(const struct sim_phase *upstream, uint32_t count, uint32_t shares,
                          uint32_t task)
{
    int64_t output_bytes = upstream->truth->output_bytes, whole, bytes;
    if (upstream->truth->skew > 1 && shares > 1)
        return sim_content_partition(upstream, shares, task) * count;
    if (__builtin_mul_overflow(output_bytes / shares, (int64_t)count, &whole) ||
        __builtin_add_overflow(whole, output_bytes % shares * count / shares, &bytes))
        return INT64_MAX;
    return bytes;
}

/* The tasks that read a partition of each output of the phase; 0: there are none. */
static uint32_t partition_count(const struct sim *s, struct attempt_ref at)
{
    const struct sim_job *job = sim_job_find(s, at.job);
    for (uint16_t p = at.phase; p < job->work->spec.phase_count; p++)
        for (uint16_t e = 0; e < job->phases[p].spec->edge_count; e++)
            if (job->phases[p].spec->edges[e].from == at.phase &&
                job->phases[p].spec->edges[e].pattern == EDGE_ALL_TO_ALL)
                return job->phases[p].spec->tasks;
    return 0;
}

/* The content of a partition follows from that of the whole and from its place. */
static void add_partitions(struct sim *s, const struct sim_phase *phase, uint32_t count,
                           struct event *e)
{
    struct output_partition *partitions = mem_zalloc(count, sizeof *partitions);
    for (uint32_t i = 0; i < count; i++)
        partitions[i] = (struct output_partition){sim_content_partition(phase, count, i),
                                                  e->u.output.checksum + i};
    e->u.output.partitions = partitions;
    e->u.output.partition_count = count;
    s->partitions_reported = true;
}

void sim_content_ready(struct sim *s, const struct sim_attempt *x)
{
    struct event *e = sim_emit(s, EV_OUTPUT_READY, CAUSE_NONE, x->at, x->node);
    const struct sim_phase *phase = sim_phase_of(s, x->at);
    e->u.output.bytes = phase->truth->output_bytes;
    e->u.output.checksum = checksum(s, phase, x->at);
    uint32_t count = phase->truth->skew > 1 ? partition_count(s, x->at) : 0;
    if (count > 0)
        add_partitions(s, phase, count, e);
}

void sim_content_forget(struct sim *s, const struct event *events, uint32_t count)
{
    for (uint32_t i = 0; s->partitions_reported && i < count; i++)
        if (events[i].type == EV_OUTPUT_READY)
            mem_free((void *)(uintptr_t)events[i].u.output.partitions);
}
