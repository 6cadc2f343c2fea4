/* lineage.h - finds the attempt that an orphan descends from.
 *
 * Every attempt starts with a mark in its environment that its descendants inherit: DOLLY_LINEAGE,
 * a list "RUN.HANDLE:" with one entry per dolly above it, so that runs inside runs can be told
 * apart. Descendants that cleaned their environment are identified by a descriptor they inherited.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { LINEAGE_RUN_CHARS = 16, LINEAGE_LINEAGE_MAX = 4096 };

struct lineage {
    char run[LINEAGE_RUN_CHARS + 1];     /* random, in hex */
    char above[LINEAGE_LINEAGE_MAX + 1]; /* the lineage of this process, mostly empty */
};

/* Draws a new run mark and takes over the lineage of this process's environment. Returns 0, or -1
 * with errno. */
int lineage_init(struct lineage *k);

/* Writes "DOLLY_LINEAGE=..." for an attempt. */
enum { LINEAGE_ENV_BYTES = LINEAGE_LINEAGE_MAX + 64 };
void lineage_env(const struct lineage *k, uint32_t handle, char out[LINEAGE_ENV_BYTES]);

/* Reads the mark of a process. Returns 1 with *handle; 0 if it has none; -1 if nothing could be
 * read: it is dead, is just being executed, may not be read, or has no environment at all. */
int lineage_of(const struct lineage *k, pid_t pid, uint32_t *handle);

/* Returns true if the process has the file open, named as /proc shows it: a path, or "pipe:[7]". */
bool lineage_holds(pid_t pid, const char *file);

/* Returns true if the process has the stdout or the stderr of an attempt open, which are in this
 * folder: it could still write to the output of the attempt there. */
bool lineage_writes(pid_t pid, const char *dir);
