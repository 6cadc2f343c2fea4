/* badge_clerk.h - checks credentials in a child process, one at a time.
 *
 * libmunge waits for munged, for ten seconds if munged hangs. In that time a coordinator would lose
 * all its agents. So a child asks munged; it is given BADGE_CLERK_US for each credential, and is
 * killed and replaced after that. */
#ifndef REMOTE_WIRE_BADGE_CLERK_H
#define REMOTE_WIRE_BADGE_CLERK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "remote/wire/badge.h"

enum {
    BADGE_CLERK_US = 4000000, /* for one credential */
    BADGE_CLERK_TEXT = 4096,  /* the longest credential, with its NUL */
};

/* Runs in the child, with the parent's memory at the time of the fork. Checks the credential of an
 * agent as badge_check does, and writes the coordinator's own credential to `reply` if it is good.
 * With the text BADGE_CLERK_TRY, returns true if a credential can be made and checked. */
typedef bool badge_clerk_judge(void *ctx, const char *text, const unsigned char number[TLS_NUMBER],
                               char why[BADGE_WHY], bool *wrong, char reply[BADGE_CLERK_TEXT]);
badge_clerk_judge badge_clerk_munge; /* asks munged; ctx is a struct badge */

#define BADGE_CLERK_TRY "try"

/* Zero-initialise except the first four fields. */
struct badge_clerk {
    badge_clerk_judge *judge;
    void *ctx;
    int epoll_fd;    /* the owner's, borrowed; -1: none. It reports with `source` as data */
    uint64_t source; /* that badge_clerk_hear is to be called */
    pid_t pid;       /* 0: no child is running */
    int fd;
    bool busy;
    int64_t until_us; /* while it is busy */
};

struct badge_answer {
    bool good, wrong; /* as from badge_check */
    char why[BADGE_WHY];
    char reply[BADGE_CLERK_TEXT]; /* the coordinator's credential, for an agent whose own is good */
};

/* Sends a credential to the child. Call when the clerk is not busy. Returns false with errno if it
 * cannot be checked now. */
bool badge_clerk_ask(struct badge_clerk *c, const char *text,
                     const unsigned char number[TLS_NUMBER]);

/* Receives the answer, if it has arrived. Call after events and once until_us has passed. Returns
 * true with *a; a child that died or took too long gives an answer that is neither good nor wrong,
 * with `why`. */
bool badge_clerk_hear(struct badge_clerk *c, struct badge_answer *a);

/* Waits for the answer. */
void badge_clerk_wait(struct badge_clerk *c, struct badge_answer *a);

/* Kills the child. May be called again, and with zeroed memory. */
void badge_clerk_close(struct badge_clerk *c);

#endif
