/* cost_cap.c - one account (spend_window.h) for each resource.
 *
 * Rejected: one account, of the sum of the dominant shares of single attempts. The shares would
 * have to be computed again whenever a node joins or leaves, and clones of maps would wait for
 * clones of reduces that use other resources. */
#include "core/brain/cost_cap.h"

#include "core/brain/decisions.h"
#include "core/brain/state.h"
#include "core/brain/timers.h"

void cost_cap_begin(struct brain *b)
{
    for (int i = 0; i < RES_COUNT; i++)
        spend_window_init(&b->cost_cap.of[i], b->policy->cap, b->policy->cap_window_us);
}

void cost_cap_turn(struct brain *b)
{
    for (int i = 0; i < RES_COUNT; i++) {
        struct spend_window *c = &b->cost_cap.of[i];
        int64_t capacity = b->world.capacity.v[i];
        if (capacity > 0 || c->capacity > 0 || c->held > 0) /* not what no node has ever had */
            spend_window_advance(c, b->world.now_us, capacity);
    }
}

void cost_cap_hold(struct brain *b, const struct phase *p, int64_t attempts)
{
    if (attempts == 0)
        return;
    cost_cap_turn(b);
    for (int i = 0; i < RES_COUNT; i++)
        b->cost_cap.of[i].held += attempts * p->demand.v[i];
}

int cost_cap_lacks(const struct brain *b, const struct res_sum *more)
{
    for (int i = 0; i < RES_COUNT && cost_cap_is_on(b); i++)
        if (more->v[i] > 0 && !spend_window_allows(&b->cost_cap.of[i], more->v[i]))
            return i;
    return -1;
}

double cost_cap_spent(const struct brain *b, const struct phase *p)
{
    double most = 0;
    for (int i = 0; i < RES_COUNT && cost_cap_is_on(b); i++) {
        double spent = p->demand.v[i] > 0 ? spend_window_spent(&b->cost_cap.of[i]) : 0;
        most = spent > most ? spent : most;
    }
    return most;
}

struct reason cost_cap_reason(const struct brain *b, int resource)
{
    double unit = res_unit(resource) * 1e6;
    const struct spend_window *c = &b->cost_cap.of[resource];
    return REASON(WHY_CAP, c->sum / unit, spend_window_limit(c) / unit, resource);
}

bool cost_cap_forbids(struct brain *b, const struct phase *p)
{
    struct res_sum one = {{0}};
    res_sum_plus(&one, &p->demand);
    int lacks = cost_cap_lacks(b, &one);
    if (lacks >= 0 && !b->cost_cap.explained) {
        struct reason why = cost_cap_reason(b, lacks);
        decisions_add_verdict(b, p, &why);
    }
    b->cost_cap.explained = lacks >= 0;
    return lacks >= 0;
}

void cost_cap_ask(struct brain *b)
{
    int64_t first_us = 0;
    for (int i = 0; i < RES_COUNT; i++) {
        int64_t next_us = b->cost_cap.of[i].capacity > 0
                              ? spend_window_next_us(&b->cost_cap.of[i], b->cost_cap.explained)
                              : 0;
        if (next_us > 0 && (first_us == 0 || next_us < first_us))
            first_us = next_us;
    }
    if (first_us == 0 || b->world.live == 0)
        return;
    b->timers.at[TIMER_COST_CAP].wanted_us = first_us;
    timers_ask(b, TIMER_COST_CAP);
}
