/* identity.h - proves to the other end of a connection which user a process belongs to, by MUNGE.
 *
 * The key of a run shows that the other end was given the key. On a cluster with MUNGE it can show
 * its user as well: munged, which all nodes run and trust, seals a credential with the user id of
 * the process that asked for it. A credential holds a number that only the two ends of one
 * connection know (tls_number), and the role of its owner (agent or coordinator), so it is good for
 * that end of that connection and for no other.
 *
 * The key itself can be sealed as well, so that it may pass through channels that others can read
 * (srun sends its standard input in clear).
 *
 * libmunge is loaded when it is needed: the program also runs without it. Calls wait for munged,
 * some 60 us normally, and ten seconds if munged hangs (identity_checker.h). */
#pragma once

#include <stdbool.h>

#include "remote/wire/tls.h"

enum { IDENTITY_WHY = 160 };

struct identity;

/* Returns a handle for the munged that listens on this socket; NULL: on the usual one. Returns NULL
 * with *why if libmunge is not installed. */
struct identity *identity_open(const char *socket, char why[IDENTITY_WHY]);
void identity_close(struct identity *b); /* NULL is fine */

/* Owner of a credential. */
enum identity_role { IDENTITY_AGENT = 'a', IDENTITY_COORDINATOR = 'c' };

/* Returns a credential of this process's user, which only that user can read; free it with
 * mem_free. Returns NULL with *why on failure. */
char *identity_make(struct identity *b, enum identity_role role,
                    const unsigned char number[TLS_NUMBER], char why[IDENTITY_WHY]);

/* Returns true if the credential is of this process's user, of this role and with this number. Else
 * sets *why, and *wrong to true if the credential is wrong, false if munged did not answer. */
bool identity_check(struct identity *b, enum identity_role role, const char *text,
                    const unsigned char number[TLS_NUMBER], char why[IDENTITY_WHY], bool *wrong);

/* Returns the key as text that only this user can open, on any host with the same MUNGE and at any
 * time; free it with mem_free. Returns NULL with *why on failure. */
char *identity_seal(struct identity *b, const struct secret *key, char why[IDENTITY_WHY]);

/* Reads a key, sealed or not, to the end of the descriptor. `socket` is munged's, as for
 * identity_open. Returns 0, or -1 with *err. */
int identity_read_key(struct secret *key, int fd, const char *socket, struct err *err);
