#include "remote/agent/agent_lease.h"

#include <time.h>

#include "remote/wire/lease.h"

int64_t agent_lease_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_BOOTTIME, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

/* A stopped process cannot end what it runs; others act a moment after we should have. */
bool agent_lease_answered(struct agent_lease *l, int64_t sent_us, int64_t lease_us)
{
    int64_t now_us = agent_lease_now();

    if (sent_us > now_us || lease_us < LEASE_US_MIN || lease_us > LEASE_US_MAX)
        return false;
    if (sent_us < l->answered_us || sent_us + lease_us - LEASE_MARGIN_US <= now_us)
        return true;
    l->answered_us = sent_us;
    l->until_us = sent_us + lease_us - LEASE_MARGIN_US;
    *l->shared_us = l->until_us + SUPERVISOR_LOOK_US / 2;
    return true;
}
