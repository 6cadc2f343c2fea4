/* agents_list.h - who is there, in a file of the folder of the run, for `dolly agents`.
 *
 * A line for each agent: name, state (here, silent, away), host, cores, attempts, milliseconds
 * since it was heard when the file was written, where its files are (shared, pulled), scratch, and
 * address, each behind a tab but the first. Replaced as a whole about each second. */
#ifndef AGENT_AGENTS_LIST_H
#define AGENT_AGENTS_LIST_H

struct agents;

/* Writes it. What cannot be written is left out: nobody depends on it. */
void agents_list_write(struct agents *a);

#endif
