/* exec_feed.h - jobs that come while the run goes on (hooks.feed; exec.h has the functions for
 * callers). */
#ifndef EXEC_EXEC_FEED_H
#define EXEC_EXEC_FEED_H

#include <stdbool.h>

struct exec;

struct exec_feed {
    bool open; /* more may come, */
    bool held; /* but is left where it is */
};

/* Reads from the feed, which has something to read, and draws the jobs that come of it. */
void exec_feed_read(struct exec *x);

#endif
