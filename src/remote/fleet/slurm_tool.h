/* slurm_tool.h - one command of Slurm at a time (sbatch, squeue, scancel), without ever waiting for
 * it.
 *
 * Its output is gathered by the owner's epoll. A command that takes too long is ended: a controller
 * that is dead or busy may keep it for minutes. */
#ifndef REMOTE_FLEET_SLURM_TOOL_H
#define REMOTE_FLEET_SLURM_TOOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/vec.h"
#include "remote/fleet/fleet.h"

enum {
    SLURM_TOOL_SOURCES = 3,                  /* of epoll, from the one it is given on */
    SLURM_TOOL_LIMIT_US = 30 * 1000000,      /* for one command */
    SLURM_TOOL_BYTES_MAX = 64 * 1024 * 1024, /* of output; the list of all jobs may be long */
};

/* How a command went. */
enum slurm_tool_end {
    SLURM_TOOL_WELL,
    SLURM_TOOL_SAID_NO, /* for good: an option, a partition, an account, a limit */
    SLURM_TOOL_NOTHING, /* no answer: it took too long, or the controller could not be reached */
};

struct slurm_tool {
    int epoll_fd;
    uint64_t source;
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

/* Whether the program is to be found in PATH. */
bool slurm_tool_exists(const char *program);

/* Zeroed memory is a tool that runs nothing. Starts the command; epoll tells about it with data
 * from `source` on. 0, or -1 with errno. */
int slurm_tool_start(struct slurm_tool *t, int epoll_fd, uint64_t source, char *const *argv,
                     int64_t now_us);

/* Whether a command runs. */
bool slurm_tool_runs(const struct slurm_tool *t);

/* To be called after events and when the time that it returns has come. True once the command has
 * ended and all its output is here: call slurm_tool_end and read the streams, then
 * slurm_tool_clear. */
bool slurm_tool_turn(struct slurm_tool *t, int64_t now_us, int64_t *next_us);

/* How it has ended; `why` gets one line: the last of its stderr that says something. */
enum slurm_tool_end slurm_tool_end(const struct slurm_tool *t, char *why, size_t room);

/* Forgets the command; ends it first if it runs. */
void slurm_tool_clear(struct slurm_tool *t);

#endif
