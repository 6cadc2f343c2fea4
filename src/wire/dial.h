/* dial.h - a connection to HOST:PORT, without waiting for it; and a file that says where that
 * is by now, as a run may go on with another coordinator. */
#ifndef WIRE_DIAL_H
#define WIRE_DIAL_H

#include "base/err.h"

struct addrinfo;

enum { DIAL_TEXT = 300 };

/* Zero-initialise. */
struct dial {
    char text[DIAL_TEXT];        /* HOST:PORT that was looked up last */
    struct addrinfo *all, *next; /* addresses of the host; the next one to try */
};

/* What the file says: HOST:PORT. 1; 0 if it cannot be read, or says nothing; -1 if there is none.
 */
int dial_read(const char *file, char text[DIAL_TEXT]);

/* Looks the host up, unless that was done last. 0, or -1 with *err. */
int dial_find(struct dial *d, const char *text, struct err *err);
void dial_fini(struct dial *d);

/* Begins to connect to the next address. A socket that does not block, or -1 with errno. */
int dial_try(struct dial *d);

/* After a connection became writable: 0, or the errno of its failure. */
int dial_result(int fd);

#endif
