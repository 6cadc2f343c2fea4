/* fetch_client.h - gets outputs from the agents that keep them (fetch_server.h). Calls block. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "remote/wire/dial.h"
#include "remote/wire/frames.h"
#include "remote/wire/secret.h"

enum {
    /* Longest wait for a packet: the server may serve other readers first. */
    FETCH_CLIENT_QUIET_US = 30000000,
    FETCH_CLIENT_TRIES = 3, /* for connections that are refused or break */
};

/* Zero-initialise; end with fetch_client_fini. */
struct fetch_client {
    struct secret secret;
    bool has_secret;
    struct tls_side *side;
    struct dial dial;
    struct frames frames; /* connected to `where`, unless that is empty */
    char where[DIAL_TEXT];
    /* address that could not be reached; asking again would take as long again */
    char gone[DIAL_TEXT];
    int gone_error;
};

void fetch_client_fini(struct fetch_client *c);

/* Gets a partition of the output, or PACKET_WHOLE, from ADDRESS:PORT, and replaces the content of
 * the file `fd` with it. Connects again if the connection breaks. Returns 0; or -1 with *err, and
 * the errno in found->error. */
int fetch_client_get(struct fetch_client *c, const char *where, uint32_t output, uint32_t partition,
                     int fd, struct packet_partition *found, struct err *err);

/* Closes the connection, so that other readers can be served, and forgets which address could not
 * be reached. Call when nothing will be asked for some time. */
void fetch_client_rest(struct fetch_client *c);

/* Returns NULL if the packet is a valid answer to a request for this partition, else the error. */
const char *fetch_client_judge(const struct packet *found, uint32_t output, uint32_t partition);
