/* agent_outputs.h - what attempts have written, on its way from an agent to the coordinator.
 *
 * The end of an attempt is told behind what it wrote. Where the agent works in the folder of the
 * run, only sizes and checksums travel, so that the coordinator can tell whether it sees the same
 * (a file system between machines may show files later). Else the bytes do: short outputs at once,
 * long ones piece by piece, one after the other, as fast as the stream takes them. Of an output
 * that stays here, for readers elsewhere, only its size travels and, if it has partitions, what
 * says how long these are: the coordinator gets a file of the same length with a hole where they
 * would be.
 */
#ifndef REMOTE_AGENT_AGENT_OUTPUTS_H
#define REMOTE_AGENT_AGENT_OUTPUTS_H

#include <stdbool.h>

#include "base/vec.h"
#include "exec/process/packet.h"
#include "remote/agent/agent_pace.h"
#include "remote/wire/frames.h"

struct agent_output; /* those of one attempt */

/* Zero-initialise but for the first fields. */
struct agent_outputs {
    struct frames *frames; /* borrowed */
    bool pull;             /* the bytes travel */
    const char *store;     /* where outputs stay (fetch_store.h); borrowed */
    void *ctx;
    void (*on_sent)(void *ctx, uint32_t handle); /* all was handed to the stream */
    VEC(struct agent_output *) waiting;          /* those that are long, in order */
    uint32_t next;
    struct agent_pace pace; /* what travels has to leave room for beats */
    char *piece; /* owned; where bytes are read that do not travel; made when it is needed */
};

void agent_outputs_fini(struct agent_outputs *o);

/* The attempt with this private folder has ended so (PACKET_EXITED). `keep`: enum packet_keep. */
void agent_outputs_add(struct agent_outputs *o, const char *dir, uint8_t keep,
                       const struct packet *end);

/* Hands more to the stream, as far as it goes and is fair. */
void agent_outputs_turn(struct agent_outputs *o);

/* Whether there is more, and room for it in the stream: then another turn is due at once. Else
 * nothing is to be done, or the stream tells when it has room, or a beat has to be answered. To be
 * asked behind the last flush, which may have made room that nobody tells of. */
bool agent_outputs_due(const struct agent_outputs *o);

#endif
