/* joblog.h - the lines of a job log, with the columns of GNU parallel. */
#ifndef JOBS_STREAMS_JOBLOG_H
#define JOBS_STREAMS_JOBLOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

#define JOBLOG_HEADER "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand"

/* One task as it ended: the winner's attempt, or the last one that failed. */
struct joblog_entry {
    uint64_t seq;     /* from 1 */
    const char *host; /* the node, or ":" for this machine */
    double start_s;   /* since 1970 */
    double runtime_s;
    int64_t sent, received; /* bytes of its stdin and stdout */
    int exit, signal;       /* exit -1: neither, it was ended by us */
    const char *command;
};

/* Appends the line with its newline; line breaks of the command become zeros, as in GNU
 * parallel. */
void joblog_add(struct str *out, const struct joblog_entry *e);

/* Reads a line of this length without its newline; e->host and e->command point into it, and the
 * line is cut up. False for the header and for lines that are none. */
bool joblog_read(char *line, size_t length, struct joblog_entry *e);

#endif
