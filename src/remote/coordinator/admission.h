/* admission.h - strangers: all that connect, until they are known to be agents of this run. */
#ifndef REMOTE_COORDINATOR_ADMISSION_H
#define REMOTE_COORDINATOR_ADMISSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "remote/coordinator/agent_info.h"
#include "remote/wire/frames.h"

struct coordinator;

enum {
    ADMISSION_PEERS = 256,
    ADMISSION_SOURCE_CHECKER = ADMISSION_PEERS + 1,
    ADMISSION_ADDRESS = 64
};

/* A connection that is no agent's yet. */
struct admission_peer {
    struct frames frames;
    char address[ADMISSION_ADDRESS];
    struct agent_info info; /* named once its hello was found good */
    char *credential;       /* what it has shown, until it was judged; NULL: nothing waits */
    int64_t until_us;       /* when it has to be let in */
    bool welcome;           /* it was sent a welcome, and has to say that it is ready */
};

/* Listens. Returns 0, or -1 with *err. */
int admission_open(struct coordinator *a, struct err *err);
void admission_close(struct coordinator *a);

/* Accepts peers, if any wait for that. */
void admission_accept(struct coordinator *a);

/* Reads from a peer that may have sent something. */
void admission_event(struct coordinator *a, uint32_t peer);

/* Goes on with peers whose credentials the checker has judged. */
void admission_judged(struct coordinator *a);

/* Drops those that are late. Returns when the next one will be. */
int64_t admission_turn(struct coordinator *a);

/* Returns NULL if the hello is one of a good agent, else what is wrong. */
const char *admission_judge(const struct packet_hello *h, const char *program, char text[256]);

#endif
