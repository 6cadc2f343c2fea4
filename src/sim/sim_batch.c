/* sim_batch.c - what a fetch has on its way: outputs, and the flows that carry them.
 *
 * A batch of one output is one flow. A batch of many is one flow for each node that has some; where
 * they lie on very many nodes, one for each rack. A flow's weight is the number of its outputs, so
 * that it is as fast as single fetches of the same outputs would be together. A reader that has
 * only a few reads at a time (wires.streams) takes turns among its sources: over the time of a
 * batch that is the same as reading all of them with so much less weight.
 *
 * Which tasks are in a batch is not noted when it is the whole phase, the usual case: the list of
 * places is then shared by all readers (sim_source.c), and a reader costs as many steps as it has
 * flows. */
#include "sim/sim_read.h"

/* Nodes of a rack up to which each gets a flow of its own even in a very large shuffle. */
enum { NARROW_RACK_MAX = 3 };

/* ---- flows ---- */

/* Outputs from a node, or from a spread of nodes of a rack. */
struct batch_source {
    uint32_t place, count;
    bool wide;       /* the place is a rack */
    uint32_t spread; /* where it is wide */
};

/* Outputs that the reader of a fetch wants to have at the same time. Single ones are asked for one
 * by one, so what it lacks tells how many more there will be. */
static uint64_t wanted_at_once(const struct sim *s, const struct fetch *f)
{
    const struct sim_reader *r = fetch_reader(s, f);
    uint64_t count = 0;
    if (!fetch_is_all(f)) {
        for (uint16_t i = 0; i < r->upstream_count; i++)
            count += r->upstreams[i].to - r->upstreams[i].from - r->upstreams[i].got;
        return count;
    }
    for (uint32_t k = r->first; k != FETCH_NONE; k = fetch_at(s, k)->next)
        if (fetch_at(s, k) == f || fetch_at(s, k)->state == FETCH_FLOWING)
            count += fetch_at(s, k)->batch_count;
    return count;
}

/* The weight of a flow of this many outputs, which come at the same time as others. */
static uint32_t flow_weight(const struct sim *s, const struct fetch *f, uint32_t count)
{
    uint64_t weight = (uint64_t)count * FLOW_ONE, streams = s->cluster->wires.streams;
    uint64_t wanted = streams > 0 ? wanted_at_once(s, f) : 0;
    if (wanted > streams)
        weight = weight * streams / wanted;
    weight = weight < UINT32_MAX ? weight : UINT32_MAX;
    return weight > 0 ? (uint32_t)weight : 1;
}

/* Adds a source to the read that is being made. */
static void add_part(struct sim *s, uint32_t i, struct batch_source from, double bytes_each)
{
    double bytes = bytes_each * from.count;
    if (bytes <= 0)
        return;
    uint32_t weight = flow_weight(s, fetch_at(s, i), from.count);
    uint32_t place = from.wide ? from.spread : from.place;
    vec_push(&s->reads->parts, ((struct network_part){place, from.wide, weight, bytes}));
}

static void begin_read(struct sim *s, uint32_t i)
{
    struct sim_reads *reads = s->reads;
    struct fetch *f = fetch_at(s, i);
    if (reads->parts.count == 0) /* nothing but empty outputs */
        return;
    f->read = network_read(reads->network, s->now_us, s->attempts.at[f->reader].node,
                           reads->parts.at, reads->parts.count);
    vec_clear(&reads->parts);
    while (reads->read_of.count <= f->read)
        vec_push(&reads->read_of, FETCH_NONE);
    reads->read_of.at[f->read] = i;
}

double sim_batch_over(const struct sim *s, const struct fetch *f)
{
    return f->read != READ_NONE ? network_read_over(s->reads->network, f->read) : 0;
}

/* One flow from all nodes of a rack, and one from the own disk if it has some. */
static void add_wide(struct sim *s, uint32_t i, struct source_list *list, struct source_rack *rack,
                     double bytes_each)
{
    uint32_t own = s->attempts.at[fetch_at(s, i)->reader].node;
    struct batch_source all = {list->places.at[rack->from].rack, rack->count, true,
                               sim_source_spread(s, list, rack)};
    uint32_t mine = sim_source_count(list, rack, own);
    all.count -= mine;
    add_part(s, i, (struct batch_source){own, mine, false, 0}, bytes_each);
    add_part(s, i, all, bytes_each);
}

static void add_parts(struct sim *s, uint32_t i, struct source_list *list, double bytes_each)
{
    const struct fetch *f = fetch_at(s, i);
    uint32_t readers = sim_phase_of(s, s->attempts.at[f->reader].at)->spec->tasks;
    bool wide = network_wide_pays(s->reads->network, list->places.count, readers);
    for (uint32_t r = 0; r < list->racks.count; r++) {
        struct source_rack *rack = &list->racks.at[r];
        bool all = wide && rack->to - rack->from > NARROW_RACK_MAX;
        if (all)
            add_wide(s, i, list, rack, bytes_each);
        for (uint32_t k = rack->from; !all && k < rack->to; k++) {
            const struct source_place *x = &list->places.at[k];
            add_part(s, i, (struct batch_source){x->node, x->count, false, 0}, bytes_each);
        }
    }
}

/* ---- batches ---- */

