#include "remote/agent/agent_lease.h"

#include "base/os/clock.h"

#include "remote/wire/lease.h"

/* A stopped process cannot end what it runs; others act a moment after we should have. */
bool agent_lease_answered(struct agent_lease *l, int64_t sent_us, int64_t lease_us)
{
    int64_t now_us = clock_boot_us();

    if (sent_us > now_us || lease_us < LEASE_US_MIN || lease_us > LEASE_US_MAX)
        return false;
    if (sent_us < l->answered_us || sent_us + lease_us - LEASE_MARGIN_US <= now_us)
        return true;
    l->answered_us = sent_us;
    l->until_us = sent_us + lease_us - LEASE_MARGIN_US;
    *l->shared_us = l->until_us + SUPERVISOR_LOOK_US / 2;
    return true;
}
