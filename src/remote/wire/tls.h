/* tls.h - TLS 1.3 between two ends that share a secret, over a socket that does not block.
 *
 * Both ends prove to each other that they have the secret (an external pre-shared key), and agree
 * on keys that nobody has afterwards (a Diffie-Hellman exchange besides). There are no
 * certificates, no tickets, no early data: nothing of one conversation can be used in another. */
#ifndef REMOTE_WIRE_TLS_H
#define REMOTE_WIRE_TLS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "remote/wire/secret.h"

/* What conversations of one side have in common. */
struct tls_side;

enum {
    TLS_RECORD_MAX = 16384, /* bytes that are encrypted as one piece */
    TLS_NUMBER = 32,
};

struct tls_side *tls_side_create(const struct secret *secret, bool server, struct err *err);
void tls_side_destroy(struct tls_side *side);

/* One conversation; `fd` is borrowed. Its side has to outlive it. NULL: out of memory. */
struct tls;
struct tls *tls_create(struct tls_side *side, int fd);
void tls_destroy(struct tls *t); /* NULL is fine */

/* What a call came to. */
enum tls_result {
    TLS_DONE = 1,
    TLS_AGAIN = 0,   /* once the socket can be read, which has to be waited for */
    TLS_FULL = -1,   /* when there is room to write */
    TLS_CLOSED = -2, /* the other end has closed it, or it broke: errno, 0 if it closed */
    TLS_BAD = -3,    /* the other end is not what it should be: tls_why */
};

/* Greets the other end, as far as it goes. */
enum tls_result tls_greet(struct tls *t);

/* Once greeted: a random number that both ends have, and nobody else (RFC 5705). False: no. */
bool tls_number(struct tls *t, unsigned char number[TLS_NUMBER]);

/* Reads or writes at least a byte, and sets *count. */
enum tls_result tls_read(struct tls *t, void *at, size_t room, size_t *count);
enum tls_result tls_write(struct tls *t, const void *at, size_t length, size_t *count);

/* Tells the other end that no more comes, if there is room. */
void tls_end(struct tls *t);

/* What was wrong, in OpenSSL's words; valid until the next call. */
const char *tls_why(void);

#endif
