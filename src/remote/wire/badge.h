/* badge.h - proof of whose process the other end is, by MUNGE, where that is installed.
 *
 * The key of a run shows that the other end was given the key. On a cluster with MUNGE it shows its
 * user as well: munged, which all nodes run and trust, seals a badge with the user id of whoever
 * asked for it. A badge holds a number that only the two ends of one conversation know
 * (tls_number), and whether it is the agent's or the coordinator's, so it is good for that end of
 * that conversation and for no other.
 *
 * The key itself can be sealed as well, so that it may pass through what others can read (srun
 * sends its standard input in clear).
 *
 * libmunge is looked for when it is needed: the program runs where there is none. Calls wait for
 * munged, some 60 us if it is well, and ten seconds if it hangs (badge_clerk.h). */
#ifndef REMOTE_WIRE_BADGE_H
#define REMOTE_WIRE_BADGE_H

#include <stdbool.h>

#include "remote/wire/tls.h"

enum { BADGE_WHY = 160 };

struct badge;

/* For badges by the munged that listens on this socket; NULL: on the usual one. NULL with *why if
 * there is no libmunge. */
struct badge *badge_open(const char *socket, char why[BADGE_WHY]);
void badge_close(struct badge *b); /* NULL is fine */

/* Whose it is. */
enum badge_role { BADGE_AGENT = 'a', BADGE_COORDINATOR = 'c' };

/* A badge of our user, which only our user can read; free with mem_free. NULL with *why. */
char *badge_make(struct badge *b, enum badge_role role, const unsigned char number[TLS_NUMBER],
                 char why[BADGE_WHY]);

/* Whether the badge is our user's, of this role and with this number. Else *why, and whether it was
 * the badge that is wrong (*wrong) or munged that did not answer. */
bool badge_check(struct badge *b, enum badge_role role, const char *text,
                 const unsigned char number[TLS_NUMBER], char why[BADGE_WHY], bool *wrong);

/* The key as text that only our user can open, on any host with the same MUNGE and at any time;
 * free with mem_free. NULL with *why. */
char *badge_seal(struct badge *b, const struct secret *key, char why[BADGE_WHY]);

/* Reads a key, sealed or not, to the end of the descriptor. `socket` is munged's, as for
 * badge_open. 0, or -1 with *err. */
int badge_read_key(struct secret *key, int fd, const char *socket, struct err *err);

#endif
