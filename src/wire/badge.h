/* badge.h - proof of whose process the other end is, by MUNGE, where that is installed.
 *
 * The key of a run shows that the other end was given the key. On a cluster with MUNGE it shows its
 * user as well: munged, which all nodes run and trust, seals a badge with the user id of whoever
 * asked for it. A badge holds a number that only the two ends of one conversation know
 * (tls_number), so it is good for that conversation and for no other.
 *
 * libmunge is looked for when it is needed: the program runs where there is none. Calls wait for
 * munged, some 60 us if it is well, and ten seconds if it hangs (badge_clerk.h). */
#ifndef WIRE_BADGE_H
#define WIRE_BADGE_H

#include <stdbool.h>

#include "wire/tls.h"

enum { BADGE_WHY = 160 };

struct badge;

/* For badges by the munged that listens on this socket; NULL: on the usual one. NULL with *why if
 * there is no libmunge. */
struct badge *badge_open(const char *socket, char why[BADGE_WHY]);
void badge_close(struct badge *b); /* NULL is fine */

/* A badge of our user, which only our user can read; free with mem_free. NULL with *why. */
char *badge_make(struct badge *b, const unsigned char number[TLS_NUMBER], char why[BADGE_WHY]);

/* Whether the badge is our user's and has this number. Else *why, and whether it was the badge that
 * is wrong (*wrong) or munged that did not answer. */
bool badge_check(struct badge *b, const char *text, const unsigned char number[TLS_NUMBER],
                 char why[BADGE_WHY], bool *wrong);

#endif