/* Single fetches from a phase above, whose tasks a fetch of all leaves alone. */
static uint32_t count_singles(const struct sim *s, const struct sim_reader *r, uint16_t upstream)
{
    uint32_t count = 0;
    for (uint32_t k = r->first; k != FETCH_NONE; k = fetch_at(s, k)->next)
        count += fetch_at(s, k)->upstream == upstream && !fetch_is_all(fetch_at(s, k));
    return count;
}

uint32_t sim_batch_open(const struct sim *s, const struct fetch *f)
{
    const struct sim_upstream *in = fetch_upstream(s, f);
    uint32_t open = in->to - in->from - in->got;
    return fetch_is_all(f) ? open - count_singles(s, fetch_reader(s, f), f->upstream) : open;
}

/* Takes what is committed and neither there nor asked for into the batch. */
static void gather_batch(struct sim *s, struct fetch *f, const struct sim_phase *phase)
{
    const struct sim_reader *r = fetch_reader(s, f);
    const struct sim_upstream *in = &r->upstreams[f->upstream];
    f->batch = mem_zalloc(bit_words(in->to - in->from), sizeof *f->batch);
    f->batch_count = 0;
    for (uint32_t t = in->from; t < in->to; t++)
        if (phase->tasks[t].mark == TASK_COMMITTED && !sim_upstream_has(in, t)) {
            bit_set(f->batch, t - in->from);
            f->batch_count++;
        }
    for (uint32_t k = r->first; k != FETCH_NONE; k = fetch_at(s, k)->next) {
        const struct fetch *single = fetch_at(s, k);
        if (single->upstream != f->upstream || fetch_is_all(single))
            continue;
        uint32_t bit = single->source.task - in->from;
        if (bit_get(f->batch, bit)) {
            f->batch[bit / 64] &= ~(UINT64_C(1) << (bit % 64));
            f->batch_count--;
        }
    }
}

bool sim_batch_begin(struct sim *s, uint32_t i)
{
    struct fetch *f = fetch_at(s, i);
    struct sim_phase *phase = fetch_phase(s, f);
    const struct sim_upstream *in = fetch_upstream(s, f);
    uint32_t node = s->attempts.at[f->reader].node;
    double bytes_each =
        phase->truth->skew > 1 && in->shares > 1
            ? (double)sim_content_partition(phase, in->shares, s->attempts.at[f->reader].at.task)
            : (double)phase->truth->output_bytes / in->shares;
    mem_free(f->batch);
    f->batch = NULL;
    f->began_us = s->now_us;
    f->seen = phase->commits;
    if (!fetch_is_all(f)) {
        uint32_t from = sim_source_node(s, &phase->tasks[f->source.task], f->source.attempt, node);
        f->batch_count = 1;
        add_part(s, i, (struct batch_source){from, 1, false, 0}, bytes_each);
        begin_read(s, i);
        return true;
    }
    bool whole = phase->committed == phase->spec->tasks && in->to - in->from == phase->committed &&
                 in->got == 0 && !phase->replicated &&
                 count_singles(s, fetch_reader(s, f), f->upstream) == 0;
    if (whole) {
        f->batch_count = phase->committed;
        add_parts(s, i, sim_source_all(s, phase), bytes_each);
        begin_read(s, i);
        return true;
    }
    gather_batch(s, f, phase);
    if (f->batch_count > 0)
        add_parts(s, i, sim_source_batch(s, phase, f->batch, in->from, in->to, node), bytes_each);
    begin_read(s, i);
    return f->batch_count > 0;
}

void sim_batch_end(struct sim *s, uint32_t i)
{
    struct fetch *f = fetch_at(s, i);
    struct sim_reader *r = fetch_reader(s, f);
    struct sim_upstream *in = &r->upstreams[f->upstream];
    f->bytes += sim_content_bytes(fetch_phase(s, f), f->batch_count, in->shares,
                                  s->attempts.at[f->reader].at.task);
    f->took_us += s->now_us - f->began_us;
    if (fetch_is_all(f))
        sim_feed_got(s, r, in, f->batch);
    else
        sim_feed_got_one(s, r, in, f->source.task);
}

void sim_batch_keep(struct sim *s, uint32_t i)
{
    const struct fetch *f = fetch_at(s, i);
    if (!fetch_is_all(f) || f->state != FETCH_FLOWING || sim_batch_over(s, f) <= 0)
        return;
    struct sim_reader *r = fetch_reader(s, f);
    struct sim_upstream *in = fetch_upstream(s, f);
    const struct sim_phase *phase = fetch_phase(s, f);
    uint32_t node = s->attempts.at[f->reader].node;
    uint64_t *kept = mem_zalloc(bit_words(in->to - in->from), sizeof *kept);
    for (uint32_t t = in->from; t < in->to; t++) {
        const struct sim_task *task = &phase->tasks[t];
        if (task->mark != TASK_COMMITTED || (f->batch && !bit_get(f->batch, t - in->from)))
            continue;
        uint32_t from = sim_source_node(s, task, sim_source_attempt(s, task), node);
        if (!network_read_from(s->reads->network, f->read, from))
            bit_set(kept, t - in->from);
    }
    sim_feed_got(s, r, in, kept);
    mem_free(kept);
}
