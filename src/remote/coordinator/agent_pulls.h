/* agent_pulls.h - receives the outputs of an agent's attempts, and checks them.
 *
 * An agent reports sizes and checksums of an attempt's outputs before it reports its end. Either
 * the bytes arrived through the same stream and were written to the private folder of the attempt,
 * or the agent works in the folder of the run, and the files are read there. If they match the
 * report, the end counts. Of an output that the agent keeps, only the length and, if it has
 * partitions, the index are sent, and a file with a hole for the rest is written here. If they do
 * not match, the output is removed, so that the attempt has failed for lack of one: no output that
 * differs from the command's is ever committed. */
#pragma once

#include <stdbool.h>

#include "base/lookup.h"
#include "base/vec.h"
#include "exec/process/packet.h"

struct agent_pull; /* one attempt */

/* Zero-initialise except the first two fields. */
struct agent_pulls {
    bool pull;            /* the bytes arrive through the stream */
    const char *counters; /* folder for the counters of attempts; borrowed; NULL: none */
    VEC(struct agent_pull *) at;
    VEC(uint32_t) free;
    struct lookup by_handle;
    uint32_t held; /* number of ends that wait until a file system shows the output */
};

/* Forgets every attempt. */
void agent_pulls_clear(struct agent_pulls *p);

/* Prepares for an attempt that is about to be launched: if bytes arrive through the stream, makes
 * its private folder here as the runner would. Returns 0, or -1 with errno. */
int agent_pulls_launch(struct agent_pulls *p, const struct packet *launch);

/* Takes a packet about outputs. Returns NULL, or the error in it. */
const char *agent_pulls_take(struct agent_pulls *p, const struct packet *m);

/* Takes the end of an attempt (PACKET_EXITED), which may have been killed or never launched.
 * Returns true if the end counts, with the state of the output in *m. Returns false if it has to
 * wait; agent_pulls_next returns it later. */
bool agent_pulls_end(struct agent_pulls *p, struct packet *m, int64_t now_us);

/* Checks the waiting ends again. Returns true if *m counts now; else false with the time of the
 * next check in *next_us. */
bool agent_pulls_next(struct agent_pulls *p, int64_t now_us, struct packet *m, int64_t *next_us);

/* Number of attempts. */
uint32_t agent_pulls_count(const struct agent_pulls *p);
