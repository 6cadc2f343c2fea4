/* network_read.c - reads: flows from some sources to one node, which are over together.
 *
 * A read waits for the settle of its instant. Then all that have begun are sorted into bunches
 * (network_bunch.c): reads of one node that are alike, and nodes that have as many of these and
 * receive nothing else. A read without its like is a bunch of its own on its node's link down. What
 * a reader has on its own disk is a flow of its own, in the way of no other. */
#include "base/check.h"
#include "sim/network/network_state.h"

/* ---- reads begin ---- */

static uint64_t mix(uint64_t hash, uint64_t with)
{
    hash = (hash ^ with) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

static uint64_t mix_part(uint64_t hash, const struct bunch_part *p)
{
    uint64_t bytes;
    memcpy(&bytes, &p->is.bytes, sizeof bytes);
    hash = mix(hash, (uint64_t)p->is.from << 32 | p->is.weight);
    return mix(mix(hash, bytes), (uint64_t)p->pieces << 1 | p->is.wide);
}

static struct bunch_part bunch_part(struct network *n, uint32_t to, const struct network_part *is)
{
    struct bunch_part p = {.is = *is, .flow = FLOW_NONE};
    if (!is->wide) {
        p.rack = n->nodes[is->from].rack;
        return p;
    }
    struct spread *s = &n->spreads.at[is->from];
    uint32_t own = UINT32_MAX;
    if (s->rack == n->nodes[to].rack)
        own = network_spread_index(n, is->from, to);
    p.pieces = s->pieces_all - (own != UINT32_MAX ? s->nodes.at[own].pieces : 0);
    p.rack = s->rack;
    s->users++; /* until it has flows */
    return p;
}

uint32_t network_read(struct network *n, int64_t now_us, uint32_t to,
                      const struct network_part *parts, uint32_t count)
{
    check(count > 0);
    uint32_t i = vec_take(&n->reads, &n->reads_free);
    struct network_read r = {.order = n->reads_begun++,
                             .to = to,
                             .bunch = BUNCH_NONE,
                             .next = READ_NONE,
                             .disk = FLOW_NONE,
                             .parts = n->waiting_parts.count};
    for (uint32_t k = 0; k < count; k++) {
        if (!parts[k].wide && parts[k].from == to) {
            check(r.disk == FLOW_NONE);
            r.disk = network_flow_begin(n, now_us, to, network_sink_node(n, to), parts[k].bytes,
                                        parts[k].weight);
            n->flows.at[r.disk].part = i;
            r.disk_bytes = parts[k].bytes;
            continue;
        }
        struct bunch_part p = bunch_part(n, to, &parts[k]);
        r.hash = mix_part(r.hash, &p);
        r.bytes += p.is.bytes;
        r.count++;
        vec_push(&n->waiting_parts, p);
    }
    r.state = r.count > 0 ? READ_WAITS : READ_FLOWS;
    n->reads.at[i] = r;
    if (r.count > 0)
        vec_push(&n->waiting, i);
    return i;
}

/* ---- reads end ---- */

static void read_over(struct network *n, uint32_t i)
{
    struct network_read *r = &n->reads.at[i];
    if (r->bunch != BUNCH_NONE || r->disk != FLOW_NONE || r->state == READ_WAITS)
        return;
    r->state = READ_OVER;
    vec_push(&n->reads_over, ((struct read_over){r->order, i}));
}

void network_read_flow_over(struct network *n, uint32_t bunch, uint32_t part)
{
    if (bunch == BUNCH_NONE) {
        n->reads.at[part].disk = FLOW_NONE;
        read_over(n, part);
        return;
    }
    struct bunch *b = &n->bunches.at[bunch];
    b->parts.at[part].flow = FLOW_NONE;
    if (--b->open > 0)
        return;
    for (uint32_t k = 0; k < b->first.count; k++)
        for (uint32_t r = b->first.at[k]; r != READ_NONE; r = n->reads.at[r].next) {
            n->reads.at[r].bunch = BUNCH_NONE;
            read_over(n, r);
        }
    network_bunch_free(n, bunch);
}

static int by_order(const void *a, const void *b)
{
    const struct read_over *x = a, *y = b;
    return x->order < y->order ? -1 : x->order > y->order;
}

uint32_t network_read_take(struct network *n)
{
    if (n->reads_taken == 0)
        vec_sort(&n->reads_over, by_order);
    while (n->reads_taken < n->reads_over.count) {
        uint32_t i = n->reads_over.at[n->reads_taken++].read;
        vec_push(&n->reads_free, i);
        if (n->reads.at[i].state == READ_OVER)
            return i;
    }
    vec_clear(&n->reads_over);
    n->reads_taken = 0;
    return READ_NONE;
}

/* The spreads of a read that waits are used by it no more. */
static void stop_waiting(struct network *n, const struct network_read *r)
{
    for (uint32_t k = r->parts; k < r->parts + r->count; k++) {
        const struct network_part *p = &n->waiting_parts.at[k].is;
        if (!p->wide)
            continue;
        n->spreads.at[p->from].users--;
        network_spread_left(n, p->from);
    }
}

/* Takes a read out of a bunch of one node. */
static void stop_flows(struct network *n, int64_t now_us, uint32_t i)
{
    uint32_t bunch = n->reads.at[i].bunch;
    struct bunch *b = &n->bunches.at[bunch];
    uint32_t *at = &b->first.at[0], of = b->each;
    while (*at != i)
        at = &n->reads.at[*at].next;
    *at = n->reads.at[i].next;
    b->each--;
    for (uint32_t p = 0; p < b->parts.count; p++) {
        uint32_t flow = b->parts.at[p].flow;
        if (flow == FLOW_NONE)
            continue;
        if (of > 1)
            flow = network_flow_divide(n, now_us, flow, 1, of, network_sink_node(n, b->node));
        network_flow_drop(n, flow);
    }
    if (of == 1)
        network_bunch_free(n, bunch);
}

void network_read_stop(struct network *n, int64_t now_us, uint32_t i)
{
    struct network_read *r = &n->reads.at[i];
    bool listed = r->state != READ_FLOWS; /* among those that wait, or are over */
    if (r->state == READ_WAITS)
        stop_waiting(n, r);
    r->state = READ_STOPPED;
    if (r->disk != FLOW_NONE)
        network_flow_drop(n, r->disk);
    if (r->bunch != BUNCH_NONE) {
        network_bunch_leave(n, now_us, r->to);
        stop_flows(n, now_us, i);
    }
    if (!listed) /* else its number is free when the list has been read */
        vec_push(&n->reads_free, i);
}

/* ---- bunches are made ---- */

static bool same_parts(const struct network *n, const struct network_read *a,
                       const struct network_read *b)
{
    if (a->hash != b->hash || a->count != b->count)
        return false;
    for (uint32_t k = 0; k < a->count; k++) {
        const struct bunch_part *x = &n->waiting_parts.at[a->parts + k],
                                *y = &n->waiting_parts.at[b->parts + k];
        if (x->is.from != y->is.from || x->is.wide != y->is.wide || x->is.weight != y->is.weight ||
            x->is.bytes != y->is.bytes || x->pieces != y->pieces)
            return false;
    }
    return true;
}

/* The reads that wait, by node, in the order in which they began. */
static void gather(struct network *n)
{
    vec_clear(&n->newcomers);
    for (uint32_t k = 0; k < n->waiting.count; k++) {
        uint32_t i = n->waiting.at[k];
        struct network_read *r = &n->reads.at[i];
        if (r->state == READ_STOPPED) {
            vec_push(&n->reads_free, i);
            continue;
        }
        r->state = READ_FLOWS;
        struct network_node *x = &n->nodes[r->to];
        if (x->newcomer == 0) {
            vec_push(&n->newcomers, ((struct newcomer){.key = r->hash,
                                                       .order = n->newcomers.count,
                                                       .node = r->to,
                                                       .crew = x->crew,
                                                       .first = i,
                                                       .last = i,
                                                       .count = 1,
                                                       .alike = true}));
            x->newcomer = n->newcomers.count;
            continue;
        }
        struct newcomer *c = &n->newcomers.at[x->newcomer - 1];
        n->reads.at[c->last].next = i;
        c->last = i;
        c->count++;
        c->alike = c->alike && same_parts(n, &n->reads.at[c->first], r);
    }
    for (uint32_t k = 0; k < n->newcomers.count; k++)
        n->nodes[n->newcomers.at[k].node].newcomer = 0;
    vec_clear(&n->waiting);
}

/* Returns true if the node receives nothing else, or the same as others, and is no hot node of a
 * spread from which it reads. */
static bool may_join(const struct network *n, const struct newcomer *c)
{
    const struct network_node *x = &n->nodes[c->node];
    const struct network_read *r = &n->reads.at[c->first];
    if (!c->alike || !n->alike ||
        n->links.at[network_node_link(c->node, NODE_DOWN)].riders.count > 0)
        return false;
    for (uint32_t k = 0; k < r->count; k++) {
        const struct bunch_part *p = &n->waiting_parts.at[r->parts + k];
        if (!p->is.wide || p->rack != x->rack || n->spreads.at[p->is.from].hot_nodes == 0)
            continue;
        uint32_t own = network_spread_index(n, p->is.from, c->node);
        if (own != UINT32_MAX && n->spreads.at[p->is.from].nodes.at[own].hot)
            return false;
    }
    return true;
}

static int by_key(const void *a, const void *b)
{
    const struct newcomer *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static int by_group(const void *a, const void *b)
{
    const struct newcomer *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Begins the flows of a bunch for all its reads. */
static void begin_flows(struct network *n, int64_t now_us, uint32_t bunch)
{
    uint32_t count = n->bunches.at[bunch].parts.count;
    for (uint32_t p = 0; p < count; p++) {
        const struct bunch *b = &n->bunches.at[bunch];
        struct network_part is = b->parts.at[p].is;
        uint32_t reads = b->first.count * b->each, i;
        struct sink to = network_sink_bunch(n, bunch, p);
        double bytes = is.bytes * reads;
        uint64_t weight = (uint64_t)is.weight * reads;
        if (is.wide)
            i = network_flow_begin_some(n, now_us, is.from, b->parts.at[p].pieces, to, bytes,
                                        weight);
        else
            i = network_flow_begin(n, now_us, is.from, to, bytes, weight);
        n->flows.at[i].bunch = bunch;
        n->flows.at[i].part = p;
        n->bunches.at[bunch].parts.at[p].flow = i;
        if (!is.wide)
            continue;
        n->spreads.at[is.from].users -= reads - 1;
        network_split_flow(n, now_us, i);
    }
}

/* Makes a bunch of the reads of some nodes: all of a crew, or one without a crew. */
static void make_bunch(struct network *n, int64_t now_us, const struct newcomer *c, uint32_t count,
                       uint32_t crew)
{
    struct network_read first = n->reads.at[c->first];
    const struct bunch_part *parts = n->waiting_parts.at + first.parts;
    uint32_t i = network_bunch_add(n, crew, c->node, parts, first.count);
    struct bunch *b = &n->bunches.at[i];
    b->each = c->count;
    vec_reserve(&b->first, count);
    b->first.count = count;
    for (uint32_t k = 0; k < count; k++) {
        b->first.at[crew != CREW_NONE ? n->nodes[c[k].node].crew_at : 0] = c[k].first;
        for (uint32_t r = c[k].first; r != READ_NONE; r = n->reads.at[r].next)
            n->reads.at[r].bunch = i;
    }
    begin_flows(n, now_us, i);
}

/* Makes a bunch of each read of a node. */
static void make_singles(struct network *n, int64_t now_us, struct newcomer c)
{
    for (uint32_t r = c.first, next; r != READ_NONE; r = next) {
        next = n->reads.at[r].next;
        n->reads.at[r].next = READ_NONE;
        struct newcomer one = {.node = c.node, .first = r, .count = 1};
        make_bunch(n, now_us, &one, 1, CREW_NONE);
    }
}

/* Makes a bunch of the reads of nodes that are alike, and of the nodes a crew. */
static void make_crew(struct network *n, int64_t now_us, const struct newcomer *c, uint32_t count,
                      uint32_t rack)
{
    uint32_t crew = c->crew;
    vec_clear(&n->leaving);
    for (uint32_t k = 0; k < count; k++)
        vec_push(&n->leaving, c[k].node);
    if (crew == CREW_NONE && count > 1)
        crew = network_bunch_crew(n, n->leaving.at, count, rack);
    else if (crew != CREW_NONE && count < n->crews.at[crew].nodes.count)
        crew = network_bunch_divide(n, now_us, crew, n->leaving.at, count, n->crews.at[crew].rack);
    make_bunch(n, now_us, c, count, crew);
}

void network_read_part_crowded(struct network *n, int64_t now_us)
{
    for (uint32_t k = 0; k < n->crowded.count; k++) {
        uint32_t rack = n->crowded.at[k], spread = network_spread_rack(n, rack);
        for (uint32_t i = 0; i < n->spreads.at[spread].nodes.count; i++) {
            uint32_t crew = n->nodes[n->spreads.at[spread].nodes.at[i].node].crew;
            if (crew == CREW_NONE || n->crews.at[crew].rack != RACK_ANY)
                continue;
            const struct crew *x = &n->crews.at[crew];
            vec_clear(&n->leaving);
            for (uint32_t j = 0; j < x->nodes.count; j++)
                if (n->nodes[x->nodes.at[j]].rack == rack)
                    vec_push(&n->leaving, x->nodes.at[j]);
            network_bunch_divide(n, now_us, crew, n->leaving.at, n->leaving.count, rack);
            n->splits++;
        }
    }
    vec_clear(&n->crowded);
}

static bool is_crowded(const struct network *n, uint32_t rack)
{
    uint32_t up = network_rack_link(n, rack, RACK_UP);
    bool full = n->links.at[up].riders.count > 0 && !n->links.at[up].idle;
    return n->rack_links && (full || n->busy[rack * RACK_LINKS + RACK_DOWN] > n->busy_max);
}

/* How many nodes receive something in this one's rack. */
static uint32_t *receivers(const struct network *n, uint32_t node)
{
    return &n->busy[n->nodes[node].rack * RACK_LINKS + RACK_DOWN];
}

/* Gives nodes that are alike equal keys. Those that are in no crew yet form one for all racks, but
 * where there are too many of them. */
static void find_alike(struct network *n)
{
    for (uint32_t k = 0; k < n->newcomers.count; k++) {
        struct newcomer *c = &n->newcomers.at[k];
        c->key = may_join(n, c) ? mix(mix(c->key, c->count), c->crew) | 1 : 0;
        *receivers(n, c->node) += c->key != 0 && c->crew == CREW_NONE; /* as there will be */
    }
    for (uint32_t k = 0; k < n->newcomers.count; k++) {
        struct newcomer *c = &n->newcomers.at[k];
        if (c->key != 0 && c->crew == CREW_NONE && is_crowded(n, n->nodes[c->node].rack))
            c->key = mix(c->key, n->nodes[c->node].rack) | 1;
    }
    for (uint32_t k = 0; k < n->newcomers.count; k++) {
        const struct newcomer *c = &n->newcomers.at[k];
        *receivers(n, c->node) -= c->key != 0 && c->crew == CREW_NONE;
    }
}

static bool same_newcomers(const struct network *n, const struct newcomer *a,
                           const struct newcomer *b)
{
    return a->key != 0 && a->key == b->key && a->count == b->count && a->crew == b->crew &&
           same_parts(n, &n->reads.at[a->first], &n->reads.at[b->first]);
}

/* Puts nodes that are alike side by side, in the order of the first of them. */
static void group_alike(struct network *n)
{
    struct newcomer *c = n->newcomers.at;
    find_alike(n);
    vec_sort(&n->newcomers, by_key);
    for (uint32_t k = 0; k < n->newcomers.count; k++)
        c[k].group = k > 0 && same_newcomers(n, &c[k - 1], &c[k]) ? c[k - 1].group : c[k].order;
    vec_sort(&n->newcomers, by_group);
}

void network_read_settle(struct network *n, int64_t now_us)
{
    if (n->waiting.count > 0) {
        gather(n);
        group_alike(n);
        const struct newcomer *c = n->newcomers.at;
        uint32_t count = n->newcomers.count;
        for (uint32_t k = 0, to; k < count; k = to) {
            uint32_t rack = n->nodes[c[k].node].rack;
            for (to = k + 1; to < count && c[to].group == c[k].group; to++)
                if (n->nodes[c[to].node].rack != rack)
                    rack = RACK_ANY;
            if (c[k].key != 0) {
                make_crew(n, now_us, &c[k], to - k, n->rack_links ? rack : RACK_ANY);
                continue;
            }
            network_bunch_leave(n, now_us, c[k].node);
            make_singles(n, now_us, c[k]);
        }
        vec_clear(&n->waiting_parts);
    }
    network_read_part_crowded(n, now_us);
}

/* ---- questions ---- */

static double left_of(const struct network *n, int64_t now_us, uint32_t flow)
{
    double left = network_left_alone(&n->flows.at[flow], now_us);
    for (uint32_t k = n->flows.at[flow].subflows; k != FLOW_NONE; k = n->flows.at[k].subflow_next)
        left += network_left_alone(&n->flows.at[k], now_us);
    return left;
}

double network_read_arrived(const struct network *n, int64_t now_us, uint32_t i)
{
    const struct network_read *r = &n->reads.at[i];
    double left = r->state == READ_WAITS ? r->bytes : 0;
    if (r->disk != FLOW_NONE)
        left += left_of(n, now_us, r->disk);
    if (r->bunch != BUNCH_NONE) {
        const struct bunch *b = &n->bunches.at[r->bunch];
        double reads = (double)b->first.count * b->each;
        for (uint32_t p = 0; p < b->parts.count; p++)
            if (b->parts.at[p].flow != FLOW_NONE)
                left += left_of(n, now_us, b->parts.at[p].flow) / reads;
    }
    return r->bytes + r->disk_bytes - left;
}

double network_read_over(const struct network *n, uint32_t i)
{
    const struct network_read *r = &n->reads.at[i];
    double left = r->state == READ_WAITS ? r->bytes : 0;
    if (r->disk != FLOW_NONE)
        left += r->disk_bytes;
    if (r->bunch != BUNCH_NONE) {
        const struct bunch *b = &n->bunches.at[r->bunch];
        for (uint32_t p = 0; p < b->parts.count; p++)
            if (b->parts.at[p].flow != FLOW_NONE)
                left += b->parts.at[p].is.bytes;
    }
    return r->bytes + r->disk_bytes - left;
}

static bool part_from(const struct network *n, const struct bunch_part *p,
                      const struct network_read *r, uint32_t node)
{
    return p->is.wide ? node != r->to && p->rack == n->nodes[node].rack : p->is.from == node;
}

bool network_read_from(const struct network *n, uint32_t i, uint32_t node)
{
    const struct network_read *r = &n->reads.at[i];
    if (r->disk != FLOW_NONE && node == r->to)
        return true;
    for (uint32_t k = 0; r->state == READ_WAITS && k < r->count; k++)
        if (part_from(n, &n->waiting_parts.at[r->parts + k], r, node))
            return true;
    if (r->bunch == BUNCH_NONE)
        return false;
    const struct bunch *b = &n->bunches.at[r->bunch];
    for (uint32_t p = 0; p < b->parts.count; p++)
        if (b->parts.at[p].flow != FLOW_NONE && part_from(n, &b->parts.at[p], r, node))
            return true;
    return false;
}
