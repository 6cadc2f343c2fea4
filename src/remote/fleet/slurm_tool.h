/* slurm_tool.h - runs one command of Slurm at a time (sbatch, squeue, scancel), without blocking
 * unless the owner wants to wait.
 *
 * The owner's epoll reports that there is output. A command that takes too long is killed: a
 * controller that is dead or busy may delay it for minutes. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "remote/fleet/fleet.h"

enum {
    SLURM_TOOL_TAGS = 3,                /* data values of epoll events, from the given one on */
    SLURM_TOOL_LIMIT_US = 30 * 1000000, /* for one command */
    SLURM_TOOL_BYTES_MAX = 64 * 1024 * 1024, /* of output; the list of all jobs may be long */
};

/* Result of a command. */
enum slurm_tool_end {
    SLURM_TOOL_WELL,
    SLURM_TOOL_SAID_NO, /* refused for good: an option, a partition, an account, a limit */
    SLURM_TOOL_NOTHING, /* no answer: it took too long, or the controller could not be reached */
};

struct slurm_tool {
    int epoll_fd;
    uint64_t epoll_tag;
    struct fleet_process process;
    struct {
        int fd; /* -1: at its end */
        VEC(char) text;
        bool cut; /* there was more */
    } streams[2]; /* stdout, stderr */
    int64_t limit_us;
    bool late, over;
    int status;
};

/* Starts the command; epoll reports about it with data from `tag` on (-1: the owner waits by
 * slurm_tool_wait). `stays`: it survives the death of this process. Zeroed memory is a tool that
 * runs nothing. Returns 0, or -1 with errno. */
int slurm_tool_start(struct slurm_tool *t, int epoll_fd, uint64_t tag, char *const *argv,
                     bool stays, int64_t now_us);

/* Returns true if a command is running. */
bool slurm_tool_runs(const struct slurm_tool *t);

/* Reads the output. Call after events and at the time in *next_us. Returns true once the command
 * has ended and all its output was read: call slurm_tool_end and read the streams, then
 * slurm_tool_clear. */
bool slurm_tool_turn(struct slurm_tool *t, int64_t now_us, int64_t *next_us);

/* Blocks until slurm_tool_turn would return true, which it returns, or until this time
 * (base/os/clock.h), which leaves the command running. */
bool slurm_tool_wait(struct slurm_tool *t, int64_t until_us);

/* Returns the result; writes one line to `why`: the last informative one of its stderr. */
enum slurm_tool_end slurm_tool_end(const struct slurm_tool *t, char *why, size_t size);

/* Forgets the command; kills it first if it runs. */
void slurm_tool_clear(struct slurm_tool *t);
