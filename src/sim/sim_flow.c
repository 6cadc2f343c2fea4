/* sim_flow.c - what the flows and reads of the network were for, once they have arrived. */
#include "sim/sim_state.h"

#include "sim/sim_attempt.h"
#include "sim/sim_read.h"

static void flow_ended(struct sim *s, uint32_t flow)
{
    const struct sim_flow *is = &s->reads->flows.at[flow];
    if (is->reader != NO_ATTEMPT)
        sim_feed_input(s, sim_reader_of(s, is->reader));
    else
        sim_output_copied(s, is->copy);
}

bool sim_flow_due(struct sim *s)
{
    uint32_t flow = network_take(s->reads->network, s->now_us);
    bool any = flow != FLOW_NONE;
    for (; flow != FLOW_NONE; flow = network_take(s->reads->network, s->now_us))
        flow_ended(s, flow);
    for (uint32_t r; (r = network_read_take(s->reads->network)) != READ_NONE; any = true)
        sim_fetch_read_ended(s, s->reads->read_of.at[r]);
    return any;
}

int64_t sim_flow_next_us(struct sim *s)
{
    network_settle(s->reads->network, s->now_us);
    return network_next_us(s->reads->network);
}
