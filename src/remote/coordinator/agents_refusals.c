#include "remote/coordinator/agents_refusals.h"

bool agents_refusals_add(struct agents_refusals *r, int64_t now_us)
{
    if (r->since_us == 0)
        r->since_us = now_us;
    r->all++;
    if (r->told < AGENTS_REFUSALS_TOLD) {
        r->told++;
        return true;
    }
    r->more++;
    return false;
}

uint32_t agents_refusals_turn(struct agents_refusals *r, int64_t now_us, int64_t *next_us)
{
    int64_t end_us = r->since_us + AGENTS_REFUSALS_US;

    if (r->since_us == 0)
        return 0;
    if (now_us < end_us) {
        *next_us = r->more > 0 && end_us < *next_us ? end_us : *next_us;
        return 0;
    }
    uint32_t more = r->more;
    *r = (struct agents_refusals){.all = r->all};
    return more;
}
