/* listen_socket.h - the socket that `dolly watch` serves at: an address and a port, or a name in
 * the file system. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct listen_socket {
    int fd;
    char shown[80]; /* "127.0.0.1:8765", "[::1]:8765"; of a local one: its path, perhaps cut */
    uint16_t port;  /* 0: local */
    bool local;     /* in the file system, for this user only */
    bool loopback;  /* no other machine can reach it */
    char *path;     /* of a local one; owned */
};

/* Opens "ADDRESS:PORT", "ADDRESS" (with a free port), ":PORT" or "PORT" (at 127.0.0.1), or
 * "unix:PATH". Returns 0, or -1 with *err. Close with listen_socket_close. */
int listen_socket_open(struct listen_socket *s, const char *where, struct err *err);

/* Closes the socket, and removes its name. */
void listen_socket_close(struct listen_socket *s);
