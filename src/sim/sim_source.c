/* sim_source.c - where the outputs lie that a reader wants.
 *
 * Most readers want a partition of every output of a phase that is complete, and they all want to
 * know the same: how many outputs lie on which node. So that list is made once for a phase and kept
 * until one of its outputs is gone; making it for each reader would cost m x r steps for a shuffle.
 * Readers that have some outputs already, or a phase with replicas to choose from, get a list of
 * their own. The nodes of a list that is shared are known to the network as spreads, which it would
 * not pay to make for one reader. */
#include <stdlib.h>

#include "sim/sim_attempt.h"
#include "sim/sim_read.h"

uint32_t sim_source_node(const struct sim *s, const struct sim_task *task, uint16_t attempt,
                         uint32_t reader_node)
{
    const struct cluster_node *nodes = s->cluster->nodes;
    uint32_t best = NODE_NONE.v;
    for (uint32_t i = task->first; i != NO_ATTEMPT; i = s->attempts.at[i].task_next) {
        const struct sim_attempt *x = &s->attempts.at[i];
        if (x->at.attempt != attempt || sim_attempt_lives(x))
            continue;
        if (x->node == reader_node)
            return x->node;
        bool near = reader_node != NODE_NONE.v && nodes[x->node].rack == nodes[reader_node].rack;
        if (best == NODE_NONE.v || (near && nodes[best].rack != nodes[reader_node].rack))
            best = x->node;
    }
    return best;
}

uint16_t sim_source_attempt(const struct sim *s, const struct sim_task *task)
{
    uint32_t i = task->first;
    while (i != NO_ATTEMPT && !sim_output_committed(&s->attempts.at[i]))
        i = s->attempts.at[i].task_next;
    check(i != NO_ATTEMPT);
    return s->attempts.at[i].at.attempt;
}

static int by_place(const void *a, const void *b)
{
    const struct source_place *x = a, *y = b;
    if (x->rack != y->rack)
        return x->rack < y->rack ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* One output of a task more. */
static void count_task(struct sim *s, struct source_list *list, const struct sim_task *task,
                       uint32_t reader_node)
{
    uint32_t node = sim_source_node(s, task, sim_source_attempt(s, task), reader_node);
    if (s->reads->on_node[node]++ == 0)
        vec_push(&list->places, ((struct source_place){s->cluster->nodes[node].rack, node, 0}));
}

/* Fills in the counts, by node and by rack, and cleans up. */
static void seal(struct sim *s, struct source_list *list)
{
    uint32_t count = list->places.count;
    struct source_place *places = list->places.at;
    if (count > 1)
        qsort(places, count, sizeof *places, by_place);
    for (uint32_t i = 0; i < count; i++) {
        places[i].count = s->reads->on_node[places[i].node];
        s->reads->on_node[places[i].node] = 0;
        if (i == 0 || places[i].rack != places[i - 1].rack)
            vec_push(&list->racks, ((struct source_rack){.from = i, .spread = SPREAD_UNKNOWN}));
        struct source_rack *rack = &list->racks.at[list->racks.count - 1];
        rack->to = i + 1;
        rack->count += places[i].count;
    }
}

struct source_list *sim_source_all(struct sim *s, struct sim_phase *phase)
{
    check(phase->committed == phase->spec->tasks);
    if (phase->sources)
        return phase->sources;
    phase->sources = mem_zalloc(1, sizeof *phase->sources);
    for (uint32_t t = 0; t < phase->spec->tasks; t++)
        count_task(s, phase->sources, &phase->tasks[t], NODE_NONE.v);
    phase->sources->shared = true;
    seal(s, phase->sources);
    return phase->sources;
}

uint32_t sim_source_count(const struct source_list *list, const struct source_rack *rack,
                          uint32_t node)
{
    const struct source_place *first = &list->places.at[rack->from], key = {first->rack, node, 0};
    const struct source_place *x =
        bsearch(&key, first, rack->to - rack->from, sizeof *first, by_place);
    return x ? x->count : 0;
}

uint32_t sim_source_spread(struct sim *s, struct source_list *list, struct source_rack *rack)
{
    struct network *n = s->reads->network;
    if (!list->shared)
        return network_spread_rack(n, list->places.at[rack->from].rack);
    if (rack->spread != SPREAD_UNKNOWN)
        return rack->spread;
    uint32_t count = rack->to - rack->from;
    uint32_t *nodes = mem_zalloc(count, 2 * sizeof *nodes), *pieces = nodes + count;
    for (uint32_t i = 0; i < count; i++) {
        nodes[i] = list->places.at[rack->from + i].node;
        pieces[i] = list->places.at[rack->from + i].count;
    }
    rack->spread = network_spread(n, nodes, pieces, count);
    mem_free(nodes);
    return rack->spread;
}

void sim_source_forget(struct sim *s, struct sim_phase *phase)
{
    if (!phase->sources)
        return;
    for (uint32_t i = 0; s->reads && i < phase->sources->racks.count; i++)
        if (phase->sources->racks.at[i].spread != SPREAD_UNKNOWN)
            network_spread_drop(s->reads->network, phase->sources->racks.at[i].spread);
    vec_free(&phase->sources->places);
    vec_free(&phase->sources->racks);
    mem_free(phase->sources);
    phase->sources = NULL;
}

struct source_list *sim_source_batch(struct sim *s, const struct sim_phase *phase,
                                     const uint64_t *batch, uint32_t from, uint32_t to,
                                     uint32_t reader_node)
{
    struct source_list *list = &s->reads->list;
    vec_clear(&list->places);
    vec_clear(&list->racks);
    for (uint32_t t = from; t < to; t++)
        if (bit_get(batch, t - from))
            count_task(s, list, &phase->tasks[t], reader_node);
    seal(s, list);
    return list;
}
