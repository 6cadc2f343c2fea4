/* agent_list.h - the list of agents, in a file of the folder of the run, for `dolly agents`.
 *
 * A line for each agent: name, state (here, silent, away), host, cores, attempts, milliseconds
 * since its last beat when the file was written, where its files are (shared, pulled), scratch, and
 * address, separated by tabs. Replaced as a whole about once a second. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct coordinator;

/* Writes the list. Ignores write errors; the list is informational. */
void agent_list_write(struct coordinator *a);

/* Removes the list. */
void agent_list_remove(struct coordinator *a);

/* ---- reading it ---- */

enum { AGENT_LIST_LINE = 16384 };

/* A line of the list. */
struct agent_list_row {
    const char *name, *state, *host, *files, *scratch, *address;
    int64_t cores, running, heard_ms;
};

/* Splits a line, which is changed and borrowed. Returns false if it is not a line of the list. */
bool agent_list_parse(char *line, struct agent_list_row *row);
