/* tls.h - TLS 1.3 between two ends that share a secret, over a non-blocking socket.
 *
 * Both ends prove to each other that they have the secret (an external pre-shared key), and agree
 * on session keys that cannot be recovered afterwards (a Diffie-Hellman exchange as well). It
 * uses no certificates, tickets or early data: nothing of one connection can be used in another. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "remote/wire/secret.h"

/* Settings shared by all connections of one side. */
struct tls_side;

enum {
    TLS_RECORD_MAX = 16384, /* bytes that are encrypted as one piece */
    TLS_NUMBER = 32,
};

struct tls_side *tls_side_create(const struct secret *secret, bool server, struct err *err);
void tls_side_destroy(struct tls_side *side);

/* One connection. */
struct tls;

/* Creates a connection; borrows `fd`. The side must outlive it. Returns NULL when out of memory. */
struct tls *tls_create(struct tls_side *side, int fd);
void tls_destroy(struct tls *t); /* NULL is fine */

/* Result of a call. */
enum tls_result {
    TLS_DONE = 1,
    TLS_AGAIN = 0,   /* call again once the socket is readable */
    TLS_FULL = -1,   /* call again once the socket is writable */
    TLS_CLOSED = -2, /* the other end has closed (errno 0), or the connection broke (errno) */
    TLS_BAD = -3,    /* the other end is not a valid peer: tls_why */
};

/* Continues the handshake without blocking. */
enum tls_result tls_greet(struct tls *t);

/* Writes a random number that only the two ends of the connection have (RFC 5705). Call after the
 * handshake. Returns false on failure. */
bool tls_number(struct tls *t, unsigned char number[TLS_NUMBER]);

/* Reads at least one byte, and sets *count. */
enum tls_result tls_read(struct tls *t, void *at, size_t size, size_t *count);

/* Writes at least one byte, and sets *count. */
enum tls_result tls_write(struct tls *t, const void *at, size_t length, size_t *count);

/* Signals the end of the stream to the other end, if the socket has space for it. */
void tls_end(struct tls *t);

/* Returns the last error in OpenSSL's words; valid until the next call. */
const char *tls_why(void);
