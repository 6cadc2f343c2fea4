/* sim_sample.c - link samples: what the links between racks could still carry, reported when it has
 * changed by a sixteenth. */
#include "sim/sim_read.h"

#define SAMPLE_CHANGE (1.0 / 16)
enum { SAMPLE_QUIET_PART = 1000 };

void sim_sample_init(struct sim *s)
{
    if (!s->samples || !s->reads || s->cluster->rack_count < 2)
        return;
    s->sampled = mem_zalloc(2 * (size_t)s->cluster->rack_count, sizeof *s->sampled);
    sim_push(s, 0, ENTRY_SAMPLE, 0, 0);
}

/* `node` stands for its rack. */
static void sample(struct sim *s, uint32_t node, bool up)
{
    uint32_t rack = s->cluster->nodes[node].rack;
    double *last = &s->sampled[2 * rack + up];
    double now = network_rack_free(s->reads->network, rack, up);
    if (now <= 0 || (now < *last * (1 + SAMPLE_CHANGE) && now > *last * (1 - SAMPLE_CHANGE)))
        return;
    *last = now;
    s->sample_changed_us = s->now_us;
    struct event *e =
        sim_emit(s, EV_LINK_SAMPLE, CAUSE_NONE, (struct attempt_ref){0}, up ? node : NODE_NONE.v);
    e->u.link.to = up ? NODE_NONE : (struct node_id){node};
    e->u.link.bytes = (int64_t)(now * 1e6);
    e->u.link.took_us = 1000000;
}

/* The longer nothing has changed, the rarer it is asked for: by a thousandth of that time. */
static int64_t sample_wait_us(const struct sim *s)
{
    int64_t every_us = s->cluster->faults.report_every_us;
    int64_t patience_us = (s->now_us - s->sample_changed_us) / SAMPLE_QUIET_PART;
    return patience_us > every_us ? patience_us : every_us;
}

void sim_sample_due(struct sim *s)
{
    bool *seen = mem_zalloc(s->cluster->rack_count, sizeof *seen);
    network_settle(s->reads->network, s->now_us);
    for (uint32_t i = 0; i < s->cluster->node_count; i++) {
        uint32_t rack = s->cluster->nodes[i].rack;
        if (seen[rack])
            continue;
        seen[rack] = true;
        sample(s, i, true);
        sample(s, i, false);
    }
    mem_free(seen);
    s->sample_asleep = !sim_hopes(s);
    s->asleep |= s->sample_asleep;
    if (!s->sample_asleep)
        sim_push(s, sample_wait_us(s), ENTRY_SAMPLE, 0, 0);
}

void sim_sample_wake(struct sim *s)
{
    if (s->sample_asleep)
        sim_push(s, 0, ENTRY_SAMPLE, 0, 0);
    s->sample_asleep = false;
}
