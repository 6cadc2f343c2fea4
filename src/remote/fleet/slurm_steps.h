/* slurm_steps.h - decides when to start agents inside an existing allocation.
 *
 * One step starts all agents. Those that are lost later are started anew by another step, on the
 * nodes that have none, each time after a longer wait unless the one before has brought an agent.
 * Times are of the owner's monotonic clock. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    SLURM_STEPS_LOST_US = 3 * 1000000,   /* a lost agent may return by itself within this time */
    SLURM_STEPS_COME_US = 10 * 1000000,  /* the agents of a step have to connect within this time */
    SLURM_STEPS_WAIT_US = 300 * 1000000, /* the longest wait after steps in vain */
    SLURM_STEPS_VAIN_MAX = 3, /* give up after this many steps in a row without an agent */
};

struct slurm_steps {
    uint32_t nodes;     /* number of agents that there should be */
    uint32_t connected; /* at the last turn */
    bool brought;       /* an agent of the last step has connected, or there was no step */
    bool settled;       /* the last step has ended, or all agents are connected */
    uint32_t vain;      /* number of steps in a row without an agent */
    int64_t lost_us;    /* since when agents are missing */
    int64_t started_us, wait_us;
};

/* Initialises. `again`: an earlier coordinator may have left agents, which return by themselves;
 * they notice their loss when the lease is over (remote/wire/lease.h). */
void slurm_steps_init(struct slurm_steps *s, uint32_t nodes, bool again, int64_t now_us);

/* Returns the number of agents to start now; the caller does so, in one step. Sets *next_us to when
 * to ask again at the latest. */
uint32_t slurm_steps_turn(struct slurm_steps *s, uint32_t connected, int64_t now_us,
                          int64_t *next_us);

/* Notes that the last step has ended, or could not be started. */
void slurm_steps_ended(struct slurm_steps *s);

/* Stops all further steps. */
void slurm_steps_give_up(struct slurm_steps *s);

/* Returns true if an agent may still connect. */
bool slurm_steps_hopes(const struct slurm_steps *s);
