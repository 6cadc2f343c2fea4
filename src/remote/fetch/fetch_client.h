/* fetch_client.h - gets outputs from the agents that have them (fetch_server.h). Waits for them. */
#ifndef REMOTE_FETCH_FETCH_CLIENT_H
#define REMOTE_FETCH_FETCH_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "remote/wire/dial.h"
#include "remote/wire/frames.h"
#include "remote/wire/secret.h"

enum {
    /* For how long nothing may come: others may be served first. */
    FETCH_CLIENT_QUIET_US = 30000000,
    FETCH_CLIENT_TRIES = 3, /* of connections that are refused or break */
};

/* Zero-initialise; end with fetch_client_fini. */
struct fetch_client {
    struct secret secret;
    bool has_secret;
    struct tls_side *side;
    struct dial dial;
    struct frames frames; /* with `where`, if that is not empty */
    char where[DIAL_TEXT];
    char gone[DIAL_TEXT]; /* who could not be reached; asking for more would take as long again */
    int gone_error;
};

void fetch_client_fini(struct fetch_client *c);

/* Gets a partition of the output, or PACKET_WHOLE, from ADDRESS:PORT, into the file `fd`, which has
 * nothing but that afterwards. Tries again where a connection breaks. 0; or -1 with *err, and
 * part->error says which errno it was. */
int fetch_client_get(struct fetch_client *c, const char *where, uint32_t output, uint32_t partition,
                     int fd, struct packet_part *part, struct err *err);

/* Nothing is asked for, for a while: others may want the other end's attention, and whoever could
 * not be reached may be there again. */
void fetch_client_rest(struct fetch_client *c);

/* NULL if the answer can be one to whoever wants that partition, else what is wrong. */
const char *fetch_client_judge(const struct packet *part, uint32_t output, uint32_t partition);

#endif
