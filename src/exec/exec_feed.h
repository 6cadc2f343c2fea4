/* exec_feed.h - jobs that arrive during the run (hooks.feed; exec.h has the functions for callers).
 */
#pragma once

#include <stdbool.h>

struct exec;

struct exec_feed {
    bool open; /* more may arrive, */
    bool held; /* but is not read now */
};

/* Reads from the feed, which is readable, and draws the jobs that result. */
void exec_feed_read(struct exec *x);
