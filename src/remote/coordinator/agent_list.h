/* agent_list.h - who is there, in a file of the folder of the run, for `dolly agents`.
 *
 * A line for each agent: name, state (here, silent, away), host, cores, attempts, milliseconds
 * since it was heard when the file was written, where its files are (shared, pulled), scratch, and
 * address, each behind a tab but the first. Replaced as a whole about each second. */
#ifndef REMOTE_COORDINATOR_AGENT_LIST_H
#define REMOTE_COORDINATOR_AGENT_LIST_H

#include <stdbool.h>
#include <stdint.h>

struct coordinator;

/* Writes it. What cannot be written is left out: nobody depends on it. */
void agent_list_write(struct coordinator *a);

/* Nobody is there any more. */
void agent_list_remove(struct coordinator *a);

/* ---- reading it ---- */

enum { AGENT_LIST_LINE = 16384 };

/* A line of it. */
struct agent_list_row {
    const char *name, *state, *host, *files, *scratch, *address;
    int64_t cores, running, heard_ms;
};

/* Cuts a line, which is changed and borrowed; false if it is none. */
bool agent_list_parse(char *line, struct agent_list_row *row);

#endif
