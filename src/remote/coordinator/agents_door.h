/* agents_door.h - strangers: all that connect, until they are known to be agents of this run. */
#ifndef REMOTE_COORDINATOR_AGENTS_DOOR_H
#define REMOTE_COORDINATOR_AGENTS_DOOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "remote/coordinator/agents_card.h"
#include "remote/wire/frames.h"

struct agents;

enum { AGENTS_PEERS = 256, AGENTS_SOURCE_CLERK = AGENTS_PEERS + 1, AGENTS_ADDRESS = 64 };

/* A connection that is no agent's yet. */
struct agents_peer {
    struct frames frames;
    char address[AGENTS_ADDRESS];
    struct agents_card card; /* named once its hello was found good */
    char *badge;             /* what it has shown, until it was judged; NULL: nothing waits */
    int64_t until_us;        /* when it has to be let in */
    bool welcome;            /* it was sent a welcome, and has to say that it is ready */
};

/* Listens. Returns 0, or -1 with *err. */
int agents_door_open(struct agents *a, struct err *err);
void agents_door_close(struct agents *a);

/* Accepts peers, if any wait for that. */
void agents_door_accept(struct agents *a);

/* Reads from a peer that may have sent something. */
void agents_door_event(struct agents *a, uint32_t peer);

/* Goes on with peers whose badges the clerk has judged. */
void agents_door_judged(struct agents *a);

/* Drops those that are late. Returns when the next one will be. */
int64_t agents_door_turn(struct agents *a);

/* Returns NULL if the hello is one of a good agent, else what is wrong. */
const char *agents_door_judge(const struct packet_hello *h, const char *program, char text[256]);

#endif
