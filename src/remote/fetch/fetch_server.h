/* fetch_server.h - the process of an agent that hands out what stays with it (fetch_store.h).
 *
 * Readers on other nodes connect to it, with the key of the run, and ask for one partition after
 * the other. It is a process of its own, beside that of the session and not below it, where
 * whatever is no attempt is ended: a reader that is slow, or a disk, keeps nobody waiting but other
 * readers. It ends with its session, whose end of a socket it watches.
 *
 * There are at most FETCH_SERVER_READERS conversations; further readers wait until one is over. Who
 * has not shown the key makes room for them.
 * Each costs two pieces of an output and one frame at most, and is ended when nothing moves for
 * FETCH_SERVER_QUIET_US. */
#ifndef REMOTE_FETCH_FETCH_SERVER_H
#define REMOTE_FETCH_FETCH_SERVER_H

#include <stdint.h>

#include "base/err.h"
#include "remote/wire/secret.h"

enum {
    FETCH_SERVER_READERS = 256,
    FETCH_SERVER_GREET_US = 5000000, /* to show that it has the key, */
    FETCH_SERVER_MUTE_US = 200000,   /* where others wait */
    FETCH_SERVER_QUIET_US = 60000000,
};

/* Starts one that listens on the address of ours by which `connected`, a socket, has reached its
 * other end, and hands out what is kept in `dir`. To be called before the process has become the
 * parent of orphans. A descriptor of which nothing comes but its end, when the server has ended,
 * and which ends the server when it is closed; -1 with *err. */
int fetch_server_start(const char *dir, const struct secret *secret, int connected, uint16_t *port,
                       struct err *err);

#endif
