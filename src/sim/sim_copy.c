#include "sim/sim_read_state.h"

/* Forgets a copy under way; the last one takes its place. */
static void copy_drop(struct sim *s, uint32_t i)
{
    struct sim_reads *reads = s->reads;
    reads->copies.at[i] = reads->copies.at[--reads->copies.count];
    if (i < reads->copies.count)
        reads->flows.at[reads->copies.at[i].flow].copy = i;
}

static void copy_failed(struct sim *s, uint32_t i, uint8_t cause)
{
    const struct sim_copy c = s->reads->copies.at[i];
    network_stop(s->reads->network, c.flow);
    copy_drop(s, i);
    sim_tell(s, EV_REPLICA_FAILED, cause, c.at, c.to);
}

static uint32_t source_slot(const struct sim *s, const struct sim_copy *c)
{
    uint32_t i = sim_phase_of(s, c->at)->tasks[c->at.task].first;
    while (i != SLOT_NONE &&
           (s->slots.at[i].node != c->from || s->slots.at[i].at.attempt != c->at.attempt))
        i = s->slots.at[i].task_next;
    return i;
}

void sim_copy_begin(struct sim *s, const struct decision *d)
{
    const struct sim_phase *phase = sim_phase_of(s, d->at);
    struct sim_reads *reads = s->reads;
    double bytes = (double)phase->truth->output_bytes;
    struct sim_copy c = {.at = d->at, .to = d->node.v};
    c.from = sim_source_node(s, &phase->tasks[d->at.task], d->at.attempt, c.to);
    uint32_t source = source_slot(s, &c);
    if (s->slots.at[source].state == SLOT_SPOILT) { /* this is how it is found out */
        sim_tell(s, EV_REPLICA_FAILED, CAUSE_OUTPUT_GONE, d->at, d->node.v);
        sim_push_slot(s, 0, ENTRY_ROT, source);
        return;
    }
    if (!reads || bytes <= 0) {
        sim_output_copied(s, d->at, d->node.v);
        return;
    }
    for (uint32_t i = 0; i < reads->copies.count; i++)
        if (attempt_equal(reads->copies.at[i].at, d->at) && reads->copies.at[i].to == c.to) {
            sim_refuse(s, d, CAUSE_ALREADY_STARTED);
            return;
        }
    c.flow = network_begin(reads->network, s->now_us, c.from, c.to, bytes, FLOW_ONE);
    while (reads->flows.count <= c.flow)
        vec_push(&reads->flows, ((struct sim_flow){0}));
    reads->flows.at[c.flow] = (struct sim_flow){.fetch = FETCH_NONE,
                                                .copy = reads->copies.count,
                                                .prev = FLOW_NONE,
                                                .next = FLOW_NONE,
                                                .bytes = bytes};
    vec_push(&reads->copies, c);
}

void sim_copy_arrived(struct sim *s, uint32_t i)
{
    const struct sim_copy c = s->reads->copies.at[i];
    uint32_t source = source_slot(s, &c);
    copy_drop(s, i);
    if (s->slots.at[source].state == SLOT_COMMITTED) {
        sim_output_copied(s, c.at, c.to);
        return;
    }
    sim_tell(s, EV_REPLICA_FAILED, CAUSE_OUTPUT_GONE, c.at, c.to);
    sim_push_slot(s, 0, ENTRY_ROT, source);
}

void sim_copy_source_gone(struct sim *s, const struct slot *gone, uint8_t cause)
{
    for (uint32_t i = s->reads ? s->reads->copies.count : 0; i-- > 0;) {
        const struct sim_copy *c = &s->reads->copies.at[i];
        if (attempt_equal(c->at, gone->at) && c->from == gone->node)
            copy_failed(s, i, cause);
    }
}

void sim_copy_target_gone(struct sim *s, uint32_t node)
{
    for (uint32_t i = s->reads ? s->reads->copies.count : 0; i-- > 0;)
        if (s->reads->copies.at[i].to == node)
            copy_failed(s, i, CAUSE_NODE_DOWN);
}
