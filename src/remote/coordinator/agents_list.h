/* agents_list.h - who is there, in a file of the folder of the run, for `dolly agents`.
 *
 * A line for each agent: name, state (here, silent, away), host, cores, attempts, milliseconds
 * since it was heard when the file was written, where its files are (shared, pulled), scratch, and
 * address, each behind a tab but the first. Replaced as a whole about each second. */
#ifndef REMOTE_COORDINATOR_AGENTS_LIST_H
#define REMOTE_COORDINATOR_AGENTS_LIST_H

#include <stdbool.h>
#include <stdint.h>

struct agents;

/* Writes it. What cannot be written is left out: nobody depends on it. */
void agents_list_write(struct agents *a);

/* Nobody is there any more. */
void agents_list_remove(struct agents *a);

/* ---- reading it ---- */

enum { AGENTS_LIST_LINE = 16384 };

/* A line of it. */
struct agents_list_row {
    const char *name, *state, *host, *files, *scratch, *address;
    int64_t cores, running, heard_ms;
};

/* Cuts a line, which is changed and borrowed; false if it is none. */
bool agents_list_parse(char *line, struct agents_list_row *row);

#endif
