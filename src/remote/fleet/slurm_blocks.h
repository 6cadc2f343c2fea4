/* slurm_blocks.h - how many nodes to ask Slurm for, and when: decisions only, no process and no
 * clock.
 *
 * A block is one batch job of this run. The owner reports the answers of its commands and the state
 * of its agents, and asks for the next action; it runs one command at a time.
 *
 *     wanted -> submitting -> queued -> running -> leaving -> (gone)
 *                  |  ^
 *                  v  |    an sbatch that may or may not have reached the controller:
 *                 doubted  it is searched for by its number before it is sent again
 *
 * Blocks are numbered from 1 and carry their number as the comment of their job, in addition to
 * the name that all jobs of this run have. So a job is found again whatever was lost: the answer of
 * sbatch, the controller, or the coordinator itself. Times are of the owner's monotonic clock. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

enum {
    BLOCKS_VAIN_MAX = 3,          /* give up after this many blocks in a row without an agent */
    BLOCKS_ASK_US = 60 * 1000000, /* between two lists of jobs when all is well */
    BLOCKS_WAIT_US = 1000000,     /* after a failed command, doubled each time */
    BLOCKS_WAIT_US_MAX = 60 * 1000000,
};

enum slurm_block_state {
    BLOCK_WANTED,     /* to be submitted */
    BLOCK_SUBMITTING, /* sbatch runs */
    BLOCK_DOUBTED,    /* sbatch ended, and it is not known whether there is a job */
    BLOCK_QUEUED,
    BLOCK_RUNNING,
    BLOCK_LEAVING, /* gets nothing new: its time is nearly over, or it is given back */
};

struct slurm_block {
    uint32_t number;
    uint32_t nodes;   /* requested number; once it runs, the actual one */
    bool any;         /* fewer nodes will do */
    uint8_t state;    /* enum slurm_block_state */
    bool seen;        /* an agent of it has connected */
    bool unlisted;    /* no list has shown it since it runs */
    bool listed;      /* the list that is being read shows it */
    bool useless;     /* it runs, and no agent is connected */
    int64_t job;      /* 0: not known */
    int64_t end_us;   /* its time limit; INT64_MAX: none known */
    int64_t since_us; /* when it entered its state */
    int64_t
        quiet_us; /* since when none of its agents was busy; INT64_MAX: one is, or none is there */
    int64_t empty_us; /* since when it runs without a connected agent */
    uint32_t connected, busy;
    bool told;       /* for the owner */
    bool given_back; /* it was cancelled by dolly */
    char reason[64]; /* why it waits or how it has ended, in Slurm's word; "" */
};

struct slurm_blocks_options {
    uint32_t min, max; /* nodes */
    int64_t grow_us;   /* tasks that have waited this long justify more nodes */
    int64_t idle_us, drain_us;
};

enum slurm_blocks_act {
    BLOCKS_NOTHING,
    BLOCKS_SUBMIT, /* call slurm_blocks_submitted after it */
    BLOCKS_LIST, /* list the jobs of this run; then slurm_blocks_listed or slurm_blocks_unlisted */
    BLOCKS_CANCEL, /* cancel the job; call slurm_blocks_cancelled after it */
    BLOCKS_DRAIN,  /* send nothing new to agents of this block; not a command */
};

struct slurm_blocks_action {
    enum slurm_blocks_act act;
    uint32_t number; /* of the block; 0: none that is known */
    int64_t job;     /* cancel */
    uint32_t nodes;  /* submit */
    bool any;        /* submit: fewer nodes will do */
    int64_t left_us; /* drain */
};

enum slurm_blocks_answer {
    BLOCKS_DONE,
    BLOCKS_REFUSED, /* the controller, or the command itself, refused */
    BLOCKS_UNKNOWN, /* no answer: it may or may not have happened */
};

/* A job of this run, as the controller lists it. */
struct slurm_blocks_job {
    int64_t job;
    uint32_t number; /* from its comment; 0: not a block of this run */
    uint32_t nodes;
    enum { BLOCKS_JOB_WAITS, BLOCKS_JOB_RUNS, BLOCKS_JOB_ENDS, BLOCKS_JOB_OVER } phase;
    int64_t end_us;             /* INT64_MAX: no limit */
    int64_t sent_us;            /* when it was submitted, by Slurm's clock; 0: not known */
    const char *reason, *state; /* Slurm's words */
};

struct slurm_blocks {
    struct slurm_blocks_options options;
    VEC(struct slurm_block) at;   /* that are not gone, by number */
    VEC(struct slurm_block) gone; /* that have ended; the owner clears it */
    VEC(int64_t) strays;          /* jobs of this run that no block needs, to be cancelled */
    uint32_t last;                /* the highest number so far */
    bool look;                    /* jobs of an earlier coordinator may exist: list first */
    bool under_way;               /* a command is running */
    int64_t waiting_us;           /* from the last slurm_blocks_need */
    int64_t need_us;              /* when that was */
    int64_t grown_us;             /* when nodes last arrived or were requested */
    int64_t listed_us;            /* when the last list was asked for; INT64_MIN: never */
    int64_t retry_us, wait_us;    /* no command before this time; length of the next wait */
    uint32_t failures;            /* commands in a row without an answer */
    uint32_t vain;                /* blocks in a row that brought no agent */
    int64_t renew_us;             /* no submission before this time: the last one was in vain */
    char failed[512];             /* why no more nodes can come; "" */
};

/* Initialises. `look`: an earlier coordinator of this run may have left jobs. Free with
 * slurm_blocks_fini. */
void slurm_blocks_init(struct slurm_blocks *b, const struct slurm_blocks_options *options,
                       bool look, int64_t now_us);
void slurm_blocks_fini(struct slurm_blocks *b);

/* Returns the block with this number, or NULL. */
struct slurm_block *slurm_blocks_find(struct slurm_blocks *b, uint32_t number);

/* Begins a count of agents. */
void slurm_blocks_count(struct slurm_blocks *b);

/* Counts a connected agent of this block. Call for each, after slurm_blocks_count. */
void slurm_blocks_agent(struct slurm_blocks *b, uint32_t number, bool busy);

/* Ends the count, and takes how long tasks have waited for room (0: none waits). */
void slurm_blocks_need(struct slurm_blocks *b, int64_t waiting_us, int64_t now_us);

/* Returns the next action. Do it, and call again until there is nothing. Sets *next_us to when to
 * call again at the latest. */
struct slurm_blocks_action slurm_blocks_next(struct slurm_blocks *b, int64_t now_us,
                                             int64_t *next_us);

/* Takes the result of a submission. `job` is 0 and `why` is one line unless it is done. */
void slurm_blocks_submitted(struct slurm_blocks *b, uint32_t number,
                            enum slurm_blocks_answer answer, int64_t job, const char *why,
                            int64_t now_us);

/* Takes the result of a cancellation. */
void slurm_blocks_cancelled(struct slurm_blocks *b, int64_t job, enum slurm_blocks_answer answer,
                            int64_t now_us);

/* Takes the list of jobs. */
void slurm_blocks_listed(struct slurm_blocks *b, const struct slurm_blocks_job *jobs,
                         uint32_t count, int64_t now_us);

/* Notes that the jobs could not be listed. */
void slurm_blocks_unlisted(struct slurm_blocks *b, int64_t now_us);

/* Returns true if an agent may still connect. */
bool slurm_blocks_hopes(const struct slurm_blocks *b);
