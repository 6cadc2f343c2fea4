/* fetch_server.h - the process of an agent that serves the outputs kept there (fetch_store.h).
 *
 * Readers on other nodes connect to it, with the key of the run, and ask for one partition after
 * the other. It is a separate process next to the session, not its descendant (descendants that are
 * not attempts are killed), so that a slow reader or disk delays only other readers. It ends with
 * its session: it watches the session's end of a socket.
 *
 * There are at most FETCH_SERVER_READERS connections; further readers wait until one is closed.
 * Connections that have not shown the key are closed first.
 *
 * Each connection costs at most two pieces of an output and one frame, and is closed when nothing
 * moves for FETCH_SERVER_QUIET_US. */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "remote/wire/secret.h"

enum {
    FETCH_SERVER_READERS = 256,
    FETCH_SERVER_GREET_US = 5000000, /* time for the handshake, */
    FETCH_SERVER_MUTE_US = 200000,   /* ... that is guaranteed while other readers wait */
    FETCH_SERVER_QUIET_US = 60000000,
};

/* Starts a server that listens on the local address of `connected`, a connected socket, and serves
 * the outputs kept in `dir`. Call before this process becomes the parent of orphans. Returns a
 * descriptor that reads as ended once the server has ended, and ends the server when it is closed;
 * or returns -1 with *err. */
int fetch_server_start(const char *dir, const struct secret *secret, int connected, uint16_t *port,
                       struct err *err);
