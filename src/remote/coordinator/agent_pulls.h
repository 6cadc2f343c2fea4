/* agent_pulls.h - what attempts of an agent have written, as it arrives at the coordinator.
 *
 * An agent reports sizes and checksums of what an attempt wrote before it reports its end. Either
 * the bytes came through the same stream and were written to the private folder of the attempt, or
 * the agent works in the folder of the run, and we look there. If all is as the agent says, the end
 * counts. Of an output that stays with the agent we get the length and, if it has partitions, the
 * index, and write a file with a hole in the place of the rest. If not, the output is removed, so
 * that the attempt has failed for want of one: nothing that differs from what the command wrote is
 * ever committed. */
#ifndef REMOTE_COORDINATOR_AGENT_PULLS_H
#define REMOTE_COORDINATOR_AGENT_PULLS_H

#include <stdbool.h>

#include "base/lookup.h"
#include "base/vec.h"
#include "exec/process/packet.h"

struct agent_pull; /* one attempt */

/* Zero-initialise but for the first two. */
struct agent_pulls {
    bool pull;            /* the bytes come through the stream */
    const char *counters; /* the folder for what attempts have counted; borrowed; NULL: none */
    VEC(struct agent_pull *) at;
    VEC(uint32_t) free;
    struct lookup by_handle;
    uint32_t held; /* ends that wait for a file system to show what was written */
};

/* Forgets every attempt. */
void agent_pulls_clear(struct agent_pulls *p);

/* An attempt is about to be launched: where bytes come through the stream, its private folder is
 * made here as the runner would make it. 0, or -1 with errno. */
int agent_pulls_launch(struct agent_pulls *p, const struct packet *launch);

/* A packet about outputs. NULL, or what is wrong with it. */
const char *agent_pulls_take(struct agent_pulls *p, const struct packet *m);

/* The attempt has ended so (PACKET_EXITED), or was killed, or was never launched. True: the end
 * counts, and *m says what was seen of the output. False: it has to wait, and agent_pulls_next
 * gives it back. */
bool agent_pulls_end(struct agent_pulls *p, struct packet *m, int64_t now_us);

/* Looks again at those that wait. True: *m counts now. False: *next_us is when to look again. */
bool agent_pulls_next(struct agent_pulls *p, int64_t now_us, struct packet *m, int64_t *next_us);

/* How many attempts there are. */
uint32_t agent_pulls_count(const struct agent_pulls *p);

#endif
