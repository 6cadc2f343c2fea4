/* sim_spoil.c - nodes that lose outputs while they go on working, without an event.
 *
 * Time is cut into windows of lose_window; a node with `lose` is bad in a window with that
 * probability. Every committed output that is there at a random moment of a bad window, or comes
 * later in it, is spoilt with probability lose_share, at a random moment before the window ends. A
 * spoilt output is one like any other until an attempt reads it, or, where each reads a partition
 * of its own, one whose partition is damaged. All draws are keyed by node and window, or by output,
 * node and window or partition, so they do not depend on what a policy does elsewhere.
 *
 * What becomes of a spoilt output that a reader meets is the reader's business (sim_look.met). */
#include "base/rng.h"
#include "sim/sim_attempt.h"
#include "sim/sim_read.h"

enum { WINDOWS_AHEAD = 1000 * 1000 }; /* a node without a bad one among these never has one */

/* Queues the node's next bad window from window `w` on. */
static void spoil_next(struct sim *s, uint32_t node, int64_t w)
{
    int64_t length_us = s->cluster->faults.lose_window_us;
    double p = s->cluster->nodes[node].lose;
    for (int64_t end = w + WINDOWS_AHEAD; w < end && w < INT64_MAX / length_us - 1; w++) {
        struct rng r = rng_stream(s->seed, RNG_SPOIL_NODE, node, (uint64_t)w, 0, 0);
        if (rng_unit(&r) >= p)
            continue;
        int64_t at_us = w * length_us + (int64_t)(rng_unit(&r) * (double)length_us);
        sim_push(s, at_us - s->now_us, ENTRY_SPOIL, 0, node);
        return;
    }
}

void sim_spoil_init(struct sim *s)
{
    for (uint32_t n = 0; n < s->cluster->node_count; n++)
        if (s->cluster->nodes[n].lose > 0) {
            if (!s->spoils)
                s->spoils = mem_zalloc(s->cluster->node_count, sizeof *s->spoils);
            spoil_next(s, n, 0);
        }
}

void sim_spoil_new(struct sim *s, uint32_t i)
{
    const struct sim_attempt *x = &s->attempts.at[i];
    const struct sim_phase *phase = sim_phase_of(s, x->at);
    if (!s->spoils || s->now_us >= s->spoils[x->node].until_us || x->state != SIM_COMMITTED ||
        phase->truth->output_bytes <= 0)
        return;
    uint64_t w = (uint64_t)(s->now_us / s->cluster->faults.lose_window_us);
    struct rng r =
        rng_stream(s->seed, RNG_SPOIL_OUTPUT, x->at.job.v, (uint64_t)x->at.phase << 32 | x->at.task,
                   (uint64_t)x->node << 16 | x->at.attempt, w);
    if (rng_unit(&r) >= s->cluster->faults.lose_share)
        return;
    double left_us = (double)(s->spoils[x->node].until_us - s->now_us);
    sim_push_attempt(s, (int64_t)(left_us * rng_unit(&r)), ENTRY_ROT, i);
}

void sim_spoil_due(struct sim *s, uint32_t node)
{
    int64_t length_us = s->cluster->faults.lose_window_us, w = s->now_us / length_us;
    s->spoils_vain++;
    s->spoils[node].until_us = (w + 1) * length_us;
    for (uint32_t i = s->nodes[node].first; i != NO_ATTEMPT; i = s->links.at[i].next)
        if (s->attempts.at[i].state == SIM_COMMITTED)
            sim_spoil_new(s, i);
    s->spoils[node].asleep = !sim_hopes(s);
    s->asleep |= s->spoils[node].asleep;
    if (!s->spoils[node].asleep)
        spoil_next(s, node, w + 1);
}

void sim_spoil_wake(struct sim *s)
{
    for (uint32_t n = 0; s->spoils && n < s->cluster->node_count; n++) {
        if (s->spoils[n].asleep)
            spoil_next(s, n, s->now_us / s->cluster->faults.lose_window_us + 1);
        s->spoils[n].asleep = false;
    }
}

/* Whether a reader of this partition of a spoilt output notices. */
static bool is_damaged(const struct sim *s, const struct sim_attempt *x, uint32_t partition)
{
    if (partition == SIM_PARTITION_ALL || s->cluster->faults.lose_parts >= 1)
        return true;
    struct rng r =
        rng_stream(s->seed, RNG_SPOIL_PART, x->at.job.v, (uint64_t)x->at.phase << 32 | x->at.task,
                   (uint64_t)x->node << 16 | x->at.attempt, partition);
    return rng_unit(&r) < s->cluster->faults.lose_parts;
}

/* Reads the output of a task from a node, or from the nearest one: if it is spoilt, that comes to
 * light. Returns true if no other copy is left. */
static bool meet(struct sim *s, const struct sim_task *task, uint16_t attempt,
                 const struct sim_look *by)
{
    uint32_t node = sim_source_node(s, task, attempt, by->node), copies = 0, met = NO_ATTEMPT;
    for (uint32_t i = task->first; i != NO_ATTEMPT; i = s->attempts.at[i].task_next) {
        const struct sim_attempt *x = &s->attempts.at[i];
        if (x->at.attempt != attempt || !sim_output_committed(x))
            continue;
        copies++;
        if (x->node == node && x->state == SIM_SPOILT && is_damaged(s, x, by->partition))
            met = i;
    }
    if (met == NO_ATTEMPT)
        return false;
    by->met(s, met);
    return copies == 1;
}

void sim_spoil_meet(struct sim *s, struct attempt_ref source, struct job_span span,
                    const uint64_t *batch, struct sim_look by)
{
    const struct sim_task *tasks = sim_phase_of(s, source)->tasks;
    if (source.task != TASK_ALL) {
        meet(s, &tasks[source.task], source.attempt, &by);
        return;
    }
    for (uint32_t t = span.from; t < span.to; t++)
        if (tasks[t].mark == TASK_COMMITTED && (!batch || bit_get(batch, t - span.from)) &&
            meet(s, &tasks[t], sim_source_attempt(s, &tasks[t]), &by))
            return;
}
