/* exec_feed.h - jobs that arrive during the run (hooks.feed; exec.h has the functions for callers).
 */
#ifndef EXEC_EXEC_FEED_H
#define EXEC_EXEC_FEED_H

#include <stdbool.h>

struct exec;

struct exec_feed {
    bool open; /* more may arrive, */
    bool held; /* but is not read now */
};

/* Reads from the feed, which is readable, and draws the jobs that result. */
void exec_feed_read(struct exec *x);

#endif
