/* sim_input.c - the input of a job, from the disks where it lies to the tasks that read it.
 *
 * With `input` on the cluster's network line, an attempt of a phase that reads no other begins with
 * reading: all its input bytes, as one flow from the nearest node that holds them: its own disk,
 * its own rack, or anywhere. Work follows when all is there, as with other readers; there are no
 * events, because it is not the brain's to plan.
 *
 * Which nodes hold it, the workload says (`on`). Where it does not, as many nodes as the network
 * line says are drawn for each task, the same for all its attempts: clones of one task meet at the
 * same few disks. Nodes that are down serve nothing. If all of them are, another node does: file
 * systems make new copies of what was there. A node that goes down leaves what has arrived with the
 * reader, which gets the rest elsewhere. So reading never fails and never waits.
 *
 * Rejected: reading and working at the same time, which is what most programs do. What takes longer
 * would hide the other, and neither reports nor clones that wait for a slow disk would show it. */
#include "base/rng.h"
#include "sim/sim_read.h"

bool sim_input_reads(const struct sim *s, const struct phase_spec *spec, uint32_t task)
{
    return s->cluster->wires.input > 0 && spec->edge_count == 0 &&
           phase_input_bytes(spec, task) > 0;
}

/* ---- where from ---- */

/* The nearest so far, as one candidate after the other is looked at. */
struct nearest {
    uint32_t node; /* NODE_NONE.v: none yet */
    bool near;
};

static void look_at(const struct sim *s, struct nearest *best, uint32_t node, uint32_t to)
{
    if (!s->nodes[node].up || best->node == to)
        return;
    const struct cluster_node *nodes = s->cluster->nodes;
    bool near = nodes[node].rack == nodes[to].rack;
    if (best->node == NODE_NONE.v || node == to || (near && !best->near))
        *best = (struct nearest){node, near};
}

/* The node that serves this attempt. Attempts of a task begin their search at different replicas,
 * so that those that are equally near share the work. */
static uint32_t input_node(const struct sim *s, const struct sim_attempt *x)
{
    const struct phase_spec *spec = sim_phase_of(s, x->at)->spec;
    struct attempt_ref at = x->at;
    struct rng mine = rng_stream(s->seed, RNG_INPUT, at.job.v, at.phase, at.task, 1 + at.attempt);
    struct nearest best = {NODE_NONE.v, false};
    uint32_t nodes = s->cluster->node_count, from = 0, count = 0;
    if (spec->replica_from) {
        from = spec->replica_from[at.task];
        count = spec->replica_from[at.task + 1] - from;
    }
    uint32_t first = count > 0 ? (uint32_t)rng_below(&mine, count) : 0;
    for (uint32_t k = 0; k < count; k++)
        look_at(s, &best, spec->replicas[from + (first + k) % count].v, x->node);
    if (count == 0) {
        struct rng all = rng_stream(s->seed, RNG_INPUT, at.job.v, at.phase, at.task, 0);
        for (uint32_t k = 0; k < s->cluster->wires.input; k++)
            look_at(s, &best, (uint32_t)rng_below(&all, nodes), x->node);
    }
    for (uint32_t node = (uint32_t)rng_below(&mine, nodes); best.node == NODE_NONE.v;
         node = (node + 1) % nodes)
        look_at(s, &best, node, x->node);
    return best.node;
}

/* ---- reading ---- */

static void input_flow(struct sim *s, struct sim_reader *r, double bytes)
{
    const struct sim_attempt *x = &s->attempts.at[r->attempt];
    r->input_from = input_node(s, x);
    r->input_flow =
        network_begin(s->reads->network, s->now_us, r->input_from, x->node, bytes, FLOW_ONE);
    sim_flow_set(s, r->input_flow, (struct sim_flow){.reader = r->attempt, .bytes = bytes});
}

void sim_input_begin(struct sim *s, struct sim_reader *r)
{
    input_flow(s, r, (double)r->need_bytes);
    r->flowing++;
}

void sim_input_stop(struct sim *s, struct sim_reader *r)
{
    if (r->input_flow == FLOW_NONE)
        return;
    network_stop(s->reads->network, r->input_flow);
    r->input_flow = FLOW_NONE;
}

void sim_input_node_down(struct sim *s, uint32_t node)
{
    if (!s->reads || s->cluster->wires.input == 0)
        return;
    for (uint32_t i = 0; i < s->reads->readers.count; i++) {
        struct sim_reader *r = s->reads->readers.at[i];
        if (!r || r->input_flow == FLOW_NONE || r->input_from != node)
            continue;
        double left = network_left(s->reads->network, s->now_us, r->input_flow);
        sim_input_stop(s, r);
        input_flow(s, r, left > 1 ? left : 1);
    }
}
