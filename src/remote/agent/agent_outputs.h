/* agent_outputs.h - sends the outputs of attempts from an agent to the coordinator.
 *
 * The end of an attempt is sent after its outputs. Where the agent works in the folder of the run,
 * only sizes and checksums are sent, so that the coordinator can check that it sees the same files
 * (a file system between machines may show files later). Else the bytes are sent: short outputs at
 * once, long ones piece by piece, one after the other, as fast as the stream accepts them. Of an
 * output that is kept here, for readers elsewhere, only its size is sent and, if it has partitions,
 * their index: the coordinator makes a file of the same length with a hole for the partitions. */
#pragma once

#include <stdbool.h>

#include "base/vec.h"
#include "exec/process/packet.h"
#include "remote/agent/agent_pace.h"
#include "remote/wire/frames.h"

struct agent_output; /* the outputs of one attempt */

/* Zero-initialise except the first fields. */
struct agent_outputs {
    struct frames *frames; /* borrowed */
    bool pull;             /* the bytes are sent */
    const char *store;     /* folder of outputs that are kept (fetch_store.h); borrowed */
    void *ctx;
    void (*on_sent)(void *ctx, uint32_t handle); /* every output was handed to the stream */
    VEC(struct agent_output *) waiting;          /* the long ones, in order */
    uint32_t next;
    struct agent_pace pace; /* leaves room in the stream for beats */
    /* Owned; buffer for bytes that are read but not sent; allocated when it is needed. */
    char *piece;
};

void agent_outputs_fini(struct agent_outputs *o);

/* Sends or queues the outputs of the attempt with this private folder, then its end `end`
 * (PACKET_EXITED). `keep`: enum packet_keep. */
void agent_outputs_add(struct agent_outputs *o, const char *dir, uint8_t keep,
                       const struct packet *end);

/* Sends the next pieces, until the stream is full, the pace holds them back, or the limit of one
 * turn is reached. */
void agent_outputs_turn(struct agent_outputs *o);

/* Returns true if there are more pieces, and room for them in the stream: then call
 * agent_outputs_turn again at once. Else nothing is left, or an event will report that the stream
 * is writable, or a beat has to be answered first. Ask after the last flush, which may make room
 * without an event. */
bool agent_outputs_due(const struct agent_outputs *o);
