/* admission.h - authenticates peers: all that connect, until they are known to be agents of this
 * run. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "remote/coordinator/agent_info.h"
#include "remote/wire/frames.h"

struct coordinator;

enum { ADMISSION_PEERS = 256, ADMISSION_TAG_CHECKER = ADMISSION_PEERS + 1, ADMISSION_ADDRESS = 64 };

/* A connection that has not authenticated yet. */
struct admission_peer {
    struct frames frames;
    char address[ADMISSION_ADDRESS];
    struct agent_info info; /* filled in once its hello was accepted */
    char *credential; /* the credential it has shown, until it was checked; NULL: none waits */
    int64_t until_us; /* when it must have joined */
    bool welcome;     /* it was sent a welcome, and has to report that it is ready */
};

/* Starts to listen. Returns 0, or -1 with *err. */
int admission_open(struct coordinator *a, struct err *err);
void admission_close(struct coordinator *a);

/* Accepts peers that wait to be accepted. */
void admission_accept(struct coordinator *a);

/* Reads from a peer that may have sent something. */
void admission_event(struct coordinator *a, uint32_t peer);

/* Continues with peers whose credentials the checker has checked. */
void admission_judged(struct coordinator *a);

/* Drops peers that are late. Returns when the next one will be. */
int64_t admission_turn(struct coordinator *a);

/* Returns NULL if the hello is valid, else the error. */
const char *admission_judge(const struct packet_hello *h, const char *program, char text[256]);
