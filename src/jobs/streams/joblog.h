/* joblog.h - the lines of a job log, with the columns of GNU parallel. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

#define JOBLOG_HEADER "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand"

/* The end of one task: of the winning attempt, or of the last one that failed. */
struct joblog_entry {
    uint64_t seq;     /* from 1 */
    const char *host; /* the node, or ":" for this machine */
    double start_s;   /* since 1970 */
    double runtime_s;
    int64_t sent, received; /* bytes of its stdin and stdout */
    int exit, signal;       /* exit -1: neither, dolly killed it */
    const char *command;
};

/* Appends the line with its newline; line breaks in the command become NULs, as in GNU parallel. */
void joblog_add(struct str *out, const struct joblog_entry *e);

/* Parses a line of this length without its newline; cuts the line up, and e->host and e->command
 * point into it. Returns false for the header and for lines that are not entries. */
bool joblog_read(char *line, size_t length, struct joblog_entry *e);
