/* dial.h - connects to HOST:PORT without blocking; and reads the file with the current address of
 * the coordinator, which changes when a run is resumed elsewhere. */
#pragma once

#include <stdbool.h>

#include "base/err.h"

struct addrinfo;

enum { DIAL_TEXT = 300, DIAL_ADDRESS = 64 };

/* Zero-initialise. */
struct dial {
    char text[DIAL_TEXT];        /* HOST:PORT that was looked up last */
    struct addrinfo *all, *next; /* addresses of the host; the next one to try */
    const struct addrinfo *last; /* the address that was tried last; NULL: none */
    bool through;                /* the tunnel was tried last */
};

/* Reads HOST:PORT from the file. Returns 1; 0 if the file cannot be read or is empty; -1 if it does
 * not exist. */
int dial_read(const char *file, char text[DIAL_TEXT]);

/* Begins to connect to HOST:PORT, or in turn to `tunnel`, a socket of this machine that leads there
 * as well (NULL: none), beginning with the tunnel; each time to the next address of the host.
 * Returns a non-blocking socket and sets `through` for the tunnel; or returns -1 with *err
 * (ERR_INPUT: `text` is not HOST:PORT). */
int dial_open(struct dial *d, const char *text, const char *tunnel, struct err *err);

/* Looks the host up, unless it was the last one looked up. Returns 0, or -1 with *err. */
int dial_find(struct dial *d, const char *text, struct err *err);
void dial_fini(struct dial *d);

/* Begins to connect to the next address. Returns a non-blocking socket, or -1 with errno. */
int dial_try(struct dial *d);

/* Writes the address that was tried last, as numbers; "" if there is none. */
void dial_address(const struct dial *d, char text[DIAL_ADDRESS]);

/* Returns 0 if the connection was established, or the errno of its failure. Call after the socket
 * became writable. */
int dial_result(int fd);
