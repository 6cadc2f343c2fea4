/* agent_dial.h - a connection to HOST:PORT, without waiting for it. */
#ifndef AGENT_AGENT_DIAL_H
#define AGENT_AGENT_DIAL_H

#include "base/err.h"

struct addrinfo;

/* Zero-initialise. */
struct agent_dial {
    struct addrinfo *all, *next; /* addresses of the host; the next one to try */
};

/* Looks the host up. 0, or -1 with *err. */
int agent_dial_find(struct agent_dial *d, const char *text, struct err *err);
void agent_dial_fini(struct agent_dial *d);

/* Begins to connect to the next address. A socket that does not block, or -1 with errno. */
int agent_dial_try(struct agent_dial *d);

/* After a connection became writable: 0, or the errno of its failure. */
int agent_dial_result(int fd);

#endif
