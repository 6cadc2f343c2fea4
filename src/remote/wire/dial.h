/* dial.h - a connection to HOST:PORT, without waiting for it; and a file that says where that
 * is by now, as a run may go on with another coordinator. */
#ifndef REMOTE_WIRE_DIAL_H
#define REMOTE_WIRE_DIAL_H

#include <stdbool.h>

#include "base/err.h"

struct addrinfo;

enum { DIAL_TEXT = 300, DIAL_ADDRESS = 64 };

/* Zero-initialise. */
struct dial {
    char text[DIAL_TEXT];        /* HOST:PORT that was looked up last */
    struct addrinfo *all, *next; /* addresses of the host; the next one to try, */
    const struct addrinfo *last; /* and the one that was; NULL: none */
    bool through;                /* the tunnel was tried last */
};

/* What the file says: HOST:PORT. 1; 0 if it cannot be read, or says nothing; -1 if there is none.
 */
int dial_read(const char *file, char text[DIAL_TEXT]);

/* Begins to connect to HOST:PORT, or by turns to a socket of this machine that leads there as well
 * (`tunnel`, NULL: none), first to that one; each time to the next address of the host. A socket
 * that does not block, with `through` for the tunnel; or -1 with *err (ERR_INPUT: that is no
 * HOST:PORT). */
int dial_open(struct dial *d, const char *text, const char *tunnel, struct err *err);

/* Looks the host up, unless that was done last. 0, or -1 with *err. */
int dial_find(struct dial *d, const char *text, struct err *err);
void dial_fini(struct dial *d);

/* Begins to connect to the next address. A socket that does not block, or -1 with errno. */
int dial_try(struct dial *d);

/* The address that was tried last, as numbers; "" if there is none. */
void dial_address(const struct dial *d, char text[DIAL_ADDRESS]);

/* After a connection became writable: 0, or the errno of its failure. */
int dial_result(int fd);

#endif
