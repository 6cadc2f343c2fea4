#include "remote/fleet/slurm_steps.h"

#include "remote/wire/lease.h"

void slurm_steps_init(struct slurm_steps *s, uint32_t nodes, bool again, int64_t now_us)
{
    *s = (struct slurm_steps){.nodes = nodes,
                              .brought = true,
                              .settled = true,
                              .lost_us = now_us - SLURM_STEPS_LOST_US + (again ? LEASE_US : 0),
                              .started_us = now_us - SLURM_STEPS_COME_US};
}

/* When the next step may start, now that agents are missing. */
static int64_t steps_at(const struct slurm_steps *s)
{
    int64_t lost_us = s->lost_us + SLURM_STEPS_LOST_US;
    int64_t come_us = s->started_us + (s->settled ? 0 : SLURM_STEPS_COME_US);
    int64_t wait_us = s->started_us + s->wait_us;

    come_us = come_us > wait_us ? come_us : wait_us;
    return lost_us > come_us ? lost_us : come_us;
}

uint32_t slurm_steps_turn(struct slurm_steps *s, uint32_t connected, int64_t now_us,
                          int64_t *next_us)
{
    bool missed = s->connected < s->nodes;

    if (connected > s->connected) {
        s->brought = true;
        s->vain = 0;
        s->wait_us = 0;
    }
    if (connected < s->connected && !missed)
        s->lost_us = now_us;
    s->connected = connected;
    s->settled = s->settled || connected >= s->nodes;
    if (connected >= s->nodes || !slurm_steps_hopes(s))
        return 0;
    int64_t at_us = steps_at(s);
    if (now_us < at_us) {
        *next_us = at_us < *next_us ? at_us : *next_us;
        return 0;
    }
    if (!s->brought && connected == 0 && ++s->vain >= SLURM_STEPS_VAIN_MAX)
        return 0;
    s->wait_us = s->wait_us == 0 ? SLURM_STEPS_COME_US / 4 : 2 * s->wait_us;
    if (s->wait_us > SLURM_STEPS_WAIT_US)
        s->wait_us = SLURM_STEPS_WAIT_US;
    s->started_us = now_us;
    s->brought = s->settled = false;
    return s->nodes - connected;
}

void slurm_steps_ended(struct slurm_steps *s)
{
    s->settled = true;
}

void slurm_steps_give_up(struct slurm_steps *s)
{
    s->vain = SLURM_STEPS_VAIN_MAX;
    s->started_us = INT64_MAX / 2; /* not even when agents come back */
}

bool slurm_steps_hopes(const struct slurm_steps *s)
{
    return s->connected > 0 || s->vain < SLURM_STEPS_VAIN_MAX;
}
