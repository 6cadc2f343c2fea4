/* badge_clerk.h - judges badges in a process of its own, one at a time.
 *
 * libmunge waits for munged, for ten seconds if that hangs. In that time a coordinator would lose
 * every agent it has. So a child of ours asks munged; it is given BADGE_CLERK_US for each badge,
 * and is killed and replaced when that is over. */
#ifndef REMOTE_WIRE_BADGE_CLERK_H
#define REMOTE_WIRE_BADGE_CLERK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "remote/wire/badge.h"

enum {
    BADGE_CLERK_US = 4000000, /* for one badge */
    BADGE_CLERK_TEXT = 4096,  /* the longest badge, with its NUL */
};

/* What the child does, with the parent's memory of when it was forked: judges the badge of an agent
 * as badge_check does, and makes the coordinator's `reply` to a good one; with the text "try",
 * tells whether one can be made and checked. */
typedef bool badge_clerk_judge(void *ctx, const char *text, const unsigned char number[TLS_NUMBER],
                               char why[BADGE_WHY], bool *wrong, char reply[BADGE_CLERK_TEXT]);
badge_clerk_judge badge_clerk_munge; /* by munged; ctx is a struct badge */

#define BADGE_CLERK_TRY "try"

/* Zero-initialise but for the first four. */
struct badge_clerk {
    badge_clerk_judge *judge;
    void *ctx;
    int epoll_fd;    /* the owner's, borrowed, which tells with this data that */
    uint64_t source; /* badge_clerk_hear has something to say; -1: none */
    pid_t pid;       /* 0: there is no child now */
    int fd;
    bool busy;
    int64_t until_us; /* while it is busy */
};

struct badge_answer {
    bool good, wrong; /* of badge_check */
    char why[BADGE_WHY];
    char reply[BADGE_CLERK_TEXT]; /* our badge, for an agent whose own is good */
};

/* Hands a badge in, when the clerk is not busy. False with errno: it cannot be judged now. */
bool badge_clerk_ask(struct badge_clerk *c, const char *text,
                     const unsigned char number[TLS_NUMBER]);

/* To be called after events and when until_us has come. True: this is the answer, which is also
 * that there is none. */
bool badge_clerk_hear(struct badge_clerk *c, struct badge_answer *a);

/* The answer, for which it waits. */
void badge_clerk_wait(struct badge_clerk *c, struct badge_answer *a);

/* Ends the child. May be called again, and with zeroed memory. */
void badge_clerk_close(struct badge_clerk *c);

#endif
