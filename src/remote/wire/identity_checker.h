/* identity_checker.h - checks credentials in a child process, one at a time.
 *
 * libmunge waits for munged, for ten seconds if munged hangs. In that time a coordinator would lose
 * all its agents. So a child asks munged; it is given IDENTITY_CHECKER_US for each credential, and
 * is killed and replaced after that. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "remote/wire/identity.h"

enum {
    IDENTITY_CHECKER_US = 4000000, /* for one credential */
    IDENTITY_CHECKER_TEXT = 4096,  /* the longest credential, with its NUL */
};

/* Runs in the child, with the parent's memory at the time of the fork. Checks the credential of an
 * agent as identity_check does, and writes the coordinator's own credential to `reply` if it is
 * good. With the text IDENTITY_CHECKER_TRY, returns true if a credential can be made and checked.
 */
typedef bool identity_checker_judge(void *ctx, const char *text,
                                    const unsigned char number[TLS_NUMBER], char why[IDENTITY_WHY],
                                    bool *wrong, char reply[IDENTITY_CHECKER_TEXT]);
identity_checker_judge identity_checker_munge; /* asks munged; ctx is a struct identity */

#define IDENTITY_CHECKER_TRY "try"

/* Zero-initialise except the first four fields. */
struct identity_checker {
    identity_checker_judge *judge;
    void *ctx;
    int epoll_fd;       /* the owner's, borrowed; -1: none. It reports with `tag` as data */
    uint64_t epoll_tag; /* that identity_checker_hear is to be called */
    pid_t pid;       /* 0: no child is running */
    int fd;
    bool busy;
    int64_t until_us; /* while it is busy */
};

struct identity_answer {
    bool good, wrong; /* as from identity_check */
    char why[IDENTITY_WHY];
    char reply[IDENTITY_CHECKER_TEXT]; /* the coordinator's credential, for an agent whose own is
                                          good */
};

/* Sends a credential to the child. Call when the checker is not busy. Returns false with errno if
 * it cannot be checked now. */
bool identity_checker_ask(struct identity_checker *c, const char *text,
                          const unsigned char number[TLS_NUMBER]);

/* Receives the answer, if it has arrived. Call after events and once until_us has passed. Returns
 * true with *a; a child that died or took too long gives an answer that is neither good nor wrong,
 * with `why`. */
bool identity_checker_hear(struct identity_checker *c, struct identity_answer *a);

/* Waits for the answer. */
void identity_checker_wait(struct identity_checker *c, struct identity_answer *a);

/* Kills the child. May be called again, and with zeroed memory. */
void identity_checker_close(struct identity_checker *c);
