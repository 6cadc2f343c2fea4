/* slurm_steps.h - when to start agents inside an allocation that we have: decisions only.
 *
 * One step starts all agents. Those that are lost later are started anew by another step, on the
 * nodes that have none, each time after a longer wait unless the one before has brought an agent.
 * Times are of the owner's monotonic clock. */
#ifndef REMOTE_FLEET_SLURM_STEPS_H
#define REMOTE_FLEET_SLURM_STEPS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    SLURM_STEPS_LOST_US = 3 * 1000000,   /* a lost agent may come back by itself */
    SLURM_STEPS_COME_US = 10 * 1000000,  /* a step has this long to bring its agents */
    SLURM_STEPS_WAIT_US = 300 * 1000000, /* the longest wait after steps in vain */
    SLURM_STEPS_VAIN_MAX = 3,            /* steps in a row that brought none: we give up */
};

struct slurm_steps {
    uint32_t nodes;     /* agents there should be */
    uint32_t connected; /* at the last turn */
    bool brought;       /* the last step has brought an agent, or there was none */
    bool settled;       /* the last step has ended, or all agents are there */
    uint32_t vain;      /* steps in a row that have not */
    int64_t lost_us;    /* since when agents are missing */
    int64_t started_us, wait_us;
};

/* `again`: an earlier coordinator may have left agents, who come back by themselves; they know of
 * their loss when the lease is over (remote/wire/lease.h). */
void slurm_steps_init(struct slurm_steps *s, uint32_t nodes, bool again, int64_t now_us);

/* How many agents to start now; the caller does so, in one step. *next_us is when to ask again at
 * the latest. */
uint32_t slurm_steps_turn(struct slurm_steps *s, uint32_t connected, int64_t now_us,
                          int64_t *next_us);

/* The step that was started last has ended, or could not be started. */
void slurm_steps_ended(struct slurm_steps *s);

/* No step will ever start again. */
void slurm_steps_give_up(struct slurm_steps *s);

/* Whether an agent may still come. */
bool slurm_steps_hopes(const struct slurm_steps *s);

#endif
